"""Which catalogue an organization has: that of the program, and what it brought along as it was last written."""

from collections.abc import Mapping

from engine.catalogue import catalogue
from engine.model.documents.document import Position

OWN_CATALOGUE = ("own_frameworks", "framework_controls", "framework_mappings")


def version_of(parts: Mapping[str, Position]) -> str:
    """The version of the program's catalogue, then the newest write of one's own; ``parts``: heads of tables."""
    own = max((parts[name].seq for name in OWN_CATALOGUE if name in parts), default=None)
    return catalogue().version if own is None else f"{catalogue().version}+{own}"
