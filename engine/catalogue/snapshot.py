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


def content(known: Catalogue) -> dict[str, object]:
    """Requirements and edges of a catalogue, in the form that ``catalogue_snapshots`` stores."""
    return {
        "requirements": known.controls.select(REQUIREMENT).sort(REQUIREMENT[:2]).to_dicts(),
        "edges": known.crosswalk.select(EDGE).sort(EDGE[:4]).to_dicts(),
    }
