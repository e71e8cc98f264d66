"""What a week is planned to hold: the duties that are due in it, and the requests that a week usually brings."""

from datetime import date, timedelta

import polars as pl

AHEAD = timedelta(weeks=4)  # how long before a week its forecast is made
LEAST_WEEKS = 8


def due_in(obligations: pl.DataFrame, monday: date) -> pl.DataFrame:
    """Duties due in the week that were not done before it began; cancelled ones are none."""
    within = pl.col("due_on").is_between(monday, monday + timedelta(days=6))
    undone = pl.col("done_on").is_null() | (pl.col("done_on") >= monday)
    return obligations.filter(within, pl.col("state") != "cancelled", undone)


def planned_hours(due: pl.DataFrame) -> float:
    """The hours of duties."""
    return round(float(due["effort_hours"].sum()), 2)


def completed_in(obligations: pl.DataFrame, monday: date) -> int:
    """How many of the duties of the week were done by its end."""
    return due_in(obligations, monday).filter(pl.col("done_on") <= monday + timedelta(days=6)).height


def expected_in(obligations: pl.DataFrame, requests: pl.DataFrame, monday: date, history: int) -> int:
    """The duties of the week that is ``AHEAD``, known ones and requests, as they are expected on ``monday``."""
    return due_in(obligations, monday + AHEAD).height + _usual_requests(requests, monday, history)


def outcome(planned: int, done: int) -> dict[str, int]:
    """Of what was planned, how much was completed; the rest slipped, moved duties included."""
    completed = min(done, planned)
    return {"completed": completed, "slipped": planned - completed}


def _usual_requests(requests: pl.DataFrame, monday: date, history: int) -> int:
    """Requests that a week usually brings: the mean of the weeks behind, nothing while there are too few of them."""
    past = requests.filter(pl.col("opened_on") < monday)
    first = past["opened_on"].min()
    weeks = min(history, (monday - first).days // 7) if isinstance(first, date) else 0
    if weeks < LEAST_WEEKS:
        return 0
    return round(past.filter(pl.col("opened_on") >= monday - timedelta(weeks=weeks)).height / weeks)
