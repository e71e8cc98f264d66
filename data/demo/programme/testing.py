"""Recurring tests with their windows, evidence items, and what auditors asked for."""

from datetime import date, timedelta
from random import Random

from data.demo.cast import people
from data.demo.history import stories
from data.demo.history.story import Row, Story, plus_months
from data.demo.programme.plan import Control

STEP = {"monthly": 1, "quarterly": 3, "semi-annual": 6, "annual": 12}
OPEN_DAYS = {"monthly": 7, "quarterly": 14, "semi-annual": 21, "annual": 30}
CAUSES = (
    ("A ticket without approval", "Approvals are now enforced by the tool"),
    ("A leaver was disabled late", "Feed from the people system"),
    ("One server missed by the scanner", "Inventory feeds the scanner"),
)


def schedules(story: Story, controls: list[Control]) -> None:
    """Every control that needs a test, every failing one, then the weightiest until the profile's number is reached."""
    rng = story.rng("schedules")
    needed = [control for control in controls if "test" in control.kinds or control.test == "failed"]
    others = sorted(
        (control for control in controls if control not in needed and control.in_order),
        key=lambda control: (-control.weight, control.key),
    )
    tested = [*needed, *others[::3]][: max(len(needed), story.profile.schedules)]
    peak = people.lead(story, "governance")
    for number, control in enumerate(sorted(tested, key=lambda control: control.key), start=1):
        cadence = control.cadence if control.cadence in STEP else "monthly"
        owner = peak if number % 9 == 0 else control.owner
        performer = (
            owner if rng.random() < 0.12 else rng.choice([person for person in people.active(story) if person != owner])
        )
        starts = plus_months(story.day(400), 0) + timedelta(
            days=rng.randrange(0, 26) if cadence == "monthly" else rng.randrange(0, 150)
        )
        if owner == peak and cadence != "monthly":
            starts = plus_months(story.peak_monday + timedelta(days=number % 3 + 1 - OPEN_DAYS[cadence]), -12)
        schedule = story.add(
            "testing_schedules",
            id=f"TST-{number:03d}",
            framework=control.framework,
            control_id=control.control_id,
            procedure=f"Inspect a sample for {control.title.lower()}",
            cadence=cadence,
            owner=owner,
            performer=performer,
            window_days=OPEN_DAYS[cadence],
            starts_on=starts.replace(day=min(starts.day, 28)),
        )
        _runs(story, rng, schedule, control)


def _runs(story: Story, rng: Random, schedule: Row, control: Control) -> None:
    """The windows that have opened; the newest of a failing control failed, or its last regressed a week ago."""
    opened: list[date] = []
    while (on := plus_months(schedule["starts_on"], len(opened) * STEP[schedule["cadence"]])) < story.today:
        opened.append(on)
    org = story.profile.org
    key = (control.framework, control.control_id)
    regression = story.monday(0) - timedelta(days=3)
    for number, on in enumerate(opened, start=1):
        last, closes = number == len(opened), on + timedelta(days=schedule["window_days"] - 1)
        performed: date | None = on + timedelta(
            days=rng.randint(0, schedule["window_days"] + (3 if rng.random() < 0.1 else -1))
        )
        due = last and performed is not None and performed >= story.today
        missed = not last and rng.random() < 0.04
        failed = (last and control.test == "failed" and key != stories.REGRESSION[org]) or (
            rng.random() < 0.012 and not last
        )
        if failed and due:
            performed, due = story.day(1), False
        if due or missed:
            performed = None
        _run(story, rng, schedule, number, on, closes, performed, failed)
    if key == stories.REGRESSION[org]:
        while (
            story.tables["test_runs"]
            and story.tables["test_runs"][-1]["schedule_id"] == schedule["id"]
            and story.tables["test_runs"][-1]["window_close_on"] >= regression
        ):
            story.tables["test_runs"].pop()
        _run(
            story,
            rng,
            schedule,
            len(opened) + 1,
            regression - timedelta(days=2),
            regression + timedelta(days=4),
            regression,
            True,
        )
        ago = (story.today - regression).days
        story.event(
            f"AE-{schedule['id']}-regressed",
            story.at(ago, 690),
            schedule["performer"],
            "control.test.failed",
            "test_run",
            story.tables["test_runs"][-1]["id"],
            controls=control.key,
        )


def _run(
    story: Story,
    rng: Random,
    schedule: Row,
    number: int,
    opens: date,
    closes: date,
    performed: date | None,
    failed: bool,
) -> None:
    population = rng.randint(20, 900)
    deviations = rng.randint(1, 3) if failed else 0
    cause, response = rng.choice(CAUSES)
    identifier = f"{schedule['id']}-{number:02d}"
    run = story.add(
        "test_runs",
        since=opens,
        id=identifier,
        schedule_id=schedule["id"],
        window_open_on=opens,
        window_close_on=closes,
        evidence_expected=2,
        evidence_received=0,
    )
    if performed is None:
        return
    story.amend(
        run,
        performed,
        performed_on=performed,
        outcome="failed" if failed else "passed",
        performer=schedule["performer"],
        population=population,
        tested=min(population, 25),
        deviations=deviations,
        evidence_received=1 if failed else 2,
        cause=cause if failed else None,
        response=response if failed else None,
    )
    if rng.random() < 0.7:
        story.add(
            "test_links",
            id=f"LNK-{identifier}",
            test_id=identifier,
            framework=schedule["framework"],
            control_id=schedule["control_id"],
            status="rejected" if failed else "linked",
            linked_by=schedule["performer"],
            linked_at=story.at((story.today - performed).days, 960),
        )
    ago = (story.today - performed).days
    if ago <= 400 and not failed:
        story.event(
            f"AE-{identifier}",
            story.at(ago, 900),
            schedule["performer"],
            "control.test.passed",
            "test_run",
            identifier,
            controls=f"{schedule['framework']}:{schedule['control_id']}",
        )
