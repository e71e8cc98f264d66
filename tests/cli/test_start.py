"""What a command loads before it answers: most of its time, were it everything."""

import json
import os
import subprocess
import sys

import pytest

from engine.store import Store
from engine.store.schema.organizations import memberships
from tests.conftest import NOW


@pytest.mark.parametrize("arguments", [["--help"], ["report", "--help"], ["demo", "--help"], ["import", "--help"]])
def test_help_loads_nothing_heavy(start, arguments):
    printed, heavy = start(*arguments)
    assert (printed[0].startswith("Usage: hq"), heavy) == (True, set())


def test_printing_the_settings_loads_nothing_heavy(start):
    printed, heavy = start("config", SVC_THREADS="8")
    assert [line.split("\t")[0] for line in printed if line.startswith("SVC_THREADS")] == ["SVC_THREADS=8"]
    assert heavy == set()


@pytest.mark.real
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


@pytest.mark.real
def test_a_report_that_is_there_is_printed_without_what_computes_it(start, sqlite_url):
    store = Store(sqlite_url)
    with store.revision("acme", "setup", now=NOW, create={"name": "Acme"}) as revision:
        revision.insert(memberships, [{"email": "ann@acme.example", "role": "owner"}])
        revision.record("organization.created")
    store.close()
    computed, loaded = start("report", "legal-holds", "--org", "acme", SVC_DATABASE_URL=sqlite_url)
    assert loaded >= {"polars", "duckdb", "reports"}
    assert start("report", "legal-holds", "--org", "acme", SVC_DATABASE_URL=sqlite_url) == (computed, set())


@pytest.mark.real
def test_a_command_ends_at_once_and_leaves_the_store_folded_with_its_log(acme_template, tmp_path):
    (tmp_path / "hq.db").write_bytes(acme_template.read_bytes())
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
    command = [sys.executable, "-m", "engine.cli", "report", "legal-holds"]
    done = subprocess.run(command, env={**environment, "SVC_DATA_DIR": str(tmp_path)}, capture_output=True, check=True)
    assert (json.loads(done.stdout)["report"], done.stderr) == ("legal-holds", b"")
    assert sorted(file.name for file in tmp_path.glob("*.db*")) == ["hq.db"]
    refused = subprocess.run([*command, "--org", "nobody"], env={**environment, "SVC_DATA_DIR": str(tmp_path)})
    assert refused.returncode == 2
