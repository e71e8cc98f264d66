"""The two sheets of the plan of action and milestones, and the parameters that choose among them."""

from typing import Annotated

import polars as pl

from engine.model.declarations.ask import Ask, Parameter
from reports.frameworks.poam.poam_items import SCHEMA, UNNUMBERED, items

FRAMEWORK = "fedramp-poam"
TEMPLATE = Parameter("template", "3.0", "version of the POA&M template", choices=("3.0", "2.1"))
SHEET = Parameter("sheet", "open", "open or closed items", choices=("open", "closed"))
SCANS = Parameter("scans", "late", "scan findings that are late, or all", choices=("late", "all"))
# a control of NIST SP 800-53, such as AC-2 or SI-4(2), named without the framework of another
_HAS_CONTROL = (
    pl.col("controls").str.contains(r"\b[A-Z]{2}-\d{1,2}\b") & ~pl.col("controls").str.contains(": ", literal=True)
).fill_null(False)


def packs(organization: pl.DataFrame) -> list[str]:
    """The frameworks in scope."""
    return organization["frameworks"].explode(empty_as_null=False).to_list()


def standing(
    organization: pl.DataFrame,
    gaps: pl.DataFrame,
    findings: pl.DataFrame,
    poam: pl.DataFrame,
    control_profiles: pl.DataFrame,
    nist_pairs: pl.DataFrame,
    ask: Ask,
) -> pl.DataFrame:
    """Weaknesses that stand and numbers that nobody closed; ``must_list``: not a scan finding that has time left."""
    frame = pl.DataFrame(schema=SCHEMA)
    if FRAMEWORK in packs(organization):
        frame = items(gaps, findings, poam, control_profiles, nist_pairs, ask.as_of, "open", ask.word(TEMPLATE))
    return frame.with_columns(
        must_list=(pl.col("kind") != "finding") | pl.col("late") | (pl.col("poam_id") != UNNUMBERED)
    )


def open_items(every: Annotated[pl.DataFrame, standing]) -> pl.DataFrame:
    """The items of the plan: those that name a control of NIST SP 800-53, as the template demands."""
    return every.filter(_HAS_CONTROL)


def gaps_without_control(every: Annotated[pl.DataFrame, standing]) -> pl.DataFrame:
    """What stands and names no such control. Together with the items it is all that stands: none leaves unseen."""
    return every.filter(~_HAS_CONTROL)


def closed_lines(
    organization: pl.DataFrame,
    gaps: pl.DataFrame,
    findings: pl.DataFrame,
    poam: pl.DataFrame,
    control_profiles: pl.DataFrame,
    nist_pairs: pl.DataFrame,
    ask: Ask,
) -> pl.DataFrame:
    """The numbers that were closed."""
    if FRAMEWORK not in packs(organization):
        return pl.DataFrame(schema=SCHEMA)
    return items(gaps, findings, poam, control_profiles, nist_pairs, ask.as_of, "closed", ask.word(TEMPLATE))


def closed_items(every: Annotated[pl.DataFrame, closed_lines]) -> pl.DataFrame:
    """The closed items that name a control of NIST SP 800-53."""
    return every.filter(_HAS_CONTROL)


def closed_without_control(every: Annotated[pl.DataFrame, closed_lines]) -> pl.DataFrame:
    """The closed numbers that name no such control."""
    return every.filter(~_HAS_CONTROL)


def ledger(organization: pl.DataFrame, poam: pl.DataFrame) -> pl.DataFrame:
    """The lines of the ledger; none where the plan is not in scope."""
    return poam if FRAMEWORK in packs(organization) else poam.clear()
