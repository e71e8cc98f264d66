"""The two sheets of the plan of action and milestones, and the parameters that choose among them."""

import polars as pl

from engine.model.declarations.ask import Ask, Parameter
from reports.frameworks.poam.poam_items import SCHEMA, UNNUMBERED, items

FRAMEWORK = "fedramp-poam"
TEMPLATE = Parameter("template", "3.0", "version of the POA&M template", choices=("3.0", "2.1"))
SHEET = Parameter("sheet", "open", "open or closed items", choices=("open", "closed"))
SCANS = Parameter("scans", "late", "scan findings that are late, or all", choices=("late", "all"))


def packs(organization: pl.DataFrame) -> list[str]:
    """The frameworks in scope."""
    return organization["frameworks"].explode(empty_as_null=False).to_list()


def open_items(
    organization: pl.DataFrame,
    gaps: pl.DataFrame,
    findings: pl.DataFrame,
    poam: pl.DataFrame,
    control_profiles: pl.DataFrame,
    ask: Ask,
) -> pl.DataFrame:
    """Weaknesses that stand and numbers that nobody closed; ``must_list``: not a scan finding that has time left."""
    frame = pl.DataFrame(schema=SCHEMA)
    if FRAMEWORK in packs(organization):
        frame = items(gaps, findings, poam, control_profiles, ask.as_of, "open", ask.word(TEMPLATE))
    return frame.with_columns(
        must_list=(pl.col("kind") != "finding") | pl.col("late") | (pl.col("poam_id") != UNNUMBERED)
    )


def closed_items(
    organization: pl.DataFrame,
    gaps: pl.DataFrame,
    findings: pl.DataFrame,
    poam: pl.DataFrame,
    control_profiles: pl.DataFrame,
    ask: Ask,
) -> pl.DataFrame:
    """The numbers that were closed."""
    if FRAMEWORK not in packs(organization):
        return pl.DataFrame(schema=SCHEMA)
    return items(gaps, findings, poam, control_profiles, ask.as_of, "closed", ask.word(TEMPLATE))


def ledger(organization: pl.DataFrame, poam: pl.DataFrame) -> pl.DataFrame:
    """The lines of the ledger; none where the plan is not in scope."""
    return poam if FRAMEWORK in packs(organization) else poam.clear()
