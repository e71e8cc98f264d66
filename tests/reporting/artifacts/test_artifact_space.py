"""Artifacts take no more space than they may: those used least go, and nobody's for another's sake."""

import os
import time
from concurrent.futures import ProcessPoolExecutor
from datetime import date
from multiprocessing import get_context
from pathlib import Path

import pytest

from engine.model.documents.document import Position
from engine.reporting.artifacts.artifact_names import Name
from engine.reporting.artifacts.artifact_seals import SEAL_BYTES
from engine.reporting.artifacts.artifact_space import BLOCK, Quota
from engine.reporting.artifacts.artifacts import Artifacts

HOUR = 3600
CONTENT = BLOCK - SEAL_BYTES  # of a file of one block
MANY = Quota(organization=10 * BLOCK, total=1000 * BLOCK)


def name(number, org="acme"):
    return Name.of(org, "summary", "json", date(2026, 11, 20), Position(7, "a" * 64), {"periodDays": number})


def open_artifacts(folder, quota=MANY):
    return Artifacts(folder, memory_bytes=0, quota=quota)


def touch(artifacts, number, hours_ago, org="acme"):
    """As if the artifact had been used last so many hours ago."""
    then = time.time() - hours_ago * HOUR
    os.utime(artifacts.place(name(number, org)), (then, then))


def present_numbers(artifacts, numbers, org="acme"):
    return [number for number in numbers if artifacts.place(name(number, org)).exists()]


def blocks_by_org(folder):
    """Blocks of the files of artifacts below the folder, by organization."""
    sizes = {}
    for path in folder.glob("[!.]*/*/*"):
        sizes[path.parts[-3]] = sizes.get(path.parts[-3], 0) + -(-path.stat().st_size // BLOCK)
    return sizes


def space_counts(folder):
    return {path.name: int(path.read_text()) // BLOCK for path in (folder / ".space").glob("[!.]*")}


def fill(folder, org, first, count, quota):
    """In a process of its own."""
    artifacts = open_artifacts(folder, quota)
    for number in range(first, first + count):
        artifacts.put(name(number, org), b"x" * CONTENT)


def test_what_was_used_least_goes_first(tmp_path):
    artifacts = open_artifacts(tmp_path)
    for number in range(10):
        artifacts.put(name(number), b"x" * CONTENT)
        touch(artifacts, number, hours_ago=50 - number)
    assert artifacts.get(name(0)) is not None, "the oldest is read"
    assert open_artifacts(tmp_path).get(name(1)) is not None, "and the second"
    artifacts.put(name(10), b"x")
    assert present_numbers(artifacts, range(11)) == [0, 1, 4, 5, 6, 7, 8, 9, 10], "down to nine tenths"
    assert space_counts(tmp_path) == {"acme": 9, "*": 9}


def test_a_use_is_written_down_once_an_hour_at_most(tmp_path):
    artifacts = Artifacts(tmp_path)
    artifacts.put(name(1), b"x")
    place = artifacts.place(name(1))
    for hours, noted in ((0.5, False), (2, True)):
        touch(artifacts, 1, hours)
        before = place.stat().st_mtime
        artifacts._noted.clear()
        artifacts.get(name(1))
        assert (place.stat().st_mtime != before) is noted
    touch(artifacts, 1, 2)
    before = place.stat().st_mtime
    artifacts.get(name(1))
    assert place.stat().st_mtime == before, "from memory, and looked at a moment ago"


def test_what_is_used_is_not_pruned(tmp_path):
    artifacts = open_artifacts(tmp_path)
    for number in (1, 2):
        artifacts.put(name(number), b"x")
        touch(artifacts, number, 8 * 24)
    artifacts.get(name(2))
    assert artifacts.prune(7) == 1
    assert present_numbers(artifacts, (1, 2)) == [2]
    assert space_counts(tmp_path) == {"acme": 1, "*": 1}


@pytest.mark.real
def test_one_who_makes_many_pushes_out_nobody_else(tmp_path):
    quota = Quota(organization=40 * BLOCK, total=50 * BLOCK)
    artifacts = open_artifacts(tmp_path, quota)
    for org in ("small", "other"):
        for number in range(8):
            artifacts.put(name(number, org), b"x")
            touch(artifacts, number, 90, org)
    for number in range(500):
        artifacts.put(name(number), b"x")
        assert sum(blocks_by_org(tmp_path).values()) <= 50
    assert (
        present_numbers(artifacts, range(8), "small") == present_numbers(artifacts, range(8), "other") == list(range(8))
    )
    assert present_numbers(artifacts, [499]) == [499]
    assert 20 < blocks_by_org(tmp_path)["acme"] <= 34


def test_among_those_who_hold_most_each_keeps_the_same(tmp_path):
    quota = Quota(organization=40 * BLOCK, total=60 * BLOCK)
    artifacts = open_artifacts(tmp_path, quota)
    for org, count in (("one", 30), ("two", 25), ("small", 5)):
        for number in range(count):
            artifacts.put(name(number, org), b"x")
    artifacts.put(name(99, "small"), b"x")
    assert blocks_by_org(tmp_path) == {"one": 24, "two": 24, "small": 6}
    assert space_counts(tmp_path) == {"one": 24, "two": 24, "small": 6, "*": 54}


def test_an_artifact_that_is_larger_than_the_quota_is_kept_until_the_next(tmp_path):
    artifacts = open_artifacts(tmp_path)
    artifacts.put(name(1), b"x" * CONTENT * 30)
    assert present_numbers(artifacts, [1]) == [1]
    artifacts.put(name(2), b"x")
    assert (present_numbers(artifacts, [1, 2]), blocks_by_org(tmp_path)) == ([2], {"acme": 1})


def test_the_same_artifact_again_takes_no_more(tmp_path):
    artifacts = open_artifacts(tmp_path)
    for _ in range(100):
        artifacts.put(name(1), b"x" * 5000)
    assert space_counts(tmp_path) == {"acme": 2, "*": 2}


def test_a_file_that_was_finished_elsewhere_counts_too(tmp_path):
    artifacts = open_artifacts(tmp_path)
    artifacts.put(name(1), b"x")
    temporary = artifacts.place(name(2)).with_name(".new-0")
    temporary.write_bytes(b"x" * 3 * BLOCK)
    assert artifacts.take(name(2), temporary) == artifacts.file_of(name(2))
    assert space_counts(tmp_path) == {"acme": 5, "*": 5}, "its sum beside it takes a block"


def test_what_a_process_left_unfinished_goes_with_a_sweep(tmp_path):
    artifacts = open_artifacts(tmp_path)
    artifacts.put(name(1), b"x")
    left, new = (artifacts.place(name(1)).with_name(f".new-{one}") for one in ("left", "new"))
    for path, hours in ((left, 2), (new, 0)):
        path.write_bytes(b"x")
        os.utime(path, (time.time() - hours * HOUR,) * 2)
    artifacts.prune(7)
    assert (left.exists(), new.exists()) == (False, True)


@pytest.mark.parametrize("spoilt", [b"", b"\0\0\0", None])
def test_a_count_that_cannot_be_read_is_measured(tmp_path, spoilt):
    artifacts = open_artifacts(tmp_path)
    for number in range(9):
        artifacts.put(name(number), b"x")
    for path in (tmp_path / ".space").glob("[!.]*"):
        path.unlink() if spoilt is None else path.write_bytes(spoilt)
    for number in range(9, 40):
        artifacts.put(name(number), b"x")
    assert blocks_by_org(tmp_path)["acme"] <= 10


def test_a_writer_that_is_killed_leaves_the_count_too_high_and_never_too_low(tmp_path, monkeypatch):
    artifacts = open_artifacts(tmp_path)
    artifacts.put(name(1), b"x")
    monkeypatch.setattr(Path, "replace", lambda *_: (_ for _ in ()).throw(SystemExit("killed")))
    with pytest.raises(SystemExit):
        artifacts.put(name(2), b"x")
    assert (space_counts(tmp_path), blocks_by_org(tmp_path)) == ({"acme": 2, "*": 2}, {"acme": 1})
    artifacts.prune(7)
    assert space_counts(tmp_path) == {"acme": 1, "*": 1}


@pytest.mark.real
def test_processes_that_share_a_folder_share_its_quota(tmp_path):
    quota = Quota(organization=40 * BLOCK, total=60 * BLOCK)
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        for done in [
            pool.submit(fill, tmp_path, org, first, 300, quota)
            for org, first in (("acme", 0), ("acme", 1000), ("other", 0), ("other", 1000))
        ]:
            done.result()
    sizes, counts = blocks_by_org(tmp_path), space_counts(tmp_path)
    assert max(sizes.values()) <= 40
    assert sum(sizes.values()) <= 60
    assert counts.pop("*") >= sum(sizes.values())
    assert all(counts[org] >= size for org, size in sizes.items())
