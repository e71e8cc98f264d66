"""Files become items: bytes first, rows second, all of them in one revision or none."""

from datetime import UTC, datetime

import pytest

from engine.evidence.incoming import open_file
from engine.evidence.items import EvidenceFile, add_files, items_with_bytes, named_hashes
from engine.evidence.places import EvidenceFolder
from engine.evidence.store import EvidenceStore
from engine.model.errors import Usage
from engine.store.rows import many
from engine.store.schema.controls import evidence_links

NOW = datetime(2026, 11, 24, 8, 0, tzinfo=UTC)
CONTROLS = [("soc2", "CC6.2"), ("iso27001", "A.5.18")]


def handed_in(path, **values):
    return EvidenceFile(path.name, open_file(path, 100), path.stem, {"captured_at": NOW, **values})


@pytest.fixture
def evidence(tmp_path):
    return EvidenceStore(EvidenceFolder(tmp_path / "evidence"), tmp_path / "evidence", most=100, quota=150)


def test_a_file_without_a_byte_is_refused(store, evidence, tmp_path):
    (tmp_path / "empty.csv").touch()
    head = store.head("acme")
    with pytest.raises(Usage, match="empty.csv is empty: a file without a byte is evidence of nothing"):
        add_files(store, evidence, "acme", [handed_in(tmp_path / "empty.csv")], CONTROLS, actor="ann", now=NOW)
    assert store.head("acme") == head


def test_files_become_items_in_one_revision(store, evidence, tmp_path):
    for name in ("people.csv", "accounts.csv"):
        (tmp_path / name).write_text(name)
    before = store.head("acme").seq
    files = [handed_in(tmp_path / name, owner="ann@acme.example") for name in ("people.csv", "accounts.csv")]
    items = add_files(store, evidence, "acme", files, CONTROLS, actor="cli", now=NOW)
    assert [(item["title"], item["file"], item["held_bytes"], item["held_state"]) for item in items] == [
        ("people", "people.csv", 10, "whole"),
        ("accounts", "accounts.csv", 12, "whole"),
    ]
    assert {item["revision"] for item in items} == {before + 1}
    with store.reader() as connection:
        assert len(many(connection, evidence_links, "acme")) == 4
        assert named_hashes(connection, "acme") == {item["held_sha256"] for item in items}
    assert [evidence.check("acme", item["held_sha256"]) for item in items] == ["whole", "whole"]
    assert store.verify("acme").ok
    assert store.verify_rows("acme").ok


def test_nothing_is_written_where_one_file_is_refused(store, evidence, tmp_path):
    (tmp_path / "small").write_text("small")
    (tmp_path / "large").write_bytes(b"x" * 101)
    before = store.head("acme")
    files = [handed_in(tmp_path / "small"), handed_in(tmp_path / "large")]
    with pytest.raises(Usage, match="more than 100 bytes"):
        add_files(store, evidence, "acme", files, CONTROLS, actor="cli", now=NOW)
    with pytest.raises(Usage, match="no evidence request 'req-9'"):
        add_files(
            store, evidence, "acme", [handed_in(tmp_path / "small", request_id="req-9")], CONTROLS, actor="cli", now=NOW
        )
    assert store.head("acme") == before
    with store.reader() as connection:
        assert items_with_bytes(connection, "acme") == []
    files = []
    for name in ("one", "two", "one again"):
        (tmp_path / name).write_bytes(name[:3].encode() * 30)
        files.append(handed_in(tmp_path / name))
    with pytest.raises(Usage, match="2 files, one among them, have 180 bytes, and of the 150 that acme may hold 0 are"):
        add_files(store, evidence, "acme", files, CONTROLS, actor="cli", now=NOW)
    assert store.head("acme") == before
    assert evidence.files("acme") == []
