"""The sources of the demo and its dozen checks: which fail, each for a row that shows why."""

import json
from datetime import date

import pytest

from data.demo.sources import write_sources
from engine.evidence.pulls.proofs import subject_of
from engine.evidence.pulls.prove import prove
from engine.evidence.pulls.pull import PullOutcome, pull
from engine.evidence.pulls.pull_file import read_pull_file
from tests.evidence.pulls.sources import readers
from tests.laws import WHOLE

FAILED = {
    "leavers-have-no-account": [{"login": "maya.okafor", "left_on": "2026-11-15", "disabled_at": None}],
    "administrators-have-mfa": [{"login": "jonas.weber"}],
    "changes-come-by-merge": ["leo.tanaka@aurora.example"],
    "firewall-rules-are-reviewed": [{"name": "reporting", "reviewed_on": "2025-11-18"}],
}


@pytest.mark.real
def test_a_dozen_checks_run_and_four_fail_for_a_reason_and_all_can_see(tmp_path):
    file = read_pull_file(write_sources(tmp_path / "sources", date(2026, 11, 24)))
    outcomes = list(pull(file, file.checks, readers(commands=("cat",)), date(2026, 11, 24)))
    assert [one for one in outcomes if not isinstance(one, PullOutcome)] == []
    assert len(outcomes) == 12
    failed = {}
    for one in outcomes:
        assert one.answer.outcome in ("passed", "failed"), (one.check.id, one.answer.reason)
        if one.answer.outcome == "failed":
            failed[one.check.id] = [json.loads(line) for line in one.answer.exceptions.lines.splitlines()]
    failed["changes-come-by-merge"] = [row["author"] for row in failed["changes-come-by-merge"]]
    assert failed == FAILED
    proved = outcomes if WHOLE else outcomes[::3]
    assert [one.check.id for one in proved if prove(subject_of(one)).is_blind] == []
