"""The nine framework packs side by side: where each stands, how it moved, and how much evidence it shares."""

import polars as pl

from engine.model.declarations.ask import PERIOD_DAYS, Ask, Parameter
from engine.model.declarations.plan_parameters import FRAMEWORK_FACT
from engine.model.declarations.report import Report
from engine.model.documents.document import Chart, Document, Opening, Table
from engine.model.documents.tones import Tone
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.programme.packs.framework_page import framework_page
from reports.programme.packs.pack_rows import pack_rows
from reports.programme.plans.plan_starts import PlanStarts, Starts, begin_with
from reports.shared import formula_breaks, packs, setup
from reports.shared.columns import with_first
from reports.shared.wording import all_of, change, percent

TONES: dict[str, Tone] = {"strict": "main", "weighted": "second"}
SHOWN = ("name", "weighted_pct", "prior_weighted_pct", "weighted_change", "strict_pct", "open_weaknesses")
DEFINITIONS = {
    "Strict": "Effective controls as a share of the applicable controls; stale or partial ones do not count.",
    "Weighted": "Effective controls count fully, partial ones half, stale ones a quarter, all others nothing, each by "
    "its weight from 1 to 5, as a share of all weights.",
    "Change": "Percentage points against the last snapshot before the period.",
    "Snapshot": f"Readiness as it was recorded on a day. {setup.READINESS_SNAPSHOTS}",
    "Evidence reuse": "Of the newest pieces of evidence that a framework rests on (one for each control and source), "
    "those that also serve another framework.",
    "Biggest mover": "The control whose state moved weighted readiness most since that snapshot, either way.",
    "Coverage": packs.COVERAGE,
}
FRAMEWORK = Parameter(
    "framework", None, "the page of this framework instead: its controls with their state", found_in=FRAMEWORK_FACT
)


def build(
    readiness: pl.DataFrame,
    requirements: pl.DataFrame,
    control_status: pl.DataFrame,
    gaps: pl.DataFrame,
    own_texts: pl.DataFrame,
    own_controls: pl.DataFrame,
    own_pairs: pl.DataFrame,
    own_frameworks: pl.DataFrame,
    starts: Starts,
    figures: Figures,
    ask: Ask,
) -> Document:
    if ask.options.get(FRAMEWORK.name) is not None:
        page, framework = (requirements, control_status, own_texts, own_controls, own_pairs), ask.word(FRAMEWORK)
        own = own_frameworks.filter(framework=framework)
        title = own["title"].item() if own.height else ask.framework_name(framework)
        return framework_page(framework, title, readiness, page, begin_with(framework, gaps, starts, ask), ask)
    table = figures.rows(pack_rows)
    return Document(
        *_opening(table, gaps, starts, figures, ask),
        tables=(
            Table(
                "packs",
                "Frameworks, least ready first",
                with_first(table, *SHOWN),
                note="The FedRAMP POA&M is a list of open weaknesses, not a set of controls: it has no readiness. Its "
                "row counts the controls of all frameworks that are not effective. Items of its own page are those of "
                "them that fail or have no evidence at all, and findings of scanners.",
                labels={"name": "Framework", "prior_weighted_pct": "Before (%)", "open_weaknesses": "Not effective"},
                hidden=tuple(name for name in table.columns if name not in SHOWN),
            ),
        ),
        coverage=packs.coverage(readiness),
        charts=_charts(table),
        definitions=DEFINITIONS,
        warnings=_warnings(table, readiness, ask),
    )


def _opening(table: pl.DataFrame, gaps: pl.DataFrame, starts: PlanStarts, figures: Figures, ask: Ask) -> Opening:
    ranked = table.filter(pl.col("weighted_pct").is_not_null())
    if ranked.is_empty():
        return Opening(
            "No framework with a catalogue of controls is in scope, so there is no readiness to compare.",
            setup.IN_SCOPE,
        )
    first = ranked.row(0, named=True)
    moved = change(first["weighted_pct"], first["prior_weighted_pct"], first["prior_on"], ask)
    at = f"at {percent(first['weighted_pct'])} weighted readiness, {moved}"
    missing = first["open_weaknesses"]
    start = begin_with(first["framework"], gaps, starts, ask)
    them = (
        f"its {missing:,} controls that are not effective yet" if missing != 1 else "its one control not effective yet"
    )
    rest = "one of its controls is" if missing == 1 else f"{missing:,} of its controls are"
    step = f"{start}; {rest} not effective yet." if start else f"Start with {them}."
    step = step if missing else ""
    unknown = figures["packs_declined"] is None
    if ranked.height == 1:
        lead = "Nothing can be compared: " if unknown else ""
        return Opening(f"{lead}{first['name']}, the only framework with controls in scope, is {at}.", step)
    if unknown:
        return Opening(f"Nothing can be compared: {first['name']} is least ready {at}.", step)
    declined = figures["packs_declined"]
    lead = (
        f"{declined:,} of {ranked.height:,} frameworks {'has' if declined == 1 else 'have'} declined; "
        if declined
        else ""
    )
    return Opening(f"{lead}{first['name']} is least ready {at}.", step)


def _charts(table: pl.DataFrame) -> list[Chart]:
    ranked = table.filter(pl.col("weighted_pct").is_not_null())
    if ranked.is_empty():
        return []
    parts = ranked.select("name", strict="strict_pct", weighted="weighted_pct").unpivot(
        index="name", variable_name="readiness", value_name="pct"
    )
    alt = "Strict and weighted readiness of each framework in scope, the least ready first."
    return [
        Chart(
            "bars", "Readiness by framework", parts, "name", "pct", alt, series="readiness", percent=True, tones=TONES
        )
    ]


def _warnings(table: pl.DataFrame, readiness: pl.DataFrame, ask: Ask) -> list[str]:
    warnings = packs.thin(readiness, ask)
    silent = table.filter("in_scope", pl.col("framework") != packs.POAM, pl.col("applicable").is_null())
    if not silent.is_empty():
        warnings.append(f"In scope, but without readiness: {all_of(silent['name'].to_list())}.")
    warnings += formula_breaks.prior(readiness)
    unknown = pl.col("prior_weighted_pct").is_null() & pl.col("prior_formula_change").is_null()
    new = table.filter(pl.col("applicable").is_not_null(), unknown)
    if not new.is_empty():
        warnings.append(f"No snapshot to compare with for {all_of(new['name'].to_list())}. {setup.READINESS_SNAPSHOTS}")
    return warnings


REPORT = Report(
    name="baseline-comparison",
    title="Baseline comparison",
    description="Readiness of the nine framework packs with changes against the period before.",
    build=build,
    figures=select(
        *("packs_declined", "packs_improved", "packs_in_scope", "controls_applicable", "controls_effective"),
        "gaps_open",
    ),
    parameters=(PERIOD_DAYS, FRAMEWORK),
    schema_version=2,
)
