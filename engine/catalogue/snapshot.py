"""The catalogue as an organization saw it: what is kept to tell later what changed."""

import polars as pl

from engine.catalogue import Catalogue

REQUIREMENT = ("framework", "control_id", "title", "assessable")
EDGE = ("source_framework", "source_id", "target_framework", "target_id", "relation", "strength")
CONTENT = pl.Struct(
    {
        "requirements": pl.List(pl.Struct({**dict.fromkeys(REQUIREMENT[:3], pl.String), "assessable": pl.Boolean})),
        "edges": pl.List(pl.Struct({**dict.fromkeys(EDGE[:5], pl.String), "strength": pl.Float64})),
    }
)


def content(known: Catalogue, own: pl.DataFrame | None = None, pairs: pl.DataFrame | None = None) -> dict[str, object]:
    """Requirements and edges of a catalogue, and of frameworks of one's own, as ``catalogue_snapshots`` stores them."""
    requirements = [frame.select(REQUIREMENT) for frame in (known.controls, own) if frame is not None]
    edges = [frame.select(EDGE) for frame in (known.crosswalk, pairs) if frame is not None]
    return {
        "requirements": pl.concat(requirements).sort(REQUIREMENT[:2]).to_dicts(),
        "edges": pl.concat(edges).sort(EDGE[:4]).to_dicts(),
    }
