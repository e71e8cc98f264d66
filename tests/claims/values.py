"""The figures of several organizations at once: facts are computed for all of them together, as the nightly batch does."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

import polars as pl

from engine.facts import FactQuestion, Facts
from engine.facts.table import OF_EVERYBODY
from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Document
from engine.model.figures.figure import Figures
from engine.model.thresholds import Thresholds
from engine.replica.view import frame_view
from reports import REPORTS
from reports.digests import DIGESTS
from reports.figures import FIGURES
from tests.claims.organizations import Organization, Tables, replica_rows

REPORTS_OF_FIGURES = tuple(
    {report.name: report for report in (*REPORTS, *(digest.report for digest in DIGESTS))}.values()
)
Values = dict[str, object]


@dataclass
class World:
    """One state of the rows of an organization: its frames, and the value of each figure."""

    frames: dict[tuple[int, str], pl.DataFrame]
    values: Values


def _first_of_each():
    """Each report with the figures that no report before it has."""
    seen: set[str] = set()
    for report in REPORTS_OF_FIGURES:
        own = tuple(figure for figure in report.figures if figure.id not in seen)
        seen |= {figure.id for figure in own}
        if own:
            yield report, own


_ONE = pl.when(pl.col("org_id").is_not_null()).then(pl.lit("w")).alias("org_id")
ASKED = tuple(_first_of_each())
PERIODS = tuple(sorted({report.period_days(report.parse({})) for report, _ in ASKED}))


def worlds(
    states: Sequence[Tables], day: date, zone: str, base: World | None = None, figures: Collection[str] = ()
) -> list[World]:
    """The figures of each of these states, all or those named. What rests on the same rows as in ``base`` is taken from
    there."""
    settings, names = Thresholds(0, {}), [f"w{number:04}" for number in range(len(states))]
    made = [replica_rows(name, tables) for name, tables in zip(names, states, strict=True)]
    tables = {name: pl.concat([each[name] for each in made if name in each]) for name in {n for m in made for n in m}}
    found = [World({}, {}) for _ in names]
    with frame_view(tables) as view:
        for period in PERIODS:
            asked = [
                (report, [figure for figure in own if not figures or figure.id in figures])
                for report, own in ASKED
                if report.period_days(report.parse({})) == period
            ]
            facts = Facts(view, [FactQuestion(name, zone, day, period, settings) for name in names])
            wanted = sorted({fact for _, own in asked for figure in own for fact in figure.facts})
            parts = {fact: _parts(fact, facts[fact], names) for fact in wanted}
            for number, world in enumerate(found):
                frames = {fact: parts[fact][number] for fact in wanted}
                same = {f for f in wanted if base and frames[f].equals(base.frames[period, f], null_equal=True)}
                world.frames |= {
                    (period, fact): base.frames[period, fact] if fact in same else frames[fact] for fact in wanted
                }
                for report, own in asked:
                    question = Ask(day, period, settings, report.parse({}))
                    new = [figure for figure in own if base is None or not same.issuperset(figure.facts)]
                    computed = Figures(new, frames, question)
                    world.values |= {figure.id: base.values[figure.id] for figure in own if figure not in new}
                    world.values |= {figure.id: computed[figure.id] for figure in new}
    return found


def _parts(fact: str, frame: pl.DataFrame, names: Sequence[str]) -> list[pl.DataFrame]:
    """The rows of each organization, under one name; facts of the catalogue belong to all."""
    if "org_id" not in frame.columns:
        return [frame] * len(names)
    if fact in OF_EVERYBODY and frame["org_id"].null_count():
        mine = pl.col("org_id").is_null()
        return [frame.filter(mine | (pl.col("org_id") == name)).with_columns(_ONE) for name in names]
    own = frame.partition_by("org_id", as_dict=True, maintain_order=True)
    parts = [own.get((name,), frame.clear()) for name in names]
    return [part.with_columns(org_id=pl.lit("w")) for part in parts]


def better(before: Mapping[str, object], after: Mapping[str, object]) -> dict[str, tuple[object, object]]:
    """Figures with a direction that got better; what is unknown on one side is neither better nor worse."""
    found = {}
    for name, value in after.items():
        way, old = FIGURES[name].better, before[name]
        if way == "neither" or isinstance(value, str) or isinstance(old, str) or None in (value, old):
            continue
        if (value > old) if way == "more" else (value < old):
            found[name] = (old, value)
    return found


def different(before: Mapping[str, object], after: Mapping[str, object]) -> set[str]:
    """Figures, with a direction or without, that say something else."""
    return {name for name, value in after.items() if value != before[name]}


def documents(org: Organization) -> Iterator[tuple[Report, Document, Ask]]:
    """What every report says of an organization, asked without parameters."""
    settings = Thresholds(0, {})
    with frame_view(replica_rows("w", org.tables)) as view:
        for period in PERIODS:
            facts = Facts(view, [FactQuestion("w", org.zone, org.day, period, settings)])
            for report in REPORTS_OF_FIGURES:
                parameters = report.parse({})
                if report.period_days(parameters) == period:
                    question = Ask(org.day, period, settings, parameters)
                    frames = {name: facts.of("w", name) for name in report.facts}
                    yield report, report.document(frames, question), question
