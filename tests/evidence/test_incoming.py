"""What may be handed in as evidence: regular files alone, through no link, and none beyond its folder."""

import os

import pytest

from engine.evidence.incoming import media_type, open_file, open_inside
from engine.model.errors import Usage

MOST = 100


def test_a_regular_file_is_opened(tmp_path):
    (tmp_path / "exports").mkdir()
    (tmp_path / "exports/people.csv").write_bytes(b"ann")
    with open_file(tmp_path / "exports/people.csv", MOST) as file:
        assert file.read() == b"ann"
    with open_inside(tmp_path, "exports/people.csv", MOST) as file:
        assert file.read() == b"ann"


@pytest.mark.parametrize("name", ["", "/etc/hostname", "../people.csv", "exports/../../people.csv", "a\\b", "a\0b"])
def test_a_path_out_of_the_folder_is_refused(tmp_path, name):
    with pytest.raises(Usage, match="is no path inside"), open_inside(tmp_path, name, MOST):
        pass


def test_a_link_is_refused_wherever_it_leads(tmp_path):
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret").write_bytes(b"secret")
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "file").symlink_to(outside / "secret")
    (folder / "below").symlink_to(outside)
    for name in ("file", "below/secret"):
        with pytest.raises(Usage, match="is a symbolic link"), open_inside(folder, name, MOST):
            pass
    with pytest.raises(Usage, match="is a symbolic link"), open_file(folder / "file", MOST):
        pass


def test_what_is_no_regular_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for path, what in ((tmp_path, "a folder"), (tmp_path / "pipe", "a device, a pipe"), ("/dev/null", "a device")):
        with pytest.raises(Usage, match=what), open_file(path, MOST):
            pass
    with pytest.raises(Usage, match="does not exist"), open_file(tmp_path / "none", MOST):
        pass


def test_a_large_file_is_refused_before_it_is_read(tmp_path):
    path = tmp_path / "large"
    with path.open("wb") as file:
        file.truncate(3 << 30)  # nothing of it is on the disk
    with pytest.raises(Usage, match="more than 100 bytes"), open_file(path, MOST):
        pass


def test_kinds_of_files_are_told_by_their_names():
    names = ("a.csv", "b.pdf", "c.jsonl", "d.parquet", "e", "f.unknown")
    assert [media_type(name) for name in names] == [
        "text/csv",
        "application/pdf",
        "application/x-ndjson",
        "application/vnd.apache.parquet",
        "application/octet-stream",
        "application/octet-stream",
    ]
