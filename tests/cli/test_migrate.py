"""``hq migrate --to``: reports of the moved store are those of the store."""

import shutil
from datetime import timedelta

import pytest

from engine.cli import hq
from engine.cli.common import now
from engine.runtime.lead import LEASE
from engine.store import Store
from engine.store.writing import leases
from engine.store.writing.leases import Lease
from tests.store.log.test_row_check import attest


@pytest.fixture
def cli(capfd, monkeypatch, tmp_path, acme_template):
    (tmp_path / "var").mkdir()
    shutil.copy(acme_template, tmp_path / "var" / "hq.db")
    monkeypatch.setenv("SVC_DATA_DIR", str(tmp_path / "var"))

    def run(*arguments):
        code = 0
        try:
            hq(list(arguments))
        except SystemExit as end:
            code = end.code or 0
        return code, *capfd.readouterr()

    return run


@pytest.fixture
def acme(tmp_path, cli):
    store = Store(f"sqlite:///{tmp_path / 'var' / 'hq.db'}")
    yield store
    store.close()


@pytest.mark.postgresql
def test_a_moved_store_gives_the_same_bytes(cli, acme, postgresql_url, monkeypatch):
    attest(acme, "a")
    reports = [cli("report", name, "--org", "acme")[1] for name in ("attestations", "posture-score")]
    code, out, _ = cli("migrate", "--to", postgresql_url)
    head = acme.head("acme")
    assert (code, out.splitlines()[-2:]) == (
        0,
        [
            f"acme stands at {head.seq}, {head.hash}: chain and rows hold",
            "Set SVC_DATABASE_URL to the URL given with --to, on every machine, and start the server again.",
        ],
    )
    assert "attestations: 1" in out.splitlines()
    monkeypatch.setenv("SVC_DATABASE_URL", postgresql_url)
    assert [cli("report", name, "--org", "acme")[1] for name in ("attestations", "posture-score")] == reports
    assert cli("verify", "--org", "acme")[0] == 0


def test_a_store_that_a_server_works_on_is_not_moved(cli, acme):
    leases.take(acme, LEASE, Lease("here:1", now() + timedelta(minutes=1)), after=None)
    code, _, err = cli("migrate", "--to", "postgresql+psycopg://nobody@127.0.0.1:1/x")
    assert (code, err.startswith("hq: A server works on this store (here:1, until ")) == (1, True)
