"""The nine framework packs under the names that people say, and how well the ones in scope are evidenced."""

from functools import cache

import polars as pl

from engine.model.documents.document import Coverage
from engine.model.figures.formulas import has_coverage
from engine.model.thresholds import Thresholds
from engine.model.vocabulary import FRAMEWORK_NAMES
from reports.shared.wording import all_of

POAM = "fedramp-poam"
PACKS = FRAMEWORK_NAMES


COVERAGE = "Applicable controls whose state is not no data, of the applicable controls."


def pack(framework: str) -> str:
    """The name of a pack; an identifier that is not one stays as it is."""
    return PACKS.get(framework, framework)


def control(tag: str) -> str:
    """A control as people name it: ``soc2:CC6.1`` is SOC 2 CC6.1."""
    framework, _, control_id = tag.partition(":")
    return f"{pack(framework)} {control_id}"


@cache
def pack_name(column: str = "framework") -> pl.Expr:
    """The names of a column of frameworks."""
    return pl.col(column).replace(PACKS)


def coverage(readiness: pl.DataFrame) -> Coverage:
    """F2: applicable controls whose state is not ``no_data``, of the applicable ones of all frameworks in scope."""
    return Coverage(int(readiness["assessed"].sum()), int(readiness["applicable"].sum()))


def controls_coverage(control_status: pl.DataFrame) -> Coverage:
    """Applicable controls whose state is not ``no_data``, of the applicable controls (REPORTS F2)."""
    applicable = control_status.filter("applicable")
    return Coverage(applicable.filter(pl.col("state") != "no_data").height, applicable.height)


def thin(readiness: pl.DataFrame, settings: Thresholds) -> list[str]:
    """A warning that names the frameworks with too little evidence to grade; empty where all have enough."""
    names = [
        pack(framework)
        for framework, assessed, total in readiness.select("framework", "assessed", "applicable").iter_rows()
        if total and not has_coverage(Coverage(assessed, total), settings)
    ]
    if not names:
        return []
    return [
        f"Fewer than {settings['coverage_min_pct']:g} % of the controls of {all_of(names)} have evidence that counts."
    ]
