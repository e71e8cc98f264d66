"""The ledger of weaknesses: the plan of action and milestones."""

from collections.abc import Sequence
from datetime import date

from data.demo.cast import people
from data.demo.history.story import Story
from data.demo.programme.plan import Control
from data.demo.programme.snapshots import GOOD, Change, Changes

RECENT_DAYS = 150


def fill(story: Story, controls: list[Control], changes: Changes) -> None:
    """Gaps of the last months first, then findings; each is dated as it was first seen and keeps its number."""
    rng, half = story.rng("poam"), story.profile.poam_items // 2
    recent = story.day(RECENT_DAYS)
    weak = [control for control in controls if _path(changes, control)[-1].state not in GOOD]
    weak.sort(key=lambda control: (_gap_since(changes, control) < recent, -control.weight, control.key))
    listed: list[tuple[str, date]] = [(control.key, _gap_since(changes, control)) for control in weak[:half]]
    findings = [row for row in story.tables["findings"] if row["status"] in ("open", "fixed")]
    listed += [(row["id"], row["first_seen_at"].date()) for row in findings[: story.profile.poam_items - half]]
    fixed = {row["id"]: row["fixed_at"].date() for row in findings if row["fixed_at"]}
    for key, seen in listed:
        row = story.add(
            "poam_items",
            since=seen,
            id=story.number("V"),
            weakness_key=key,
            detected_on=seen,
            due_on=story.day((story.today - seen).days - rng.choice((30, 90, 90, 180))),
            status="open",
            details={
                "point_of_contact": people.lead(story, "vulnerability"),
                "resources_required": f"{rng.randint(4, 60)} hours",
                "vendor_dependency": "No",
                "remediation_plan": "Correct the cause, test, and attach the result.",
            },
        )
        if key in fixed:
            story.amend(row, fixed[key], status="completed", closed_on=fixed[key])


def _path(changes: Changes, control: Control) -> Sequence[Change]:
    return changes[(control.framework, control.control_id)]


def _gap_since(changes: Changes, control: Control) -> date:
    """The day of the snapshot in which the gap that is still open was first seen."""
    since = date.min
    for change in reversed(_path(changes, control)):
        if change.state in GOOD:
            break
        since = change.on
    return since
