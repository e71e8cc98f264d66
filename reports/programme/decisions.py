"""What the board is asked to decide, read from the data: each request names what it rests on."""

from collections.abc import Iterator

import polars as pl

from engine.model.ask import Ask
from reports.capacity import shortfall
from reports.shared.wording import all_of, count, hours, sentence

COLUMNS = {"decision": pl.String, "reason": pl.String, "owner": pl.String, "footnote": pl.String}
MOST_NAMED = 3
NOBODY = "nobody is named for it and no chair is to meet, so the first decision is who decides"


def decisions(
    register: pl.DataFrame,
    obligations: pl.DataFrame,
    exceptions: pl.DataFrame,
    owner_weeks: pl.DataFrame,
    footnotes: dict[str, str],
    ask: Ask,
) -> pl.DataFrame:
    """Risks over appetite, then late commitments, expired exceptions and the worst short week; most pressing first.

    ``footnotes`` maps risks, obligations, exceptions and capacity to their marks.
    """
    overdue = obligations.filter(pl.col("state") == "overdue").sort("due_on", "obligation_id")
    requests = [
        *((*request, footnotes["risks"]) for request in _risks(register)),
        *((*request, footnotes["obligations"]) for request in _late(overdue)),
        *((*request, footnotes["exceptions"]) for request in _expired(exceptions)),
        *((*request, footnotes["capacity"]) for request in _short(owner_weeks, ask)),
    ]
    return with_addressee(pl.DataFrame(requests, schema=COLUMNS, orient="row"), obligations)


def with_addressee(requests: pl.DataFrame, obligations: pl.DataFrame) -> pl.DataFrame:
    """Each request with somebody to decide it: without a name, the chair of the committee that meets next.

    Where no committee is to meet either, the reason says that the first decision is who decides.
    """
    meetings = obligations.filter(
        pl.col("kind") == "committee", pl.col("state") == "open", pl.col("owner").is_not_null()
    ).sort("due_on", "obligation_id")
    chair = meetings["owner"][0] if meetings.height else None
    return requests.with_columns(owner=pl.col("owner").fill_null(pl.lit(chair, dtype=pl.String))).with_columns(
        reason=pl.when(pl.col("owner").is_null())
        .then(pl.format("{}; {}", "reason", pl.lit(NOBODY)))
        .otherwise("reason")
    )


def _risks(register: pl.DataFrame) -> Iterator[tuple[str, str, str | None]]:
    over = register.filter("over_appetite")
    if over.is_empty():
        return
    first = over.row(0, named=True)
    unrated = " (not fully rated)" if first["unknown"] else ""
    yield (
        f"Accept, treat or transfer {count(over.height, 'risk')} over appetite: {_named(over['id'].to_list())}",
        f"{first['id']} is at {first['residual']}{unrated} against an appetite of {first['appetite']}",
        first["owner"],
    )


def _late(overdue: pl.DataFrame) -> Iterator[tuple[str, str, str | None]]:
    if overdue.is_empty():
        return
    owners = (
        overdue.group_by("owner").agg(late=pl.len()).sort("late", "owner", descending=[True, False], nulls_last=True)
    )
    first = owners.row(0, named=True)
    days = count(-overdue["days_left"][0], "day")
    nobody = overdue["owner"].null_count()
    reason = f"The oldest is {days} late; {first['owner'] or 'nobody'} has {first['late']:,}"
    if nobody and first["owner"]:
        reason += f", {nobody:,} {'has' if nobody == 1 else 'have'} no owner"
    yield f"Agree new dates or owners for {count(overdue.height, 'overdue commitment')}", reason, first["owner"]


def _expired(exceptions: pl.DataFrame) -> Iterator[tuple[str, str, str | None]]:
    expired = exceptions.filter(pl.col("standing") == "expired").sort("expires_on", "id")
    if expired.is_empty():
        return
    first = expired.row(0, named=True)
    yield (
        f"Renew or end {count(expired.height, 'expired exception')}: {_named(expired['id'].to_list())}",
        f"{first['id']} ended on {first['expires_on']} and nobody has resolved it",
        first["approver"],
    )


def _short(owner_weeks: pl.DataFrame, ask: Ask) -> Iterator[tuple[str, str, str | None]]:
    """Hours and owners are for a chair to find: neither request goes to those who lack them."""
    weeks = shortfall.by_week(owner_weeks, ask)
    short = weeks.filter("short").sort(
        "shortfall_hours", "borrow_hours", "week_start_on", descending=[True, True, False]
    )
    span = count(weeks.height, "week")
    if short.height:
        week = short.row(0, named=True)
        verb = "has" if week["owners_short"] == 1 else "have"
        missing = round(week["shortfall_hours"] or week["borrow_hours"], 1)
        yield (
            f"Move work out of {week['week']} or add {hours(missing)}",
            f"{sentence(count(week['owners_short'], 'owner'))} {verb} more due than time in it; "
            f"{short.height} of the next {span} {'is' if short.height == 1 else 'are'} short",
            None,
        )
    unowned = round(float(weeks["unowned_hours"].sum()), 1)
    if unowned:
        yield f"Name owners for {hours(unowned)} of work", f"Due in the next {span}, and nobody is there to do it", None


def _named(names: list[str]) -> str:
    more = [f"{len(names) - MOST_NAMED:,} more"] if len(names) > MOST_NAMED else []
    return all_of([*names[:MOST_NAMED], *more])
