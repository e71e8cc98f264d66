"""An empty database is not begun beside what another one left."""

import errno
import shutil
from pathlib import Path

import pytest

from engine.cli import hq
from engine.model.errors import Conflict
from engine.runtime.heads.second_history import must_not_begin_again
from engine.runtime.keys.signing_keys import signing_key
from engine.runtime.settings import Settings


def begin(folder, url=""):
    must_not_begin_again(Settings.of({"SVC_DATA_DIR": str(folder), "SVC_DATABASE_URL": url}))


@pytest.fixture
def sealed_data(tmp_path):
    (tmp_path / "var" / "bundles" / "acme").mkdir(parents=True)
    (tmp_path / "var" / "bundles" / "acme" / "bnd_1.zip").write_bytes(b"PK")
    return tmp_path / "var"


@pytest.fixture
def signed_data(tmp_path):
    (tmp_path / "var" / "heads").mkdir(parents=True)
    (tmp_path / "var" / "heads" / "acme.log").write_bytes(b"")
    return tmp_path / "var"


def test_an_empty_folder_is_begun(tmp_path):
    begin(tmp_path / "var")
    assert not (tmp_path / "var").exists()


@pytest.mark.parametrize("left", ["sealed_data", "signed_data"])
def test_beside_archives_or_heads_an_empty_database_is_refused(left, request, database_url, acme_template):
    folder = request.getfixturevalue(left)
    for url in ("", database_url):  # one that is not there, and one that has its tables
        with pytest.raises(Conflict, match="The database is empty, and .*acme.* belongs to another one"):
            begin(folder, url)
    shutil.copy(acme_template, folder / "hq.db")
    begin(folder)


def test_a_key_speaks_of_another_database_where_this_one_has_no_tables(tmp_path, sqlite_template):
    signing_key(tmp_path / "var" / "signing.key")
    with pytest.raises(Conflict, match=r"signing\.key belongs to another one"):
        begin(tmp_path / "var")
    shutil.copy(sqlite_template, tmp_path / "var" / "hq.db")
    begin(tmp_path / "var")


@pytest.mark.parametrize(
    "command", [["migrate"], ["import", "x.csv", "--org", "acme"], ["demo", "--no-serve"], ["serve", "--port", "0"]]
)
def test_no_command_begins_a_second_history(command, sealed_data, monkeypatch, capfd):
    monkeypatch.setenv("SVC_DATA_DIR", str(sealed_data))
    (sealed_data.parent / "x.csv").write_text("id\n1\n")
    monkeypatch.chdir(sealed_data.parent)
    if command[0] == "serve":
        command = ["serve", "--port", "18765"]
    with pytest.raises(SystemExit) as end:
        hq(command)
    assert end.value.code == 1
    assert "hq restore FILE" in capfd.readouterr().err
    assert not (sealed_data / "hq.db").exists()


@pytest.mark.parametrize("error", [PermissionError(errno.EACCES, "no"), OSError(errno.EIO, "broken")])
def test_archives_that_cannot_be_looked_at_are_no_matter_to_a_database_in_use(
    error, sealed_data, monkeypatch, acme_template
):
    def look(self, pattern):
        raise error

    monkeypatch.setattr(Path, "glob", look)
    with pytest.raises(OSError, match=error.strerror):
        begin(sealed_data)
    shutil.copy(acme_template, sealed_data / "hq.db")
    begin(sealed_data)
