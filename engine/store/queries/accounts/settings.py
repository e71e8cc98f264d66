"""An organization's own thresholds, one at a time."""

from collections.abc import Sequence

from sqlalchemy import Connection

from engine.model.thresholds import DEFAULTS, thresholds
from engine.store.rows import first
from engine.store.schema.organizations import organization_settings


def thresholds_by_name(connection: Connection, org_id: str, names: Sequence[str]) -> dict[str, float]:
    """The same for several, as a look-up of ``Revision.look_up``."""
    return {name: threshold(connection, org_id, name) for name in names}


def threshold(connection: Connection, org_id: str, name: str) -> float:
    """What the organization set, else the default."""
    row = first(connection, organization_settings, org_id, name=name)
    return thresholds(row["revision"], {name: row["value"]})[name] if row else DEFAULTS[name][0]
