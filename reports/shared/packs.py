"""The nine framework packs under the names that people say, and how well the ones in scope are evidenced."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.documents.document import Coverage, FrameRow
from engine.model.figures.formulas import has_coverage
from engine.model.vocabulary import FRAMEWORK_NAMES
from reports.shared.wording import all_of, inside, whose_plan

POAM = "fedramp-poam"
PACKS = FRAMEWORK_NAMES


COVERAGE = "Applicable controls whose state is not no data, of the applicable controls."


def control(tag: str, ask: Ask) -> str:
    """A control as people name it: ``soc2:CC6.1`` is SOC 2 CC6.1."""
    framework, _, control_id = tag.partition(":")
    return f"{ask.framework_name(framework)} {control_id}"


def titled_control(row: FrameRow, ask: Ask) -> str:
    """The control of a row with its title: SOC 2 CC6.1 Logical access security."""
    return f"{ask.framework_name(row['framework'])} {row['control_id']} {row['title']}"


def first_gap(gaps: pl.DataFrame, ask: Ask, clause: str = "") -> str:
    """The gap that is most worth closing (F14): what to do, with whom, and when that is due; empty without one.

    Where it waits for something, the first that can begin now follows. ``clause`` is what is said of the first.
    """
    if gaps.is_empty():
        return ""
    return f"{_gap(_by_priority(gaps).row(0, named=True), ask)}{clause}{meanwhile(gaps, ask)}"


def meanwhile(gaps: pl.DataFrame, ask: Ask) -> str:
    """What can begin now where the gap that is most worth closing waits for something; empty where it does not."""
    ordered = _by_priority(gaps)
    free = ordered.filter(pl.col("blocked_by").is_null())
    waits = ordered["blocked_by"][0] is not None and free.height
    return f"; until then begin with {_gap(free.row(0, named=True), ask)}" if waits else ""


def _by_priority(gaps: pl.DataFrame) -> pl.DataFrame:
    return gaps.sort("priority", "gap_id", descending=[True, False], nulls_last=True)


def _gap(row: FrameRow, ask: Ask) -> str:
    todo = f"{inside(row['action'])}; " if row["action"] else ""
    return f"{titled_control(row, ask)} ({todo}{whose_plan(row, ask.as_of)})"


def pack_name(ask: Ask, column: str = "framework") -> pl.Expr:
    """The names of a column of frameworks, one's own among them."""
    return pl.col(column).replace(ask.framework_names)


def own_name(ask: Ask) -> pl.Expr:
    """Identifiers of the program's frameworks as they are, titles of one's own: what a chart is drawn from."""
    return pl.col("framework").replace(ask.own_frameworks)


def coverage(readiness: pl.DataFrame) -> Coverage:
    """F2: applicable controls whose state is not ``no_data``, of the applicable ones of all frameworks in scope."""
    return Coverage(int(readiness["assessed"].sum()), int(readiness["applicable"].sum()))


def controls_coverage(control_status: pl.DataFrame) -> Coverage:
    """Applicable controls whose state is not ``no_data``, of the applicable controls (REPORTS F2)."""
    applicable = control_status.filter("applicable")
    return Coverage(applicable.filter(pl.col("state") != "no_data").height, applicable.height)


def thin(readiness: pl.DataFrame, ask: Ask) -> list[str]:
    """A warning that names the frameworks with too little evidence to grade; empty where all have enough."""
    settings = ask.settings
    names = [
        ask.framework_name(framework)
        for framework, assessed, total in readiness.select("framework", "assessed", "applicable").iter_rows()
        if total and not has_coverage(Coverage(assessed, total), settings)
    ]
    if not names:
        return []
    return [
        f"Fewer than {settings['coverage_min_pct']:g} % of the controls of {all_of(names)} have evidence that counts."
    ]
