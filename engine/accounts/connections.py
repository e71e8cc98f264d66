"""Integration connections: placeholders that name a system of the organization and hold no credential."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from engine.intake.redaction import is_secret, redact
from engine.model.errors import BadRequest, Conflict
from engine.store import Revision
from engine.store.ids import new_id
from engine.store.queries.incidents import Reader, Row
from engine.store.rows import first, many
from engine.store.schema.services import connections

KINDS: Mapping[str, str] = {
    "chat": "chat service",
    "paging": "paging service",
    "issue_tracker": "issue tracker",
    "service_management": "service-management tool",
    "source_host": "source host",
    "monitoring": "monitoring vendor",
    "metrics": "metrics scraper",
}
MEANING = (
    "A placeholder records which system is meant. Nothing is contacted and no credential is kept; "
    "alerts and findings come in with an ingest token, whatever is recorded here."
)
MOST_SETTINGS = 16_384  # bytes as JSON
DEEPEST = 5


def list_connections(connection: Reader, org_id: str) -> list[Row]:
    """The organization's connections by kind and name."""
    return [_shown(row) for row in many(connection, connections, org_id, order=("kind", "name"))]


def create(revision: Revision, kind: str, name: str, settings: dict[str, Any] | None) -> Row:
    """A new placeholder; Conflict for a second one of the same kind and name."""
    if first(revision.connection, connections, revision.org_id, kind=kind, name=name) is not None:
        raise Conflict(f"There is a {KINDS[kind]} named {name!r} already.", word="connection_exists")
    row: Row = {
        "id": new_id("con"),
        "kind": kind,
        "name": name,
        "status": "placeholder",
        "settings": settings,
        "created_by": revision.actor,
        "created_at": revision.now,
    }
    revision.insert(connections, [row])
    details = {"kind": kind, "name": name}
    revision.record("connection.created", object_type="connection", object_id=row["id"], details=details)
    return _shown(row)


def check_settings(settings: Mapping[str, Any]) -> None:
    """BadRequest for settings that hold a secret, are nested too deep or too large; the value is not repeated."""
    if len(json.dumps(settings)) > MOST_SETTINGS:
        raise _refused("settings", f"at most {MOST_SETTINGS:,} bytes of JSON", "The settings are too large")
    for place, name, value, depth in _members("settings", settings, 1):
        if depth > DEEPEST:
            raise _refused(place, f"at most {DEEPEST} levels", f"The settings are nested too deep at {place}")
        if is_secret(name) or (isinstance(value, str) and redact(value) != value):
            raise _refused(place, "no secret", f"Settings may not hold secrets, and {place} looks like one")


def _refused(place: str, expected: str, said: str) -> BadRequest:
    word = "secret_refused" if expected == "no secret" else "invalid_body"
    details = [{"field": place[:200], "expected": expected}]
    return BadRequest(f"{said[:300]}; expected {expected}.", word=word, details=details)


def _members(place: str, value: Any, depth: int) -> Iterator[tuple[str, str, Any, int]]:
    """(path, name, value, depth) of everything inside ``value``, without going deeper than is refused."""
    pairs = value.items() if isinstance(value, Mapping) else ((str(number), part) for number, part in enumerate(value))
    for name, part in pairs:
        where = f"{place}.{name}"
        yield where, name, part, depth
        if isinstance(part, dict | list):
            yield from _members(where, part, depth + 1)


def _shown(row: Row) -> Row:
    return {name: value for name, value in row.items() if name not in ("org_id", "revision")}
