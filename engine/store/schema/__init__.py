"""Every table of the operational store, in one coherent model.

``metadata`` is the whole; the modules group the tables by what they are about. Migrations in ``data/migrations``
build the same model step by step; a test holds the two together.
"""

from engine.store.schema import (
    audit,
    automation,
    commerce,
    controls,
    frameworks,
    ingest,
    organizations,
    outputs,
    risk,
    services,
    work,
)
from engine.store.schema.columns import metadata
from engine.store.schema.kinds import check_kinds

__all__ = [
    "audit",
    "automation",
    "commerce",
    "controls",
    "frameworks",
    "ingest",
    "metadata",
    "organizations",
    "outputs",
    "risk",
    "services",
    "work",
]

IMPORTABLE = {name: table for name, table in metadata.tables.items() if table.info["importable"]}
LOGGED = {name: table for name, table in metadata.tables.items() if not table.info.get("unlogged")}
REPLICATED = {name: table for name, table in metadata.tables.items() if table.info["replicated"]}

check_kinds(IMPORTABLE)
