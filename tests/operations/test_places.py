"""What is in the way of a restore, where it is built, and what it leaves."""

import os
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from engine.model.errors import Conflict, Unavailable
from engine.operations import install
from engine.operations import restore as restoring
from engine.operations.restore import restore_backup
from engine.runtime.settings import Settings
from engine.store.copy import table_copy
from tests.conftest import NOW
from tests.operations.test_backup import back_up, few, office, quiet, refused_as, restore, small, truth  # noqa: F401 - fixtures
from tests.store.copy.test_table_copy import tables


@pytest.mark.parametrize("suffix", ["-wal", "-journal"])
def test_a_log_that_another_store_left_is_in_the_way(small, suffix, tmp_path):  # noqa: F811 - the fixture
    """SQLite would read it into the store that is restored beside it."""
    back_up(small, tmp_path / "b")
    (tmp_path / "db").mkdir()
    (tmp_path / "db" / f"hq.db{suffix}").write_bytes(b"of another")
    settings = Settings.of(
        {"SVC_DATA_DIR": str(tmp_path / "new"), "SVC_DATABASE_URL": f"sqlite:///{tmp_path}/db/hq.db"}
    )
    with pytest.raises(Conflict, match=f"hq.db{suffix} is there already: move it away"):
        restore_backup(settings, tmp_path / "b", now=NOW, passphrase=None, check_only=False, progress=quiet)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["b", "db", f"hq.db{suffix}"]


@pytest.mark.real
def test_a_restored_store_is_whole_without_its_log(small, tmp_path, monkeypatch):  # noqa: F811 - the fixture
    """The file alone is moved where SVC_DATABASE_URL says: a log that could not be folded in would be lost."""
    back_up(small, tmp_path / "b")
    monkeypatch.setattr(table_copy, "fold", lambda path: False)
    with pytest.raises(Unavailable):
        restore(tmp_path / "b", tmp_path / "new")
    assert [path.name for path in tmp_path.iterdir()] == ["b"]


def test_a_new_store_has_all_of_it_in_its_file(tmp_path):
    url = f"sqlite:///{tmp_path}/hq.db"
    with closing(sqlite3.connect(tmp_path / "hq.db")) as other:
        with table_copy.new_store(url) as connection:
            connection.exec_driver_sql("CREATE TABLE t (n)")
            other.execute("PRAGMA schema_version").fetchone()  # it has the file open: nobody else is the last to leave
        (tmp_path / "copy.db").write_bytes((tmp_path / "hq.db").read_bytes())
    with closing(sqlite3.connect(tmp_path / "copy.db")) as copy:
        assert copy.execute("SELECT name FROM sqlite_schema").fetchall() == [("t",)]


@pytest.mark.real
def test_folders_that_were_made_for_a_restore_go_with_it(small, tmp_path):  # noqa: F811 - the fixture
    back_up(small, tmp_path / "b")
    place = tmp_path / "far" / "away" / "new"
    restore(tmp_path / "b", place, check_only=True)
    assert [path.name for path in tmp_path.iterdir()] == ["b"]
    restore(tmp_path / "b", place)
    assert [path.name for path in place.parent.iterdir()] == ["new"]


@pytest.mark.real
def test_beside_a_folder_where_we_may_not_write_it_is_built_inside(small, tmp_path, monkeypatch):  # noqa: F811 - fixture
    """Such as /var/lib/hq, which is ours, in /var/lib, which is not."""
    back_up(small, tmp_path / "b")
    place = tmp_path / "lib" / "new"
    place.mkdir(parents=True)
    real, before = os.access, place.stat().st_ino
    monkeypatch.setattr(
        restoring.os, "access", lambda path, mode, **more: Path(path) != place.parent and real(path, mode, **more)
    )
    restore(tmp_path / "b", place)
    assert place.stat().st_ino == before
    assert [path.name for path in place.parent.iterdir()] == ["new"]
    assert sorted(path.name for path in place.iterdir()) == ["hq.db", "signing.key"]
    assert tables(f"sqlite:///{place}/hq.db") == tables(f"sqlite:///{small}/hq.db")


@pytest.mark.real
def test_what_every_new_disk_has_is_not_in_the_way(small, tmp_path, monkeypatch):  # noqa: F811 - the fixture
    back_up(small, tmp_path / "b")
    place = tmp_path / "new"
    (place / "lost+found").mkdir(parents=True)
    with pytest.raises(Conflict, match="is not empty"):
        restore(tmp_path / "b", place)
    monkeypatch.setattr(install.Path, "is_mount", lambda path: path == place)
    restore(tmp_path / "b", place)
    assert sorted(path.name for path in place.iterdir()) == ["hq.db", "lost+found", "signing.key"]


@pytest.mark.real
@pytest.mark.parametrize("inside", [False, True])
def test_what_came_in_the_way_since_is_left_alone(small, inside, tmp_path, monkeypatch):  # noqa: F811 - the fixture
    """Somebody starts a console in the folder while the backup is checked."""
    back_up(small, tmp_path / "b")
    place = tmp_path / "new"
    place.mkdir()
    if inside:
        monkeypatch.setattr(install.Path, "is_mount", lambda path: path == place)
    real = restoring.must_hold

    def meanwhile(*given):
        (place / "hq.db").write_bytes(b"mine")
        real(*given)

    monkeypatch.setattr(restoring, "must_hold", meanwhile)
    with pytest.raises(Conflict, match="is not empty"):
        restore(tmp_path / "b", place)
    assert truth(tmp_path) == {"b": (tmp_path / "b").read_bytes()}
    assert [(path.name, path.read_bytes()) for path in place.iterdir()] == [("hq.db", b"mine")]


@pytest.mark.real
def test_a_number_that_no_engine_has_is_refused(office, tmp_path):  # noqa: F811 - the fixture
    def larger(name, data):
        return data.replace(b",1,", b",99999999999999999999,", 1) if name == "tables/services.jsonl" else data

    refused_as(office, tmp_path, larger, "has a row of services that is none")


@pytest.mark.real
def test_rows_that_a_store_does_not_take_are_the_backups_fault(office, tmp_path):  # noqa: F811 - the fixture
    def twice(name, data):
        return data + data if name == "tables/services.jsonl" else data

    refused_as(office, tmp_path, twice, r"^The backup does not hold: .*UNIQUE.*; nothing was restored\.$")


def test_a_name_that_no_disk_takes_is_a_sentence(small, tmp_path):  # noqa: F811 - the fixture
    with pytest.raises(Unavailable, match="The backup cannot be written: File name too long"):
        back_up(small, tmp_path / ("x" * 300))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.real
def test_a_signing_key_that_the_backup_lacks_is_missing(office, tmp_path):  # noqa: F811 - the fixture
    """It was lost before; the session's is there."""
    folder = shutil.copytree(office.folder / "var", tmp_path / "var")
    (folder / "signing.key").unlink()
    back_up(folder, tmp_path / "b")
    found = restore(tmp_path / "b", tmp_path / "new")
    assert [sentence.partition(",")[0] for sentence in found.missing if sentence.startswith("The key")] == [
        f"The key {tmp_path / 'new' / 'signing.key'} is not there"
    ]
