"""What the board is asked to decide, read from the data: each request names what it rests on."""

from collections.abc import Iterator
from datetime import date, timedelta
from typing import NamedTuple

import polars as pl

from engine.model.days import spelled_day
from engine.model.vocabulary import FRAMEWORK_NAMES
from reports.capacity import relief
from reports.shared.meetings import decide_by, next_meeting
from reports.shared.wording import all_of, count, hours, sentence

COLUMNS = {**{"decision": pl.String, "reason": pl.String, "owner": pl.String, "footnote": pl.String}, "due_on": pl.Date}
FULL = {**COLUMNS, "effort_hours": pl.Float64, "otherwise": pl.String}
AHEAD = timedelta(days=30)
MOST_NAMED = 3
NOBODY = "nobody is named for it and no chair is to meet, so the first decision is who decides"


def decisions(
    register: pl.DataFrame,
    obligations: pl.DataFrame,
    exceptions: pl.DataFrame,
    weeks: pl.DataFrame,
    footnotes: dict[str, str],
    as_of: date,
    near: pl.DataFrame,
) -> pl.DataFrame:
    """Risks over appetite, late commitments, expired exceptions, the worst short week and the target date that no plan
    reaches, the first due first.

    ``weeks`` are those of ``relief.by_week``, ``near`` is ``targets.nearest``. ``footnotes`` maps risks, obligations,
    exceptions, capacity and readiness to their marks.
    """
    return full_decisions(register, obligations, exceptions, weeks, footnotes, as_of, near).select(*COLUMNS)


def full_decisions(
    register: pl.DataFrame,
    obligations: pl.DataFrame,
    exceptions: pl.DataFrame,
    weeks: pl.DataFrame,
    footnotes: dict[str, str],
    as_of: date,
    near: pl.DataFrame,
) -> pl.DataFrame:
    """The same with the hours that each binds, and what comes otherwise.

    What is about a week is decided before it (``meetings.decide_by``), what has no day of its own in the next meeting.
    """
    overdue = obligations.filter(pl.col("state") == "overdue").sort("due_on", "obligation_id")
    requests = [
        *(request.row(footnotes["risks"]) for request in _risks(register)),
        *(request.row(footnotes["obligations"]) for request in _late(overdue, obligations)),
        *(request.row(footnotes["exceptions"]) for request in _expired_requests(exceptions)),
        *(request.row(footnotes["capacity"]) for request in _short(weeks)),
        *(request.row(footnotes["readiness"]) for request in _out_of_reach(near)),
    ]
    return in_order(with_addressee(pl.DataFrame(requests, schema=FULL, orient="row"), obligations), obligations, as_of)


def in_order(requests: pl.DataFrame, obligations: pl.DataFrame, as_of: date) -> pl.DataFrame:
    """The first to be decided first, each with the day by which that is.

    ``due_on`` is when what a request is about begins, or nothing: then it is decided in the next meeting.
    """
    meeting = next_meeting(obligations)
    days = [
        (meeting.on if meeting else None) if begins_on is None else decide_by(obligations, begins_on, as_of)
        for begins_on in requests["due_on"]
    ]
    dated = requests.with_columns(pl.Series("due_on", days, dtype=pl.Date))
    return dated.sort("due_on", nulls_last=True, maintain_order=True)


class _Request(NamedTuple):
    decision: str
    reason: str
    owner: str | None
    otherwise: str
    due_on: date | None = None
    effort_hours: float | None = None

    def row(self, footnote: str) -> tuple[object, ...]:
        return self.decision, self.reason, self.owner, footnote, self.due_on, self.effort_hours, self.otherwise


def with_addressee(requests: pl.DataFrame, obligations: pl.DataFrame) -> pl.DataFrame:
    """Each request with somebody to decide it: without a name, the chair of the committee that meets next.

    Where no committee is to meet either, the reason says that the first decision is who decides.
    """
    meeting = next_meeting(obligations)
    chair = meeting.chair if meeting else None
    return requests.with_columns(owner=pl.col("owner").fill_null(pl.lit(chair, dtype=pl.String))).with_columns(
        reason=pl.when(pl.col("owner").is_null())
        .then(pl.format("{}; {}", "reason", pl.lit(NOBODY)))
        .otherwise("reason")
    )


def _risks(register: pl.DataFrame) -> Iterator[_Request]:
    over = register.filter("over_appetite")
    if over.is_empty():
        return
    first = over.row(0, named=True)
    at = "" if first["residual_unknown"] else "at "
    unrated, names = int(over["residual_unknown"].sum()), _name_list(over["id"].to_list())
    every = f"{count(over.height, 'risk')} over appetite: {names}"
    yield _Request(
        f"Accept, treat or transfer {every}"
        if not unrated
        else f"Rate {every}"
        if unrated == over.height
        else f"Rate {unrated:,} and decide the rest of {every}",
        f"{first['id']} is {at}{first['residual_cell']} against an appetite of {first['appetite']}",
        first["owner"],
        f"{sentence(count(over.height, 'risk'))} {'stays' if over.height == 1 else 'stay'} above what was agreed, and "
        "nobody has accepted it",
    )


def _late(overdue: pl.DataFrame, obligations: pl.DataFrame) -> Iterator[_Request]:
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
    coming = obligations.filter(
        pl.col("state") == "open",
        pl.col("days_left") <= AHEAD.days,
        pl.col("owner").is_in(overdue["owner"].unique().implode()),
    )
    falls = "falls" if coming.height == 1 else "fall"
    more = sentence(count(coming.height, "more duty", "more duties"))
    yield _Request(
        f"Agree new dates or owners for {count(overdue.height, 'overdue commitment')}",
        reason,
        first["owner"],
        f"{more} of the same people {falls} due in {AHEAD.days} days"
        if coming.height
        else "What is late grows later, and evidence that rests on it goes stale",
        effort_hours=round(float(overdue["effort_hours"].sum()), 1),
    )


def _expired_requests(exceptions: pl.DataFrame) -> Iterator[_Request]:
    unreplaced = ~pl.col("replaced").fill_null(False)
    expired = exceptions.filter(pl.col("standing") == "expired", unreplaced).sort("expires_on", "id")
    if expired.is_empty():
        return
    first = expired.row(0, named=True)
    yield _Request(
        f"Renew or end {count(expired.height, 'expired exception')}: {_name_list(expired['id'].to_list())}",
        f"{first['id']} ended on {first['expires_on']} and nobody has resolved it",
        first["approver"],
        "What was excepted goes on without anybody's approval",
    )


def _short(weeks: pl.DataFrame) -> Iterator[_Request]:
    """Hours and owners are for a chair to find: neither request goes to those who lack them.

    A week that is short of owners alone is no request of its own: naming them is.
    """
    week, span = relief.worst(weeks), count(weeks.height, "week")
    if week and week["owners_short"]:
        short = weeks["short"].sum()
        verb = "has" if week["owners_short"] == 1 else "have"
        missing = round(week["shortfall_hours"], 1)
        yield _Request(
            f"In {week['week']} {relief.recommendation(week)}",
            f"{sentence(count(week['owners_short'], 'owner'))} {verb} more due than time in it; "
            f"{short} of the next {span} {'is' if short == 1 else 'are'} short",
            None,
            f"{sentence(hours(missing))} of work due in that week will be late at its end",
            week["week_start_on"],
            missing,
        )
    unowned = round(float(weeks["unowned_hours"].sum()), 1)
    if unowned:
        first_short = weeks.filter(pl.col("unowned_hours") > 0)["week_start_on"].min()
        yield _Request(
            f"Name owners for {hours(unowned)} of work",
            f"Due in the next {span}, and nobody is there to do it",
            None,
            "It will not be done: nobody is there to do it",
            first_short if isinstance(first_short, date) else None,
            unowned,
        )


def _out_of_reach(near: pl.DataFrame) -> Iterator[_Request]:
    """The nearest target date where the best plan does not reach it: the day or the hours are for a board to move."""
    for row in near.filter(~pl.col("reached"), pl.col("not_effective") > 0).iter_rows(named=True):
        name, day = FRAMEWORK_NAMES.get(row["framework"], row["name"]), spelled_day(row["target_on"])
        stay = "stays" if row["left"] == 1 else "stay"
        yield _Request(
            f"Set {name} a later day than {day}, or find more hours",
            f"{sentence(count(row['left'], 'control'))} {stay} short of it with the best plan, "
            f"{row['not_effective']:,} if nothing is done",
            None,
            f"{name} is not ready on {day}",
        )


def _name_list(names: list[str]) -> str:
    more = [f"{len(names) - MOST_NAMED:,} more"] if len(names) > MOST_NAMED else []
    return all_of([*names[:MOST_NAMED], *more])
