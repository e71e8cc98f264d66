"""Requests of auditors as both of their reports see them: open ones by urgency, with control and owner."""

import polars as pl

from reports.shared.personal import whom

WEIGHTS = {"P1": 4, "P2": 3, "P3": 2, "P4": 1}
CLOCKS = ("overdue", "at_risk", "paused", "on_track")
STATES = ("clock", "status", "auditor_status", "control_state", "evidence_freshness")


# what to do next, as it reads with the request that it is about
TO_DO = {
    "answer": "answer {}",
    "correct and resend": "correct and resend {}",
    "get the auditor's decision": "get the auditor's decision on {}",
    "ask the requester": "ask the requester about {}",
}


def turnaround_days() -> pl.Expr:
    """Days from a request to its answer (F5), whole days of pause taken off; null where the two dates contradict.

    Null too where nobody recorded the day of closing.
    """
    taken = (pl.col("finished_on") - pl.col("opened_on")).dt.total_days()
    return pl.when(taken >= 0, pl.col("closed_on").is_not_null()).then(
        pl.max_horizontal(taken - pl.col("paused_minutes") // 1440, pl.lit(0))
    )


def is_accepted() -> pl.Expr:
    """Whether the auditor accepted the answer, also where the request was closed since."""
    return (pl.col("auditor_status") == "accepted") | (
        pl.col("accepted_on").is_not_null() & pl.col("clock").is_in(["closed_on_time", "closed_late"])
    )


def is_first_pass() -> pl.Expr:
    """Whether the auditor accepted it, and nobody had to answer a second time; unknown returns are no such thing."""
    return (is_accepted() & (pl.col("returns") == 0)).fill_null(False)


def with_recipients(requests: pl.DataFrame, people: pl.DataFrame) -> pl.DataFrame:
    """Requests with whom to ask: ``recipient`` is the owner, or the backup where the owner has left."""
    gone = people.filter(~pl.col("active")).select(owner="email", owner_left=pl.lit(True))
    return (
        requests.join(gone, on="owner", how="left")
        .with_columns(pl.col("owner_left").fill_null(False))
        .with_columns(
            recipient=pl.when("owner_left").then(whom(people, "backup")).otherwise("owner"),
            next_step=pl.when(pl.col("auditor_status") == "returned")
            .then(pl.lit("correct and resend"))
            .when(pl.col("status") == "submitted")
            .then(pl.lit("get the auditor's decision"))
            .when(pl.col("clock") == "paused")
            .then(pl.lit("ask the requester"))
            .otherwise(pl.lit("answer")),
        )
        .sort("id")
    )


def nobodys(requests: pl.DataFrame, people: pl.DataFrame, approvers: pl.DataFrame) -> pl.DataFrame:
    """Requests that nobody owns who is there: without an owner, or theirs has left, or is no user or member."""
    known = pl.concat([approvers["email"], people["email"].str.to_lowercase()])
    strange = ~pl.col("owner").str.to_lowercase().is_in(known.implode()) & pl.lit(not known.is_empty())
    frame = with_recipients(requests, people)
    return frame.filter(pl.col("owner").is_null() | pl.col("owner_left") | strange)


def weight(column: str = "priority") -> pl.Expr:
    """4 for P1 to 1 for P4; a priority that is not known counts as the first."""
    return pl.col(column).replace_strict(WEIGHTS, default=max(WEIGHTS.values()), return_dtype=pl.Int64)


def open_requests(requests: pl.DataFrame) -> pl.DataFrame:
    """Requests that are not closed: overdue ones by days late times priority, then by clock, date and priority."""
    late = pl.when(pl.col("clock") == "overdue").then(-pl.col("days_left") * weight()).otherwise(0)
    return (
        requests.filter(pl.col("finished_on").is_null())
        .with_columns(urgency=late)
        .sort(
            pl.col("clock").replace_strict({word: n for n, word in enumerate(CLOCKS)}, default=-1),
            -pl.col("urgency"),
            "due_on",
            -weight(),
            "id",
        )
    )


def by_control(queue: pl.DataFrame) -> pl.DataFrame:
    """Each control with open requests; the one that is asked about most and worst comes first."""
    return (
        queue.filter(pl.col("control_id").is_not_null())
        .group_by("framework", "control_id")
        .agg(
            pl.col("control_title").first(),
            pl.col("control_state", "evidence_freshness").first(),
            requests=pl.len().cast(pl.Int64),
            overdue=(pl.col("clock") == "overdue").sum().cast(pl.Int64),
            ids=pl.col("id").sort(),
        )
        .sort("overdue", "requests", "framework", "control_id", descending=[True, True, False, False])
    )
