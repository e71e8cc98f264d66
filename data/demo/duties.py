"""What each past week held: the duties of the other tables that fell due in it, and what became of them."""

from collections.abc import Iterator
from datetime import date, datetime, timedelta

from data.demo.story import Story, week_of

WEEKS = 26
# table, due, done, hours of work
DATED = (
    ("attestations", "due_on", "attested_at", 1.0),
    ("test_runs", "window_close_on", "performed_on", 2.0),
    ("evidence_requests", "due_on", "closed_on", 1.5),
    ("poam_items", "due_on", "closed_on", 4.0),
    ("staffing_actions", "tracked_on", "completed_on", 1.0),
)


def fill(story: Story) -> None:
    rng, duties = story.rng("duties"), list(_duties(story))
    for ago in range(WEEKS, 0, -1):
        start = story.monday(ago)
        end = start + timedelta(days=6)
        within = [(done, hours) for due, done, hours in duties if start <= due <= end]
        completed = sum(1 for done, _ in within if done is not None and done <= end)
        story.add(
            "obligation_snapshots",
            week=week_of(start),
            planned=len(within),
            planned_hours=round(sum(hours for _, hours in within), 1),
            completed=completed,
            slipped=len(within) - completed,
            forecast=max(0, len(within) + rng.randint(-4, 4)),
        )


def _duties(story: Story) -> Iterator[tuple[date, date | None, float]]:
    for table, due, done, hours in DATED:
        for row in story.tables.get(table, ()):
            if row.get(due) is not None:
                at = row.get(done)
                yield row[due], at.date() if isinstance(at, datetime) else at, hours
