"""Commands on a store of another schema: they leave it as it is, and ``hq migrate`` brings it on after a backup."""

import os
import sqlite3
import threading
from contextlib import closing

import pytest
from sqlalchemy import create_engine, text

from engine.model.errors import Unavailable
from engine.operations import migration_backup
from engine.runtime.epoch_watch import watch_epoch
from engine.store import Store
from engine.store.database import patience
from engine.store.database.epoch import EPOCH, SchemaChanged
from engine.store.database.migrations import ensure_schema, migrate
from tests.conftest import NOW
from tests.web.handlers.test_health import downgrade

BEHIND = f"hq: The store is at 0032, {EPOCH} is expected: stop what runs and bring it there with `hq migrate`."
LOOKS = (
    ("verify", "--org", "acme"),
    ("report", "summary"),
    ("figures",),
    ("explain", "summary", "gaps_open"),
    ("diff", "summary", "--from", "2026-11-01", "--to", "2026-11-02"),
    ("plan", "--framework", "soc2", "--target", "85", "--by", "2027-03-01"),
    ("heads",),
    ("build",),
    ("scheduler", "--list"),
)
WRITES = (
    ("erase", "--org", "acme", "--person", "ann@acme.example"),
    ("session", "--email", "ann@acme.example"),
    ("session", "--email", "ann@acme.example", "--revoke"),
    ("scheduler",),
)


@pytest.fixture
def earlier(acme):
    """The data folder of acme as of the migration before the head was renamed."""
    with closing(Store(f"sqlite:///{acme / 'var' / 'hq.db'}")) as store:
        downgrade(store, "0032")
    return acme


def contents(path):
    with closing(sqlite3.connect(path)) as connection:
        return list(connection.iterdump())


@pytest.mark.parametrize("command", [*LOOKS, *WRITES], ids=" ".join)
def test_a_store_of_an_earlier_schema_is_refused_and_left(earlier, cli, command):
    before = contents(earlier / "var" / "hq.db")
    code, out, err = cli(*command)
    assert (code, out, BEHIND in err) == (1, "", True)
    assert contents(earlier / "var" / "hq.db") == before


def test_imports_exports_checks_and_backups_refuse_as_well(earlier, cli):
    before = contents(earlier / "var" / "hq.db")
    for command in (("import", earlier / "sheets"), ("import", "--check", earlier / "sheets")):
        assert cli(*command)[::2] == (1, f"{BEHIND}\n  found 0032, expected {EPOCH}\n")
    assert cli("export", earlier / "site")[0] == 1
    assert cli("backup", earlier / "backup.zip")[0] == 1
    code, out, _ = cli("check")
    assert (code, "run `hq migrate`" in out) == (1, True)
    assert contents(earlier / "var" / "hq.db") == before


@pytest.mark.parametrize("command", [("verify", "--org", "acme"), ("report", "summary"), ("heads",)], ids=" ".join)
def test_a_question_makes_no_store(home, cli, command):
    code, _, err = cli(*command)
    assert (code, "is at no migration" in err, "`hq migrate`" in err) == (1, True, True)
    assert not (home / "var" / "hq.db").exists()


@pytest.mark.real
def test_what_begins_a_store_begins_an_empty_one_alone(tmp_path):
    url = f"sqlite:///{tmp_path}/hq.db"
    with pytest.raises(Unavailable, match="hq migrate"):
        ensure_schema(url)
    ensure_schema(url, begin=True)
    ensure_schema(url)
    with closing(Store(url)) as store:
        downgrade(store, "0032")
    with pytest.raises(Unavailable, match="The store is at 0032"):
        ensure_schema(url, begin=True)


@pytest.mark.real
def test_the_check_of_a_migration_says_what_there_is_and_writes_nothing(earlier, cli):
    before = contents(earlier / "var" / "hq.db")
    assert cli("migrate", "--check") == (1, f"found 0032, expected {EPOCH}\n", "")
    assert contents(earlier / "var" / "hq.db") == before
    assert cli("migrate", "--no-backup") == (0, f"migrated from 0032 to {EPOCH}\n", "")
    assert cli("migrate", "--check") == (0, f"found {EPOCH}, expected {EPOCH}\n", "")
    assert not (earlier / "var" / "backups").exists()


def test_the_check_of_an_empty_store_makes_none(home, cli):
    assert cli("migrate", "--check") == (1, f"found no migration, expected {EPOCH}\n", "")
    assert not (home / "var" / "hq.db").exists()


@pytest.mark.real
def test_a_backup_comes_before_the_migration_and_is_the_store_as_it_was(earlier, cli):
    before = contents(earlier / "var" / "hq.db")
    code, out, _ = cli("migrate")
    (backup,) = (earlier / "var" / "backups").iterdir()
    assert (code, out) == (0, f"backup of migration 0032: {backup}\nmigrated from 0032 to {EPOCH}\n")
    assert (contents(backup), backup.stat().st_mode & 0o777) == (before, 0o600)
    assert cli("verify", "--org", "acme")[0] == 0
    assert cli("migrate")[:2] == (0, f"already at {EPOCH}\n")
    assert list((earlier / "var" / "backups").iterdir()) == [backup]


def test_a_backup_that_fails_leaves_the_store_as_it_was(earlier, cli, monkeypatch):
    before = contents(earlier / "var" / "hq.db")

    def full(file):
        raise OSError(28, os.strerror(28))

    monkeypatch.setattr(migration_backup.os, "fsync", full)
    assert cli("migrate")[0] == 1
    assert contents(earlier / "var" / "hq.db") == before
    assert list((earlier / "var" / "backups").iterdir()) == []


@pytest.mark.real
def test_an_end_between_backup_and_migration_leaves_the_store_as_it_was(any_store):
    downgrade(any_store, "0032")

    def die(at):
        assert at == "0032"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        migrate(any_store.url, prepare=die)
    assert any_store.epoch() == "0032"
    assert migrate(any_store.url) == ("0032", EPOCH)
    assert any_store.verify("acme").ok


@pytest.mark.real
def test_a_writer_at_work_is_waited_for_and_then_the_migration_refuses(any_store, monkeypatch):
    downgrade(any_store, "0032")
    engine = create_engine(any_store.url)
    token = patience._seconds.set(0.2)
    try:
        with engine.connect() as connection:
            if any_store.dialect == "sqlite":
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            connection.execute(text("UPDATE heads SET seq = seq"))
            with pytest.raises(Unavailable, match="locked by another writer"):
                migrate(any_store.url)
            connection.rollback()
    finally:
        patience._seconds.reset(token)
        engine.dispose()
    assert any_store.epoch() == "0032"
    assert migrate(any_store.url) == ("0032", EPOCH)


@pytest.mark.postgresql
def test_the_backup_of_postgresql_restores_to_what_was_migrated(postgresql_url, home, cli, monkeypatch):
    with closing(Store(postgresql_url)) as store:
        with store.revision("acme", "ann", now=NOW, create={"name": "Acme"}) as revision:
            revision.record("organization.created")
        head = store.head("acme")
        downgrade(store, "0032")
    monkeypatch.setenv("SVC_DATABASE_URL", postgresql_url)
    code, out, err = cli("migrate")
    (backup,) = (home / "var" / "backups").iterdir()
    assert (code, out) == (0, f"backup of migration 0032: {backup}\nmigrated from 0032 to {EPOCH}\n"), err
    monkeypatch.delenv("SVC_DATABASE_URL")
    monkeypatch.setenv("SVC_DATA_DIR", str(home / "restored"))
    code, _, err = cli("restore", backup)
    assert code == 0, err
    with closing(Store(f"sqlite:///{home / 'restored' / 'hq.db'}")) as store:
        assert (store.head("acme"), store.epoch()) == (head, EPOCH)


def test_a_process_that_serves_is_ended_once_its_store_was_migrated(any_store, monkeypatch):
    ended = threading.Event()
    monkeypatch.setattr("engine.runtime.epoch_watch.os.kill", lambda pid, number: ended.set())
    with pytest.raises(SchemaChanged, match="migration 0099"), watch_epoch(any_store, seconds=0.01):
        _set_epoch(any_store, "0099")
        assert ended.wait(20)


def test_a_process_whose_store_stays_is_not_ended(store, monkeypatch):
    monkeypatch.setattr("engine.runtime.epoch_watch.os.kill", lambda pid, number: pytest.fail("ended"))
    with watch_epoch(store, seconds=0.01):
        store.write("acme", "ann", lambda revision: revision.record("anything"), now=NOW)
    assert not store.outdated.is_set()


def _set_epoch(store, number):
    engine = create_engine(store.url)
    with engine.begin() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = :number"), {"number": number})
    engine.dispose()
