"""From each claim back to its source: control, evidence, audit event, hash, bundle."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Alarm, Chart, Document, Opening, Table
from engine.model.documents.tones import Tone
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.shared import packs, setup
from reports.shared.columns import with_first
from reports.shared.ordering import rank
from reports.shared.wording import count, percent, with_whom
from reports.testing import claim_rows
from reports.testing.claim_rows import STATES

FILE = ("id", "title", "evidence_on", "evidence_place", "held_state", "linked_controls")
LABELS = {"control_state": "Claimed state", "state": "Lineage", "leaves": "Events under the head"}
DEFINITIONS = {
    "Claim": "That a source of evidence (operation, test, policy, attestation, evidence item) stands behind a control; "
    "it rests on the newest evidence of that source. A control has as many claims as sources. File and row say where "
    "the control stands in the workbook: the table of its framework, the row with its identifier.",
    "Lineage": "Complete, broken (the problem says which step cannot be followed), or hash mismatch: check the whole "
    "log with hq verify.",
    "Evidence is": "Held: its bytes are in the evidence store, named by their SHA-256. Told: a location "
    "or a hash that somebody gave. Linked: a record of this console.",
    "Bundle": "The first sealed bundle whose window has the day of the evidence and whose audit log has its event. "
    "Not bundled is no fault of the lineage: it ends at the audit log then, and has no Merkle leaf.",
    "Merkle proof": "The leaf is the event's: SHA-256 of a zero byte and its hash. Hashed with the steps of the path, "
    "nearest first (RFC 6962), it gives the root that the signed head in the bundle states (head.txt), over as many "
    "events. There are no steps for a bundle that was sealed without such a head, or once retention took its events: "
    "the bundle itself shows it then, and hq prove does for an event that is kept.",
}
TONES: dict[str, Tone] = {"in a sealed bundle": "main", "in none": "third"}
# what a page leads with: what is broken where anything is, then these
FAULTS = ("claims_hash_mismatch", "claims_broken", "evidence_not_whole")
LEADING = (
    *("lineage_completeness_pct", "orphan_controls", "claims", "claims_not_bundled", "orphan_evidence"),
    "evidence_held_pct",
)
FAULT = ("framework", "control_id", "title", "source", "evidence_id", "evidence_place", "state", "problem", "event_id")
CLAIM = (
    *("framework", "control_id", "title", "control_state", "source", "evidence_id", "evidence_on", "record"),
    "evidence_place",
    *("policy_version", "event_id", "action", "seq", "event_hash", "bundle", "merkle_leaf", "state", "problem"),
    *("file", "row"),
)


def build(
    claims: pl.DataFrame,
    orphan_evidence: pl.DataFrame,
    control_status: pl.DataFrame,
    bundle_proofs: pl.DataFrame,
    evidence_files: pl.DataFrame,
    figures: Figures,
    ask: Ask,
) -> Document:
    rows, bare = claim_rows.with_files(claims), figures.rows(claim_rows.orphans)
    faults = rows.filter(pl.col("state") != "complete")
    return Document(
        *_opening(faults, bare, figures, ask),
        tables=(
            Table(
                "faults",
                "Claims that cannot be followed to their source",
                faults.sort(rank("state", STATES), "framework", "position", "source").select(FAULT),
                labels=LABELS,
                state=("state",),
            ),
            Table(
                "orphan_controls",
                "Controls that no evidence is traced to",
                bare.select("framework", "control_id", "title", "owner"),
                note="Nothing speaks for them, so nothing can be traced.",
            ),
            Table("sources", "By source of evidence", claim_rows.by_source(rows)),
            Table("frameworks", "By framework", claim_rows.by_framework(rows, bare, ask)),
            Table(
                "evidence_files",
                _files_title(figures["evidence_not_whole"]),
                with_first(_files(evidence_files), *FILE),
                labels={"id": "Evidence"},
                state=("held_state",),
                hidden=("source", "owner", "evidence_bytes", "sha256"),
                note="What is held is kept here with its bytes; what is told is kept elsewhere.",
            ),
            Table(
                "orphan_evidence",
                "Evidence that supports no control",
                orphan_evidence.drop("org_id"),
                labels={"id": "Evidence"},
            ),
            Table(
                "claims",
                "Every claim",
                rows.sort("framework", "position", "control_id", "source").select(CLAIM),
                labels=LABELS,
                state=("state", "control_state"),
                hidden=(
                    *("file", "row", "merkle_leaf", "title", "record", "evidence_place", "policy_version", "event_id"),
                    *("action", "seq", "event_hash", "bundle", "problem"),
                ),
            ),
            Table(
                "merkle_proofs",
                "Merkle proofs of the events in bundles",
                claim_rows.proofs(bundle_proofs),
                labels=LABELS,
                hidden=("merkle_leaf", "merkle_path"),
            ),
        ),
        coverage=packs.controls_coverage(control_status),
        charts=_charts(rows),
        definitions=DEFINITIONS,
        warnings=_warnings(rows, figures),
        foremost=[*(name for name in FAULTS if figures[name]), *LEADING][:6] if rows.height else (),
    )


def _charts(claims: pl.DataFrame) -> list[Chart]:
    """What is under a seal, by source of evidence."""
    if claims.is_empty():
        return []
    by_source = claims.group_by("source").agg(
        pl.col("bundle_id").count().cast(pl.Int64).alias("in a sealed bundle"),
        pl.col("bundle_id").null_count().cast(pl.Int64).alias("in none"),
    )
    frame = by_source.sort("source").unpivot(index="source", variable_name="bundle", value_name="claims")
    alt = "Claims by source of evidence, in a sealed bundle and in none."
    return [Chart("stacked", "Claims under a seal", frame, "source", "claims", alt, series="bundle", tones=TONES)]


def _files(evidence_files: pl.DataFrame) -> pl.DataFrame:
    """Items linked to a control: first those whose held bytes are not what was put there."""
    damaged = (pl.col("evidence_place") == "held") & (pl.col("held_state") != "whole")
    return evidence_files.sort(damaged, "evidence_on", "id", descending=[True, True, False]).select(
        *("id", "title", "source", "owner", "evidence_on", "linked_controls", "evidence_place", "held_state"),
        *("evidence_bytes", "sha256"),
    )


def _files_title(damaged: int) -> str:
    """What stands first in the list of items, where anything does."""
    return (
        f"Where evidence items are, the {damaged:,} that are not whole first" if damaged else "Where evidence items are"
    )


def _opening(faults: pl.DataFrame, silent: pl.DataFrame, figures: Figures, ask: Ask) -> Opening:
    claims, bare = figures["claims"], figures["orphan_controls"]
    if not claims:
        if not bare:
            return Opening("No control is in scope, so there is no claim to trace.", setup.IN_SCOPE)
        none = "The one applicable control makes no" if bare == 1 else f"None of {bare:,} applicable controls makes a"
        return Opening(f"{none} claim, so there is nothing to trace.", setup.EVIDENCE)
    of = count(claims, "claim")
    share = (
        f"{figures['claims_complete']:,} of {of} of evidence for a control can be followed to a verified audit event"
    )
    start = f"{share} ({percent(figures['lineage_completeness_pct'])})"
    if faults.is_empty():
        if not bare:
            return Opening(f"{start}.")
        makes = count(bare, "control has", "controls have")
        lead = silent.row(0, named=True)
        control = packs.titled_control(lead, ask)
        return Opening(
            f"{start}; {makes} no evidence at all.",
            f"Collect evidence for {control} ({with_whom(lead['owner'])}), which has none of any kind.",
        )
    if changed := figures["claims_hash_mismatch"]:
        rests = "rests on an event that was" if changed == 1 else "rest on events that were"
        return Opening(f"{start}; {count(changed, 'claim')} {rests} changed afterwards.", "Run hq verify at once.")
    first = faults.sort("framework", "position", "source").row(0, named=True)
    where = packs.control(f"{first['framework']}:{first['control_id']}", ask)
    return Opening(
        f"{start}.", f"Start with {where}, {first['source']} evidence {first['evidence_id']}: {first['problem']}."
    )


def _warnings(rows: pl.DataFrame, figures: Figures) -> list[str]:
    warnings: list[str] = []
    if damaged := figures["evidence_not_whole"]:
        warnings.append(
            Alarm(f"{count(damaged, 'evidence item')} with changed or missing bytes: no evidence until put back.")
        )
    if figures["claims"] and not figures["claims_bundled"]:
        warnings.append("No claim is in a sealed bundle: the lineage ends at the audit log, without a Merkle leaf.")
    items = rows.filter(pl.col("record") == "evidence item", pl.col("sha256").is_null())["evidence_id"].n_unique()
    if items:
        warnings.append(
            f"{count(items, 'evidence item')} without SHA-256: nothing shows that the content is unchanged."
        )
    return warnings


REPORT = Report(
    name="evidence-lineage",
    title="Evidence lineage",
    description="Every claim traced from its control to evidence, source event, event hash and bundle.",
    build=build,
    figures=select(
        *("claims", "claims_complete", "claims_broken", "claims_hash_mismatch", "lineage_completeness_pct"),
        *("claims_bundled", "claims_not_bundled", "claims_audit_events", "orphan_evidence", "orphan_controls"),
        *("evidence_held_pct", "evidence_not_whole"),
    ),
    schema_version=3,
)
