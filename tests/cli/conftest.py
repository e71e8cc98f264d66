"""A data folder with an organization, a command run in this process, a command run in one of its own."""

import json
import os
import shutil
import subprocess
import sys

import pytest

from engine.cli import hq

ORGANIZATIONS = "name;time zone;created at\nAcme Ltd;Europe/Berlin;2026-01-05\n"
MEMBERSHIPS = "email;role\nann@acme.example;owner\nbob@acme.example;member\n"
FRAMEWORKS = "framework;in scope\nSOC 2;yes\n"
ATTESTATIONS = "framework;control id;owner;due on;outcome;attested at\nsoc2;CC6.1;ann@acme.example;30.11.2026;;\n"


@pytest.fixture
def home(tmp_path, monkeypatch):
    """An empty data folder, and a folder of spreadsheets."""
    for name in [name for name in os.environ if name.startswith("SVC_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("SVC_DATA_DIR", str(tmp_path / "var"))
    sheets = tmp_path / "sheets"
    sheets.mkdir()
    (sheets / "organizations.csv").write_text("\ufeff" + ORGANIZATIONS)
    (sheets / "memberships.csv").write_text(MEMBERSHIPS)
    (sheets / "organization_frameworks.csv").write_text(FRAMEWORKS)
    (sheets / "attestations.csv").write_text(ATTESTATIONS)
    return tmp_path


def run(capfdbinary, *arguments):
    """(exit code, standard output, standard error) of a command."""
    code = 0
    try:
        hq(arguments)
    except SystemExit as end:
        code = end.code or 0
    out = capfdbinary.readouterr()
    return code, out.out.decode(), out.err.decode()


@pytest.fixture
def cli(capfdbinary):
    return lambda *arguments: run(capfdbinary, *map(str, arguments))


@pytest.fixture(scope="session")
def imported_data(tmp_path_factory):
    """Where the first test that wants acme leaves its data folder for the others."""
    return tmp_path_factory.mktemp("imported") / "var"


@pytest.fixture
def acme(home, cli, sqlite_template, imported_data):
    if not imported_data.exists():
        (home / "var").mkdir()
        shutil.copy(sqlite_template, home / "var" / "hq.db")
        code, _, err = cli("import", home / "sheets", "--org", "acme")
        assert code == 0, err
        shutil.copytree(home / "var", imported_data)
    else:
        shutil.copytree(imported_data, home / "var")
    return home


HEAVY = {
    "adbc_driver_postgresql",
    "aiohttp",
    "alembic",
    "apscheduler",
    "botocore",
    "bottle",
    "cryptography",
    "duckdb",
    "fsspec",
    "hypothesis",
    "httpx",
    "icalendar",
    "jinja2",
    "limits",
    "markdown",
    "numpy",
    "polars",
    "pyarrow",
    "reports",
    "rich",
    "sqlalchemy",
    "weasyprint",
    "xlsxwriter",
}
# the names of the packages that are loaded once a command has answered, after its own output
PROBE = """
import json, sys
from engine.cli import hq
try:
    hq(sys.argv[1:])
except SystemExit:
    pass
print(json.dumps(sorted({name.partition(".")[0] for name in sys.modules})))
"""


@pytest.fixture
def start(tmp_path):
    """(what a command printed, which heavy packages its process had loaded by then)."""

    def run(*arguments, **settings):
        environment = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
        done = subprocess.run(
            [sys.executable, "-c", PROBE, *arguments],
            env={**environment, "SVC_DATA_DIR": str(tmp_path), **settings},
            capture_output=True,
            text=True,
            check=True,
        )
        *printed, loaded = done.stdout.splitlines()
        return printed, HEAVY & set(json.loads(loaded))

    return run
