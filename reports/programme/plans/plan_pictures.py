"""A plan over time: readiness as promised with its band, and each owner's load against the hours that are there."""

from collections.abc import Mapping
from datetime import date, timedelta

import polars as pl

from engine.model.days import spelled_day
from engine.model.declarations.ask import Ask
from engine.model.documents.document import Chart, ChartMark
from engine.model.documents.tones import Tone
from engine.planning.plan import ReadinessPlan
from reports.shared.wording import count_of

MOST_PICTURES = 2
READINESS: Mapping[str, tuple[str, Tone]] = {
    "nothing done": ("strict_pct", "second"),
    "with the plan": ("planned_strict_pct", "main"),
    "in nine of ten at least": ("low_strict_pct", "third"),
}
LOAD: Mapping[str, Tone] = {"hours there": "third", "load with the plan": "main"}
LAPSED = "evidence has lapsed"
_WEEK = timedelta(days=6)


def readiness(plan: ReadinessPlan, weeks: pl.DataFrame, holes: pl.DataFrame, ask: Ask) -> list[Chart]:
    """Strict readiness of each framework until its day, with the weeks in which evidence has lapsed although the plan
    is done, and the day."""
    charts = []
    for goal in (one.goal for one in plan.goals):
        mine = weeks.filter(framework=goal.framework)
        days = [spelled_day(on) for on in mine["on"]]
        lines = (
            mine.select(
                pl.Series("on", days, dtype=pl.String), **{name: column for name, (column, _) in READINESS.items()}
            )
            .unpivot(index="on", variable_name="readiness", value_name="strict_pct")
            .drop_nulls("strict_pct")
        )
        if mine.height < 2 or lines.is_empty():
            continue
        name, day = ask.framework_name(goal.framework), spelled_day(goal.by)
        of = holes.filter(framework=goal.framework)
        charts.append(
            Chart(
                "lines",
                f"{name}: strict readiness until {day}",
                lines,
                "on",
                "strict_pct",
                "Share of effective controls at the end of each week until the day, if nothing is done and if the plan "
                "is done; the third line is what nine of ten simulated courses of its work reach at least."
                + _lapsed_sentence(of),
                series="readiness",
                percent=True,
                tones={name: tone for name, (_, tone) in READINESS.items()},
                marks=[ChartMark(days[-1], day), *_lapses(of, dict(zip(days, mine["on"], strict=True)))],
            )
        )
    return charts


def owners(plan: ReadinessPlan, load: pl.DataFrame, holes: pl.DataFrame) -> list[Chart]:
    """For each of the owners with most work for the plan the hours of each week: there, and duties with the plan; the
    days of goals are marked, and the weeks in which evidence of theirs has lapsed."""
    charts = []
    totals = load.group_by("owner").agg(pl.col("planned_hours").sum()).filter(pl.col("planned_hours") > 0)
    until = spelled_day(plan.question.by)
    for owner in totals.sort("planned_hours", "owner", descending=[True, False]).head(MOST_PICTURES)["owner"]:
        mine = load.filter(owner=owner)
        if mine.height < 2:
            continue
        lines = mine.select(
            "week",
            **{
                "hours there": pl.col("capacity_hours"),
                "load with the plan": (pl.col("duty_hours") + pl.col("planned_hours")).round(2),
            },
        ).unpivot(index="week", variable_name="line", value_name="hours")
        of = holes.filter(owner=owner)
        ends = {week: monday + _WEEK for week, monday in mine.select("week", "week_start_on").iter_rows()}
        days = sorted({goal.by for goal in plan.question.goals})
        charts.append(
            Chart(
                "lines",
                f"{owner}: load against hours until {until}",
                lines,
                "week",
                "hours",
                f"Hours that are there in each week until {until}, and those of duties and the plan."
                + _lapsed_sentence(of),
                series="line",
                tones=LOAD,
                marks=[*(ChartMark(f"{day:%G-W%V}", spelled_day(day)) for day in days), *_lapses(of, ends)],
            )
        )
    return charts


def _lapses(holes: pl.DataFrame, ends: Mapping[str, date]) -> list[ChartMark]:
    """The stretches of places in whose weeks, which end on the days of ``ends``, evidence has lapsed."""
    lapsed = _lapsed_days(holes)
    found: list[list[str]] = []
    before = None
    for place, end in ends.items():
        is_lapsed = any(end - timedelta(days=back) in lapsed for back in range(7))
        if is_lapsed and before is not None:
            found[-1].append(place)
        elif is_lapsed:
            found.append([place])
        before = place if is_lapsed else None
    return [ChartMark(stretch[0], LAPSED, "bad", stretch[-1]) for stretch in found]


def _lapsed_days(holes: pl.DataFrame) -> set[date]:
    return {
        first + timedelta(days=number)
        for first, last in holes.select("lapses_on", "lapsed_until").iter_rows()
        for number in range((last - first).days + 1)
    }


def _lapsed_sentence(holes: pl.DataFrame) -> str:
    days = len(_lapsed_days(holes))
    return f" On {count_of(days, 'day')} evidence has lapsed although the plan is done." if days else ""
