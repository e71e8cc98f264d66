"""From what is claimed of a control back to the event that put its evidence on record, and to that event's hash."""

import polars as pl

from engine.facts.assurance.chain_check import hash_matches
from engine.facts.assurance.event_paths import event_paths
from engine.facts.expressions import local_day, shape
from engine.facts.schemas import SCHEMAS
from engine.model import merkle
from engine.model.checkpoints import open_note, read_checkpoint
from engine.model.documents.document import FrameRow

_KEY = ["org_id", "framework", "control_id"]
_CLAIM = ["org_id", "source", "evidence_id"]
LOG = "audit_log.jsonl"  # the file of a bundle that holds its events


def claim_evidence(control_evidence: pl.DataFrame) -> pl.DataFrame:
    """The evidence that claims rest on: the newest of each control and source."""
    wanted = control_evidence.filter(pl.col("last_id").is_not_null())
    return wanted.select("org_id", "source", evidence_id="last_id").unique().sort(_CLAIM)


def bundled_events(claims: pl.DataFrame, sealed_bundles_rows: pl.DataFrame) -> pl.DataFrame:
    """The bundles that claims are in and that carry a signed head, with the stretch of the chain that each holds."""
    used = claims.select("org_id", id="bundle_id").drop_nulls().unique()
    sealed = sealed_bundles_rows.filter(pl.col("head").is_not_null(), pl.col("before").is_not_null())
    frame = sealed.join(used, on=["org_id", "id"], how="semi").rename({"id": "bundle_id"})
    return shape("bundled_events", frame).sort("org_id", "bundle_id")


def bundle_proofs(
    claims: pl.DataFrame, sealed_bundles_rows: pl.DataFrame, event_hashes_rows: pl.DataFrame
) -> pl.DataFrame:
    """The way from each event that claims rest on to the signed head of the bundle that it is in.

    Without steps where retention took events of the bundle since, or where they do not lead to that head.
    """
    rows = []
    events = claims.filter(pl.col("bundle_id").is_not_null(), pl.col("event_hash").is_not_null())
    places = events.select("org_id", "bundle_id", "seq", "event_hash").unique().sort("org_id", "bundle_id", "seq")
    sealed = {(row["org_id"], row["id"]): row for row in sealed_bundles_rows.iter_rows(named=True)}
    hashes = {key: frame.sort("seq") for key, frame in event_hashes_rows.group_by("org_id", "bundle_id")}
    for (org_id, bundle_id), found in places.group_by("org_id", "bundle_id", maintain_order=True):
        bundle = sealed[org_id, bundle_id]
        root, paths = _paths(bundle, hashes.get((org_id, bundle_id)), found["seq"].to_list())
        for seq, event_hash in found.select("seq", "event_hash").iter_rows():
            path = paths.get(seq)
            steps = None if path is None else [step.hex() for step in path]
            leaf = merkle.leaf_hash(bytes.fromhex(event_hash)).hex()
            rows.append((org_id, bundle_id, seq, LOG, seq - 1, bundle["sealed_seq"], leaf, steps, root))
    return shape("bundle_proofs", pl.DataFrame(rows, schema=dict(SCHEMAS["bundle_proofs"]), orient="row"))


def _paths(
    bundle: FrameRow, hashes: pl.DataFrame | None, places: list[int]
) -> tuple[str | None, dict[int, list[bytes]]]:
    """The root that the bundle's signed head states, and the paths that lead there."""
    if bundle["head"] is None:
        return None, {}
    root = read_checkpoint(open_note(bundle["head"]).text).root
    if hashes is None or bundle["before"] is None:
        return root.hex(), {}
    parts = [bytes.fromhex(part) for part in bundle["before"].split()]
    made = event_paths((bundle["first_seq"] - 1, parts), hashes["hash"].to_list(), bundle["sealed_seq"], places)
    return root.hex(), {} if made is None or made[0] != root else made[1]


def claims(
    control_evidence: pl.DataFrame,
    control_status: pl.DataFrame,
    proofs_rows: pl.DataFrame,
    sealed_bundles_rows: pl.DataFrame,
) -> pl.DataFrame:
    """Each applicable control by source of its evidence with the event behind it, and whether the chain holds there.

    A claim stands in the first bundle whose window has the day of the evidence, and whose log has the event.
    """
    about = control_status.filter("applicable").select(*_KEY, "title", "position", control_state="state")
    found = proofs_rows.with_columns(holds=hash_matches(proofs_rows), leaf=_leaves(proofs_rows["hash"])).rename(
        {"hash": "event_hash"}
    )
    frame = (
        control_evidence.filter(pl.col("last_id").is_not_null())
        .select(*_KEY, "source", "evidence_place", evidence_id="last_id", evidence_on="last_on")
        .join(about, on=_KEY)
        .join(found.drop("controls"), on=_CLAIM, how="left")
    )
    bundled = _bundle_claims(frame, sealed_bundles_rows)
    frame = frame.join(bundled, on=["org_id", "evidence_on", "seq"], how="left").with_columns(
        merkle_leaf=pl.when(pl.col("bundle_id").is_not_null()).then("leaf"),
        problem=pl.when(pl.col("record").is_null())
        .then(pl.lit("evidence not found"))
        .when(pl.col("event_hash").is_null())
        .then(pl.lit("event no longer in the log"))
        .when(pl.col("holds").is_null())
        .then(pl.lit("hash before the event unknown"))
        .when(~pl.col("holds"))
        .then(pl.lit("event differs from its hash"))
        .when(
            (pl.col("source") == "item")
            & pl.col("location").is_null()
            & (pl.col("record") == "evidence item")
            & (pl.col("evidence_place") != "held")
        )
        .then(pl.lit("no place where the item is kept")),
    )
    state = (
        pl.when(pl.col("problem").is_null())
        .then(pl.lit("complete"))
        .when(pl.col("holds").not_().fill_null(False))
        .then(pl.lit("hash_mismatch"))
        .otherwise(pl.lit("broken"))
    )
    return shape("claims", frame.with_columns(state=state)).sort("org_id", "framework", "position", "source")


def _leaves(hashes: pl.Series) -> pl.Series:
    """The leaves of events in the tree over the history."""
    leaves = [None if one is None else merkle.leaf_hash(bytes.fromhex(one)).hex() for one in hashes]
    return pl.Series("leaf", leaves, dtype=pl.String)


def _bundle_claims(claims: pl.DataFrame, bundles: pl.DataFrame) -> pl.DataFrame:
    key = ["org_id", "evidence_on", "seq"]
    return (
        claims.select(key)
        .unique()
        .join(bundles, on="org_id")
        .filter(
            pl.col("evidence_on").is_between("window_start_on", "window_end_on"),
            pl.col("seq").is_between(pl.col("first_seq").fill_null(0), "sealed_seq"),
        )
        .sort("sealed_at", "id")
        .group_by(key, maintain_order=True)
        .agg(bundle_id=pl.col("id").first())
    )


def orphan_evidence(unlinked_items_rows: pl.DataFrame, policies: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Evidence that supports no control: items without a link, and accepted policies without a control."""
    loose = unlinked_items_rows.with_columns(kind=pl.lit("evidence item"), dated_on=local_day("captured_at", asked))
    idle = policies.filter(pl.col("control_id").is_null()).with_columns(
        kind=pl.lit("policy version"), id="policy_id", dated_on="accepted_on"
    )
    frame = pl.concat([loose, idle], how="diagonal_relaxed")
    return shape("orphan_evidence", frame).sort("org_id", "kind", "id")
