"""The n-th statement or commit fails, for every n: a clear error, all or nothing, and afterwards the same goes through."""

import shutil

import pytest
from sqlalchemy import create_engine, inspect

from engine.delivery.endpoint_changes import set_webhook
from engine.delivery.secret_keys import SecretKeys
from engine.intake.imports import import_paths
from engine.programme.retention import purge_all
from engine.store import EventRow, Store
from engine.store.database.migrations import latest, migrate
from engine.store.ids import new_id
from tests.conftest import NOW
from tests.faults.layer import failing_store, problem_of, sqlite_error

pytestmark = pytest.mark.real

WORDS = {
    "SQLITE_FULL": "disk_full",
    "SQLITE_IOERR_WRITE": "store_io_error",
    "SQLITE_BUSY": "store_busy",
    "SQLITE_READONLY": "store_read_only",
}
MOST = 400


def note(store, folder):
    store.write("acme", "ann", lambda revision: revision.record("note.added"), now=NOW)


def several(store, folder):
    with store.revision("acme", "ann", now=NOW) as revision:
        revision.append_events(EventRow(new_id("evt"), NOW, "ann", "access.granted") for _ in range(3))


def webhook(store, folder):
    keys = SecretKeys(folder / "webhook.key")
    store.write("acme", "ann", lambda revision: set_webhook(revision, keys, "https://93.184.216.34/hq"), now=NOW)


def bring_in(store, folder):
    sheet = folder / "memberships.csv"
    sheet.write_text("email;role\nann@acme.example;owner\nbob@acme.example;member\n")
    import_paths(store, [sheet], org_id="acme", actor="import", now=NOW)


def purge(store, folder):
    purge_all(store, now=NOW, payload_days=30)
    note(store, folder)


def look(store, folder):
    store.standing("acme", "ann@acme.example")
    store.credential("0" * 64)
    assert store.verify("acme").ok


@pytest.mark.parametrize(
    ("operation", "code"),
    [
        *((several, code) for code in WORDS),
        *((operation, "SQLITE_FULL") for operation in (note, webhook, bring_in)),
        (look, "SQLITE_IOERR_WRITE"),
        pytest.param(purge, "SQLITE_FULL", marks=pytest.mark.real),
    ],
)
def test_a_store_is_as_before_or_as_after(operation, code, acme_template, tmp_path):
    for n in range(1, MOST):
        folder = tmp_path / str(n)
        folder.mkdir()
        path = folder / "hq.db"
        shutil.copy(acme_template, path)
        store = Store(f"sqlite:///{path}")
        with failing_store(n, sqlite_error(code)) as calls:
            problem = problem_of(lambda store=store, folder=folder: operation(store, folder))
        if problem is not None and operation is not purge:  # that is one for every organization, and says so
            assert (problem.word, problem.status) == (WORDS[code], 503)
            assert "injected" not in problem.message
        assert store.verify("acme").ok
        if operation in (note, several, webhook, bring_in):
            assert (store.head("acme").seq == 1) is (problem is not None)
        if problem is not None:
            operation(store, folder)
            assert store.verify("acme").ok
        store.close()
        if not calls.met:
            assert n > 2, "there were calls to fail"
            return
    pytest.fail("it never came to its end")


def test_a_migration_is_whole_or_not_at_all(tmp_path):
    with failing_store(10**9, sqlite_error("SQLITE_FULL")) as calls:
        migrate(f"sqlite:///{tmp_path}/all.db")
    for n in (1, 9, 12, calls.count // 2, calls.count):
        url = f"sqlite:///{tmp_path}/{n}.db"
        with failing_store(n, sqlite_error("SQLITE_FULL")):
            problem = problem_of(lambda url=url: migrate(url))
        assert problem is None or problem.word == "disk_full", n
        engine = create_engine(url)
        assert problem is None or inspect(engine).get_table_names() == [], n
        engine.dispose()
    assert migrate(url) == (None, latest())
