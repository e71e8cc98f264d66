"""Merkle proofs of the files of sealed bundles."""

import polars as pl

from engine.model import merkle

PROOF: dict[str, pl.DataType | type[pl.DataType]] = {
    "leaf_index": pl.Int64, "leaves": pl.Int64, "merkle_leaf": pl.String, "merkle_path": pl.List(pl.String),
    "merkle_root": pl.String,
}  # fmt: skip


def proofs(files: pl.DataFrame, name: str) -> pl.DataFrame:
    """The proof of the file ``name`` in each bundle that has it: its leaf, the path to the root, and the root.

    ``files`` has all files of each bundle: ``org_id``, ``bundle_id``, ``position``, ``name``, ``sha256``.
    """
    rows = []
    keys = ["org_id", "bundle_id"]
    for key, tree in files.sort(*keys, "position").group_by(keys, maintain_order=True):
        names = tree["name"].to_list()
        if name not in names:
            continue
        leaves = [merkle.file_leaf(*pair) for pair in zip(names, tree["sha256"].to_list(), strict=True)]
        index = names.index(name)
        path = [step.hex() for step in merkle.audit_path(leaves, index)]
        rows.append((*key, index, len(leaves), leaves[index].hex(), path, merkle.root(leaves).hex()))
    return pl.DataFrame(rows, schema={"org_id": pl.String, "bundle_id": pl.String, **PROOF}, orient="row")
