"""JSON Schemas of the declared types, collected while operations are described and written out once."""

from typing import TypeAlias

import msgspec

from engine.web.answers.shape import ReportEnvelope

Object: TypeAlias = dict[str, object]
# a further member of a report is a table: what its rows have, each report says itself
TABLE: Object = {"type": "array", "items": {"type": "object", "additionalProperties": True}}
REFERENCE = "#/components/schemas/{name}"


class Schemas:
    """The types that were referred to so far."""

    def __init__(self) -> None:
        self._kinds: list[object] = []

    def of(self, *kinds: object) -> Object:
        """A schema of these alternatives; what has a name is referred to by it."""
        self._kinds += [kind for kind in kinds if kind not in self._kinds]
        found, _ = msgspec.json.schema_components(kinds, schema_hook=_schema, ref_template=REFERENCE)
        return dict(found[0]) if len(found) == 1 else {"anyOf": [dict(one) for one in found]}

    def components(self) -> Object:
        """Every type by its name."""
        _, named = msgspec.json.schema_components(self._kinds, schema_hook=_schema, ref_template=REFERENCE)
        described: dict[str, Object] = {name: dict(named[name]) for name in sorted(named)}
        described.get(ReportEnvelope.__name__, {}).update(additionalProperties=TABLE)
        return dict(described)


def _schema(kind: type) -> Object:
    """``object`` is any JSON value."""
    if kind is object:
        return {"description": "A JSON value, whichever."}
    raise NotImplementedError
