"""Health of each control family, worst first, with the one thing that costs it most."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Alarm, Chart, Coverage, Document, Opening, Table
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.programme.health.health import POINTS, VALUES, families, health_of
from reports.programme.posture import posture_words
from reports.shared import setup
from reports.shared.packs import pack_name
from reports.shared.wording import count, inside, sentence, some_of, spell

KEY = ("framework", "framework_name", "group_id", "group_title")
LABELS = {"coverage_pct": "With evidence (%)", "note": "What costs most", "owner": "Accountable for most"}
DEFINITIONS = {
    "State": "Effective controls count fully, partial ones half, stale ones a quarter, all others nothing, "
    "each by its weight from 1 to 5.",
    "Fresh": "Controls whose newest evidence is inside the window of its cadence.",
    "Owned": "Controls with someone responsible and exactly one person accountable.",
    "Tests passed": "Tests passed of those performed; a required one never performed counts as failed.",
    "Without exception": "Controls that do not rest on an open exception.",
    "Health without tests": "Where no test is required and none was performed, the weight of tests is shared among the "
    "others. Where no control has any evidence, there is no health.",
    "State moved": "Points by which the state component moved since the last snapshot before the period (with the "
    "default of 30 days about four weeks), over the controls known then; empty if under half are.",
}


def build(control_status: pl.DataFrame, figures: Figures, ask: Ask) -> Document:
    rated, coverage = figures.rows(families), _coverage(control_status)
    frameworks = health_of(control_status, ["framework"], ask.settings).with_columns(framework_name=pack_name(ask))
    return Document(
        *_opening(rated, figures),
        tables=(
            Table(
                "frameworks",
                "Frameworks, worst first",
                frameworks.select(
                    *("framework", "framework_name", "health", "rag", "state_change", "note", "controls"),
                    *("coverage_pct", *VALUES),
                ),
                labels=LABELS,
                state=("rag",),
                hidden=("framework", "controls", "coverage_pct", *VALUES),
            ),
            Table(
                "families",
                "Families, worst first",
                rated.select(
                    *(*KEY, "health", "rag", "critical_gaps", "owner", "worst_control", "note", "controls"),
                    *("state_change", "coverage_pct"),
                ),
                note="Accountable is who answers for most controls of the family; the work on one is with its owner.",
                labels=LABELS,
                state=("rag",),
                hidden=("framework", "group_id", "controls", "state_change", "coverage_pct"),
            ),
            Table(
                "components",
                "How each family's health adds up",
                rated.select(*KEY, *VALUES, *POINTS, "health"),
                note="The points of the components sum to the health of the family.",
                hidden=("framework", "group_id", *VALUES),
            ),
        ),
        coverage=coverage,
        charts=_charts(frameworks.filter(pl.col("health").is_not_null())),
        definitions=DEFINITIONS,
        warnings=_warnings(rated, coverage, figures, ask),
    )


def _coverage(control_status: pl.DataFrame) -> Coverage:
    applicable = control_status.filter("applicable")
    return Coverage(applicable.filter(pl.col("state") != "no_data").height, applicable.height)


def _opening(rated: pl.DataFrame, figures: Figures) -> Opening:
    if rated.is_empty():
        return Opening("No control applies, so there is no control health to report.", setup.IN_SCOPE)
    if figures["control_health"] is None:
        return Opening("No applicable control has any evidence, so there is no control health to tell.", setup.EVIDENCE)
    how = f"Control health is {figures['control_health']} ({spell(figures['control_health_rating'])})"
    if contradicts_posture(figures):
        how += f" while posture is {figures['posture_score']} ({spell(figures['posture_grade'])})"
    worst = rated.row(0, named=True)
    name = f"{worst['framework_name']} {worst['group_title']}"
    at = "" if worst["health"] is None else f" at {worst['health']}"
    lead = (
        f": {worst['framework_name']} {worst['worst_control']} costs most{_answers(worst['owner'])}"
        if worst["worst_control"]
        else ""
    )
    step = f"Start with {name}, the lowest{at}{lead}."
    bad = figures["control_families_red"] + figures["control_families_insufficient_data"]
    if bad:
        of = f"{bad:,} of {count(rated.height, 'family', 'families')} {'is' if bad == 1 else 'are'}"
        return Opening(f"{how}; {of} red or unrated.", step)
    gaps = figures["gaps_critical"]
    open_gaps = f"{count(gaps, 'critical gap')} {'is' if gaps == 1 else 'are'} open" if gaps else "no family is red"
    return Opening(f"{how}; {open_gaps}.", step if gaps else "")


def _answers(owner: str | None) -> str:
    """Who answers for most controls of the family: not who works on the one that costs most."""
    return f"; {owner} is accountable for most of the family" if owner else ""


def contradicts_posture(figures: Figures) -> bool:
    """Whether the health is green while the posture has no good grade."""
    told, low = figures["posture_score"] is not None, figures["posture_grade"] not in ("A", "B")
    return figures["control_health_rating"] == "green" and told and low


def _charts(frameworks: pl.DataFrame) -> list[Chart]:
    if frameworks.is_empty():
        return []
    alt = "Control health of each framework, worst first."
    return [Chart("bars", "Health by framework", frameworks, "framework_name", "health", alt)]


def _warnings(rated: pl.DataFrame, coverage: Coverage, figures: Figures, ask: Ask) -> list[str]:
    warnings: list[str] = []
    if contradicts_posture(figures):
        warnings.append(
            f"Health is green, but {inside(posture_words.posture(figures, coverage, ask))}: health also rewards "
            "ownership, passed tests and controls without exception; posture also counts attestations, vendors, "
            "remediations and services."
        )
    held = rated.filter((pl.col("rag") == "green") & (pl.col("critical_gaps") > 0))
    if held.height:
        rows = held.iter_rows(named=True)
        names = [
            f"{row['framework_name']} {row['group_title']} ({row['owner'] or 'nobody'} is accountable)" for row in rows
        ]
        warnings.append(
            Alarm(f"A critical gap is open in a family that is green as a whole, close it: {some_of(names, 3)}.")
        )
    if figures["control_families_insufficient_data"]:
        number = count(figures["control_families_insufficient_data"], "family", "families")
        warnings.append(f"{sentence(number)} cannot be rated: too few of their controls have evidence that counts.")
    untested = rated.filter(pl.col("tests_pct").is_null()).height
    if untested:
        number = count(untested, "family", "families")
        warnings.append(f"{number} without any required or performed test: health rests on the other components.")
    needed = figures.counted_rows("attestation_control_pct")
    signed = needed.filter("attested").height
    if signed < needed.height:
        have = "has" if signed == 1 else "have"
        warnings.append(
            f"{signed:,} of the {needed.height:,} controls that need an attestation {have} a signature in force."
        )
    return warnings


REPORT = Report(
    name="control-health-scorecard",
    title="Control health scorecard",
    description="Health, rating and the largest loss of each control family, for leadership.",
    build=build,
    figures=select(
        *("control_health", "control_health_rating", "control_state_change", "control_families"),
        *("control_families_red", "control_families_amber", "control_families_green"),
        *("control_families_insufficient_data", "controls_applicable", "gaps_critical", "attestation_control_pct"),
        *("posture_score", "posture_grade", "posture_before_score", "posture_change", "snapshot_before_on"),
    ),
    schema_version=2,
    evidence_dates=False,
)
