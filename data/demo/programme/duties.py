"""What each past week held: the duties of the other tables that fell due in it, and what became of them."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from data.demo.history.story import Story, week_of

WEEKS = 26
AHEAD = timedelta(weeks=4)
# table, due, done, hours of work, since when it was known that it would fall due (None: always)
DATED = (
    ("attestations", "due_on", "attested_at", 1.0, None),
    ("test_runs", "window_close_on", "performed_on", 2.0, None),
    ("evidence_requests", "due_on", "closed_on", 1.5, "opened_on"),
    ("poam_items", "due_on", "closed_on", 4.0, "detected_on"),
    ("staffing_actions", "tracked_on", "completed_on", 1.0, "proposed_on"),
)


@dataclass(frozen=True)
class DatedDuty:
    """Something that was due on a day, known and done since days of their own."""

    due: date
    done: date | None
    hours: float
    known: date


def fill(story: Story) -> None:
    duties = list(_duties(story))
    opened = [row["opened_on"] for row in story.tables["evidence_requests"]]
    for ago in range(WEEKS, 0, -1):
        start = story.monday(ago)
        end, foretold = start + timedelta(days=6), start - AHEAD
        within = [duty for duty in duties if start <= duty.due <= end]
        completed = sum(1 for duty in within if duty.done is not None and duty.done <= end)
        usual = sum(1 for on in opened if foretold - timedelta(weeks=WEEKS) <= on < foretold) / WEEKS
        story.add(
            "obligation_snapshots",
            week=week_of(start),
            planned=len(within),
            planned_hours=round(sum(duty.hours for duty in within), 1),
            completed=completed,
            slipped=len(within) - completed,
            forecast=sum(1 for duty in within if duty.known <= foretold) + round(usual),
        )


def _duties(story: Story) -> Iterator[DatedDuty]:
    for table, due, done, hours, known in DATED:
        for row in story.tables.get(table, ()):
            if row.get(due) is not None:
                at = row.get(done)
                on = at.date() if isinstance(at, datetime) else at
                yield DatedDuty(row[due], on, hours, row[known] if known else date.min)
