"""Capacity, committees, staffing of peak weeks, and plays that consolidate duties."""

from datetime import date, timedelta
from hashlib import sha256
from random import Random

from data.demo.cast import people
from data.demo.history.chronicle import some
from data.demo.history.story import Story, plus_months, week_of
from data.demo.programme.plan import Control

COMMITTEES = (
    ("COM-steering", "Security Steering Committee", "monthly", 1, 3.0, "risk"),
    ("COM-risk", "Risk and Compliance Committee", "quarterly", 3, 6.0, "governance"),
    ("COM-audit", "Audit Committee of the Board", "semi-annual", 6, 8.0, "audit"),
)
GRANTED_AGO = 150  # by then everybody had the hours that the work takes
STEPS = (
    "confirm shared evidence",
    "confirm mapping",
    "name one owner",
    "align due dates",
    "collect once and link",
    "attest everywhere",
)


def fill(story: Story, controls: list[Control]) -> None:
    rng = story.rng("work")
    _capacity(story, rng)
    _committees(story, rng)
    _staffing(story, rng)
    _plays(story, rng, controls)


def _holiday_weeks(story: Story) -> list[date]:
    """The Mondays, around today, of the weeks with 25 December and 1 January in them, and of two summer weeks."""
    days = [
        date(year, month, day)
        for year in range(story.today.year - 1, story.today.year + 2)
        for month, day in ((12, 25), (1, 1), (8, 5), (8, 12))
    ]
    mondays = {on - timedelta(days=on.weekday()) for on in days}
    return sorted(on for on in mondays if abs((on - story.today).days) < 380)


def _capacity(story: Story, rng: Random) -> None:
    for person in people.staff(story):
        if person.left is not None:
            continue
        email = people.email(story, person)
        usual = story.add("owner_capacity", email=email, week="default", hours=person.hours * 0.75, absence_hours=0.0)
        story.amend(usual, story.day(GRANTED_AGO + some(90, email)), hours=person.hours)
        absences = {
            week_of(on): person.hours * rng.choice((0.5, 1.0)) for on in _holiday_weeks(story) if rng.random() < 0.6
        }
        for _ in range(3):
            absences.setdefault(week_of(story.monday(rng.randint(-24, 20))), person.hours / 2)
        if email == people.lead(story, "governance"):
            absences[week_of(story.peak_monday)] = person.hours / 2
        for week, hours in sorted(absences.items()):
            story.add("owner_capacity", email=email, week=week, hours=person.hours, absence_hours=hours)


def _committees(story: Story, rng: Random) -> None:
    members = people.active(story)
    for identifier, name, cadence, months, hours, domain in COMMITTEES:
        first = plus_months(story.day(392), 0).replace(day=11)
        chair = people.lead(story, domain)
        story.add(
            "committees",
            id=identifier,
            name=name,
            chair=chair,
            members="; ".join(sorted({chair, *members[:6]})),
            cadence=cadence,
            first_meeting_on=first,
            effort_hours=hours,
        )
        held, number = first, 0
        while held < story.today + timedelta(days=31 * months):
            number += 1
            status = "planned" if held >= story.today else "cancelled" if rng.random() < 0.06 else "held"
            decisions = [
                {
                    "decision": decision,
                    "owner": rng.choice(members),
                    "due_on": (held + timedelta(days=45)).isoformat(),
                    "status": "done" if held < story.day(120) or rng.random() < 0.5 else "open",
                }
                for decision in rng.sample(
                    (
                        "Fund a second reviewer",
                        "Accept the residual risk of late patches",
                        "Replace the old appliance",
                        "Move the audit window",
                        "Ask the vendor for a bridge letter",
                    ),
                    2,
                )
            ]
            story.add(
                "committee_meetings",
                id=f"{identifier}-{number:02d}",
                committee_id=identifier,
                held_on=held,
                status=status,
                decisions=decisions if status == "held" else None,
            )
            held = plus_months(first, number * months)


def _staffing(story: Story, rng: Random) -> None:
    """One proposal for the coming peak, some under way, some done, two that are overdue (one of them blocked)."""
    crew, peak_owner = people.active(story), people.lead(story, "governance")
    plan = [
        (-5, "reassign", "proposed"),
        (-5, "pull_forward", "proposed"),
        (-5, "borrow", "tracked"),
        (3, "reassign", "open"),
        (2, "defer", "open"),
        (4, "borrow", "completed"),
        (6, "pull_forward", "completed"),
        (9, "reassign", "completed"),
        (12, "descope", "completed"),
        (13, "borrow", "completed"),
        (17, "reassign", "completed"),
    ]
    for number, (weeks, kind, status) in enumerate(plan):
        week = week_of(story.monday(weeks))
        owner = peak_owner if number < 3 else crew[number % len(crew)]
        helper = crew[(number + 4) % len(crew)]
        identifier = sha256(f"{story.profile.org}|{week}|{kind}|{owner}".encode()).hexdigest()[:16]
        relief = float(rng.randint(2, 8))
        ended = story.monday(weeks) + timedelta(days=6)
        proposed = min(ended - timedelta(days=30), story.day(2))
        story.add(
            "staffing_actions",
            id=identifier,
            week=week,
            kind=kind,
            owner=owner,
            assignee=helper if kind in ("reassign", "borrow") else None,
            relief_hours=relief,
            relief_actual_hours=round(4 * relief * rng.uniform(0.5, 1.1)) / 4 if status == "completed" else None,
            status=status,
            proposed_on=proposed,
            tracked_on=None if status == "proposed" else proposed + timedelta(days=1),
            completed_on=ended + timedelta(days=rng.randint(-4, 9)) if status == "completed" else None,
            blocked_reason="the deputy is on leave" if number == 3 else None,
            evidence="minutes of the steering committee" if status == "completed" else None,
        )


def _plays(story: Story, rng: Random, controls: list[Control]) -> None:
    for number, (status, done) in enumerate((("proposed", 0), ("active", 3), ("completed", 6), ("abandoned", 2))):
        owner, started = rng.choice(people.active(story)), story.day(120 - 25 * number)
        steps = [
            {
                "step": step,
                "status": "done" if at < done else "doing" if at == done and status == "active" else "todo",
                "by": owner if at < done else None,
                "at": (started + timedelta(days=6 * at)).isoformat() if at < done else None,
                "evidence": None,
            }
            for at, step in enumerate(STEPS)
        ]
        cluster = sha256(
            f"{story.profile.org}|{controls[number].key}|{controls[-number - 1].key}".encode()
        ).hexdigest()[:16]
        story.add(
            "plays",
            since=story.day(127 - 25 * number),
            id=cluster,
            status=status,
            owner=owner,
            steps=steps,
            hours_saved=6.5 if status == "completed" else None,
            started_on=None if status == "proposed" else started,
            closed_on=min(started + timedelta(days=50), story.day(4)) if status in ("completed", "abandoned") else None,
        )
