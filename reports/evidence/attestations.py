"""The attestation board: who has to sign for which control by when, and which signatures rest on stale evidence."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Alarm, Chart, Document, Opening, Table
from engine.model.documents.tones import Tone
from engine.model.figures.figure import Figures
from reports.evidence import attestation_board
from reports.evidence.attestation_board import ON_BOARD, STATUSES
from reports.figures import select
from reports.shared import packs, setup
from reports.shared.columns import with_first
from reports.shared.wording import count_of, sentence, some_of, with_whom

STATES = ("status", "evidence_freshness")
SHOWN = ("framework", "control_id", "title", "status", "due_on", "owner")
HIDDEN = (
    *("group_id", "attestor", "delegated_to", "statement", "days_left", "attested_at", "evidence_links"),
    *("evidence_freshness", "unsupported", "current", "id"),
)
LABELS = {"evidence_freshness": "Evidence at signing"}
DEFINITIONS = {
    "current": "The attestation that decides whether its control is attested today: an overdue one that is newer than "
    "the last signature, else the last decided, else the next due.",
    "overdue": "Not decided by the end of its due date. Due soon and due in 30 days do not overlap.",
    "decided and replaced": "Decided attestations that a newer one replaced leave the board and are listed apart.",
}


def build(attestations: pl.DataFrame, control_status: pl.DataFrame, figures: Figures, ask: Ask) -> Document:
    board = attestation_board.worst_first(attestations.filter(ON_BOARD))
    earlier = attestation_board.worst_first(attestations.filter(~ON_BOARD))
    frameworks, owners = (attestation_board.totals(board, by) for by in ("framework", "owner"))
    without = figures.rows(attestation_board.without_duty)
    soon = int(ask.settings["due_soon_days"])
    due = {"due_soon": f"Within {count_of(soon, 'day')}", "due_30": f"{soon + 1} to 30 days" if soon < 30 else "Later"}
    labels = {**LABELS, **due}
    return Document(
        *_opening(board, figures, ask),
        tables=(
            Table(
                "owners",
                "By owner, most overdue first",
                owners.sort("overdue", "rejected", "owner", descending=[True, True, False]),
                labels=labels,
                hidden=("attestations", "due_30", "not_due", "attested", "unsupported"),
            ),
            Table(
                "attestations",
                "Board, most urgent first",
                with_first(board, *SHOWN),
                note=_standing(figures),
                labels=labels,
                state=STATES,
                hidden=HIDDEN,
            ),
            Table("frameworks", "By framework", frameworks, labels=labels),
            Table(
                "without_attestation",
                "Applicable controls without an attestation duty",
                without.select("framework", "control_id", "title", "group_id", "owner", "state"),
                labels=labels,
                state=["state"],
                hidden=["group_id"],
            ),
            Table(
                "earlier",
                "Decided and replaced since",
                with_first(earlier, *SHOWN),
                labels=labels,
                state=STATES,
                hidden=HIDDEN,
            ),
        ),
        coverage=packs.controls_coverage(control_status),
        charts=_charts(frameworks, due, ask),
        definitions=DEFINITIONS,
        warnings=_warnings(figures, ask),
    )


def _opening(board: pl.DataFrame, figures: Figures, ask: Ask) -> Opening:
    needing, lacking = figures["controls_to_attest"], figures["controls_unattested"]
    if not needing and board.is_empty():
        return Opening("No control in scope needs an attestation, and none was asked for.", setup.fill("attestations"))
    needed = f"{count_of(needing, 'control')} that {'needs' if needing == 1 else 'need'} an attestation"
    if board.is_empty():
        return Opening(
            f"No attestation was ever asked for: nobody vouches for any of {needed}.", setup.fill("attestations")
        )
    signed = needing - lacking
    start = f"{signed:,} of {needed} {'has' if 1 in (signed, needing) else 'have'} one in force"
    if lacking:
        start += f", {lacking:,} {'has' if lacking == 1 else 'have'} none"
    return Opening(f"{start}.", sentence(f"{_next(board, figures, ask)}."))


def _standing(figures: Figures) -> str:
    """What the controls without an attestation in force lack, as far as there are any."""
    lacking = figures["controls_unattested"]
    if not lacking:
        return ""
    bare = figures["controls_without_attestation_duty"]
    late, refused = figures["attestations_overdue"], figures["attestations_rejected"]
    return (
        f"Of the {count_of(lacking, 'control')} without one in force those with an overdue ({late:,}) or a rejected "
        f"attestation ({refused:,}) come first; the others wait for their first signature, or for somebody to ask "
        f"for it ({bare:,})."
    )


def _next(board: pl.DataFrame, figures: Figures, ask: Ask) -> str:
    """What is to be done first, as far as anything is open."""
    first = board.row(0, named=True)
    what = packs.titled_control(first, ask)
    whom = with_whom(first["delegated_to"] or first["attestor"] or first["owner"], first["due_on"])
    without = "controls_without_attestation_duty"
    match first["status"]:
        case "overdue":
            late = count_of(figures["attestations_overdue"], "attestation is", "attestations are")
            return f"{late} overdue: start with {what} ({whom})"
        case "rejected":
            refused = count_of(figures["attestations_rejected"], "was", "were")
            return f"{refused} rejected: renew {what} first ({whom})"
    if figures[without]:
        return f"{count_of(figures[without], 'control has', 'controls have')} no duty to sign: ask for those first"
    if first["status"] == "attested":
        return "nothing is open"
    return f"none is overdue, {what} comes next ({whom})"


def _warnings(figures: Figures, ask: Ask) -> list[str]:
    warnings: list[str] = []
    unsupported = attestation_board.worst_first(figures.counted_rows("attestations_unsupported"))
    if unsupported.height:
        rows = unsupported.iter_rows(named=True)
        names = [f"{packs.titled_control(row, ask)} ({with_whom(row['attestor'] or row['owner'])})" for row in rows]
        warnings.append(
            Alarm(
                f"Renew the evidence and sign again what was signed on stale or missing evidence: {some_of(names, 3)}."
            )
        )
    without, applicable = figures["controls_without_attestation_duty"], figures["controls_applicable"]
    if without:
        have = "has" if without == 1 else "have"
        warnings.append(f"{without:,} of {count_of(applicable, 'applicable control')} {have} no attestation duty.")
    return warnings


def _charts(frameworks: pl.DataFrame, due: dict[str, str], ask: Ask) -> list[Chart]:
    if frameworks.is_empty():
        return []
    parts = frameworks.select("framework", *STATUSES)
    frame = parts.unpivot(STATUSES, index="framework", variable_name="status", value_name="attestations")
    said = {name: f"due {when[:1].lower()}{when[1:]}" for name, when in due.items()}
    frame = frame.with_columns(pl.col("status").replace(said).str.replace_all("_", " "))
    tones: dict[str, Tone] = {said["due_soon"]: "watch", said["due_30"]: "calm"}
    alt = "Attestations on the board by framework and status."
    return [
        Chart(
            "stacked",
            "Attestations by status",
            frame.with_columns(packs.own_name(ask)),
            "framework",
            "attestations",
            alt,
            series="status",
            tones=tones,
        )
    ]


REPORT = Report(
    name="attestations",
    title="Attestation board",
    description="Owners, due dates, status and linked evidence of every attestation, with those that lack support.",
    build=build,
    figures=select(
        *("controls_applicable", "controls_to_attest", "controls_unattested", "attestation_control_pct"),
        *("attestation_duty_pct", "attestations_deciding", "attestations_current", "attestations_on_board"),
        *("attestations_overdue", "attestations_rejected", "attestations_due_soon", "attestations_due_in_30_days"),
        *("attestations_not_due", "attestations_unsupported", "attestations_delegated"),
        *("controls_without_attestation_duty",),
    ),
    schema_version=2,
    evidence_dates=False,
)
