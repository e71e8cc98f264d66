"""One complete edition in every format, byte for byte. A change on purpose: ``python -m tests.render.accept``."""

import subprocess
import sys

import pytest

from engine.render import RENDERERS
from tests.render.accept import GOLDEN, TEXTS
from tests.render.editions import posture


@pytest.mark.parametrize("name", TEXTS)
def test_the_golden_edition_is_unchanged(name):
    expected = (GOLDEN / f"posture.{RENDERERS[name].extension}").read_bytes()
    assert expected == RENDERERS[name].render(posture()), "on purpose? python -m tests.render.accept"


@pytest.mark.real
@pytest.mark.parametrize("name", RENDERERS)
def test_the_same_edition_gives_the_same_bytes(name):
    assert RENDERERS[name].render(posture()) == RENDERERS[name].render(posture())


@pytest.mark.real
def test_bytes_depend_on_neither_hash_seed_nor_time_zone_nor_thread_count():
    script = (
        "import hashlib\nfrom engine.render import RENDERERS\nfrom tests.render.editions import posture\n"
        "print([hashlib.sha256(r.render(posture())).hexdigest() for r in RENDERERS.values()])"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", script],
            env={"PYTHONHASHSEED": seed, "TZ": zone, "POLARS_MAX_THREADS": threads, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed, zone, threads in (("1", "UTC", "1"), ("2", "Pacific/Auckland", "2"))
    }
    assert len(outputs) == 1
