"""The attestation board: who has to sign for which control by when, and which signatures rest on stale evidence."""

from collections.abc import Mapping

import polars as pl

from engine.model.document import (
    Chart,
    Coverage,
    Document,
    Table,
)
from engine.model.report import Ask, Report
from reports.shared.columns import in_order, share_pct
from reports.shared.packs import pack
from reports.shared.wording import count_of, part_of, some_of

STATUSES = ("overdue", "rejected", "due_7", "due_30", "not_due", "attested")
STATES = ("status", "evidence_freshness")
OPEN = ("overdue", "due_7", "due_30", "not_due")
SUMMARY = {"due_7": "due_within_7_days", "due_30": "due_in_8_to_30_days"}
HIDDEN = ("id", "group_id")
LABELS = {
    "framework": "Framework",
    "control_id": "Control",
    "due_on": "Due",
    "due_7": "Within 7 days",
    "due_30": "8 to 30 days",
    "attested_at": "Decided (UTC)",
    "evidence_links": "Evidence linked",
    "evidence_freshness": "Evidence at signing",
    "delegated_to": "Delegated to",
    "current_pct": "Current (%)",
}
DEFINITIONS = {
    "on the board": "For each control the attestation that decides whether it is attested now, and every open one. "
    "Decided attestations that a newer one replaced are listed apart.",
    "current": "Attested by the newest duty of the control. Percentage of the duties that decide; "
    "a rejected, overdue or open one does not count.",
    "overdue": "Not decided by the end of its due date. Due in 7 and due in 30 are not yet overdue and do not overlap.",
    "unsupported": "Signed while the evidence of the control was stale or missing: the statement stands without proof "
    "and an assessor may reject it.",
    "delegated": "Somebody else signs in place of the owner; the owner stays answerable.",
    "coverage": "Applicable controls that have an attestation duty at all. A control without one is not attested.",
}


def build(attestations: pl.DataFrame, control_status: pl.DataFrame, ask: Ask) -> Document:
    rows = _worst_first(attestations)
    on_board = pl.col("current") | pl.col("status").is_in(OPEN)
    board, earlier = rows.filter(on_board), rows.filter(~on_board)
    deciding = board.filter("current")
    current = deciding.filter(pl.col("status") == "attested")
    unsupported = board.filter("unsupported")
    applicable = control_status.filter("applicable")
    without = applicable.join(board, on=["framework", "control_id"], how="anti")
    counts = {state: board.filter(pl.col("status") == state).height for state in STATUSES}
    current_pct = Coverage(current.height, deciding.height).pct
    frameworks = _totals(board, "framework")
    return Document(
        headline=_headline(board, counts, current.height, deciding.height, current_pct),
        summary={
            "attestations": board.height,
            **{SUMMARY.get(state, state): number for state, number in counts.items()},
            "deciding": deciding.height,
            "attested_now": current.height,
            "current_pct": current_pct,
            "unsupported": unsupported.height,
            "delegated": board["delegated_to"].count(),
            "controls_without_attestation": without.height,
        },
        tables=(
            Table("attestations", "Board, most urgent first", board, labels=LABELS, state=STATES, hidden=HIDDEN),
            Table("frameworks", "By framework", frameworks, labels=LABELS),
            Table("owners", "By owner", _totals(board, "owner"), labels=LABELS),
            Table(
                "without_attestation",
                "Applicable controls without an attestation duty",
                without.select("framework", "control_id", "title", "group_id", "owner", "state").sort(
                    "framework", in_order("control_id")
                ),
                labels=LABELS,
                state=["state"],
                hidden=["group_id"],
            ),
            Table("earlier", "Decided and replaced since", earlier, labels=LABELS, state=STATES, hidden=HIDDEN),
        ),
        coverage=Coverage(applicable.height - without.height, applicable.height),
        charts=_charts(frameworks),
        definitions=DEFINITIONS,
        warnings=_warnings(unsupported, without, applicable),
    )


def _worst_first(attestations: pl.DataFrame) -> pl.DataFrame:
    urgency = pl.col("status").replace_strict(dict(zip(STATUSES, range(len(STATUSES)), strict=True)), default=0)
    return attestations.select(
        *("framework", "control_id", "title", "group_id", "owner", "attestor", "delegated_to", "statement", "due_on"),
        *("days_left", "status", "attested_at", "evidence_links", "evidence_freshness", "unsupported", "current", "id"),
    ).sort(urgency, "due_on", "framework", in_order("control_id"), "id")


def _totals(board: pl.DataFrame, by: str) -> pl.DataFrame:
    current, attested = pl.col("current"), pl.col("status") == "attested"
    return (
        board.group_by(by)
        .agg(
            attestations=pl.len().cast(pl.Int64),
            **{state: (pl.col("status") == state).sum().cast(pl.Int64) for state in STATUSES},
            unsupported=pl.col("unsupported").sum().cast(pl.Int64),
            current_pct=share_pct((current & attested).sum(), current.sum()),
        )
        .sort(by)
    )


def _headline(board: pl.DataFrame, counts: Mapping[str, int], current: int, deciding: int, pct: float | None) -> str:
    if board.is_empty():
        return "No attestation has been set up, so nobody vouches for any control yet."
    share = f"{part_of(current, deciding, 'attestation')} current ({pct} %)" if deciding else "None is current"
    first = board.row(0, named=True)
    if first["status"] == "attested":
        return f"{share}; nothing is open."
    late = f"{counts['overdue']:,} overdue and {counts['due_7']:,} due within 7 days"
    verb = "renew the rejected" if first["status"] == "rejected" else "start with"
    who = f"{first['owner']}, " if first["owner"] else ""
    return f"{share}; {late}: {verb} {pack(first['framework'])} {first['control_id']} ({who}due {first['due_on']})."


def _warnings(unsupported: pl.DataFrame, without: pl.DataFrame, applicable: pl.DataFrame) -> list[str]:
    warnings = []
    if unsupported.height:
        names = [
            f"{pack(framework)} {control}"
            for framework, control in unsupported.select("framework", "control_id").rows()
        ]
        warnings.append(f"Signed on stale or missing evidence, so unsupported: {some_of(names)}.")
    if without.height:
        warnings.append(
            f"{without.height:,} of {count_of(applicable.height, 'applicable control')} "
            f"{'has' if without.height == 1 else 'have'} no attestation duty."
        )
    return warnings


def _charts(frameworks: pl.DataFrame) -> list[Chart]:
    if frameworks.is_empty():
        return []
    parts = frameworks.select("framework", *STATUSES)
    frame = parts.unpivot(STATUSES, index="framework", variable_name="status", value_name="attestations")
    frame = frame.with_columns(pl.col("status").replace(SUMMARY).str.replace_all("_", " "))
    alt = "Attestations on the board by framework and status."
    return [Chart("stacked", "Attestations by status", frame, "framework", "attestations", alt, series="status")]


REPORT = Report(
    name="attestations",
    title="Attestation board",
    description="Owners, due dates, status and linked evidence of every attestation, with those that lack support.",
    build=build,
)
