"""The past year as it led here: states of every control by week, snapshots, gaps and the work that closed them."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from random import Random

from data.demo import people, stories
from data.demo.plan import Control
from data.demo.story import Story

WEEKS = 57
SCORE: Mapping[str, float] = {"effective": 1.0, "partial": 0.5, "stale": 0.25}
BEFORE = {
    "effective": ("partial", "no_data", "partial", "stale"),
    "partial": ("no_data", "effective", "no_data", "stale"),
    "stale": ("effective",),
    "ineffective": ("effective", "partial"),
    "no_data": ("no_data",),
    "not_applicable": ("partial",),
}
TITLES = {
    "partial": "Complete the evidence",
    "stale": "Collect current evidence",
    "ineffective": "Correct the failure",
    "no_data": "Begin to operate the control",
}


@dataclass(frozen=True)
class Past:
    """For each control the weeks ago at which it changed, oldest first, with the state from then on."""

    changes: Mapping[str, list[tuple[int, str]]]
    today_monday: date

    def since(self, control: Control) -> date:
        return self.today_monday - timedelta(weeks=self.changes[control.key][-1][0])


def past(story: Story, controls: list[Control]) -> Past:
    rng = story.rng("past")
    return Past({control.key: _path(story, control, rng) for control in controls}, story.monday(0))


def _path(story: Story, control: Control, rng: Random) -> list[tuple[int, str]]:
    first, now = WEEKS - 1, control.state
    maturity = story.profile.frameworks[control.framework]
    steady, when, before = rng.random(), rng.randint(2, first - 2), rng.choice(BEFORE[now])
    wobble = rng.random()
    if (control.framework, control.control_id) == stories.REGRESSION[story.profile.org]:
        return [(first, "effective"), (0, "ineffective")]
    if control.drop_week is not None:
        return (
            [(first, "partial"), (rng.randint(14, 40), "effective"), (control.drop_week, now)]
            if steady > maturity.start
            else [(first, "effective"), (control.drop_week, now)]
        )
    if now == "effective" and steady < maturity.start:
        if wobble < 0.12 and when > 8:
            return [
                (first, "effective"),
                (when, rng.choice(("stale", "ineffective"))),
                (when - rng.randint(2, 6), "effective"),
            ]
        return [(first, "effective")]
    if now == before or (now != "effective" and steady < 0.45 and now != "stale" and now != "ineffective"):
        return [(first, now)]
    if now in ("stale", "ineffective"):
        when = rng.randint(1, 12)
    return [(first, before), (when, now)]


def fill(story: Story, controls: list[Control], told: Past) -> None:
    _changes(story, told, controls)
    weeks = _weeks(controls, told)
    for framework in story.profile.frameworks:
        _readiness(story, [control for control in controls if control.framework == framework], framework, weeks)
    _posture(story)
    _remediations(story, controls, told)


def _weeks(controls: list[Control], told: Past) -> dict[str, list[str]]:
    """The state of each control in each week, from the oldest to the current one."""
    states = {}
    for control in controls:
        line: list[str] = []
        changes = dict(told.changes[control.key])
        for ago in range(WEEKS - 1, -1, -1):
            line.append(changes.get(ago) or line[-1])
        states[control.key] = line
    return states


def _changes(story: Story, told: Past, controls: list[Control]) -> None:
    events = {event.controls: event.id for event in story.events if event.action == "control.test.failed"}
    for control in controls:
        previous = None
        for ago, state in told.changes[control.key]:
            trigger = events.get(control.key) if state == "ineffective" and ago == 0 else None
            story.add(
                "control_state_changes",
                framework=control.framework,
                control_id=control.control_id,
                observed_on=story.monday(ago),
                state=state,
                previous=previous,
                trigger_event=trigger,
            )
            previous = state


def _readiness(story: Story, controls: list[Control], framework: str, weeks: Mapping[str, list[str]]) -> None:
    rng = story.rng(f"readiness/{framework}")
    before: dict[str, str] = {}
    for at in range(WEEKS):
        states = {control.key: weeks[control.key][at] for control in controls}
        counts = Counter(states.values())
        applicable = [control for control in controls if states[control.key] != "not_applicable"]
        weight = sum(control.weight for control in applicable)
        earned = sum(control.weight * SCORE.get(states[control.key], 0) for control in applicable)
        total = len(applicable)
        fresh = (counts["effective"] + 0.9 * counts["partial"] + 0.5 * counts["ineffective"]) / total
        signed = (
            counts["effective"] + counts["ineffective"] + 0.12 * counts["partial"] + 0.7 * counts["stale"]
        ) / total
        story.add(
            "readiness_snapshots",
            taken_on=story.monday(WEEKS - 1 - at),
            framework=framework,
            **{
                state: counts[state]
                for state in ("effective", "partial", "stale", "ineffective", "no_data", "not_applicable")
            },
            strict_pct=round(100 * counts["effective"] / total, 1),
            weighted_pct=round(100 * earned / weight, 1),
            fresh_pct=round(min(100, 100 * fresh + rng.uniform(-0.6, 0.6)), 1),
            attested_pct=round(min(100, 100 * signed), 1),
            gaps_open=total - counts["effective"],
            gaps_opened=sum(
                1 for key, state in states.items() if state != "effective" and before.get(key) == "effective"
            ),
            gaps_closed=sum(
                1 for key, state in states.items() if state == "effective" and before.get(key, state) != "effective"
            ),
        )
        before = states


def _posture(story: Story) -> None:
    """F4 over the weekly readiness; vendors, remediation and operations wander around the profile's care."""
    rng, care = story.rng("posture"), 100 * story.profile.vendor_care
    by_day: dict[date, list[tuple[float, float, float]]] = {}
    for row in story.tables["readiness_snapshots"]:
        by_day.setdefault(row["taken_on"], []).append((row["weighted_pct"], row["fresh_pct"], row["attested_pct"]))
    for at, (on, measured) in enumerate(sorted(by_day.items())):
        readiness, freshness, attested = (sum(column) / len(measured) for column in zip(*measured, strict=True))
        components = {
            "readiness": readiness,
            "freshness": freshness,
            "attestation": attested,
            "vendor": care - 12 + at / 12 + rng.uniform(-2, 2),
            "remediation": care - 14 + at / 9 + rng.uniform(-3, 3),
            "operations": 88 + rng.uniform(-6, 6) - (12 if at == WEEKS - 1 else 0),
        }
        shares = {
            "readiness": 0.35,
            "freshness": 0.20,
            "attestation": 0.15,
            "vendor": 0.10,
            "remediation": 0.10,
            "operations": 0.10,
        }
        components = {name: round(min(100.0, value), 1) for name, value in components.items()}
        story.add(
            "posture_snapshots",
            taken_on=on,
            score=round(sum(shares[name] * components[name] for name in shares), 1),
            components=components,
        )


def _remediations(story: Story, controls: list[Control], told: Past) -> None:
    """Work on every gap that was closed, and on most of those that are open; each began when the gap was seen."""
    rng = story.rng("remediations")
    told_of = {*stories.QUICK_WINS[story.profile.org], stories.RELIED_ON[story.profile.org]}
    work: list[tuple[int, str, int | None, Control]] = []
    for control in controls:
        path = told.changes[control.key]
        for (found, gap), (ended, later) in pairwise(path):
            if gap not in ("effective", "not_applicable") and later == "effective":
                work.append((min(found, ended + rng.randint(2, 16)), gap, ended, control))
        opened, state = path[-1]
        key = (control.framework, control.control_id)
        if state not in ("effective", "not_applicable") and (key in told_of or rng.random() < 0.55):
            work.append((min(opened, rng.randint(1, 30)), state, None, control))
    for opened, state, closed, control in sorted(work, key=lambda item: (-item[0], item[3].key)):
        _remediation(story, control, rng, state, story.monday(opened), closed)


def _remediation(story: Story, control: Control, rng: Random, state: str, opened_on: date, closed: int | None) -> None:
    due_on = opened_on + timedelta(days=rng.randint(21, 120))
    if closed is None:
        due_on = story.day(rng.randint(1, 40) if rng.random() < 0.22 else -rng.randint(3, 110))
    status = "closed" if closed is not None else rng.choices(("open", "in_progress", "blocked"), (50, 38, 12))[0]
    waits_for = rng.choice(("budget approval", "a vendor's answer", "the migration"))
    relied = (control.framework, control.control_id) == stories.RELIED_ON[story.profile.org]
    story.add(
        "remediations",
        id=story.yearly("REM", opened_on),
        framework=control.framework,
        control_id=control.control_id,
        title=f"{TITLES[state]}: {control.title}",
        owner=people.leaver(story) if rng.random() < 0.012 else control.owner,
        opened_on=opened_on,
        due_on=max(due_on, opened_on),
        closed_on=None if closed is None else max(opened_on, story.monday(closed) - timedelta(days=rng.randint(1, 6))),
        status=status,
        blocked_by=waits_for if status == "blocked" else None,
        compensating="EXC-001" if relied else None,
        severity="high" if state == "ineffective" else None,
    )
