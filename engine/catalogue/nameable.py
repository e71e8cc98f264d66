"""The controls that an organization can name: those of the program, and those of frameworks of its own."""

from collections.abc import Mapping
from collections.abc import Set as AbstractSet

from engine.catalogue import FRAMEWORKS, catalogue
from engine.store.queries.own_frameworks import own_control_ids
from engine.store.rows import Reader


def nameable_controls(connection: Reader, org_id: str) -> Mapping[str, AbstractSet[str]]:
    """Identifiers by framework, headings included."""
    known = {name: set(catalogue().details(name)["control_id"]) for name in FRAMEWORKS}
    return known | {name: set(ids) for name, ids in own_control_ids(connection, org_id).items()}
