"""From each claim back to its source: control, evidence, audit event, hash, bundle."""

import polars as pl

from engine.model.document import Coverage, Document, Table
from engine.model.report import Ask, Report
from reports.shared.columns import share_pct
from reports.shared.ordering import rank
from reports.shared.packs import pack, pack_name
from reports.shared.wording import count, percent

STATES = ("hash_mismatch", "broken", "complete")
LABELS = {
    "control_id": "Control",
    "control_state": "Claimed state",
    "evidence_id": "Evidence",
    "evidence_on": "Dated",
    "record": "Record",
    "policy_version": "Policy version",
    "event_id": "Audit event",
    "seq": "Position in the log",
    "event_hash": "Hash of the event",
    "bundle": "Bundle",
    "merkle_leaf": "Merkle leaf",
    "state": "Lineage",
    "complete_pct": "Complete (%)",
    "dated_on": "Dated",
    "log": "File of the event",
    "leaf_index": "Leaf, from 0",
    "leaves": "Of",
    "merkle_root": "Merkle root",
    "file": "File",
    "row": "Row",
}
DEFINITIONS = {
    "Claim": "That a source of evidence (operation, test, policy, attestation, evidence item) stands behind a control; "
    "it rests on the newest evidence of that source. A control has as many claims as sources. File and row say where "
    "the control stands in the workbook: the table of its framework, the row with its identifier.",
    "Complete": "The evidence is on record, the audit event that recorded it is in the log, and its hash follows from "
    "the event as it is stored and the hash before it.",
    "Broken": "A step cannot be followed; the problem says which.",
    "Hash mismatch": "The event is not the one that was hashed: it was changed after it was recorded. Check the "
    "whole log with hq verify.",
    "Completeness": "Claims that are complete, of all claims. Controls without any evidence make no claim and are "
    "listed as orphans.",
    "Bundle": "The first sealed bundle whose window has the day of the evidence and whose audit log has its event. "
    "Not bundled is no fault of the lineage: it ends at the audit log then, and has no Merkle leaf.",
    "Merkle proof": "The audit log of the bundle holds the event under its hash. The leaf is the hash of that file's "
    "line in the manifest; hashed with the steps of the path, nearest first (RFC 6962), it gives the root that the "
    "bundle's manifest states and its key signed.",
    "Orphan evidence": "Evidence items and accepted policies that support no control.",
    "Orphan control": "An applicable control without any evidence.",
}
CLAIM = (
    *("framework", "control_id", "title", "control_state", "source", "evidence_id", "evidence_on", "record"),
    *("policy_version", "event_id", "action", "seq", "event_hash", "bundle", "merkle_leaf", "state", "problem"),
    *("file", "row"),
)


def build(
    claims: pl.DataFrame,
    orphan_evidence: pl.DataFrame,
    control_status: pl.DataFrame,
    bundle_proofs: pl.DataFrame,
    ask: Ask,
) -> Document:
    rows = claims.with_columns(
        bundle=pl.col("bundle_id").fill_null("not bundled"),
        file=pl.format("{}.csv", "framework"),
        row=pl.col("control_id"),
    )
    complete = rows.filter(pl.col("state") == "complete").height
    faults = rows.filter(pl.col("state") != "complete")
    bare = _bare(control_status, claims)
    bundled = claims["bundle_id"].count()
    return Document(
        headline=_headline(rows, complete, faults, bare),
        summary={
            "claims": rows.height,
            **{state: rows.filter(pl.col("state") == state).height for state in reversed(STATES)},
            "completeness_pct": Coverage(complete, rows.height).pct,
            "bundled": bundled,
            "not_bundled": rows.height - bundled,
            "audit_events": rows["event_id"].drop_nulls().n_unique(),
            "orphan_evidence": orphan_evidence.height,
            "orphan_controls": bare.height,
        },
        tables=(
            Table(
                "faults", "Claims that cannot be followed to their source",
                faults.sort(rank("state", STATES), "framework", "position", "source").select(
                    "framework", "control_id", "title", "source", "evidence_id", "state", "problem", "event_id"
                ),
                labels=LABELS, state=("state",),
            ),
            Table("sources", "By source of evidence", _sources(rows), labels=LABELS),
            Table("frameworks", "By framework", _frameworks(rows, bare), labels=LABELS),
            Table(
                "orphan_controls", "Controls without any evidence", bare, labels=LABELS,
                note="They claim nothing, so nothing can be traced.",
            ),
            Table(
                "merkle_proofs", "Merkle proofs of the bundles", _proofs(bundle_proofs, rows), labels=LABELS,
                hidden=("merkle_leaf", "merkle_path"),
            ),
            Table(
                "orphan_evidence", "Evidence that supports no control", orphan_evidence.drop("org_id"), labels=LABELS
            ),
            Table(
                "claims", "Every claim", rows.sort("framework", "position", "control_id", "source").select(CLAIM),
                labels=LABELS, state=("state", "control_state"), hidden=("file", "row", "merkle_leaf", "title"),
            ),
        ),
        coverage=Coverage(complete, rows.height),
        definitions=DEFINITIONS,
        warnings=_warnings(rows, bundled),
    )  # fmt: skip


def _proofs(proofs: pl.DataFrame, rows: pl.DataFrame) -> pl.DataFrame:
    """Of the bundles that claims are in."""
    return (
        proofs.join(rows.select("bundle_id").drop_nulls().unique(), on="bundle_id", how="semi")
        .rename({"bundle_id": "bundle", "file": "log"})
        .drop("org_id")
        .sort("bundle")
    )


def _bare(status: pl.DataFrame, claims: pl.DataFrame) -> pl.DataFrame:
    """Applicable controls that no claim is about."""
    return (
        status.filter("applicable")
        .join(claims, on=["framework", "control_id"], how="anti")
        .sort("framework", "position", "control_id")
        .select("framework", "control_id", "title", "owner")
    )


def _measured() -> dict[str, pl.Expr]:
    states = {state: (pl.col("state") == state).sum().cast(pl.Int64) for state in reversed(STATES)}
    return {
        "claims": pl.len().cast(pl.Int64),
        **states,
        "complete_pct": share_pct((pl.col("state") == "complete").sum(), pl.len()),
        "bundled": pl.col("bundle_id").count().cast(pl.Int64),
    }


def _sources(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.group_by("source", "record").agg(**_measured()).sort("source", "record", nulls_last=True)


def _frameworks(rows: pl.DataFrame, bare: pl.DataFrame) -> pl.DataFrame:
    orphan = bare.group_by("framework").agg(orphan_controls=pl.len().cast(pl.Int64))
    return (
        rows.group_by("framework")
        .agg(**_measured())
        .join(orphan, on="framework", how="full", coalesce=True)
        .with_columns(pl.col("claims", *STATES, "bundled", "orphan_controls").fill_null(0))
        .sort("framework")
        .with_columns(framework=pack_name())
    )


def _headline(rows: pl.DataFrame, complete: int, faults: pl.DataFrame, bare: pl.DataFrame) -> str:
    if rows.is_empty():
        if bare.is_empty():
            return "No control is in scope, so there is no claim to trace."
        return f"None of {count(bare.height, 'control')} has any evidence, so there is no claim to trace."
    share = f"{complete:,} of {count(rows.height, 'claim')} can be followed to a verified audit event"
    start = f"{share} ({percent(100 * complete / rows.height)})"
    if faults.is_empty():
        if bare.is_empty():
            return f"{start}."
        return f"{start}; {count(bare.height, 'control has', 'controls have')} no evidence to trace: collect some."
    changed = faults.filter(pl.col("state") == "hash_mismatch").height
    if changed:
        rests = "rests on an event that was" if changed == 1 else "rest on events that were"
        return f"{start}; {count(changed, 'claim')} {rests} changed afterwards: run hq verify at once."
    first = faults.sort("framework", "position", "source").row(0, named=True)
    where = f"{pack(first['framework'])} {first['control_id']}"
    return f"{start}; start with {where}, {first['source']} evidence {first['evidence_id']}: {first['problem']}."


def _warnings(rows: pl.DataFrame, bundled: int) -> list[str]:
    warnings = []
    if rows.height and not bundled:
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
)
