"""Whatever is done to the file of a replica, what is read is what a copy made from scratch has."""

import logging
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing, contextmanager
from datetime import date

import duckdb
import pytest
from sqlalchemy.engine import make_url

from engine.model.errors import Unavailable
from engine.replica import replica as replicas
from engine.replica.replica import Replica
from engine.replica.replica_check import replica_findings
from engine.store import Store
from engine.store.schema import REPLICATED
from engine.store.schema.risk import vendors
from tests.conftest import NOW
from tests.replica.test_replica import rows_of

pytestmark = pytest.mark.real

VENDOR = {"id": "v1", "name": "Northwind", "category": "saas", "tier": "high", "last_review_on": date(2026, 1, 5)}


def write(store, number):
    with store.revision("acme", "ann", now=NOW) as revision:
        revision.upsert(vendors, [{**VENDOR, "id": f"v{number}-{row}", "service": f"{row}"} for row in range(200)])
        revision.record("vendors.imported", details={"number": number})


def fresh(url, *, with_past=False):
    """What a copy holds that is made in memory."""
    made = Replica(url, None)
    try:
        made.sync(["acme"], with_past=with_past)
        with made.view() as view:
            return rows_of(view)
    finally:
        made.close()


def overwrite(at, data=b"\x5a" * 6_000):
    def damage(path):
        with path.open("r+b") as file:
            file.seek(int(path.stat().st_size * at))
            file.write(data)

    return damage


def truncate(size):
    def damage(path):
        with path.open("r+b") as file:
            file.truncate(path.stat().st_size // 2 if size is None else size)

    return damage


def run(*statements):
    def damage(path):
        with duckdb.connect(str(path)) as connection:
            for statement in statements:
                connection.execute(statement)

    return damage


def foreign(path):
    path.unlink()
    run("CREATE TABLE watermarks (a INTEGER)", "CREATE TABLE other AS SELECT 1 AS a")(path)


def sqlite(path):
    path.unlink()
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE vendors (id TEXT)")


def folder(path):
    path.unlink()
    path.mkdir()
    (path / "file").touch()


def dangling(path):
    path.unlink()
    path.symlink_to(path.parent / "nowhere" / "file")


def read_only(path):
    overwrite(0.5)(path)
    path.chmod(0o400)


def only_a_log(path):
    path.rename(f"{path}.wal")


def strange_log(path):
    other = path.with_name("other.duckdb")
    script = "import duckdb, os, sys; c = duckdb.connect(sys.argv[1]); c.execute('CREATE TABLE x (a INT)'); os._exit(0)"
    subprocess.run([sys.executable, "-c", script, str(other)], check=True)
    other.with_name("other.duckdb.wal").rename(f"{path}.wal")


DAMAGES = {
    "bytes in the middle": overwrite(0.5),
    "bytes near the end": overwrite(0.97),
    "header": overwrite(0),
    "second header": overwrite(0, b"\0" * 12_000),
    "truncated to half": truncate(None),
    "truncated to nothing": truncate(0),
    "truncated to a byte": truncate(1),
    "foreign": foreign,
    "sqlite": sqlite,
    "text": lambda path: path.write_text("nonsense\n" * 9_000),
    "a table is gone": run("DROP TABLE vendors"),
    "a table of the past is gone": run("DROP TABLE past.vendors"),
    "a column is gone": run("ALTER TABLE vendors DROP COLUMN tier"),
    "a column is of another type": run("ALTER TABLE audit_log ALTER seq TYPE VARCHAR"),
    "a view in place of a table": run("ALTER TABLE vendors RENAME TO v", "CREATE VIEW vendors AS SELECT * FROM v"),
    "a function in the way": run("CREATE MACRO count_if(x) AS 7"),
    "rows are changed": run("UPDATE vendors SET tier = 'low' WHERE id = 'v1-7'"),
    "rows are gone": run("DELETE FROM vendors WHERE id = 'v1-7'"),
    "all events are gone": run("DELETE FROM audit_log"),
    "rows are added": run("INSERT INTO vendors (org_id, id) VALUES ('acme', 'v0')"),
    "rows are there twice": run("INSERT INTO vendors SELECT * FROM vendors WHERE id = 'v1-7'"),
    "two rows are changed for each other": run(
        "UPDATE vendors SET service = '8' WHERE id = 'v1-7'", "UPDATE vendors SET service = '7' WHERE id = 'v1-8'"
    ),
    "rows and digests are gone": run("DELETE FROM vendors", "DELETE FROM tallies WHERE name = 'vendors'"),
    "the watermark is ahead": run("UPDATE watermarks SET seq = seq + 5"),
    "the watermark is behind": run("UPDATE watermarks SET seq = 1"),
    "the watermark is of another chain": run("UPDATE watermarks SET hash = 'other'"),
    "no watermark": run("DELETE FROM watermarks"),
    "a past that is not there": run("UPDATE watermarks SET has_past = NOT has_past"),
    "a folder": folder,
    "a link to nowhere": dangling,
    "damaged and read-only": read_only,
    "only a log": only_a_log,
    "a strange log": strange_log,
    "a log of nonsense": lambda path: path.with_name(f"{path.name}.wal").write_bytes(b"nonsense" * 999),
    "nothing": lambda path: path.unlink(),
}


@pytest.fixture
def closed_replica(store, tmp_path):
    """The file of a replica that was closed."""
    path = tmp_path / "data" / "analytics.duckdb"
    write(store, 1)
    replica = Replica(store.url, path)
    replica.sync(["acme"])
    replica.close()
    return path


FEW = (
    "bytes in the middle",
    "header",
    "truncated to half",
    "foreign",
    "a column is gone",
    "rows are changed",
    "rows are there twice",
    "the watermark is behind",
    "a folder",
    "a strange log",
    "nothing",
)


@pytest.mark.parametrize(
    "damage", [name if name in FEW else pytest.param(name, marks=pytest.mark.real) for name in DAMAGES]
)
def test_a_damaged_file_is_found_when_it_is_opened(damage, store, closed_replica):
    DAMAGES[damage](closed_replica)
    write(store, 2)
    right = fresh(store.url)
    replica = Replica(store.url, closed_replica)
    assert (replica.read(["acme"], rows_of), replica.is_in_memory) == (right, False)
    replica.close()
    again = Replica(store.url, closed_replica)
    assert (again.read(["acme"], rows_of), again.is_in_memory) == (right, False)
    again.close()
    assert {path.name for path in closed_replica.parent.iterdir()} <= {
        f"analytics.duckdb{suffix}" for suffix in ("", ".aside", ".wal.aside", ".lock")
    } | {"other.duckdb"}


WHILE_OPEN = (
    "bytes in the middle",
    "bytes near the end",
    "header",
    "truncated to half",
    "truncated to nothing",
    "text",
    "a link to nowhere",
    "a folder",
    "nothing",
)


@pytest.mark.parametrize(
    "damage",
    [WHILE_OPEN[0], WHILE_OPEN[-1], *(pytest.param(name, marks=pytest.mark.real) for name in WHILE_OPEN[1:-1])],
)
def test_a_file_that_is_damaged_while_it_is_open_is_rebuilt(damage, store, closed_replica):
    replica = Replica(store.url, closed_replica)
    replica.sync(["acme"])
    with replica.view():
        DAMAGES[damage](closed_replica)
        write(store, 2)
        assert replica.read(["acme"], rows_of) == fresh(store.url)
    write(store, 3)
    assert replica.read(["acme"], rows_of) == fresh(store.url)
    replica.checkpoint()
    assert replica.read(["acme"], rows_of) == fresh(store.url)
    replica.close()
    again = Replica(store.url, closed_replica)
    assert (again.read(["acme"], rows_of), again.is_in_memory) == (fresh(store.url), False)
    again.close()


def test_a_log_that_is_taken_away_or_cut_leaves_an_earlier_state_that_catches_up(store, closed_replica):
    for number, change in enumerate((lambda log: log.unlink(), lambda log: truncate(None)(log)), 2):
        script = (
            "import os, sys, pathlib; from engine.replica.replica import Replica;"
            "r = Replica(sys.argv[1], pathlib.Path(sys.argv[2])); r.sync(['acme']); os._exit(0)"
        )
        write(store, number)
        subprocess.run([sys.executable, "-c", script, store.url, str(closed_replica)], check=True)
        change(closed_replica.with_name(f"{closed_replica.name}.wal"))
        replica = Replica(store.url, closed_replica)
        assert (replica.read(["acme"], rows_of), replica.is_in_memory) == (fresh(store.url), False)
        replica.close()


def test_an_older_store_is_copied_anew(store, closed_replica, tmp_path):
    """The database was restored from a copy of a time before what the replica saw."""
    older = tmp_path / "older.db"
    with closing(sqlite3.connect(make_url(store.url).database)) as source, closing(sqlite3.connect(older)) as target:
        source.backup(target)
    write(store, 2)
    replica = Replica(store.url, closed_replica)
    replica.sync(["acme"])
    replica.close()
    restored = Store(f"sqlite:///{older}")
    replica = Replica(restored.url, closed_replica)
    assert replica.read(["acme"], rows_of) == fresh(restored.url)
    write(restored, 3)
    write(restored, 4)
    assert replica.read(["acme"], rows_of) == fresh(restored.url)
    replica.close()
    restored.close()


def test_rows_and_digests_that_were_changed_together_are_found_by_their_number(store, closed_replica):
    """As a sync would have left it that missed a row."""
    partly = Replica(store.url, None)
    partly.sync(["acme"])
    with store._writer.begin() as connection:
        connection.exec_driver_sql("DELETE FROM vendors WHERE id = 'v1-9'")
    closed_replica.unlink()
    wrong = Replica(store.url, closed_replica)
    wrong.sync(["acme"])
    wrong.close()
    with store._writer.begin() as connection:
        row = next(row for row in rows_of_memory(partly)["vendors"] if "v1-9" in row)
        names = list(REPLICATED["vendors"].columns.keys())
        marks = ", ".join("?" * len(names))
        values = tuple(str(cell) if isinstance(cell, date) else cell for cell in row)
        connection.exec_driver_sql(f"INSERT INTO vendors ({', '.join(names)}) VALUES ({marks})", values)
    partly.close()
    replica = Replica(store.url, closed_replica)
    assert replica.read(["acme"], rows_of) == fresh(store.url)
    replica.close()


def rows_of_memory(replica):
    with replica.view() as view:
        return rows_of(view)


def test_a_file_with_its_past_is_sound_when_it_is_opened_again(store, closed_replica, caplog):
    replica = Replica(store.url, closed_replica)
    replica.sync(["acme"], with_past=True)
    write(store, 1)
    with store.revision("acme", "ann", now=NOW) as revision:
        revision.delete(vendors, vendors.c.id == "v1-3")
        revision.record("vendors.removed")
    replica.sync(["acme"])
    replica.close()
    again = Replica(store.url, closed_replica)
    with caplog.at_level(logging.WARNING):
        assert again.read(["acme"], rows_of) == fresh(store.url, with_past=True)
    assert (caplog.text, again.is_in_memory) == ("", False)
    again.close()
    run("UPDATE past.vendors SET tier = 'low'")(closed_replica)
    again = Replica(store.url, closed_replica)
    with caplog.at_level(logging.WARNING):
        again.sync(["acme"])
    assert "its rows of acme in past.vendors are not those that were copied" in caplog.text
    again.close()


def test_a_file_that_somebody_else_looks_at_is_left_alone_and_had_again(store, closed_replica, monkeypatch):
    monkeypatch.setattr(replicas, "RETRY_SECONDS", 0.0)
    script = "import duckdb, sys; c = duckdb.connect(sys.argv[1]); print('has it', flush=True); sys.stdin.read()"
    other = subprocess.Popen(
        [sys.executable, "-c", script, str(closed_replica)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert other.stdout.readline() == "has it\n"
    replica = Replica(store.url, closed_replica)
    assert (replica.read(["acme"], rows_of), replica.is_in_memory) == (fresh(store.url), True)
    other.communicate()
    assert (replica.read(["acme"], rows_of), replica.is_in_memory) == (fresh(store.url), False)
    assert not closed_replica.with_name(f"{closed_replica.name}.aside").exists()
    replica.close()


@contextmanager
def files_up_to(size):
    """What the system answers from then on is that of a disk that is full: EFBIG for ENOSPC."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
        signal.signal(signal.SIGXFSZ, before)


@pytest.mark.parametrize("damage", [None, "nothing", "bytes in the middle"])
def test_a_full_disk_is_done_without_until_there_is_space(damage, store, closed_replica):
    """When the file is opened, when it is made anew, when it is written and folded into one."""
    write(store, 2)
    if damage is not None:
        DAMAGES[damage](closed_replica)
    replica = Replica(store.url, closed_replica)
    with files_up_to(100):
        assert (replica.read(["acme"], rows_of), replica.is_in_memory) == (fresh(store.url), True)
        replica.checkpoint()
    replica._again_at = 0.0  # a minute later
    assert (replica.read(["acme"], rows_of), replica.is_in_memory) == (fresh(store.url), False)
    for number in range(3, 6):
        write(store, number)
        right = fresh(store.url)
        with files_up_to(100):
            assert replica.read(["acme"], rows_of) == right
            replica.checkpoint()
            assert replica.read(["acme"], rows_of) == right
        replica._again_at = 0.0
        assert (replica.read(["acme"], rows_of), replica.is_in_memory) == (right, False)
    replica.close()


def test_want_of_memory_is_said_where_not_even_an_empty_copy_can_be_had(store, closed_replica):
    for path in (closed_replica, None):
        replica = Replica(store.url, path, memory_limit="1KB")
        with pytest.raises(Unavailable, match="There was too much to compute: there is not enough memory"):
            replica.read(["acme"], rows_of)
        replica.close()


def test_want_of_memory_without_a_file_names_the_disk(store, closed_replica):
    replica = Replica(store.url, closed_replica, memory_limit="1MB")
    with pytest.raises(Unavailable, match="There was too much to compute: there is not enough memory") as small:
        replica.read(["acme"], rows_of)
    replica.close()
    replica = Replica(store.url, closed_replica, memory_limit="1MB")
    closed_replica.unlink()
    with files_up_to(100), pytest.raises(Unavailable, match="cannot be made: the disk is full") as full:
        replica.read(["acme"], rows_of)
    replica.close()
    assert [(caught.value.word, "Retry-After" in caught.value.headers) for caught in (small, full)] == [
        ("out_of_memory", True),
        ("disk_full", True),
    ]


def test_a_file_is_made_anew_once_nobody_reads_the_one_that_was_given_up(store, closed_replica):
    replica = Replica(store.url, closed_replica)
    replica.sync(["acme"])
    with replica.view():
        closed_replica.unlink()
        assert (replica.read(["acme"], rows_of), replica.is_in_memory) == (fresh(store.url), True)
    assert (replica.read(["acme"], rows_of), replica.is_in_memory) == (fresh(store.url), False)
    replica.close()


def test_readers_beside_each_other_all_get_what_is_right(store, closed_replica):
    replica = Replica(store.url, closed_replica)
    replica.sync(["acme"])
    overwrite(0.3, b"\x5a" * 60_000)(closed_replica)
    right, got, start = fresh(store.url), [], threading.Barrier(4)

    def look():
        start.wait()
        got.append(replica.read(["acme"], rows_of) == right)

    threads = [threading.Thread(target=look) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert got == [True] * 4
    replica.close()


def test_an_error_of_the_program_is_no_reason_to_make_a_copy_anew(store, closed_replica):
    replica = Replica(store.url, closed_replica.with_name("new.duckdb"))
    with pytest.raises(duckdb.CatalogException):
        replica.read(["acme"], lambda view: view.frame("SELECT * FROM nothing"))
    assert not replica.is_in_memory
    replica.close()
    shutil.rmtree(closed_replica.parent)


def test_a_comparison_names_the_tables_that_are_not_those_of_the_store(store, closed_replica):
    write(store, 2)
    assert replica_findings(store.url, closed_replica, ["acme", "nobody"]) == []
    with store._writer.begin() as connection:  # as if a sync had copied something else
        connection.exec_driver_sql("UPDATE vendors SET tier = 'low' WHERE id = 'v1-9'")
    before = closed_replica.read_bytes()
    assert replica_findings(store.url, closed_replica, ["acme"]) == [
        "The analytics store analytics.duckdb has other rows of acme in vendors than the store."
    ]
    assert closed_replica.read_bytes() == before
    replica = Replica(store.url, closed_replica)
    replica.sync(["acme"])
    assert replica_findings(store.url, closed_replica, ["acme"]) == []  # who has the file heals it
    replica.close()
    run("DELETE FROM vendors")(closed_replica)
    assert replica_findings(store.url, closed_replica, ["acme"]) == [
        "The analytics store analytics.duckdb is not sound and will be made anew: its rows of acme in vendors are not "
        "those that were copied."
    ]
    run("UPDATE replica SET fingerprint = 'of the version before'")(closed_replica)
    assert replica_findings(store.url, closed_replica, ["acme"]) == []
    closed_replica.unlink()
    assert replica_findings(store.url, closed_replica, ["acme"]) == []


def test_nothing_is_fetched_from_anywhere_to_open_a_file(store, closed_replica, caplog):
    sqlite(closed_replica)
    replica = Replica(store.url, closed_replica)
    replica.sync(["acme"])
    with replica.view() as view:
        names = ("autoinstall_known_extensions", "autoload_known_extensions")
        found = {name: view.frame("SELECT current_setting(?) AS value", [name]).item() for name in names}
    replica.close()
    messages = [record.message for record in caplog.records if "set aside" in record.message]
    assert (found, len(messages), ["extensions.duckdb.org" in words for words in messages]) == (
        dict.fromkeys(names, False),
        1,
        [False],
    )
