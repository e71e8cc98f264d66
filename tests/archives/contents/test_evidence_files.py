"""Held bytes in an archive: as they were taken, once each, and a list that says what was left out and why."""

import csv
import io
import zlib
from datetime import date, timedelta
from types import SimpleNamespace

import pytest

from engine.archives.contents.evidence_files import LIST, spool_evidence
from engine.archives.sealing.spool import ArchiveSpool
from engine.evidence.items import add_item, byte_columns
from engine.evidence.store import open_evidence
from engine.runtime.settings import Settings
from tests.conftest import NOW

CONTROL = ("soc2", "CC6.1")


@pytest.fixture
def archive(store, tmp_path):
    """``archive({id: (bytes, further columns)}, most)`` gives the files of an archive over 30 days and its list."""

    def make(items, most="1000", controls=(CONTROL,), wanted=None, window="30d"):
        settings = Settings.of({"SVC_DATA_DIR": str(tmp_path / "var"), "SVC_BUNDLE_EVIDENCE_BYTES": most})
        evidence = open_evidence(settings)
        with store.revision("acme", "ann", now=NOW) as revision:
            for identifier, (data, values) in items.items():
                held = {} if data is None else byte_columns(evidence.put("acme", data), f"{identifier}.csv", NOW)
                row = {"id": identifier, "title": identifier, "captured_at": NOW, **held, **values}
                add_item(revision, row, controls)
        namespace = SimpleNamespace(
            store=store,
            owner=SimpleNamespace(id="acme"),
            window=SimpleNamespace(requested=window, start_on=date(2026, 10, 22), end_on=date(2026, 11, 20)),
            pack=SimpleNamespace(wanted=wanted),
            snapshot=SimpleNamespace(subject=SimpleNamespace(revision=store.head("acme"))),
        )
        for path in (tmp_path / "var" / "evidence").rglob("*"):
            if path.is_file() and path.read_bytes() == b"to change":
                path.write_bytes(b"changed")
        with ArchiveSpool(tmp_path / "spool") as spool:
            count = spool_evidence(SimpleNamespace(settings=settings), namespace, spool)
            files = {part.name: b"".join(part.pieces()) for part in spool.parts if part.stored}
            assert count == len(files)
            listed = zlib.decompress(b"".join(spool._parts[LIST].pieces()), -15).decode()
        return files, {row["item"]: row for row in csv.DictReader(io.StringIO(listed, newline=""))}

    return make


def test_files_of_the_window_are_carried_once_each(archive):
    old = {"captured_at": NOW - timedelta(days=60)}
    files, rows = archive({"i1": (b"one", {}), "i2": (b"one", {}), "i3": (b"three", old)})
    assert list(files.values()) == [b"one"]
    assert list(rows) == ["i1", "i2"]
    assert rows["i1"]["file"] == rows["i2"]["file"] == next(iter(files))
    assert (rows["i1"]["controls"], rows["i1"]["name"], rows["i1"]["left_out"]) == ("soc2:CC6.1", "i1.csv", "")


def test_what_is_left_out_says_why(archive):
    gone = {"removed": "erased", "removed_at": NOW}
    newer = {"captured_at": NOW}
    older = {"captured_at": NOW - timedelta(days=1)}
    items = {
        "i1": (b"12345", newer),
        "i2": (b"678901", older),
        "i3": (b"erased", gone),
        "i4": (None, {"location": "vault://4"}),
        "i5": (b"to change", newer),
    }
    files, rows = archive(items, most="10")
    assert list(files.values()) == [b"12345"]
    assert {name: row["left_out"] for name, row in rows.items() if row["left_out"]} == {
        "i2": "no room: an archive carries at most 10 bytes of evidence (SVC_BUNDLE_EVIDENCE_BYTES)",
        "i3": "erased on 2026-11-20: the SHA-256 is what remains",
        "i4": "told: a location or a hash alone, the bytes are not held here",
        "i5": "the bytes are not those that were taken: no evidence",
    }


def test_a_pack_for_one_framework_has_the_files_and_controls_of_it_alone(archive):
    files, rows = archive({"i1": (b"one", {})}, controls=(CONTROL, ("iso27001", "A.5.18")), wanted="iso27001")
    assert (list(files.values()), rows["i1"]["controls"]) == ([b"one"], "iso27001:A.5.18")
    assert archive({"i2": (b"two", {})}, wanted="iso27001")[0] == files


def test_a_window_of_all_has_what_was_captured_before_the_first_event(archive):
    old = {"captured_at": NOW - timedelta(days=6000)}
    files, rows = archive({"i1": (b"one", {}), "i2": (b"two", old)}, window="all")
    assert (sorted(files.values()), list(rows)) == ([b"one", b"two"], ["i2", "i1"])
