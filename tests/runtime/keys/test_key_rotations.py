"""One signing key after another: each is signed by the one before, and whoever knows one accepts the others."""

import stat
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest

from engine.model.errors import Conflict
from engine.runtime.keys.key_rotations import (
    linked_keys,
    own_keys,
    read_rotations,
    rotate_key,
    rotations_path,
    rotations_text,
)
from engine.runtime.keys.signing_keys import fingerprint, signing_key
from tests.conftest import NOW


def test_a_key_that_was_never_changed_stands_alone(tmp_path):
    path = tmp_path / "signing.key"
    assert own_keys(path) == [signing_key(path).public_bytes]
    assert (rotations_text(path), read_rotations("")) == ("", [])
    assert fingerprint(signing_key(path).public_bytes) == signing_key(path).id


def test_every_key_leads_to_every_other(tmp_path):
    path = tmp_path / "signing.key"
    keys = [signing_key(path).public_bytes]
    for _ in range(3):
        made = rotate_key(path, now=NOW)
        assert made.old == keys[-1]
        assert made.new == signing_key(path).public_bytes
        keys.append(made.new)
    rotations = read_rotations(rotations_text(path))
    assert [(one.old, one.new) for one in rotations] == list(pairwise(keys))
    assert own_keys(path) == keys[::-1]
    assert linked_keys(rotations, keys[0]) == keys
    assert linked_keys(rotations, b"x" * 32) == [b"x" * 32]
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(rotations_path(path).stat().st_mode) == 0o600
    assert sorted(file.name for file in tmp_path.iterdir()) == ["signing.key", "signing.key.rotations"]


def test_a_process_that_ends_between_the_two_files_leaves_the_old_key(tmp_path):
    path = tmp_path / "signing.key"
    old = signing_key(path)
    pem = path.read_bytes()
    dead = rotate_key(path, now=NOW).new
    path.write_bytes(pem)
    assert own_keys(path) == [old.public_bytes, dead]
    alive = rotate_key(path, now=NOW).new
    assert own_keys(path)[:2] == [alive, old.public_bytes]


def test_rotations_at_once_come_one_after_another(tmp_path):
    path = tmp_path / "signing.key"
    with ThreadPoolExecutor(6) as pool:
        made = list(pool.map(lambda _: rotate_key(path, now=NOW), range(6)))
    assert len({one.old for one in made}) == len({one.new for one in made}) == 6
    assert len(own_keys(path)) == 7


def test_a_list_that_was_changed_is_named(tmp_path):
    path = tmp_path / "signing.key"
    for _ in range(2):
        rotate_key(path, now=NOW)
    text = rotations_text(path)
    lines = text.splitlines(keepends=True)
    for changed in (
        text.replace("at 2026", "at 2025"),
        text[:-1],
        text + "\n",
        text + "\nmore\n",
        "".join(lines[:-1]),
        "".join(lines[1:]),
        "".join([*lines[:5], lines[-2], *lines[6:]]),
        text.replace("hq/signing-key\nfrom", "hq/another-key\nfrom"),
        "\n" + text,
    ):
        with pytest.raises(ValueError, match=r"^(is|has) |does not hold"):
            read_rotations(changed)
        rotations_path(path).write_text(changed)
        with pytest.raises(Conflict, match=r"signing.key.rotations"):
            own_keys(path)
        with pytest.raises(Conflict, match=r"signing.key.rotations"):
            rotate_key(path, now=NOW)
