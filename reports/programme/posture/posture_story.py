"""How the posture went over 400 days: what moved it most, and why it is below what it was."""

from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.documents.document import FrameRow
from engine.model.documents.pictures import TrendLine, TrendPicture
from engine.model.documents.story import BoardStory, StoryDecision, StoryMark
from engine.model.vocabulary import SEVERE
from reports.programme.posture.posture import Posture, posture_of
from reports.shared import formula_breaks
from reports.shared.wording import all_of, count, inside

DAYS = 400
FALLS, RISES = 3, 2  # how many moves of each kind are told
LEAST = 0.5  # points: less is no move
MOVES = {"moved_on": pl.Date, "before": pl.Float64, "now": pl.Float64, "change": pl.Float64, "because": pl.String}


@dataclass(frozen=True)
class Past:
    """What the records say about the days behind: scores by component, controls that came into a state, incidents."""

    posture_days: pl.DataFrame
    entries: pl.DataFrame
    incidents: pl.DataFrame


def past_of(
    posture_days: pl.DataFrame,
    posture: pl.DataFrame,
    state_changes: pl.DataFrame,
    movements: pl.DataFrame,
    incidents: pl.DataFrame,
    ask: Ask,
) -> Past:
    """Up to the day of the report: since the last snapshot the score is today's, and states are by their own days."""
    last, score = posture_days["taken_on"].max(), posture_of(posture).score
    seen = state_changes.filter(pl.col("previous").is_not_null(), pl.col("state") != pl.col("previous"))
    entries = seen.select("state", entered_on="observed_on")
    if score is None or not isinstance(last, date) or last >= ask.as_of:
        return Past(posture_days, entries, incidents)
    present = posture.select(
        taken_on=pl.lit(ask.as_of), score=pl.lit(score), component="component", value=pl.col("value").round(1)
    )
    since = movements.filter(pl.col("kind") == "control", pl.col("moved_on") > last)
    return Past(
        pl.concat([posture_days, present], how="diagonal"),
        pl.concat([entries, since.select("state", entered_on="moved_on")]),
        incidents,
    )


def moves(past: Past, posture: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """The largest falls and rises from one snapshot to the next and to today, the oldest first, with what is known."""
    days = _days(past.posture_days, ask)
    steps = [(before, now, round(days[now] - days[before], 1)) for before, now in pairwise(days)]
    steps = steps[_first_evidence([step for step in steps if step[1] < ask.as_of]) :]
    falls = sorted((step for step in steps if step[2] <= -LEAST), key=lambda step: (step[2], step[1]))[:FALLS]
    rises = sorted((step for step in steps if step[2] >= LEAST), key=lambda step: (-step[2], step[1]))[:RISES]
    rows = [
        (now, days[before], days[now], change, _because(past, posture, before, now, change))
        for before, now, change in sorted([*falls, *rises], key=lambda step: step[1])
    ]
    return pl.DataFrame(rows, schema=MOVES, orient="row")


def story(
    held: Posture, past: Past, frame: pl.DataFrame, asked: pl.DataFrame, changes: pl.DataFrame, ask: Ask
) -> BoardStory:
    """The first sheet: the line with its marks, why it fell, and what is asked for."""
    days = _days(past.posture_days, ask)
    if held.score is not None:
        days[ask.as_of] = held.score
    picture = None
    if len(days) > 1:
        low, high = min(days.values()), max(days.values())
        picture = TrendPicture(
            f"Posture over {DAYS} days",
            f"The posture score from {days[min(days)]} to {days[max(days)]}; lowest {low}, highest {high}. "
            "The numbers are those of the events below.",
            [TrendLine("Posture", "main", list(days.items()))],
            marks=frame["moved_on"].to_list(),
            from_zero=False,
        )
    return BoardStory(
        picture,
        [StoryMark(row["moved_on"], row["change"], row["because"]) for row in frame.iter_rows(named=True)],
        _why(days, held, past.posture_days, changes),
        [_decision(row) for row in asked.iter_rows(named=True)],
    )


def _decision(row: FrameRow) -> StoryDecision:
    return StoryDecision(
        row["decision"], row["reason"], row["owner"], row["due_on"], row["effort_hours"], row["otherwise"]
    )


def _days(posture_days: pl.DataFrame, ask: Ask) -> dict[date, float]:
    seen = formula_breaks.comparable(posture_days).filter(
        pl.col("taken_on").is_between(ask.as_of - timedelta(days=DAYS), ask.as_of)
    )
    return dict(seen.select("taken_on", "score").unique(maintain_order=True).sort("taken_on").iter_rows())


def _first_evidence(steps: list[tuple[date, date, float]]) -> int:
    """Where the first evidence has come in: the rise with which every record begins is no event."""
    return next((number for number, step in enumerate(steps) if step[2] < 2 * LEAST), 0)


def _because(past: Past, posture: pl.DataFrame, before: date, now: date, change: float) -> str:
    """The component that moved most in the direction of the change, and what else happened in these days."""
    parts = _component_moves(past.posture_days, posture, before, now)
    same = [part for part in parts if part[1] * change > 0]
    found = [f"{same[0][0]} {same[0][1]:+.1f} points"] if same else []
    seen = past.entries.filter(pl.col("entered_on").is_between(before, now, closed="right"))
    if change < 0:
        names = {"stale": "went stale", "ineffective": "failed", "no_data": "lost their data"}
        tally = [(seen.filter(pl.col("state") == state).height, sentence) for state, sentence in names.items()]
    else:
        tally = [(seen.filter(pl.col("state") == "effective").height, "became effective")]
    found += [f"{count(number, 'control')} {text}" for number, text in tally if number]
    if change < 0:
        found += _worst_incident(past.incidents, before, now)
    return "; ".join(found) or "what moved it is not on record"


def _worst_incident(incidents: pl.DataFrame, before: date, now: date) -> list[str]:
    opened = pl.col("opened_at").dt.date().is_between(before, now, closed="right")
    seen = incidents.filter(opened, pl.col("severity").is_in(SEVERE)).sort("severity", "opened_at", "id")
    return [
        f"incident {title} ({severity})" for title, severity in seen.select("title", "severity").head(1).iter_rows()
    ]


def _component_moves(
    posture_days: pl.DataFrame, posture: pl.DataFrame, before: date, now: date
) -> list[tuple[str, float]]:
    """What each component gave and took between two snapshots, by today's weights; the largest first."""
    values = {
        day: dict(posture_days.filter(pl.col("taken_on") == day).select("component", "value").iter_rows())
        for day in (before, now)
    }
    weights = {row["component"]: (row["title"], row["weight"]) for row in posture.iter_rows(named=True)}
    whole = {
        day: sum(weights[name][1] for name, value in values[day].items() if name in weights and value is not None)
        or 1.0
        for day in values
    }
    found = []
    for name, (title, weight) in weights.items():
        old, new = ((values[day].get(name) or 0.0) * weight / whole[day] for day in (before, now))
        found.append((title, round(new - old, 1)))
    return sorted((part for part in found if part[1]), key=lambda part: (-abs(part[1]), part[0]))


def _why(days: dict[date, float], held: Posture, posture_days: pl.DataFrame, changes: pl.DataFrame) -> list[str]:
    """Where it stood highest, which components it lost most in since, and what happened to them."""
    if held.score is None or len(days) < 2:
        return []
    peak_on = max(days, key=lambda day: (days[day], day))
    fell = round(days[peak_on] - held.score, 1)
    if fell < LEAST:
        first = f"{min(days).isoformat()}, the day of the first snapshot of the last {DAYS} days"
        return [f"It stands at its highest since {first}: nothing pulled it down."]
    then = dict(posture_days.filter(pl.col("taken_on") == peak_on).select("component", "value").iter_rows())
    lost = [
        (title, round(then[component] - value, 1))
        for component, title, value in held.components.select("component", "title", "value_pct").iter_rows()
        if value is not None and then.get(component) is not None and then[component] - value >= LEAST
    ]
    lost.sort(key=lambda part: (-part[1], part[0]))
    told = [f"It is {fell} points below its highest of {DAYS} days, {days[peak_on]} on {peak_on.isoformat()}."]
    if lost:
        parts = [f"{inside(title)} fell by {points} percentage points" for title, points in lost[:3]]
        told.append(f"Since then {all_of(parts)}.")
    reasons = changes.filter(pl.col("change") < 0, pl.col("because").is_not_null())
    told += [f"{what}: {because}." for what, because in reasons.select("what", "because").head(2).iter_rows()]
    return told
