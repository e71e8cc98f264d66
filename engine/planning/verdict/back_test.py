"""The projection against history: what was foreseen some weeks ago for today, beside what is."""

from collections.abc import Mapping
from datetime import date

import polars as pl

from engine.facts.controls.horizons import state_on
from engine.facts.expressions import pct
from engine.model.declarations.ask import Ask
from engine.model.declarations.plan_parameters import PLANNED_FRAMEWORK
from engine.model.declarations.report import Report
from engine.model.documents.document import Document, Table

DAYS_BACK = (30, 60, 90)
_EFFECTIVE, _LAPSED = pl.col("foreseen") == "effective", pl.col("foreseen") == "stale"
_IS = pl.col("state") == "effective"
LABELS = {
    "made_on": "Made on",
    "foreseen_strict_pct": "Strict foreseen (%)",
    "strict_pct": "Strict as it came (%)",
    "foreseen_effective": "Foreseen effective",
    "held": "Of these are",
    "held_pct": "Held (%)",
    "foreseen_stale": "Foreseen stale",
    "renewed": "Of these renewed",
}
DEFINITIONS = {
    "Held": "Controls that were foreseen to be effective today and are: the rest is the error of the projection, as "
    "nothing had to be done for them.",
    "Of these renewed": "Controls whose evidence was to lapse if nothing was done, and that are effective: somebody "
    "did something. They are why what came is better than what was foreseen.",
}


def back_test_report(horizons: Mapping[date, pl.DataFrame], framework: str, name: str) -> Report:
    """The report on the projections of a framework of this name; ``horizons`` are those of earlier days."""

    def build(control_status: pl.DataFrame, ask: Ask) -> Document:
        return back_test(horizons, control_status, framework, ask)

    return Report(
        name="readiness-plan",
        title=f"Projections of {name} against history",
        description="What was foreseen on earlier days for today, and what came.",
        build=build,
        parameters=(PLANNED_FRAMEWORK,),
    )


def back_test(
    horizons: Mapping[date, pl.DataFrame], control_status: pl.DataFrame, framework: str, ask: Ask
) -> Document:
    """The projections of a framework for the day from the ``horizons`` of earlier days, from the records as they were
    then, with what came and the error of each."""
    now = control_status.filter(framework=framework).select("framework", "control_id", "state")
    rows = []
    for day, known in horizons.items():
        frame = known.with_columns(foreseen=state_on(pl.lit(ask.as_of))).join(now, on=["framework", "control_id"])
        rows.append(
            frame.filter(pl.col("foreseen") != "not_applicable", pl.col("state") != "not_applicable").select(
                made_on=pl.lit(day),
                applicable=pl.len().cast(pl.Int64),
                effective=_IS.sum().cast(pl.Int64),
                foreseen_effective=_EFFECTIVE.sum().cast(pl.Int64),
                held=(_EFFECTIVE & _IS).sum().cast(pl.Int64),
                foreseen_stale=_LAPSED.sum().cast(pl.Int64),
                renewed=(_LAPSED & _IS).sum().cast(pl.Int64),
            )
        )
    empty = pl.DataFrame(
        schema={
            "made_on": pl.Date,
            **dict.fromkeys(
                ("applicable", "effective", "foreseen_effective", "held", "foreseen_stale", "renewed"), pl.Int64
            ),
        }
    )
    table = pl.concat([empty, *rows]).select(
        "made_on",
        pct("foreseen_effective", "applicable").alias("foreseen_strict_pct"),
        pct("effective", "applicable").alias("strict_pct"),
        "foreseen_effective",
        "held",
        pct("held", "foreseen_effective").alias("held_pct"),
        "foreseen_stale",
        "renewed",
    )
    name = ask.framework_name(framework)
    if table["foreseen_strict_pct"].null_count() == table.height:
        return Document(
            headline=f"There is no projection of {name} to hold: nothing is recorded so long ago, or nothing applies."
        )
    first = table.drop_nulls("foreseen_strict_pct").row(0, named=True)
    missed, of = first["foreseen_effective"] - first["held"], first["foreseen_effective"]
    return Document(
        headline=f"Of {of:,} controls of {name} foreseen effective {(ask.as_of - first['made_on']).days} days ago, "
        f"{missed:,} {'is' if missed == 1 else 'are'} not.",
        tables=(Table("back_test", "What was foreseen for ask.as_of, and what came", table, labels=LABELS),),
        definitions=DEFINITIONS,
    )
