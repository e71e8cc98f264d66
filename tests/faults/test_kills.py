"""A process that is killed at any call leaves no empty file, no half one, and no private key that is not swept."""

import errno
import logging
import os
import shutil

import pytest

from engine.operations.file_checks import leftovers
from engine.reporting.artifacts import durable_files
from engine.reporting.artifacts.durable_files import abandoned_files, file_in_place, link_new, new_file, write_whole
from engine.runtime.keys.key_rotations import own_keys, rotate_key
from engine.runtime.keys.private_files import sweep_keys
from engine.runtime.keys.signing_keys import signing_key
from engine.runtime.settings import Settings
from tests.conftest import NOW
from tests.faults.kills import killed_at

MOST = 60

pytestmark = pytest.mark.real  # processes that are killed


@pytest.fixture(params=["without a name", "beside its place"], autouse=True)
def names(request, monkeypatch):
    """Files without a name until they are whole, as on most disks, and those of NFS, which has none."""
    if request.param != "without a name":
        monkeypatch.setattr(durable_files, "_nameless", lambda folder: None)
    return request.param


def test_a_rotation_that_is_killed_leaves_keys_that_are_named_and_swept(tmp_path, names, caplog):
    caplog.set_level(logging.WARNING)
    swept = 0
    for n in range(1, MOST):
        folder = tmp_path / str(n)
        path = folder / "signing.key"
        known = signing_key(path).public_bytes
        killed = killed_at(n, lambda path=path: rotate_key(path, now=NOW), below=folder)
        assert known in own_keys(path)
        left = abandoned_files(path)
        lying = [one for one in folder.iterdir() if b"PRIVATE" in one.read_bytes() and one != path]
        assert set(lying) <= set(left)
        settings = Settings.of({"SVC_DATA_DIR": str(folder)})
        assert len(list(leftovers(settings, NOW))) >= len(lying)
        swept += len(lying)
        sweep_keys(path)
        assert abandoned_files(path) == []
        new = rotate_key(path, now=NOW).new
        assert (own_keys(path)[0], {known} <= set(own_keys(path))) == (new, True)
        assert {one.name for one in folder.iterdir() if one.stat().st_size and "rotations" not in one.name} == {
            "signing.key"
        }
        if not killed:
            assert (n > 6, 0 < swept < 5) == (True, True)
            return
    pytest.fail("it never came to its end")


def write(opener, path):
    with opener(path) as file:
        for _ in range(3):
            file.write(b"whole" * 1000)


@pytest.mark.parametrize("opener", [new_file, file_in_place])
def test_a_file_has_its_name_once_it_is_whole(opener, tmp_path, names):
    for n in range(1, MOST):
        path = tmp_path / f"{n}.zip"
        killed = killed_at(n, lambda path=path: write(opener, path), below=tmp_path)
        assert not path.exists() or path.read_bytes() == b"whole" * 3000
        if names == "without a name" and opener is new_file:
            assert [one for one in tmp_path.iterdir() if one.name.startswith(".")] == []
        if not killed:
            assert (n > 4, path.stat().st_mode & 0o777) == (True, 0o600)
            return
    pytest.fail("it never came to its end")


def test_what_has_the_name_stays(tmp_path):
    path = tmp_path / "a.zip"
    path.write_bytes(b"other")
    with pytest.raises(FileExistsError):
        write(new_file, path)
    assert (path.read_bytes(), [one.name for one in tmp_path.iterdir()]) == (b"other", ["a.zip"])
    with pytest.raises(ValueError, match="^half$"), file_in_place(path):
        raise ValueError("half")
    assert (path.read_bytes(), [one.name for one in tmp_path.iterdir()]) == (b"other", ["a.zip"])


def test_a_file_that_somebody_writes_is_not_abandoned(tmp_path):
    path = tmp_path / "signing.key"
    left = tmp_path / ".signing.key.17.0a1b2c3d"
    left.write_bytes(b"x")
    (tmp_path / ".signing.key.rotations.17.0a1b2c3d").write_bytes(b"x")
    with file_in_place(path):
        assert abandoned_files(path) == [left]
    empty = tmp_path / ".signing.key.18.0a1b2c3d"
    empty.touch()
    assert abandoned_files(path) == [left]
    os.utime(empty, (0, 0))
    assert abandoned_files(path) == [left, empty]
    assert abandoned_files(tmp_path / "none" / "signing.key") == []


def test_a_disk_without_hard_links_has_files_moved(tmp_path, monkeypatch):
    def refuse(*_, **__):
        raise OSError(errno.EPERM, os.strerror(errno.EPERM))

    monkeypatch.setattr(os, "link", refuse)
    made, path = tmp_path / "made", tmp_path / "path"
    made.write_bytes(b"x")
    link_new(made, path)
    assert ([one.name for one in tmp_path.iterdir()], path.read_bytes()) == (["path"], b"x")
    shutil.copy(path, made)
    with pytest.raises(FileExistsError):
        link_new(made, path)


def test_a_file_keeps_its_permissions_and_a_pipe_stays_one(tmp_path):
    path = tmp_path / "gate.xml"
    path.write_bytes(b"before")
    path.chmod(0o644)
    write_whole(path, b"after")
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"after", 0o644)
    (tmp_path / "link.xml").symlink_to("gate.xml")
    write_whole(tmp_path / "link.xml", b"later")
    assert ((tmp_path / "link.xml").is_symlink(), path.read_bytes()) == (True, b"later")
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_whole(tmp_path / "pipe", b"through")
    assert os.read(reader, 99) == b"through"
    os.close(reader)
