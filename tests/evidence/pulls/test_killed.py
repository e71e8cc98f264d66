"""A pull that is killed wherever it writes leaves nothing half, and its repetition finishes it."""

import json
import os
import subprocess
import sys

import pytest

from tests.laws import WHOLE

PLACES = 10 if WHOLE else 5  # of each fault: ten kills and ten full disks, or twenty


@pytest.mark.real
@pytest.mark.parametrize("fault", ["files kill", "store kill", "files full", "store full"])
def test_a_pull_killed_wherever_it_writes_leaves_nothing_half(fault, tmp_path):
    command = [sys.executable, "-m", "tests.faults.each_call", "pull", "--faults", fault, "--most", str(PLACES)]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=600, check=True)
    outcome = json.loads(done.stdout)
    assert (outcome["broken"], outcome["tried"]) == ([], PLACES)
    assert outcome["killed"] == (PLACES if "kill" in fault else 0)
