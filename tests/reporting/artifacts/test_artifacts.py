"""An artifact is right or absent, whole or not there."""

import errno
import os
import shutil
import threading
import time
from datetime import date
from pathlib import Path

import pytest

from engine.model.documents.document import Position
from engine.model.errors import Unavailable
from engine.reporting.artifacts.artifact_names import Name
from engine.reporting.artifacts.artifacts import Artifacts

NAME = Name.of("acme", "summary", "json", date(2026, 11, 20), Position(7, "a" * 64), {"periodDays": 30})


@pytest.fixture
def folder(tmp_path):
    return tmp_path / "artifacts"


def test_what_was_put_is_found_by_its_name_even_by_another_process(folder):
    Artifacts(folder).put(NAME, b"bytes")
    assert Artifacts(folder).get(NAME) == b"bytes"


def test_what_was_not_built_is_absent(folder):
    assert Artifacts(folder).get(NAME) is None


@pytest.mark.parametrize(
    "change",
    [
        {"org_id": "other"},
        {"report": "program"},
        {"format": "csv"},
        {"as_of": date(2026, 11, 21)},
        {"position": Position(8, "a" * 64)},
        {"position": Position(7, "b" * 64)},
        {"parameters": (("periodDays", 31),)},
    ],
)
def test_everything_that_a_report_follows_from_is_in_its_name(change):
    values = {field: getattr(NAME, field) for field in NAME.__dataclass_fields__}
    assert Name(**(values | change)).key != NAME.key


def test_equal_questions_have_equal_names():
    assert (
        Name.of("acme", "summary", "json", date(2026, 11, 20), Position(7, "a" * 64), {"periodDays": 30}).key
        == NAME.key
    )


@pytest.mark.parametrize(("number", "word"), [(errno.ENOSPC, "disk_full"), (errno.EROFS, "files_read_only")])
def test_a_disk_that_does_not_take_it_leaves_nothing_behind(folder, monkeypatch, number, word):
    def refuse(self, target):
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(Path, "replace", refuse)
    artifacts = Artifacts(folder)
    with pytest.raises(Unavailable, match="Reports cannot be kept: the disk is ") as caught:
        artifacts.put(NAME, b"bytes")
    assert caught.value.word == word
    assert list(folder.glob("[!.]*/*/*")) == []


def test_one_builds_and_the_others_wait(folder):
    artifacts, built, answers = Artifacts(folder), [], []

    def ask():
        with artifacts.building(NAME):
            data = artifacts.get(NAME)
            if data is None:
                built.append(1)
                time.sleep(0.02)
                data = b"bytes"
                artifacts.put(NAME, data)
            answers.append(data)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert (built, answers) == ([1], [b"bytes"] * 8)
    assert artifacts._building == {}


def test_memory_is_bounded(folder):
    artifacts = Artifacts(folder, memory_bytes=1000)
    for day in range(1, 20):
        artifacts.put(Name.of("acme", "x", "json", date(2026, 1, day), Position(1, "a"), {}), b"x" * 200)
    assert sum(map(len, artifacts._hot.values())) == artifacts._size <= 1000


def test_pruning_removes_old_files_only(folder):
    artifacts = Artifacts(folder, memory_bytes=0)
    artifacts.put(NAME, b"bytes")
    assert artifacts.prune(7) == 0
    assert artifacts.prune(7, now=time.time() + 8 * 86_400) == 1
    assert artifacts.get(NAME) is None


def test_a_damaged_artifact_never_shows(folder, caplog):
    Artifacts(folder).put(NAME, b"bytes")
    path = Artifacts(folder).place(NAME)
    whole = path.read_bytes()
    other = Name.of("acme", "program", "json", date(2026, 11, 20), Position(7, "a" * 64), {})
    for damaged in (b"", whole[:5], whole[:-1], b"B" + whole[1:], whole[:-1] + b"?", whole + b"?"):
        path.write_bytes(damaged)
        assert Artifacts(folder).get(NAME) is None
        assert not path.exists(), "so that it is built anew"
    Artifacts(folder).place(other).parent.mkdir()
    Artifacts(folder).place(other).write_bytes(whole)
    assert Artifacts(folder).get(other) is None, "the bytes of another name"
    path.write_bytes(whole)
    assert Artifacts(folder).get(NAME) == b"bytes"
    assert "is damaged and is built anew" in caplog.text


def test_a_damaged_archive_is_absent(folder, caplog):
    """What is too large for memory has its sum beside it."""
    archive = Name.of("acme", "workbook", "zip", date(2026, 11, 20), Position(7, "a" * 64), {})
    path = Artifacts(folder).place(archive)
    beside = path.with_name(f"{path.name}.sum")

    def keep(data):
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_name(".new-0")
        temporary.write_bytes(data)
        return Artifacts(folder).take(archive, temporary)

    whole = b"archive" * 99
    for damage in (
        lambda: path.write_bytes(whole[:-1]),
        lambda: path.write_bytes(b"A" + whole[1:]),
        lambda: path.write_bytes(b""),
        lambda: beside.write_text("0" * 64),
        lambda: beside.write_bytes(b"\xff"),
        lambda: beside.unlink(),
    ):
        keep(whole)
        assert Artifacts(folder).file_of(archive).read_bytes() == whole
        damage()
        assert Artifacts(folder).file_of(archive) is None
    keep(whole)
    other = Name.of("acme", "workbook", "zip", date(2026, 11, 21), Position(7, "a" * 64), {})
    shutil.copy(path, Artifacts(folder).place(other))
    shutil.copy(beside, f"{Artifacts(folder).place(other)}.sum")
    assert Artifacts(folder).file_of(other) is None, "the archive of another name"
    assert "is damaged and is made anew" in caplog.text


def test_what_cannot_be_read_or_locked_is_built_anew_and_said_once(folder, monkeypatch, caplog):
    artifacts = Artifacts(folder)
    artifacts.put(NAME, b"bytes")
    cold = Artifacts(folder)

    def refuse(*arguments):
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    monkeypatch.setattr(Path, "read_bytes", refuse)
    monkeypatch.setattr(Path, "open", refuse)
    for _ in range(3):
        assert cold.get(NAME) is None
        with cold.building(NAME):
            pass
    assert [record.message.partition(":")[0] for record in caplog.records] == ["Kept reports cannot be read"]
