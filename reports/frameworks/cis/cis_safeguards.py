"""The safeguards of CIS Controls v8.1 and the implementation groups, each with everything below it."""

from typing import Annotated

import polars as pl

from engine.catalogue import catalogue
from reports.frameworks.assessments import assessment_rows, why, with_remediations
from reports.shared.columns import share_pct

FRAMEWORK = "cis-v8"
GROUPS = (1, 2, 3)
MEASURES = ("policy_pct", "implemented_pct", "automated_pct", "reported_pct")
IN_PLACE = pl.col("state") == "effective"


def safeguards(
    requirements: pl.DataFrame, control_assessments: pl.DataFrame, control_profiles: pl.DataFrame, gaps: pl.DataFrame
) -> pl.DataFrame:
    """One row for each safeguard with its state, its lowest implementation group and what is declared of it."""
    own = catalogue().details(FRAMEWORK).select("control_id", "asset_type", "security_function")
    flags = pl.col("flags").list
    ig = pl.when(flags.contains("ig1")).then(1).when(flags.contains("ig2")).then(2).otherwise(3)
    rows = with_remediations(assessment_rows(FRAMEWORK, requirements, control_assessments, control_profiles), gaps)
    return (
        rows.join(own, on="control_id", how="left")
        .with_columns(ig=ig.cast(pl.Int64), why=why())
        .sort("position", "control_id")
    )


def implementation_groups(rows: pl.DataFrame) -> pl.DataFrame:
    """One row for each implementation group with everything up to it."""
    lines = []
    below = True
    for group in GROUPS if rows.height else ():
        part = rows.filter(pl.col("ig") <= group)
        applicable = part.filter("applicable").height
        done = part.filter(pl.col("state") == "effective").height
        below = below and 0 < applicable == done
        lines.append(
            {
                "group": group,
                "safeguards": part.height,
                "applicable": applicable,
                "in_place": done,
                "missing": applicable - done,
                "complete": below,
            }
        )
    counts = ("group", "safeguards", "applicable", "in_place", "missing")
    frame = pl.DataFrame(lines, schema={**dict.fromkeys(counts, pl.Int64), "complete": pl.Boolean}, orient="row")
    return frame.with_columns(in_place_pct=share_pct(pl.col("in_place"), pl.col("applicable"))).sort("group")


def group_reached(rows: Annotated[pl.DataFrame, safeguards]) -> pl.DataFrame:
    """The highest implementation group that is complete; no row while none is."""
    return implementation_groups(rows).filter("complete").tail(1).with_columns(title=pl.format("IG{}", "group"))


def declared_mean(name: str) -> pl.Expr:
    """The mean of what is declared, silence counting as 0; null where nothing at all is declared."""
    values = pl.col(name).filter("applicable")
    return pl.when(values.count() > 0).then((values.sum() / values.len()).round(1))
