"""From what is claimed of a control back to the event that put its evidence on record, and to that event's hash."""

import polars as pl

from engine.facts.assurance.chain_check import hash_matches
from engine.facts.assurance.event_paths import TreeLevel, audit_path, leaf_count, root_of, tree_levels
from engine.facts.expressions import local_day, shape
from engine.facts.schemas import SCHEMAS
from engine.model import merkle
from engine.model.checkpoints import open_note, read_checkpoint

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


def bundle_trees(sealed_bundles_rows: pl.DataFrame, event_hashes_rows: pl.DataFrame) -> pl.DataFrame:
    """The trees over the events of bundles, a row for each height of whole parts."""
    sealed = sealed_bundles_rows.filter(pl.col("head").is_not_null(), pl.col("before").is_not_null())
    stretches = sealed.select("org_id", "id", "first_seq", "before").rows()
    hashes = event_hashes_rows.partition_by("org_id", "bundle_id", as_dict=True)
    rows = []
    for org_id, bundle_id, first_seq, before in sorted(stretches):
        if (events := hashes.get((org_id, bundle_id))) is None:
            continue
        parts = [bytes.fromhex(part) for part in before.split()]
        levels = tree_levels(first_seq - 1, parts, events.sort("seq")["hash"])
        rows += [(org_id, bundle_id, height, level.first, level.nodes.hex()) for height, level in enumerate(levels)]
    return shape("bundle_trees", pl.DataFrame(rows, schema=dict(SCHEMAS["bundle_trees"]), orient="row"))


def bundle_proofs(claims: pl.DataFrame, sealed_bundles_rows: pl.DataFrame, bundle_trees: pl.DataFrame) -> pl.DataFrame:
    """The way from each event that claims rest on to the signed head of the bundle that it is in.

    Without steps where retention took events of the bundle since, or where they do not lead to that head.
    """
    rows = []
    events = claims.filter(pl.col("bundle_id").is_not_null(), pl.col("event_hash").is_not_null())
    places = events.select("org_id", "bundle_id", "seq", "event_hash").unique().sort("org_id", "bundle_id", "seq")
    sealed = {(row["org_id"], row["id"]): row for row in sealed_bundles_rows.iter_rows(named=True)}
    trees = bundle_trees.partition_by("org_id", "bundle_id", as_dict=True)
    for (org_id, bundle_id), group in places.group_by("org_id", "bundle_id", maintain_order=True):
        bundle, tree = sealed[org_id, bundle_id], trees.get((org_id, bundle_id))
        root = None if bundle["head"] is None else read_checkpoint(open_note(bundle["head"]).text).root
        levels = _levels_to(root, bundle["sealed_seq"], tree)
        for seq, event_hash in group.select("seq", "event_hash").iter_rows():
            steps = None if levels is None else [step.hex() for step in audit_path(levels, seq)]
            leaf = merkle.leaf_hash(bytes.fromhex(event_hash)).hex()
            stated = None if root is None else root.hex()
            rows.append((org_id, bundle_id, seq, LOG, seq - 1, bundle["sealed_seq"], leaf, steps, stated))
    return shape("bundle_proofs", pl.DataFrame(rows, schema=dict(SCHEMAS["bundle_proofs"]), orient="row"))


def _levels_to(root: bytes | None, size: int, tree: pl.DataFrame | None) -> list[TreeLevel] | None:
    """The levels of a tree of that size; None where they are not there or lead to another root."""
    if root is None or tree is None:
        return None
    levels = [
        TreeLevel(first, bytes.fromhex(roots))
        for first, roots in tree.sort("tree_height").select("first_part", "part_roots").rows()
    ]
    return levels if leaf_count(levels) == size and root_of(levels, 0, size) == root else None


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
    proofs = proofs_rows.with_columns(holds=hash_matches(proofs_rows), leaf=_leaves(proofs_rows["hash"])).rename(
        {"hash": "event_hash"}
    )
    frame = (
        control_evidence.filter(pl.col("last_id").is_not_null())
        .select(*_KEY, "source", "evidence_place", evidence_id="last_id", evidence_on="last_on")
        .join(about, on=_KEY)
        .join(proofs.drop("controls"), on=_CLAIM, how="left")
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
