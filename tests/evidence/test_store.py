"""Bytes by their SHA-256: kept once, checked before they are handed out, swept when no row names them."""

import hashlib
import os

import pytest

from engine.evidence.places import EvidenceBucket, EvidenceFolder
from engine.evidence.store import EvidenceStore, open_evidence
from engine.model.errors import Conflict, Usage
from engine.reporting.artifacts.bucket import Bucket
from engine.runtime.settings import Settings

DAY = 86_400.0
DATA = b"login,left_on\nann,2026-11-20\n"
SHA = hashlib.sha256(DATA).hexdigest()


@pytest.fixture(params=["folder", "bucket"])
def store(request, tmp_path):
    if request.param == "folder":
        place = EvidenceFolder(tmp_path / "evidence")
    else:
        place = EvidenceBucket(Bucket(f"memory://{tmp_path.name}"))
    return EvidenceStore(place, tmp_path / "evidence", most=1000, quota=2000)


def test_bytes_are_kept_under_their_sum_and_read_back(store):
    found = store.put("acme", DATA)
    assert (found.sha256, found.size) == (SHA, len(DATA))
    assert store.read("acme", SHA) == DATA
    assert store.check("acme", SHA) == "whole"
    with pytest.raises(Conflict, match="not in the evidence store of cobalt"):
        store.read("cobalt", SHA)


def test_equal_bytes_are_kept_once(store):
    store.put("acme", DATA)
    store.put("acme", DATA)
    assert [(file.name, file.size) for file in store.files("acme")] == [(SHA, len(DATA))]


def test_a_file_is_read_piece_by_piece(store, tmp_path):
    path = tmp_path / "people.csv"
    path.write_bytes(DATA)
    assert store.put("acme", path).sha256 == SHA
    with path.open("rb") as file:
        assert store.put("acme", file).sha256 == SHA


def test_more_bytes_than_a_file_may_have_leave_nothing(store):
    with pytest.raises(Usage, match=r"people\.csv has more than 1,000 bytes"):
        store.put("acme", b"x" * 1001, "people.csv")
    assert store.files("acme") == []


def test_more_bytes_than_an_organization_may_hold_leave_nothing(store):
    store.put("acme", b"a" * 1000)
    store.put("acme", b"b" * 900)
    with pytest.raises(Usage, match="101 bytes, and of the 2,000 that acme may hold 1,900 are used"):
        store.put("acme", b"c" * 101)
    assert len(store.files("acme")) == 2
    store.put("acme", b"a" * 1000)  # is there
    store.put("cobalt", b"c" * 101)


def test_what_no_row_names_is_swept_after_a_day(store):
    store.put("acme", DATA)
    store.put("acme", b"other")
    put_at = max(file.modified for file in store.files("acme"))
    assert store.sweep("acme", lambda: {SHA}, now=put_at + DAY - 60).files == 0
    assert store.unnamed_files("acme", {SHA}).size == 5
    swept = store.sweep("acme", lambda: {SHA}, now=put_at + DAY + 60)
    assert (swept.files, swept.size) == (1, 5)
    assert [file.name for file in store.files("acme")] == [SHA]


def test_what_was_put_again_waits_for_another_day(tmp_path):
    store = EvidenceStore(EvidenceFolder(tmp_path), tmp_path, most=1000, quota=2000)
    store.put("acme", DATA)
    path = tmp_path / "acme" / SHA[:2] / SHA
    os.utime(path, (0, 0))
    store.put("acme", DATA)
    assert store.sweep("acme", set, now=path.stat().st_mtime + 60).files == 0


def test_changed_bytes_are_no_evidence(tmp_path):
    store = EvidenceStore(EvidenceFolder(tmp_path), tmp_path, most=1000, quota=2000)
    store.put("acme", DATA)
    path = tmp_path / "acme" / SHA[:2] / SHA
    path.write_bytes(DATA.replace(b"ann", b"bob"))
    assert store.check("acme", SHA) == "changed"
    with pytest.raises(Conflict, match="are no evidence"), store.open("acme", SHA):
        pass
    store.put("acme", DATA)  # the file itself mends it
    assert store.check("acme", SHA) == "whole"
    path.unlink()
    assert store.check("acme", SHA) == "missing"


def test_what_a_killed_process_left_is_swept(tmp_path):
    store = EvidenceStore(EvidenceFolder(tmp_path), tmp_path, most=1000, quota=2000)
    left = tmp_path / ".new-abc"
    left.write_bytes(b"half")
    store.sweep("acme", set, now=left.stat().st_mtime + 60)
    assert left.exists()
    store.sweep("acme", set, now=left.stat().st_mtime + DAY + 60)
    assert not left.exists()


def test_the_place_is_what_the_settings_say(tmp_path):
    default = open_evidence(Settings.of({"SVC_DATA_DIR": str(tmp_path)}))
    assert str(default.place) == str(tmp_path / "evidence")
    assert (default.most, default.quota) == (100 * 1024**2, 10 * 1024**3)
    other = {"SVC_EVIDENCE_URL": f"{tmp_path}/held", "SVC_EVIDENCE_MAX_BYTES": "10", "SVC_EVIDENCE_QUOTA": "20"}
    store = open_evidence(Settings.of(other))
    assert (str(store.place), store.most, store.quota) == (f"{tmp_path}/held", 10, 20)
