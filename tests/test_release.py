"""What a release is built from: every dependency with its version and hashes, and no place that only we know."""

import re
import tomllib
from configparser import ConfigParser
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
OF_CONTRIBUTORS = {"dev", "docs", "bench", "mutants", "soak", "release"}
LOCK = (ROOT / "requirements.lock").read_text()
ENTRY = re.compile(r"([a-z0-9-]+)==([0-9][^ ]*)(?: ; [^\\\n]+)? \\\n((?: {4}--hash=sha256:[0-9a-f]{64}(?: \\)?\n)+)")


def locked_versions():
    return {match[1]: match[2] for match in ENTRY.finditer(LOCK)}


def release(version):
    return tuple(int(part) for part in re.findall(r"\d+", version))


def requirements():
    """(name, range) of what the program needs, with every extra that an installation may have, and of what builds it."""
    metadata = ConfigParser()
    metadata.read(ROOT / "setup.cfg")
    extras = metadata["options.extras_require"]
    own = [extras[name] for name in extras if name not in OF_CONTRIBUTORS]
    build = tomllib.loads((ROOT / "pyproject.toml").read_text())["build-system"]["requires"]
    lines = "\n".join((metadata["options"]["install_requires"], *own, *build)).split()
    for line in lines:
        name, _, ranges = re.fullmatch(r"([A-Za-z0-9_-]+)(\[[^]]*\])?(.*)", line).groups()
        yield name.lower().replace("_", "-"), ranges


def test_the_lock_is_names_versions_and_hashes_and_nothing_else():
    """Neither the address of an index nor a path: both would be those of the machine that wrote it."""
    assert ENTRY.sub("", LOCK) == ""
    assert len(locked_versions()) > 30


@pytest.mark.parametrize(("name", "ranges"), list(requirements()))
def test_what_the_program_needs_is_locked_within_the_range_that_it_asks_for(name, ranges):
    """``make lock`` writes it anew."""
    version = release(locked_versions()[name])
    for operator, bound in re.findall(r"(>=|<)([0-9.]+)", ranges):
        assert version >= release(bound) if operator == ">=" else version < release(bound), (name, ranges)


def test_an_image_fetches_nothing_that_has_no_hash():
    """What the program needs by its hashes; the program itself without a look at an index, also for what builds it."""
    steps = re.findall(r"pip install [^&\n]+", (ROOT / "Containerfile").read_text())
    assert len(steps) == 2
    assert "--require-hashes --requirement requirements.lock" in steps[0]
    assert {"--no-deps", "--no-build-isolation"} <= set(steps[1].split())
