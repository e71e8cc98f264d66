"""What would happen if duties were shifted by weeks or a framework left the scope: nothing is written."""

from typing import Any

import polars as pl

from engine.model.document import (
    Chart,
    Coverage,
    Document,
    Table,
)
from engine.model.report import Ask, Parameter, Report
from reports.obligations import consequences, scenario
from reports.shared import ledger
from reports.shared.packs import PACKS, pack
from reports.shared.wording import count, hours, percent

MOST = 8
LABELS = {
    "week_start_on": "From",
    "base_duties": "Duties now",
    "scenario_duties": "Duties then",
    "base_hours": "Hours now",
    "scenario_hours": "Hours then",
    "base_utilisation_pct": "Utilisation now (%)",
    "scenario_utilisation_pct": "Utilisation then (%)",
    "due_on": "Due",
    "wanted_on": "Asked for",
    "new_due_on": "Would be due",
    "effort_hours": "Hours",
    "base_on": "Renewed now",
    "fresh_until": "Fresh until",
    "renewed_on": "Renewed then",
    "name": "Framework",
    "base_strict_pct": "Strict now (%)",
    "scenario_strict_pct": "Strict then (%)",
    "base_weighted_pct": "Weighted now (%)",
    "scenario_weighted_pct": "Weighted then (%)",
    "affected": "Controls worse",
}
DEFINITIONS = {
    **ledger.DEFINITIONS,
    "Shift": "Moves the due dates of all pending duties, or of those of one framework, kind or identifier. Nothing "
    "moves before the day of the report; overdue duties are planned that many weeks from now.",
    "Violation": "A duty that the scenario would move past its legal or contractual deadline. It is held where it is; "
    "earlier it may move.",
    "Descope": "Duties of that framework alone fall away; duties that name others too stay.",
    "Turned stale": "Evidence that is renewed in time now, and would run out before it is renewed.",
    "No path": "A control that stays in scope and would have neither a duty that renews its evidence, nor evidence "
    "from operations, nor a full mapping from a control that has.",
    "Readiness": "With controls that turn stale or lose their path counted as stale; a descoped framework has none.",
    "Scenario": "The same changes to the same duties on the same day have the same identifier.",
}
PARAMETERS = (
    Parameter("shiftWeeks", 0, "weeks by which due dates move, later when positive", -MOST, MOST),
    Parameter("framework", None, "shift only duties of this framework", choices=tuple(PACKS)),
    Parameter("kind", None, "shift only duties of this kind", choices=ledger.KINDS),
    Parameter("id", None, "shift only the duty with this identifier"),
    Parameter("descope", None, "framework that leaves the scope", choices=tuple(PACKS)),
    ledger.WEEKS,
)


def build(
    obligations: pl.DataFrame,
    load: pl.DataFrame,
    owner_weeks: pl.DataFrame,
    control_status: pl.DataFrame,
    crosswalk: pl.DataFrame,
    ask: Ask,
) -> Document:
    duties = ledger.pending(obligations, ask)
    plan = scenario.scenario_duties(duties, ask)
    then = scenario.after(plan)
    by_week = scenario.week_comparison(duties, then, load, owner_weeks, ask)
    stale = consequences.stale(duties, then, control_status, ask)
    stranded = consequences.stranded_controls(duties, then, control_status, crosswalk, ask)
    worse = pl.concat([frame.select("framework", "control_id") for frame in (stale, stranded)]).unique()
    ready = consequences.readiness(control_status, worse, ask)
    fates = {fate: plan.filter(pl.col("fate") == fate) for fate in scenario.FATES}
    return Document(
        headline=_headline(plan, by_week, stale, stranded, ask),
        summary={
            "scenario_id": scenario.scenario_id(duties, ask),
            "base": {**ledger.totals(duties), **_peak(by_week, "base")},
            "scenario": {**ledger.totals(then), **_peak(by_week, "scenario")},
            "moved": fates["moved"].height,
            "violations": fates["held"].height,
            "descoped": fates["descoped"].height,
            "turned_stale": stale.height,
            "without_path": stranded.height,
        },
        tables=(
            Table(
                "weeks", "Week by week, now and then", by_week, labels=LABELS,
                hidden=("base_demand_hours", "scenario_demand_hours", "available_hours"),
            ),
            Table(
                "violations", "Hard deadlines that it would pass: not allowed, held in place",
                _duties(fates["held"], "wanted_on"), labels=LABELS, hidden=("obligation_id",),
            ),
            Table(
                "moved", "Duties that move", _duties(fates["moved"], "new_due_on"), labels=LABELS,
                hidden=("obligation_id",),
            ),
            Table(
                "descoped", "Duties that fall away", _duties(fates["descoped"]), labels=LABELS,
                hidden=("obligation_id",),
            ),
            Table("stale", "Evidence that would turn stale", stale, labels=LABELS, state=("state",)),
            Table(
                "without_path", "Controls left without a path to evidence", stranded, labels=LABELS, state=("state",)
            ),
            Table(
                "readiness", "Readiness, now and then", ready, labels=LABELS,
                hidden=("framework", "assessed", "descoped"),
            ),
        ),
        coverage=Coverage(int(ready["assessed"].sum()), int(ready["applicable"].sum())),
        charts=_charts(by_week),
        definitions=DEFINITIONS,
        warnings=_warnings(plan, fates, ask),
        footnotes=("Nothing was written: a scenario is computed and forgotten.",),
    )  # fmt: skip


def _duties(plan: pl.DataFrame, *dates: str) -> pl.DataFrame:
    return plan.sort("due_on", "obligation_id").select(
        "due_on", *dates, "title", ledger.kind_name().alias("duty"), "frameworks", "owner", "effort_hours",
        "obligation_id",
    )  # fmt: skip


def _peak(by_week: pl.DataFrame, side: str) -> dict[str, Any]:
    """The week with the highest utilisation, and how many ask for more hours than there are."""
    used = f"{side}_utilisation_pct"
    top = by_week.sort(used, "week_start_on", descending=[True, False], nulls_last=False).row(0, named=True)
    idle = pl.col(used).is_null()
    return {
        "peak_week": top["week"],
        "peak_duties": top[f"{side}_duties"],
        "peak_utilisation_pct": top[used],
        "weeks_over_capacity": by_week.filter(idle | (pl.col(used) > 100)).height,
    }


def _headline(plan: pl.DataFrame, by_week: pl.DataFrame, stale: pl.DataFrame, stranded: pl.DataFrame, ask: Ask) -> str:
    options = scenario.options_of(ask)
    if plan.is_empty():
        return "No duty is pending, so a scenario changes nothing: check that duties are recorded."
    before, then = _peak(by_week, "base"), _peak(by_week, "scenario")
    if not options:
        used = before["peak_utilisation_pct"]
        peak = "with no hours to do it" if used is None else f"at {percent(used)} of capacity"
        return (
            f"Nothing is changed, so every week stays as it is, {before['peak_week']} fullest {peak}: "
            "try shiftWeeks or descope."
        )
    counts = {fate: plan.filter(pl.col("fate") == fate).height for fate in scenario.FATES}
    parts = []
    if "descope" in options:
        freed = ledger.hours(plan.filter(pl.col("fate") == "descoped"))
        parts.append(f"without {pack(options['descope'])} {count(counts['descoped'], 'duty', 'duties')} "
                     f"({hours(freed)}) {'falls' if counts['descoped'] == 1 else 'fall'} away")  # fmt: skip
    if "shiftWeeks" in options:
        weeks = options["shiftWeeks"]
        parts.append(f"{count(counts['moved'], 'duty', 'duties')} would move {count(abs(weeks), 'week')} "
                     f"{'later' if weeks > 0 else 'earlier'}")  # fmt: skip
    text = f"{' and '.join(parts)}; {_change(before, then)}"
    harm = [
        f"{count(counts['held'], 'hard deadline')} would be passed" if counts["held"] else "",
        f"evidence of {count(stale.height, 'control')} would turn stale" if stale.height else "",
        f"{count(stranded.height, 'control')} would lose every path to evidence" if stranded.height else "",
    ]
    said = ", ".join(part for part in harm if part)
    text += f"; {said}: look at these first." if said else "; no deadline, evidence or control is hurt."
    return text[:1].upper() + text[1:]


def _change(before: dict[str, Any], then: dict[str, Any]) -> str:
    old, new = before["peak_utilisation_pct"], then["peak_utilisation_pct"]
    if old is None or new is None:
        same = then["peak_week"] == before["peak_week"]
        return f"{then['peak_week']} {'stays' if same else 'becomes'} the fullest week"
    if old == new:
        return f"the peak stays at {percent(old)} of capacity"
    return f"the peak {'falls' if new < old else 'rises'} from {percent(old)} to {percent(new)} of capacity"


def _charts(by_week: pl.DataFrame) -> list[Chart]:
    if not by_week["base_duties"].sum() and not by_week["scenario_duties"].sum():
        return []
    frame = by_week.select("week", now="base_demand_hours", then="scenario_demand_hours", available="available_hours")
    lines = frame.unpivot(index="week", variable_name="line", value_name="hours")
    alt = "Hours of work of each week now and in the scenario, against the hours that there are."
    return [Chart("lines", "Work by week", lines, "week", "hours", alt, series="line")]


def _warnings(plan: pl.DataFrame, fates: dict[str, pl.DataFrame], ask: Ask) -> list[str]:
    options, warnings = scenario.options_of(ask), []
    if "shiftWeeks" in options and not fates["moved"].height and not fates["held"].height and plan.height:
        warnings.append("No pending duty matches the filters of the shift and can move.")
    if "descope" in options and not fates["descoped"].height and plan.height:
        warnings.append(f"No pending duty belongs to {pack(options['descope'])} alone.")
    if fates["held"].height:
        warnings.append(f"{count(fates['held'].height, 'hard deadline')} would be passed: not allowed, held in place.")
    return warnings


REPORT = Report(
    name="obligation-whatif",
    title="Obligation what-if",
    description="Duties shifted by weeks or a framework descoped: load, deadlines, evidence, readiness now and then.",
    build=build,
    parameters=PARAMETERS,
)
