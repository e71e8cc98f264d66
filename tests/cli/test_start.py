"""What a command loads before it answers: most of its time, were it everything."""

import json
import os
import subprocess
import sys

import pytest

from engine.store import Store
from engine.store.schema.organizations import memberships
from tests.conftest import NOW

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


@pytest.mark.parametrize("arguments", [["--help"], ["report", "--help"], ["demo", "--help"], ["import", "--help"]])
def test_help_loads_nothing_heavy(start, arguments):
    printed, heavy = start(*arguments)
    assert (printed[0].startswith("Usage: hq"), heavy) == (True, set())


def test_printing_the_settings_loads_nothing_heavy(start):
    printed, heavy = start("config", SVC_THREADS="8")
    assert [line.split("\t")[0] for line in printed if line.startswith("SVC_THREADS")] == ["SVC_THREADS=8"]
    assert heavy == set()


@pytest.mark.parametrize(
    ("engine", "heavy"),
    [
        ("sqlite", {"cryptography"}),
        pytest.param("postgresql", {"cryptography", "sqlalchemy"}, marks=pytest.mark.postgresql),
    ],
)
def test_a_sign_in_loads_no_frames_and_no_migrations(start, request, engine, heavy):
    url = request.getfixturevalue(f"{engine}_url")
    store = Store(url)
    with store.revision("acme", "setup", now=NOW, create={"name": "Acme"}) as revision:
        revision.insert(memberships, [{"email": "ann@acme.example", "role": "owner"}])
        revision.record("organization.created")
    store.close()
    (token,), loaded = start("session", "--email", "ann@acme.example", SVC_DATABASE_URL=url)
    assert (token.count("."), loaded) == (2, heavy)


def test_a_report_that_is_there_is_printed_without_what_computes_it(start, sqlite_url):
    store = Store(sqlite_url)
    with store.revision("acme", "setup", now=NOW, create={"name": "Acme"}) as revision:
        revision.insert(memberships, [{"email": "ann@acme.example", "role": "owner"}])
        revision.record("organization.created")
    store.close()
    computed, loaded = start("report", "legal-holds", "--org", "acme", SVC_DATABASE_URL=sqlite_url)
    assert loaded >= {"polars", "duckdb", "reports"}
    assert start("report", "legal-holds", "--org", "acme", SVC_DATABASE_URL=sqlite_url) == (computed, {"sqlalchemy"})
