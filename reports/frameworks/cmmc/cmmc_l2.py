"""CMMC Level 2 as an assessor scores it: MET, NOT MET or N/A, the SPRS score, and whether a POA&M is allowed."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Alarm, Chart, Document, Opening, Table
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.frameworks.assessments import evidence_coverage, first_step, order_note, tally
from reports.frameworks.cmmc.cmmc_results import (
    CLOSE_OUT_DAYS,
    CONDITIONAL,
    CONDITIONAL_SCORE,
    ENDURING,
    FINAL,
    MET,
    NOT_APPLICABLE,
    NOT_MET,
    SYSTEM_SECURITY_PLAN,
    TEMPORARY,
    UNSCORED,
    close_out,
    results,
)
from reports.programme.plans.plan_starts import PlanStarts, Starts
from reports.shared import setup
from reports.shared.wording import count_of, part_of, some_of

LABELS = {
    "control_id": "Requirement",
    "state": "Evidence state",
    "basis": "Met by",
    "status": "Remediation",
    "due_on": "Remediation due",
    "met": MET,
    "not_met": NOT_MET,
    "not_applicable": NOT_APPLICABLE,
}
DEFINITIONS = {
    "MET": "Evidence of every mandatory kind is there and in its window; or an approved enduring exception says how "
    "the risk is mitigated; or a temporary deficiency: it worked before, an exception is approved and the repair "
    "is planned. No enduring exception makes 3.13.11 MET. Without any evidence a requirement is NOT MET.",
    "partial credit": "3.5.3 costs 3 instead of 5 points where it is recorded that multifactor authentication covers "
    "remote and privileged users only, 3.13.11 where encryption is there and not FIPS validated. Evidence in "
    "part earns nothing.",
    "system security plan": "3.12.4 carries no points, but without a plan nothing can be scored.",
    "Conditional Level 2": "A score of at least 88, and every requirement that is NOT MET may stand on a POA&M: those "
    "of 1 point, and 3.13.11 at 3; never 3.1.20, 3.1.22, 3.10.3, 3.10.4, 3.10.5 and 3.12.4.",
    "close-out": "A conditional status ends 180 days after it was given unless everything on the POA&M is closed. "
    "The day of a status is not on record here, so the clock is shown as if it started on the day of the report.",
}


def build(gaps: pl.DataFrame, starts: Starts, figures: Figures, ask: Ask) -> Document:
    rows, ends = figures.rows(results), close_out(ask)
    failing = rows.filter(pl.col("result") == NOT_MET).with_columns(
        close_out_by=pl.when("on_poam").then(pl.lit(ends)),
        in_time=pl.when("on_poam").then((pl.col("due_on") <= ends).fill_null(False)),
    )
    open_rows = failing.sort("on_poam", -pl.col("points_lost"), "position", "control_id")
    domains = _domains(rows)
    return Document(
        *_opening(open_rows, gaps, starts, figures, ask),
        tables=(
            Table("domains", "By domain", domains, labels=LABELS),
            Table(
                "not_met",
                "NOT MET, what bars a conditional status first",
                open_rows.select(
                    *(
                        "control_id",
                        "title",
                        "points_lost",
                        "on_poam",
                        "work_owner",
                        "due_on",
                        "effort_hours",
                        "why",
                        "state",
                    ),
                    *("severity", "status", "close_out_by", "in_time", "owner"),
                ),
                note=order_note("what may not stand on a POA&M, within that by points lost"),
                labels=LABELS,
                state=["state", "severity", "status"],
                hidden=["why", "state", "severity", "status", "close_out_by", "in_time", "owner"],
                part_of=("requirements",),
            ),
            Table(
                "requirements",
                "Every requirement",
                rows.select(
                    *("control_id", "title", "domain_name", "result", "basis", "state", "sprs_points", "points_lost"),
                    *(
                        "last_evidence_id",
                        "evidence_place",
                        "last_evidence_on",
                        "owner",
                        "implementation",
                        "justification",
                    ),
                    *("approved_by", "approved_on", "exception_id"),
                ),
                labels=LABELS,
                state=["state"],
                hidden=["approved_by", "approved_on"],
            ),
        ),
        coverage=evidence_coverage(rows),
        charts=_charts(domains),
        definitions=DEFINITIONS,
        warnings=_warnings(rows, failing),
    )


def _domains(rows: pl.DataFrame) -> pl.DataFrame:
    result = pl.col("result")
    return (
        rows.group_by("domain", "domain_name")
        .agg(
            requirements=pl.len().cast(pl.Int64),
            met=tally(result == MET),
            not_met=tally(result == NOT_MET),
            not_applicable=tally(result == NOT_APPLICABLE),
            barred_from_poam=tally((~pl.col("on_poam")).fill_null(False)),
            points_lost=pl.col("points_lost").sum(),
            position=pl.col("position").min(),
        )
        .sort("position", "domain")
        .drop("position")
    )


def _opening(open_rows: pl.DataFrame, gaps: pl.DataFrame, starts: PlanStarts, figures: Figures, ask: Ask) -> Opening:
    total, failing, barred = figures["cmmc_requirements"], figures["cmmc_not_met"], figures["cmmc_barred_from_poam"]
    if not total:
        return Opening("CMMC Level 2 is not in scope, so there is nothing to score.", setup.IN_SCOPE)
    if figures["cmmc_status"] == UNSCORED:
        rest = f", then close the {count_of(failing, 'requirement')} NOT MET" if failing else ""
        return Opening(
            "No SPRS score can be given, because there is no evidence of a system security plan (3.12.4).",
            f"Write and approve the plan{rest}.",
        )
    scored = f"SPRS score {figures['sprs_score']} of 110"
    if figures["cmmc_status"] == FINAL:
        return Opening(f"{scored}: every requirement is MET or N/A, which allows Final Level 2.")
    first = open_rows.row(0, named=True)
    cost = count_of(first["points_lost"], "point")
    start = first_step("cmmc-l2", gaps, starts, first | {"why": f"{first['why']}, {cost}"}, ask)
    share = f"{part_of(failing, total, 'requirement')} NOT MET"
    if figures["cmmc_status"] == CONDITIONAL:
        return Opening(
            f"{scored} allows Conditional Level 2: {share}, to be closed within {CLOSE_OUT_DAYS} days.", start
        )
    bar = f"{barred:,} of them may not stand on a POA&M" if barred else f"below {CONDITIONAL_SCORE}"
    return Opening(f"{scored}, no CMMC status: {share}, {bar}.", start)


def _warnings(rows: pl.DataFrame, failing: pl.DataFrame) -> list[str]:
    warnings: list[str] = []
    for basis in (ENDURING, TEMPORARY):
        names = rows.filter(pl.col("basis") == basis)["control_id"].to_list()
        if names:
            warnings.append(f"MET by {basis}, which an assessor will want to see: {some_of(names)}.")
    unplanned = failing.filter(pl.col("on_poam") & pl.col("due_on").is_null()).height
    if unplanned:
        warnings.append(f"{count_of(unplanned, 'requirement')} for the POA&M without a planned date.")
    if rows.filter((pl.col("control_id") == SYSTEM_SECURITY_PLAN) & ~pl.col("applicable")).height:
        warnings.append(Alarm("The system security plan (3.12.4) is recorded as not applicable; it always applies."))
    return warnings


def _charts(domains: pl.DataFrame) -> list[Chart]:
    if domains["points_lost"].sum() == 0:
        return []
    frame = (
        domains.filter(pl.col("points_lost") > 0)
        .sort("points_lost", "domain", descending=[True, False])
        .select("domain_name", "points_lost")
    )
    alt = "Points lost in each of the fourteen domains that lose any, the most first."
    return [Chart("bars", "Points lost by domain", frame, "domain_name", "points_lost", alt)]


REPORT = Report(
    name="cmmc-l2",
    title="CMMC Level 2 assessment",
    description="MET, NOT MET and N/A for the 110 requirements, the SPRS score, and what may stand on a POA&M.",
    build=build,
    figures=select(
        *("cmmc_status", "sprs_score", "cmmc_points_lost", "cmmc_points_to_conditional", "cmmc_requirements"),
        *("cmmc_met", "cmmc_not_met", "cmmc_not_applicable", "cmmc_barred_from_poam"),
        *("cmmc_met_by_enduring_exception", "cmmc_met_by_temporary_deficiency", "cmmc_close_out_on"),
    ),
    schema_version=2,
    plans="cmmc-l2",
)
