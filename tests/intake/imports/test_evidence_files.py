"""Files that rows of evidence items name: held with the import, or refused cell by cell."""

import hashlib
import shutil

import pytest

from engine.evidence.places import EvidenceFolder
from engine.evidence.store import EvidenceStore
from engine.intake.imports import files_in, import_paths
from engine.model.errors import InvalidData, Usage
from engine.store.rows import many
from engine.store.schema.controls import evidence_items
from tests.conftest import NOW

ITEMS = "id,title,captured_at,file\nleavers,Leavers,2026-11-20,exports/leavers.csv\nscan,Scan,2026-11-19,scan.csv\n"


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "acme"
    (path / "exports").mkdir(parents=True)
    (path / "evidence_items.csv").write_text(ITEMS)
    (path / "exports/leavers.csv").write_text("ann\n")
    (path / "scan.csv").write_text("host\n")
    (path / "users.csv").write_text("email,name\nann@acme.example,Ann\n")
    return path


@pytest.fixture
def evidence(tmp_path):
    return EvidenceStore(EvidenceFolder(tmp_path / "held"), tmp_path / "held", most=100, quota=1000)


def bring_in(store, evidence, path, **further):
    return import_paths(store, [path], org_id="acme", actor="import", now=NOW, evidence=evidence, **further)


def items(store):
    with store.reader() as connection:
        return {row["id"]: row for row in many(connection, evidence_items, "acme")}


def test_files_that_rows_name_are_held_and_are_no_tables(store, evidence, folder):
    assert [path.name for path in files_in(folder)] == ["evidence_items.csv", "users.csv"]
    assert bring_in(store, evidence, folder).tables["evidence_items"].created == 2
    row = items(store)["leavers"]
    sha256 = hashlib.sha256(b"ann\n").hexdigest()
    shown = [row[name] for name in ("sha256", "held_sha256", "held_bytes", "held_state", "media_type")]
    assert shown == [sha256, sha256, 4, "whole", "text/csv"]
    assert evidence.read("acme", sha256) == b"ann\n"
    assert store.verify_rows("acme").ok
    again = bring_in(store, evidence, folder)
    assert (again.has_changes, again.tables["evidence_items"].unchanged) == (False, 2)


def test_another_file_under_the_name_takes_the_place_of_the_first(store, evidence, folder):
    bring_in(store, evidence, folder)
    (folder / "exports/leavers.csv").write_text("bob\n")
    assert bring_in(store, evidence, folder).tables["evidence_items"].updated == 1
    assert items(store)["leavers"]["held_sha256"] == hashlib.sha256(b"bob\n").hexdigest()


def test_a_rehearsal_holds_nothing(store, evidence, folder):
    bring_in(store, evidence, folder, rehearsed=True)
    assert (items(store), evidence.files("acme")) == ({}, [])


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("../secret", "is no path inside"),
        ("/etc/hostname", "is no path inside"),
        ("exports/none.csv", "does not exist"),
        ("exports", "is a folder; expected a regular file"),
        ("exports/link.csv", "is a symbolic link"),
        ("exports/empty.csv", "exports/empty.csv is empty: a file without a byte is evidence of nothing."),
    ],
)
def test_a_file_that_cannot_be_held_is_a_bad_cell(store, evidence, folder, name, expected):
    (folder.parent / "secret").write_text("secret")
    (folder / "exports/link.csv").symlink_to(folder.parent / "secret")
    (folder / "exports/empty.csv").touch()
    text = ITEMS + f"bad,Bad,2026-11-19,{name}\n"
    (folder / "evidence_items.csv").write_text(text)
    with pytest.raises(InvalidData) as caught:
        bring_in(store, evidence, folder)
    ((cell),) = caught.value.details
    assert (cell["row"], cell["column"], cell["found"], expected in cell["expected"]) == (4, "file", name, True)
    assert (items(store), evidence.files("acme")) == ({}, [])


def test_limits_of_files_hold_for_an_import_too(store, evidence, folder):
    (folder / "scan.csv").write_bytes(b"x" * 101)
    for rehearsed in (True, False):
        with pytest.raises(Usage, match=r"evidence_items.csv, row 3: scan.csv has more than 100 bytes"):
            bring_in(store, evidence, folder, rehearsed=rehearsed)
    (folder / "scan.csv").write_bytes(b"x" * 100)
    evidence.quota = 103
    for rehearsed in (True, False):
        with pytest.raises(Usage, match="2 files, exports/leavers.csv among them, have 104 bytes, and of the 103"):
            bring_in(store, evidence, folder, rehearsed=rehearsed)
    assert (items(store), evidence.files("acme")) == ({}, [])


def test_a_sum_that_is_not_the_files_is_a_bad_cell(store, evidence, folder):
    text = f"id,title,captured_at,file,sha256\nleavers,Leavers,2026-11-20,exports/leavers.csv,{'0' * 64}\n"
    (folder / "evidence_items.csv").write_text(text)
    (folder / "scan.csv").unlink()
    with pytest.raises(InvalidData) as caught:
        bring_in(store, evidence, folder)
    ((cell),) = caught.value.details
    assert (cell["column"], cell["found"]) == ("sha256", "0" * 64)


def test_a_sum_that_is_none_is_a_bad_cell_and_one_is_kept_in_small_letters(store, evidence, folder):
    text = f"id,title,captured_at,sha256\nleavers,Leavers,2026-11-20,{'A' * 64}\n"
    (folder / "evidence_items.csv").write_text(f"{text}scan,Scan,2026-11-20,{'a' * 63}\n")
    (folder / "scan.csv").unlink()
    shutil.rmtree(folder / "exports")
    with pytest.raises(InvalidData) as caught:
        bring_in(store, evidence, folder)
    ((cell),) = caught.value.details
    assert (cell["row"], cell["expected"]) == (3, "a SHA-256, which is 64 hexadecimal digits")
    (folder / "evidence_items.csv").write_text(text)
    bring_in(store, evidence, folder)
    assert (items(store)["leavers"]["sha256"], items(store)["leavers"]["held_sha256"]) == ("a" * 64, None)


def test_a_folder_that_no_row_names_is_still_refused(store, evidence, folder):
    (folder / "other").mkdir()
    with pytest.raises(Usage, match="is a folder inside a folder"):
        bring_in(store, evidence, folder)
