"""A pull that is killed wherever it writes leaves nothing half, and its repetition finishes it."""

import json
import os
import subprocess
import sys

import pytest

from tests.laws import WHOLE

PLACES = 10 if WHOLE else 4  # of each fault: ten kills and ten full disks, or twenty
FAULTS = ("files kill", "store kill", "files full", "store full")


@pytest.mark.real
@pytest.mark.weekly
def test_a_pull_killed_wherever_it_writes_leaves_nothing_half(tmp_path):
    """One installation is prepared for all four."""
    command = [
        sys.executable,
        "-m",
        "tests.faults.each_call",
        "pull",
        "--faults",
        ",".join(FAULTS),
        "--most",
        str(PLACES),
    ]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=True)
    outcomes = [json.loads(line) for line in done.stdout.splitlines()]
    assert [one["fault"] for one in outcomes] == [*FAULTS]
    assert [(one["fault"], one["broken"]) for one in outcomes if one["broken"]] == []
    assert [one["tried"] for one in outcomes] == [PLACES] * len(FAULTS)
    assert [one["killed"] for one in outcomes] == [PLACES if "kill" in fault else 0 for fault in FAULTS]
