"""How old the newest evidence of each control is against its window, and what to collect first."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Alarm, Chart, Coverage, Document, Opening, Table
from engine.model.figures.figure import Figures
from engine.model.figures.formulas import has_coverage
from reports.evidence import control_ages
from reports.evidence.control_ages import STATES
from reports.figures import select
from reports.shared import packs, setup
from reports.shared.columns import in_order, with_first
from reports.shared.ordering import rank
from reports.shared.wording import count_of, part_of, some_of, with_whom

SHOWN = ("framework", "control_id", "title", "weight", "state", "days_over", "owner")
EVERY = (*SHOWN, "last_evidence_on", "window_days", "next_due_on")
URGENCY = ("error", "missing", "stale", "due_soon", "fresh", "not_applicable")
LABELS = {"error": "Future-dated"}
DEFINITIONS = {
    "window": "Days for which evidence of a cadence counts, with about a tenth of grace: continuous 7, daily 3, "
    "weekly 9, monthly 35, quarterly 100, semi-annual 200, annual 380.",
    "governing evidence": "The newest evidence of operation where the control needs that, else of a test, else of a "
    "policy. Other evidence of the control, such as a signature, does not make it fresh; one that needs a signature "
    "alone is as fresh as that, until the next is overdue.",
    "fresh, due soon, stale": "Age divided by window: up to 0.8, up to 1.0, above 1.0. What the control's text, system "
    "or policy changed after is stale too: it no longer shows how the control works today.",
    "three counts of what is missing": "Without governing evidence: the kind that tells the freshness was never given. "
    "Without evidence of any kind that they need: of these, those whose other mandatory kinds were never given either. "
    "Without any evidence: of these again, those for and against which nothing was ever recorded.",
    "stale queue": "Stale, missing and future-dated controls by weight (5 first), then by age ratio; "
    "missing evidence counts as the oldest.",
}


def build(control_assessments: pl.DataFrame, control_evidence: pl.DataFrame, figures: Figures, ask: Ask) -> Document:
    controls = control_ages.controls(control_assessments, control_evidence)
    queue, coverage = control_ages.queue(controls), packs.controls_coverage(control_assessments)
    frameworks = control_ages.totals(controls, "framework")
    owners = control_ages.totals(controls, "owner").sort(
        "debt_days", "missing", "owner", descending=[True, True, False]
    )
    return Document(
        *_opening(queue, figures, ask),
        tables=(
            Table(
                "owners",
                "By owner",
                owners,
                labels=LABELS,
                hidden=("error", "not_applicable", "due_soon", "fresh"),
                note="Controls without an owner will not refresh themselves." if owners["owner"].null_count() else "",
            ),
            Table(
                "queue",
                "Stale queue, most urgent first",
                with_first(queue, *SHOWN),
                note="By weight, five being the most important, then by how far beyond its window the evidence is.",
                labels=LABELS,
                state=["state"],
                hidden=tuple(name for name in queue.columns if name not in SHOWN),
                part_of=("controls",),
            ),
            Table(
                "ending",
                "What ends within 30 days, by whoever has to renew it first",
                _ending(figures.rows("evidence_endings")),
                note="Evidence of any kind that the control needs, governing or not. Without a day to renew it by, "
                "it renews itself.",
            ),
            Table("frameworks", "By framework", frameworks, labels=LABELS),
            Table(
                "controls",
                "Every control, stale and missing ones first",
                with_first(controls, *EVERY).sort(rank("state", URGENCY), maintain_order=True),
                labels=LABELS,
                state=["state"],
                hidden=tuple(name for name in controls.columns if name not in EVERY),
            ),
        ),
        coverage=coverage,
        charts=_charts(frameworks, ask),
        definitions=DEFINITIONS,
        warnings=_warnings(figures, coverage, ask),
    )


def _opening(queue: pl.DataFrame, figures: Figures, ask: Ask) -> Opening:
    applicable = figures["controls_applicable"]
    if not applicable:
        return Opening("No control applies, so there is no evidence whose freshness could be measured.", setup.IN_SCOPE)
    inside = figures["evidence_fresh"] + figures["evidence_due_soon"]
    have = part_of(inside, applicable, "applicable control", ("has", "have"))
    share = f"{have} evidence inside the window ({figures['evidence_in_window_pct']} %)"
    if queue.is_empty():
        return Opening(f"{share}; nothing is stale or missing.")
    said = {"evidence_stale": "stale", "evidence_missing": "missing", "evidence_future_dated": "dated in the future"}
    outside = ", ".join(f"{figures[name]:,} {word}" for name, word in said.items() if figures[name])
    first = queue.row(0, named=True)
    what = packs.control(f"{first['framework']}:{first['control_id']}", ask)
    whom = with_whom(first["owner"])
    return Opening(f"{share}; {outside}.", f"Start with {what} {first['title']} ({control_ages.why(first)}; {whom}).")


def _ending(rows: pl.DataFrame) -> pl.DataFrame:
    """What somebody has to renew first stands in front; what renews itself comes last."""
    by_day = rows.sort("by_hand_on", "ends_on", "framework", in_order("control_id"), nulls_last=True)
    return by_day.select("framework", "control_id", "title", "owner", "kinds_ending", "ends_on", "by_hand_on")


def _warnings(figures: Figures, coverage: Coverage, ask: Ask) -> list[str]:
    warnings: list[str] = []
    if damaged := figures["evidence_not_whole"]:
        warnings.append(
            Alarm(f"{count_of(damaged, 'evidence item')} with changed or missing bytes: no evidence until put back.")
        )
    future = figures.counted_rows("evidence_future_dated").sort("framework", "position", "control_id")
    if future.height:
        names = some_of([packs.control(":".join(key), ask) for key in future.select("framework", "control_id").rows()])
        warnings.append(Alarm(f"Evidence dated after the day of the report: {names}. Correct the dates at the source."))
    if changed := figures["controls_changed_since_evidence"]:
        warnings.append(f"{count_of(changed, 'control')} changed after the newest evidence was captured.")
    if coverage.total and not has_coverage(coverage, ask.settings):
        least = f"{ask.settings['coverage_min_pct']:g} %"
        warnings.append(
            f"Fewer than {least} of the applicable controls have mandatory evidence: read no grade from this."
        )
    return warnings


def _charts(frameworks: pl.DataFrame, ask: Ask) -> list[Chart]:
    frame = frameworks.unpivot(STATES[:4], index="framework", variable_name="state", value_name="controls").filter(
        pl.col("framework").is_in(frameworks.filter(pl.col("applicable") > 0)["framework"].implode())
    )
    if frame.is_empty():
        return []
    alt = (
        "Applicable controls of each framework by the age of their newest evidence; future-dated evidence is left out."
    )
    return [
        Chart(
            "stacked",
            "Evidence by framework",
            frame.with_columns(packs.own_name(ask)),
            "framework",
            "controls",
            alt,
            series="state",
            words=("state",),
        )
    ]


REPORT = Report(
    name="evidence-freshness",
    title="Evidence freshness",
    description="Last evidence of each control against its window, the stale queue, and the freshness debt.",
    build=build,
    figures=select(
        *("controls_of_frameworks", "controls_applicable", "evidence_fresh", "evidence_due_soon", "evidence_stale"),
        *("evidence_missing", "evidence_future_dated", "controls_not_applicable", "evidence_in_window_pct"),
        *("evidence_ends_in_30_days", "evidence_to_renew_in_30_days"),
        *("controls_changed_since_evidence", "freshness_debt_days", "controls_no_data", "controls_without_evidence"),
        *("coverage_pct", "evidence_held_pct", "evidence_not_whole"),
    ),
    schema_version=2,
)
