"""GDPR Article 32: the measures, whether they can be demonstrated, the risk that stays, and the processors."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Alarm, Chart, Document, Opening, Table
from engine.model.documents.tones import Tone
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.frameworks.assessments import evidence_coverage, first_step
from reports.frameworks.gdpr.gdpr_measures import (
    CONTRACTS,
    DEMONSTRATED,
    IN_PART,
    NOT_DEMONSTRATED,
    RESTORE,
    STANDING,
    measures,
)
from reports.frameworks.gdpr.gdpr_processors import processors
from reports.shared import setup
from reports.shared.wording import all_of, count_of, part_of, some_of

TONES: dict[str, Tone] = {
    DEMONSTRATED: "good",
    IN_PART: "watch",
    NOT_DEMONSTRATED: "bad",
    STANDING["not_applicable"]: "neutral",
}
LABELS = {
    "control_id": "Provision",
    "state": "Evidence state",
    "standing": "Can it be shown?",
    "due_on": "Planned for",
    "status": "Remediation",
    "name": "Processor",
    "flows_down": "Binds sub-processors",
}
DEFINITIONS = {
    "demonstrated": "Evidence of every mandatory kind is there and in its window. The controller must be able to "
    "demonstrate compliance (Articles 5(2) and 24), so what cannot be shown counts as missing.",
    "demonstrated in part": "Evidence is partial or older than its window.",
    "state of the art": "What the organization says of the measure; empty where it says nothing.",
    "residual risk to persons": "Level of the risk that the measure is linked to, after treatment, by likelihood and "
    "severity for natural persons. 'Not assessed' where none is linked; an unknown rating counts as the worst.",
    "restore": "Article 32(1)(c) asks to restore availability in a timely manner. The median is that from opening to "
    "resolution of the incidents opened in the period; no restore time objective is on record to hold it against, so "
    "whether it is timely must be judged.",
    "processor": "A vendor with classes of data, with a data processing agreement, or that handles health information. "
    "Article 28(3) asks for a contract, 28(4) for the same duties on sub-processors.",
}


def build(gaps: pl.DataFrame, figures: Figures, ask: Ask) -> Document:
    partners = figures.rows(processors)
    article = pl.col("control_id")
    rows = figures.rows(measures).with_columns(
        restore_measured_minutes=pl.when(article == RESTORE).then(
            pl.lit(figures["gdpr_restore_minutes"], dtype=pl.Float64)
        ),
        processors_open=pl.when(article == CONTRACTS).then(pl.lit(figures["gdpr_processors_open"], dtype=pl.Int64)),
    )
    return Document(
        *_opening(rows, gaps, figures, ask),
        tables=(
            Table(
                "measures",
                "Measures of Article 32",
                rows.select(
                    *("control_id", "title", "measure_type", "standing", "state", "residual_risk", "systems"),
                    *("state_of_the_art", "last_tested_on", "test_outcome", "restore_objective_minutes"),
                    *(
                        "restore_measured_minutes",
                        "processors_open",
                        "last_evidence_id",
                        "evidence_place",
                        "last_evidence_on",
                        "owner",
                    ),
                ),
                labels=LABELS,
                state=["state", "residual_risk", "test_outcome"],
                hidden=[
                    *("state", "restore_objective_minutes", "restore_measured_minutes", "processors_open"),
                    *("last_evidence_id", "measure_type", "systems", "state_of_the_art", "evidence_place"),
                ],
            ),
            Table(
                "open",
                "What cannot be shown",
                _open(rows),
                labels=LABELS,
                state=["state", "status"],
                part_of=("measures",),
            ),
            Table(
                "processors",
                "Processors (Article 28)",
                partners,
                labels=LABELS,
                hidden=["vendor_id"],
                state=["assurance"],
            ),
        ),
        coverage=evidence_coverage(rows),
        charts=_charts(rows),
        definitions=DEFINITIONS,
        warnings=_warnings(rows, partners, figures["gdpr_risk_not_assessed"]),
    )


def _open(rows: pl.DataFrame) -> pl.DataFrame:
    return (
        rows.filter("applicable", pl.col("standing") != DEMONSTRATED)
        .sort(pl.col("standing") == IN_PART, -pl.col("weight").fill_null(5), "position", "control_id")
        .select(
            *("control_id", "title", "standing", "why", "state", "residual_risk", "owner", "action", "status"),
            *("due_on", "effort_hours"),
        )
    )


def _opening(rows: pl.DataFrame, gaps: pl.DataFrame, figures: Figures, ask: Ask) -> Opening:
    if rows.is_empty():
        return Opening("GDPR Article 32 is not in scope, so there is nothing to assess.", setup.IN_SCOPE)
    applicable = figures["gdpr_applicable"]
    if not applicable:
        return Opening("No measure of GDPR Article 32 is applicable, so there is nothing to demonstrate.")
    measured = part_of(figures["gdpr_demonstrated"], applicable, "Article 32 measure", ("can", "can"))
    frame = _open(rows)
    untested, unassessed = figures["gdpr_never_tested"], figures["gdpr_risk_not_assessed"]
    but = [
        f"{untested:,} {'was' if untested == 1 else 'were'} never tested" if untested else "",
        f"no residual risk is assessed for {unassessed:,}" if unassessed else "",
    ]
    text = f"{measured} be demonstrated"
    text += f", but {all_of([part for part in but if part])}" if any(but) else ""
    return Opening(
        f"{text}.", "" if frame.is_empty() else first_step("gdpr-art32", gaps, frame.row(0, named=True), ask)
    )


def _warnings(rows: pl.DataFrame, partners: pl.DataFrame, unassessed: int) -> list[str]:
    warnings: list[str] = []
    if unassessed:
        warnings.append(f"No residual risk to persons is linked to {count_of(unassessed, 'measure')}.")
    if rows.filter("applicable", pl.col("control_id") == RESTORE).height:
        warnings.append("No restore time objective is on record to hold a restore test against (Article 32(1)(c)).")
    without = partners.filter(pl.col("finding").is_not_null())["name"].to_list()
    if without:
        warnings.append(
            Alarm(
                f"Agreement missing, or not binding on sub-processors, which the owner of each asks for: "
                f"{some_of(without)}."
            )
        )
    return warnings


def _charts(rows: pl.DataFrame) -> list[Chart]:
    if rows.is_empty():
        return []
    words = pl.DataFrame({"standing": [*dict.fromkeys(STANDING.values())]})
    counts = rows.group_by("standing").agg(measures=pl.len().cast(pl.Int64))
    frame = words.join(counts, on="standing", how="left", maintain_order="left").fill_null(0)
    alt = "How many of the measures of Article 32 can be demonstrated."
    return [Chart("bars", "Can it be shown?", frame, "standing", "measures", alt, tones=TONES)]


REPORT = Report(
    name="gdpr-art32",
    title="GDPR Article 32 measures",
    description="Technical and organisational measures with evidence, residual risk, tests and processors.",
    build=build,
    figures=select(
        *("gdpr_measures", "gdpr_applicable", "gdpr_demonstrated", "gdpr_demonstrated_in_part"),
        *("gdpr_not_demonstrated", "gdpr_demonstrated_pct", "gdpr_risk_not_assessed", "gdpr_never_tested"),
        *("gdpr_restore_minutes", "gdpr_processors", "gdpr_processors_without_agreement", "gdpr_processors_open"),
    ),
    schema_version=2,
    plans="gdpr-art32",
)
