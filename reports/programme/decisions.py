"""What the board is asked to decide, read from the data: each request names what it rests on."""

from collections.abc import Iterator
from datetime import timedelta

import polars as pl

from engine.model.report import Ask
from reports.shared.wording import all_of, count, hours

COLUMNS = {"decision": pl.String, "reason": pl.String, "owner": pl.String, "footnote": pl.String}
MOST_NAMED = 3


def decisions(
    register: pl.DataFrame,
    overdue: pl.DataFrame,
    exceptions: pl.DataFrame,
    owner_weeks: pl.DataFrame,
    footnotes: dict[str, str],
    ask: Ask,
) -> pl.DataFrame:
    """Risks over appetite, then late commitments, expired exceptions and the worst short week; most pressing first.

    ``overdue`` stands oldest first. ``footnotes`` maps risks, obligations, exceptions and capacity to their marks.
    """
    requests = [
        *((*request, footnotes["risks"]) for request in _risks(register)),
        *((*request, footnotes["obligations"]) for request in _late(overdue)),
        *((*request, footnotes["exceptions"]) for request in _expired(exceptions)),
        *((*request, footnotes["capacity"]) for request in _short(owner_weeks, ask)),
    ]
    return pl.DataFrame(requests, schema=COLUMNS, orient="row")


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
    monday = ask.as_of - timedelta(days=ask.as_of.weekday())
    short = (
        owner_weeks.filter((pl.col("week_start_on") >= monday) & (pl.col("shortfall_hours") > 0))
        .sort("week", "shortfall_hours", "owner", descending=[False, True, False])
        .group_by("week", maintain_order=True)
        .agg(pl.col("shortfall_hours").sum(), owners=pl.len(), owner=pl.col("owner").first())
        .sort("shortfall_hours", "week", descending=[True, False])
    )
    if short.is_empty():
        return
    week = short.row(0, named=True)
    verb = "has" if week["owners"] == 1 else "have"
    yield (
        f"Move work out of {week['week']} or add {hours(round(week['shortfall_hours'], 1))}",
        f"{count(week['owners'], 'owner')} {verb} more due than time; "
        f"{count(short.height, 'coming week')} {'is' if short.height == 1 else 'are'} short",
        week["owner"],
    )


def _named(names: list[str]) -> str:
    more = [f"{len(names) - MOST_NAMED:,} more"] if len(names) > MOST_NAMED else []
    return all_of([*names[:MOST_NAMED], *more])
