"""GDPR Article 32: the measures, whether they can be demonstrated, the risk that stays, and the processors."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Alarm, Document, Opening, Table, at_most
from engine.model.documents.pictures import MatrixPicture
from engine.model.documents.tones import Tone
from engine.model.documents.vendor_documents import STATE_LABELS
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.frameworks.assessments import evidence_coverage, first_step, order_note
from reports.frameworks.gdpr.gdpr_measures import (
    CONTRACTS,
    DEMONSTRATED,
    IN_PART,
    NOT_ASSESSED,
    NOT_DEMONSTRATED,
    RESTORE,
    measures,
)
from reports.frameworks.gdpr.gdpr_processors import DATA_UNKNOWN, EXPIRED, NO_DPA, NO_FLOW_DOWN, processors
from reports.programme.plans.plan_starts import PlanStarts, Starts
from reports.shared import setup
from reports.shared.wording import count_of, some_of

TONES: dict[str, Tone] = {DEMONSTRATED: "good", IN_PART: "watch", NOT_DEMONSTRATED: "bad"}
WORDS = {DEMONSTRATED: "yes", IN_PART: "in part", NOT_DEMONSTRATED: "no"}
GRAVEST = (NOT_DEMONSTRATED, IN_PART, DEMONSTRATED)
# what is wrong with processors, and what whoever owns them does about it
REQUESTS = {
    NO_DPA: ("No agreement is on file with", "conclude one"),
    EXPIRED: ("The agreement has expired with", "renew it"),
    NO_FLOW_DOWN: ("Not known to bind their sub-processors:", "ask for the proof"),
}
# what a page leads with
FOREMOST = (
    *("gdpr_not_demonstrated", "gdpr_demonstrated_pct", "gdpr_never_tested", "gdpr_risk_not_assessed"),
    *("gdpr_processors_open", "gdpr_restore_minutes"),
)
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
    "demonstrated in part": "Evidence is partial or past its window, or a signature is no longer in force. So are "
    "32(2), to assess risks, while a measure has no assessed risk, and 32(1)(d), to test, while one was never tested; "
    "readiness and gaps on other pages look at evidence alone.",
    "state of the art": "What the organization says of the measure; empty where it says nothing.",
    "residual risk to persons": "Level of the risk that the measure is linked to, after treatment, by likelihood and "
    "severity for natural persons. 'Not assessed' where none is linked; an unknown rating counts as the worst.",
    "restore": "Article 32(1)(c) asks to restore availability in a timely manner. The median is that from opening to "
    "resolution of the incidents opened in the period; no restore time objective is on record to hold it against, so "
    "whether it is timely must be judged.",
    "processor": "A vendor with classes of data, with a data processing agreement, or that handles health information. "
    "Article 28(3) asks for a contract, 28(4) for the same duties on sub-processors.",
}


def build(gaps: pl.DataFrame, starts: Starts, figures: Figures, ask: Ask) -> Document:
    partners = figures.rows(processors)
    article = pl.col("control_id")
    rows = figures.rows(measures).with_columns(
        restore_measured_minutes=pl.when(article == RESTORE).then(
            pl.lit(figures["gdpr_restore_minutes"], dtype=pl.Float64)
        ),
        processors_open=pl.when(article == CONTRACTS).then(pl.lit(figures["gdpr_processors_open"], dtype=pl.Int64)),
    )
    return Document(
        *_opening(rows, gaps, starts, figures, ask),
        tables=(
            Table(
                "measures",
                "Measures of Article 32, what cannot be shown first",
                _gravest_first(rows).select(
                    *("control_id", "title", "standing", "due_on", "owner", "last_tested_on", "test_outcome"),
                    *("residual_risk", "last_evidence_on", "measure_type", "state", "systems"),
                    *("state_of_the_art", "restore_objective_minutes", "restore_measured_minutes"),
                    *("processors_open", "last_evidence_id", "evidence_place"),
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
                note=order_note("what cannot be shown at all, then in part, within each by weight"),
                labels=LABELS,
                state=["state", "status"],
                hidden=["owner"],
                part_of=("measures",),
            ),
            Table(
                "processors",
                "Processors (Article 28)",
                partners,
                labels={**LABELS, **STATE_LABELS},
                hidden=["vendor_id"],
                state=["assurance"],
            ),
        ),
        coverage=evidence_coverage(rows),
        pictures=_pictures(rows),
        foremost=FOREMOST if rows.height else (),
        definitions=DEFINITIONS,
        warnings=_warnings(rows, partners, figures["gdpr_risk_not_assessed"]),
    )


def _open(rows: pl.DataFrame) -> pl.DataFrame:
    return (
        rows.filter("applicable", pl.col("standing") != DEMONSTRATED)
        .sort(pl.col("standing") == IN_PART, -pl.col("weight").fill_null(5), "position", "control_id")
        .select(
            *("control_id", "title", "standing", "why", "state", "residual_risk", "work_owner", "action", "status"),
            *("due_on", "effort_hours", "owner"),
        )
    )


def _opening(rows: pl.DataFrame, gaps: pl.DataFrame, starts: PlanStarts, figures: Figures, ask: Ask) -> Opening:
    if rows.is_empty():
        return Opening("GDPR Article 32 is not in scope, so there is nothing to assess.", setup.IN_SCOPE)
    applicable = figures["gdpr_applicable"]
    if not applicable:
        return Opening("No measure of GDPR Article 32 is applicable, so there is nothing to demonstrate.")
    frame, untested = _open(rows), figures["gdpr_never_tested"]
    shown = f"{figures['gdpr_demonstrated']:,} of" if not frame.is_empty() else "All of"
    part = f", {figures['gdpr_demonstrated_in_part']:,} in part" if figures["gdpr_demonstrated_in_part"] else ""
    text = f"{shown} {count_of(applicable, 'Article 32 measure')} can be demonstrated{part}"
    tested = f"; {untested:,} {'was' if untested == 1 else 'were'} never tested" if untested else ""
    step = "" if frame.is_empty() else first_step("gdpr-art32", gaps, starts, frame.row(0, named=True), ask)
    return Opening(f"{at_most(text, tested)}.", step)


def _warnings(rows: pl.DataFrame, partners: pl.DataFrame, unassessed: int) -> list[str]:
    warnings: list[str] = []
    if unassessed:
        warnings.append(f"No residual risk to persons is linked to {count_of(unassessed, 'measure')}.")
    if rows.filter("applicable", pl.col("control_id") == RESTORE).height:
        warnings.append("No restore time objective is on record to hold a restore test against (Article 32(1)(c)).")
    return [*warnings, *_requests_to_processors(partners)]


def _requests_to_processors(partners: pl.DataFrame) -> list[str]:
    """What is wrong with agreements, each kind apart, and who does what about it."""
    told: list[str] = []
    for finding, (what, act) in REQUESTS.items():
        mine = partners.filter(pl.col("finding") == finding)
        if mine.height:
            owners = mine["owner"].drop_nulls().unique(maintain_order=True).to_list()
            who = f"their owners ({some_of(owners, 3)})" if owners else "whoever buys from them has to"
            told.append(Alarm(f"{what} {some_of(mine['name'].to_list())}: {who} {act}."))
    unknown = partners.filter(pl.col("finding") == DATA_UNKNOWN)["name"].to_list()
    return [*told, f"Not known which personal data they handle: {some_of(unknown)}."] if unknown else told


def _gravest_first(rows: pl.DataFrame) -> pl.DataFrame:
    place = pl.col("standing").replace_strict({name: at for at, name in enumerate(GRAVEST)}, default=len(GRAVEST))
    return rows.sort(place, "position", "control_id")


def _pictures(rows: pl.DataFrame) -> list[MatrixPicture]:
    """Each measure by what an assessor asks: can it be shown, was it tested, is the risk that stays assessed?"""
    applicable = rows.filter("applicable")
    if applicable.is_empty():
        return []
    cells: dict[tuple[str, str], tuple[str, Tone]] = {}
    for row in applicable.iter_rows(named=True):
        name, standing, tested = row["control_id"], row["standing"], row["last_tested_on"]
        cells[name, "shown"] = (WORDS[standing], TONES[standing])
        failed = tested is not None and row["test_outcome"] != "passed"
        cells[name, "tested"] = ("failed", "bad") if failed else ("yes", "good") if tested else ("never", "watch")
        assessed = row["residual_risk"] != NOT_ASSESSED
        cells[name, "risk assessed"] = ("yes", "good") if assessed else ("no", "watch")
    return [
        MatrixPicture(
            "What each measure lacks",
            "Whether each measure can be shown, was ever tested, and has an assessed risk to persons.",
            applicable["control_id"].to_list(),
            ("shown", "tested", "risk assessed"),
            cells,
        )
    ]


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
