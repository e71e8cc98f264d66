"""The replica stands exactly where the store stands, and can always be thrown away."""

import logging
import subprocess
import sys
from datetime import date
from hashlib import sha256

import duckdb
import polars as pl
import pytest
from sqlalchemy import select, text

from engine.replica.replica import Replica
from engine.replica.view import frame_view
from engine.store import EventRow
from engine.store.schema import REPLICATED
from engine.store.schema.risk import vendors
from engine.store.schema.services import slo_buckets
from tests.conftest import NOW

VENDOR = {"id": "v1", "name": "Northwind", "category": "saas", "tier": "high", "last_review_on": date(2026, 1, 5)}


def write(store, *rows, org="acme"):
    with store.revision(org, "ann", now=NOW, create={"name": org}) as revision:
        revision.upsert(vendors, list(rows))
        revision.record("vendors.imported", details={"rows": len(rows)})


@pytest.fixture
def replica(any_store):
    opened = Replica(any_store.url, None)
    yield opened
    opened.close()


def content(replica):
    """Every row of every table, in a stable order."""
    with replica.view() as view:
        return rows_of(view)


def rows_of(view):
    frames = {name: view.frame(f'SELECT * FROM "{name}"') for name in REPLICATED}
    return {name: frame.sort(frame.columns).rows() for name, frame in frames.items()}


def test_a_sync_copies_rows_with_their_types(any_store, replica):
    write(any_store, VENDOR)
    assert replica.sync(["acme"]) == {"acme": any_store.head("acme")}
    with replica.view() as view:
        frame = view.frame("SELECT id, last_review_on, stores_customer_data, likelihood, revision FROM vendors")
        assert frame.schema == {
            "id": pl.String,
            "last_review_on": pl.Date,
            "stores_customer_data": pl.Boolean,
            "likelihood": pl.Int64,
            "revision": pl.Int64,
        }
        assert frame.rows() == [("v1", date(2026, 1, 5), None, None, 2)]
        (event,) = view.frame("SELECT occurred_at, details FROM audit_log WHERE seq = 2").rows()
        assert event == (NOW.replace(tzinfo=None), '{"rows":1}')
        assert view.position("acme") == any_store.head("acme")


@pytest.mark.real
@pytest.mark.parametrize("few", [0, 32], ids=["scanned", "as parameters"])
def test_small_steps_end_where_one_big_step_ends(few, any_store, replica, monkeypatch):
    monkeypatch.setattr("engine.replica.sync.FEW", few)
    write(any_store, VENDOR)
    replica.sync(["acme"])
    write(any_store, {**VENDOR, "tier": "low"}, {**VENDOR, "id": "v2", "service": "mail"})
    replica.sync(["acme"])
    with any_store.revision("acme", "ann", now=NOW) as revision:
        revision.insert(slo_buckets, [{"service_id": "s", "bucket_at": NOW, "total": 5, "bad": 1}])
        revision.append_events(
            [EventRow(f"e{i}", NOW, "ann", "access.granted", controls="soc2:CC6.1") for i in range(3)]
        )
    replica.sync(["acme"])
    anew = Replica(any_store.url, None)
    anew.sync(["acme"])
    assert content(replica) == content(anew)
    assert [row[1] for row in content(replica)["vendors"]] == ["v1", "v2"]
    anew.close()


def test_rows_that_went_go_and_those_that_came_back_are_there(any_store, replica):
    bucket = {"service_id": "s", "bucket_at": NOW, "total": 5, "bad": 1}
    write(any_store, *({**VENDOR, "id": name} for name in ("stays", "goes", "comes back", "goes and comes")))
    with any_store.revision("acme", "ann", now=NOW) as revision:
        revision.insert(slo_buckets, [bucket, {**bucket, "service_id": "t"}])
        revision.record("slo.imported")
    replica.sync(["acme"])
    with any_store.revision("acme", "ann", now=NOW) as revision:
        revision.delete(vendors, vendors.c.id.in_(["goes", "comes back", "goes and comes"]))
        revision.insert(vendors, [{**VENDOR, "id": "goes and comes", "tier": "low"}])
        revision.delete(slo_buckets, slo_buckets.c.bucket_at == NOW, slo_buckets.c.service_id == "s")
        revision.record("vendors.removed")
    write(any_store, {**VENDOR, "id": "comes back", "tier": "medium"})
    replica.sync(["acme"])
    anew = Replica(any_store.url, None)
    anew.sync(["acme"])
    assert content(replica) == content(anew)
    with replica.view() as view:
        assert view.frame("SELECT id, tier FROM vendors ORDER BY id").rows() == [
            ("comes back", "medium"),
            ("goes and comes", "low"),
            ("stays", "high"),
        ]
        assert view.frame("SELECT service_id FROM slo_buckets").rows() == [("t",)]
    anew.close()


@pytest.mark.real
@pytest.mark.parametrize("at_once", [1, 7, 250])
def test_many_batches_hold_what_one_holds(at_once, any_store, replica, monkeypatch):
    """Events come some at a time, each batch is read while the one before it is written; what is missing is no end."""
    with any_store.revision("acme", "ann", now=NOW, create={"name": "acme"}) as revision:
        revision.append_events([EventRow(f"e{i}", NOW, "ann", "noted", details=f'"{i}\\n"') for i in range(50)])
        revision.insert(vendors, [{**VENDOR, "id": f"v{i:02}"} for i in range(50)])
    with any_store._writer.begin() as connection:
        connection.execute(text("DELETE FROM audit_log WHERE seq BETWEEN 20 AND 40"))
    replica.sync(["acme"])
    monkeypatch.setattr("engine.store.database.bulk_read.BATCH_CHARACTERS", 500)
    monkeypatch.setattr("engine.store.database.bulk_read.EVENTS_AT_ONCE", at_once)
    anew = Replica(any_store.url, None)
    anew.sync(["acme"])
    assert content(anew) == content(replica)
    assert [row[1] for row in content(anew)["audit_log"]] == [*range(1, 20), *range(41, 52)]
    anew.close()


def test_texts_that_appear_late_in_a_column_arrive(any_store, replica):
    write(any_store, *({**VENDOR, "id": f"v{i:05d}", "service": None} for i in range(2_000)))
    write(any_store, {**VENDOR, "id": "v99999", "service": "mail"})
    replica.sync(["acme"])
    with replica.view() as view:
        assert view.frame("SELECT count(*), max(service) FROM vendors").rows() == [(2001, "mail")]


def test_a_sync_touches_only_the_organizations_asked_for(any_store, replica):
    write(any_store, VENDOR)
    write(any_store, VENDOR, org="other")
    assert list(replica.sync(["acme"])) == ["acme"]
    with replica.view() as view:
        assert view.frame("SELECT DISTINCT org_id FROM vendors").rows() == [("acme",)]
        assert view.position("other") is None


def test_an_organization_that_does_not_exist_is_left_out(any_store, replica):
    assert replica.sync(["nobody"]) == {}


def test_a_view_keeps_its_state_while_others_sync(any_store, replica):
    write(any_store, VENDOR)
    replica.sync(["acme"])
    with replica.view() as view:
        assert view.frame("SELECT count(*) FROM vendors").item() == 1
        write(any_store, {**VENDOR, "id": "v2"})
        replica.sync(["acme"])
        assert view.frame("SELECT count(*) FROM vendors").item() == 1
    with replica.view() as view:
        assert view.frame("SELECT count(*) FROM vendors").item() == 2


def test_a_restored_backup_is_noticed_and_copied_anew(any_store, replica, caplog):
    write(any_store, VENDOR)
    replica.sync(["acme"])
    with any_store._writer.begin() as connection:
        connection.execute(text("DELETE FROM audit_log WHERE seq = 2"))
        connection.execute(text("DELETE FROM vendors"))
        connection.execute(text("UPDATE heads SET last_seq = 1, hash = (SELECT hash FROM audit_log WHERE seq = 1)"))
    with caplog.at_level(logging.WARNING):
        replica.sync(["acme"])
    assert "is not the one replicated" in caplog.text
    with replica.view() as view:
        assert view.frame("SELECT count(*) FROM vendors").item() == 0
        assert view.frame("SELECT count(*) FROM audit_log").item() == 1


def test_a_file_is_kept_between_processes(store, tmp_path):
    path = tmp_path / "analytics" / "replica.duckdb"
    write(store, VENDOR)
    first = Replica(store.url, path)
    first.sync(["acme"])
    first.close()
    second = Replica(store.url, path)
    with second.view() as view:
        assert view.position("acme") == store.head("acme")
    second.close()


def test_a_damaged_file_is_set_aside_and_rebuilt(store, tmp_path, caplog):
    path = tmp_path / "replica.duckdb"
    path.write_bytes(b"nonsense" * 4096)
    write(store, VENDOR)
    with caplog.at_level(logging.WARNING):
        replica = Replica(store.url, path)
        assert replica.sync(["acme"]) == {"acme": store.head("acme")}
    assert "is set aside and rebuilt" in caplog.text
    assert path.with_name("replica.duckdb.aside").read_bytes() == b"nonsense" * 4096
    replica.close()


BLOCK = 256 * 1024


@pytest.mark.real
@pytest.mark.parametrize("block", [0, 2, -1])
def test_a_damaged_block_never_shows(block, store, tmp_path):
    """Neither where the file does not open any more, nor where that is found while it is read."""
    path = tmp_path / "replica.duckdb"
    write(
        store,
        *({**VENDOR, "id": f"v{number}", "service": sha256(b"%d" % number).hexdigest()} for number in range(9_000)),
    )
    first = Replica(store.url, path)
    first.sync(["acme"])
    first.checkpoint()
    right = content(first)
    first.close()
    with path.open("r+b") as file:
        file.seek(range(3 * 4096, path.stat().st_size, BLOCK)[block] + 300)
        file.write(b"\x5a" * 5_000)
    replica = Replica(store.url, path)
    assert replica.read(["acme"], rows_of) == right
    replica.close()
    again = Replica(store.url, path)
    again.sync(["acme"])
    assert content(again) == right
    again.close()


def test_a_folder_that_takes_no_file_is_done_without(store, tmp_path, caplog):
    (tmp_path / "file").touch()
    write(store, VENDOR)
    replica = Replica(store.url, tmp_path / "file" / "replica.duckdb")
    assert replica.sync(["acme"]) == {"acme": store.head("acme")}
    assert "this process works in memory" in caplog.text
    replica.close()


def test_a_file_of_another_schema_is_rebuilt(store, tmp_path):
    path = tmp_path / "replica.duckdb"
    first = Replica(store.url, path)
    first.sync([])
    first.close()
    with duckdb.connect(str(path)) as connection:
        connection.execute("UPDATE replica SET fingerprint = 'older'")
    write(store, VENDOR)
    second = Replica(store.url, path)
    assert second.sync(["acme"]) == {"acme": store.head("acme")}
    second.close()


@pytest.mark.real
def test_a_process_that_cannot_have_the_file_works_in_memory(store, tmp_path):
    path = tmp_path / "replica.duckdb"
    held = Replica(store.url, path)
    held.sync([])
    script = (
        "import sys, pathlib; from engine.replica.replica import Replica;"
        "r = Replica(sys.argv[1], pathlib.Path(sys.argv[2])); print(list(r.sync(['acme'])), r.is_in_memory); r.close()"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, store.url, str(path)], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "['acme'] True"
    held.close()


@pytest.mark.real
def test_a_sync_leaves_the_file_locks_of_the_store_alone(store, tmp_path):
    """Another process comes and goes after a sync; what it wrote is seen, and the log is still ours."""
    replica = Replica(store.url, None)
    before = store.head("acme")
    replica.sync(["acme"])
    script = (
        "import sys, datetime; from engine.store import Store; s = Store(sys.argv[1])\n"
        "with s.revision('acme', 'bob', now=datetime.datetime.now(datetime.UTC)) as r: r.record('note.added')\n"
        "s.close()"
    )
    for number in (1, 2):
        subprocess.run([sys.executable, "-c", script, store.url], check=True)
        assert store.head("acme").seq == before.seq + number
        assert replica.sync(["acme"])["acme"].seq == before.seq + number
    assert (tmp_path / "hq.db-wal").exists()
    replica.close()


def test_every_replicated_column_can_be_read_back(any_store, replica):
    replica.sync(["acme"])
    with any_store.reader() as connection, replica.view() as view:
        for name, table in REPLICATED.items():
            assert view.frame(f'SELECT * FROM "{name}"').columns == [c.name for c in table.columns]
            connection.execute(select(table).limit(1)).all()


def test_a_view_of_frames_has_their_rows_and_every_other_table_empty():
    known = pl.DataFrame({"org_id": ["acme"], "id": ["v1"], "last_review_on": [date(2026, 1, 5)]})
    with frame_view({"vendors": known}) as view:
        rows = view.frame("SELECT org_id, id, name, last_review_on FROM vendors").rows()
        others = view.frame("SELECT count(*) FROM audit_log").item()
    assert (rows, others) == ([("acme", "v1", None, date(2026, 1, 5))], 0)


def test_what_is_offered_to_a_view_of_frames_stands_in_for_its_table():
    with frame_view({"vendors": pl.DataFrame({"org_id": ["acme"], "id": ["v1"]})}) as view:
        view.offer("vendors", pl.DataFrame({"org_id": ["acme"], "id": ["v2"]}))
        assert view.frame("SELECT id FROM vendors").rows() == [("v2",)]


def test_a_view_of_no_frames_is_empty():
    with frame_view({}) as view:
        assert [name for name in REPLICATED if view.frame(f"SELECT count(*) FROM {name}").item()] == []


def test_every_cursor_is_in_utc_whatever_the_machine_says(store, monkeypatch, tmp_path):
    monkeypatch.setenv("TZ", "America/St_Johns")
    for path in (None, tmp_path / "analytics.duckdb", tmp_path / "analytics.duckdb"):
        replica = Replica(store.url, path)
        with replica.view() as view:
            assert view.frame("SELECT current_setting('TimeZone') AS zone")["zone"].to_list() == ["UTC"]
        replica.close()
