"""Results of scanners as tests: one schedule for each tool, rule and control, the file held, once for the same file.

Which controls a rule tests is said by ``tool_rules``: those that come along, and an organization's own beside them.
"""

import csv
import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import cache
from pathlib import Path

from engine.evidence.items import add_item, byte_columns
from engine.evidence.pulls.declarations import window_of_day
from engine.evidence.store import EvidenceStore
from engine.intake.tool_results import RuleCount, ToolResults
from engine.model.days import local_day
from engine.model.records import TestingScheduleRow
from engine.model.vocabulary import Cadence, TestRunOutcome
from engine.store import Revision, Store
from engine.store.queries.accounts.organizations import time_zone
from engine.store.rows import many
from engine.store.schema.controls import evidence_items, test_runs, testing_schedules, tool_rules

CADENCE: Cadence = "monthly"
RULES = Path(__file__).parents[2] / "data" / "rules" / "tool_rules.csv"
Control = tuple[str, str]


@dataclass(frozen=True)
class ToolLanding:
    """What became of a file: the tests that it was, and the rules that no control is known for."""

    tool: str
    rules: int
    tests: int
    unknown: tuple[str, ...]
    is_known: bool = False  # the same file was there before


@cache
def shipped_rules() -> Mapping[tuple[str, str], tuple[Control, ...]]:
    """The controls of rules that come along, by tool and rule."""
    with RULES.open(newline="") as file:
        rows = list(csv.DictReader(file))
    return _by_rule([(row["tool"], row["rule"], row["framework"], row["control_id"]) for row in rows])


def land_tool_results(
    store: Store,
    evidence: EvidenceStore,
    org_id: str,
    results: ToolResults,
    file: str,
    data: bytes,
    *,
    actor: str,
    now: datetime,
) -> ToolLanding:
    """Write the results of a file in one revision, its bytes first.

    Of a file that was written before, only what rules that came since test: without any, nothing.
    """
    source = f"scan {results.tool}"
    with store.reader() as connection:
        own = many(connection, tool_rules, org_id, tool=results.tool)
        digest = hashlib.sha256(data).hexdigest()
        before = many(connection, evidence_items, org_id, held_sha256=digest, source=source)
        scheduled = {row["id"] for row in many(connection, testing_schedules, org_id)} if before else set()
        today = local_day(now, time_zone(connection, org_id))
    rules = dict(shipped_rules())
    for key, controls in _by_rule(
        [(row["tool"], row["rule"], row["framework"], row["control_id"]) for row in own]
    ).items():
        rules[key] = tuple(dict.fromkeys((*rules.get(key, ()), *controls)))
    unknown = tuple(one.rule for one in results.rules if (results.tool, one.rule) not in rules)
    tests = [(one, control) for one in results.rules for control in rules.get((results.tool, one.rule), ())]
    tests = [(one, control) for one, control in tests if _schedule_id(results.tool, one, control) not in scheduled]
    landing = ToolLanding(results.tool, len(results.rules), len(tests), unknown, is_known=bool(before))
    if before and not tests:
        return landing
    held = evidence.put(org_id, data, file)
    with store.revision(org_id, actor, now=now) as revision:
        known = {row["id"]: row for row in many(revision.records, testing_schedules, org_id)}
        outcomes: dict[Control, list[tuple[TestRunOutcome, str]]] = {}
        for one, control in tests:
            run_id, outcome = _write_run(revision, results.tool, one, control, known, today, now)
            outcomes.setdefault(control, []).append((outcome, run_id))
        passed = [control for control, runs in outcomes.items() if all(outcome == "passed" for outcome, _ in runs)]
        other = {control: runs for control, runs in outcomes.items() if control not in passed}
        values = {"title": f"{results.tool}: {file}", "source": source, "captured_at": now}
        columns = byte_columns(held, file, now)
        if passed or not tests:
            add_item(revision, {**values, **columns}, passed)
        if other:  # shown and linked; it counts as little as the runs that did not pass
            run_id = next(run for runs in other.values() for outcome, run in runs if outcome != "passed")
            add_item(revision, {**values, **columns, "run_id": run_id, "part": "scan"}, list(other))
        revision.record(
            "tool.results.recorded",
            object_type="scan",
            object_id=results.tool,
            details={"file": file, "sha256": held.sha256, "tests": len(tests), "unknown_rules": len(unknown)},
        )
    return landing


def _by_rule(rows: Sequence[tuple[str, str, str, str]]) -> dict[tuple[str, str], tuple[Control, ...]]:
    found: dict[tuple[str, str], list[Control]] = {}
    for tool, rule, framework, control_id in rows:
        found.setdefault((tool, rule), []).append((framework, control_id))
    return {key: tuple(controls) for key, controls in found.items()}


def _schedule_id(tool: str, one: RuleCount, control: Control) -> str:
    name = "-".join(("tool", tool, one.rule, *control))
    return name if len(name) <= 160 else f"tool-{hashlib.sha256(name.encode()).hexdigest()}"


def _write_run(
    revision: Revision,
    tool: str,
    one: RuleCount,
    control: Control,
    known: dict[str, TestingScheduleRow],
    today: date,
    now: datetime,
) -> tuple[str, TestRunOutcome]:
    """A run of the schedule of a tool, rule and control, which is made where there is none."""
    framework, control_id = control
    schedule_id = _schedule_id(tool, one, control)
    if schedule_id not in known:
        schedule = {
            **{"id": schedule_id, "framework": framework, "control_id": control_id, "cadence": CADENCE},
            **{"procedure": f"{tool} {one.rule}: {one.title}"[:300], "starts_on": today},
        }
        revision.insert(testing_schedules, [schedule])
        known[schedule_id] = many(revision.records, testing_schedules, revision.org_id, id=schedule_id)[0]
    window = window_of_day(CADENCE, known[schedule_id]["starts_on"], today)
    outcome: TestRunOutcome = "failed" if one.failed else "not_tested" if one.errors or not one.passed else "passed"
    run_id = f"{schedule_id}-r{revision.seq}"
    row = {
        "id": run_id,
        "schedule_id": schedule_id,
        "window_open_on": window.since,
        "window_close_on": window.until,
        "performed_on": today if outcome != "not_tested" else None,
        "outcome": outcome,
        "population": one.population,
        "tested": one.passed + one.failed,
        "deviations": one.failed,
        "reason": f"{one.errors:,} could not be evaluated" if outcome == "not_tested" else None,
        "ran_at": now,
        "sequence": revision.seq,
    }
    revision.insert(test_runs, [row])
    return run_id, outcome
