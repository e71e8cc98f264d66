"""Integration connections: placeholders that name a system of the organization and hold no credential."""

import json
from collections.abc import Iterator, Mapping, Sequence

from engine.intake.redaction import is_secret, redact
from engine.model.errors import BadRequest, Conflict, Forbidden
from engine.model.records import ConnectionRow
from engine.model.vocabulary import ADMIN_ROLES, ConnectionKind
from engine.store import Reader, Revision
from engine.store.ids import new_id
from engine.store.rows import first, many, without
from engine.store.schema.services import connections

KINDS: Mapping[ConnectionKind, str] = {
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


def list_connections(connection: Reader, org_id: str) -> list[dict[str, object]]:
    """The organization's connections by kind and name."""
    return [without(row, "org_id", "revision") for row in many(connection, connections, org_id, order=("kind", "name"))]


def create(
    revision: Revision, kind: ConnectionKind, name: str, settings: Mapping[str, object] | None
) -> dict[str, object]:
    """A new placeholder; Conflict for a second one of the same kind and name."""
    if find(revision.connection, revision.org_id, kind, name) is not None:
        raise Conflict(f"There is a {KINDS[kind]} named {name!r} already.", word="connection_exists")
    identifier = new_id("con")
    row: dict[str, object] = {
        "id": identifier,
        "kind": kind,
        "name": name,
        "status": "placeholder",
        "settings": settings,
        "created_by": revision.actor,
        "created_at": revision.now,
    }
    revision.insert(connections, [row])
    details = {"kind": kind, "name": name}
    revision.record("connection.created", object_type="connection", object_id=identifier, details=details)
    return row


def find(connection: Reader, org_id: str, kind: ConnectionKind, name: str) -> ConnectionRow | None:
    """The connection of that kind and name."""
    return first(connection, connections, org_id, kind=kind, name=name)


def change(
    revision: Revision, row: ConnectionRow, settings: Mapping[str, object], role: str | None
) -> dict[str, object]:
    """Other settings instead of those of a connection, given by whoever is named as its maker from then on.

    Forbidden for others than owners and administrators: only their names count, and nobody else may take them away.
    """
    if role not in ADMIN_ROLES:
        needed = " or ".join(ADMIN_ROLES)
        raise Forbidden(f"To change a connection needs the role {needed}; yours is {role}.", word="role_required")
    values = {"settings": settings, "created_by": revision.actor}
    revision.update(connections, {"id": row["id"]}, values)
    details = {
        "kind": row["kind"],
        "name": row["name"],
        "settings": sorted(_differences(row["settings"] or {}, settings)),
    }
    revision.record("connection.changed", object_type="connection", object_id=row["id"], details=details)
    return {**without(row, "org_id", "revision"), **values}


def _differences(before: Mapping[str, object], after: Mapping[str, object]) -> Iterator[str]:
    """The settings, and the chat users in ``members``, that are not as they were."""
    for name in {*before, *after}:
        old, new = before.get(name), after.get(name)
        if isinstance(old, dict) and isinstance(new, dict):
            yield from (f"{name}.{part}" for part in {*old, *new} if old.get(part) != new.get(part))
        elif old != new:
            yield name


def check_settings(settings: Mapping[str, object]) -> None:
    """BadRequest for settings that hold a secret, are nested too deep or too large; the value is not repeated."""
    if len(json.dumps(settings)) > MOST_SETTINGS:
        raise _refusal("settings", f"at most {MOST_SETTINGS:,} bytes of JSON", "The settings are too large")
    for place, name, value, depth in _members("settings", settings, 1):
        if depth > DEEPEST:
            raise _refusal(place, f"at most {DEEPEST} levels", f"The settings are nested too deep at {place}")
        if is_secret(name) or (isinstance(value, str) and redact(value) != value):
            raise _refusal(place, "no secret", f"Settings may not hold secrets, and {place} looks like one")


def _refusal(place: str, expected: str, text: str) -> BadRequest:
    word = "secret_refused" if expected == "no secret" else "invalid_body"
    details = [{"field": place[:200], "expected": expected}]
    return BadRequest(f"{text[:300]}; expected {expected}.", word=word, details=details)


def _members(
    place: str, value: Mapping[str, object] | Sequence[object], depth: int
) -> Iterator[tuple[str, str, object, int]]:
    """(path, name, value, depth) of everything inside ``value``, without going deeper than is refused."""
    pairs = value.items() if isinstance(value, Mapping) else ((str(number), part) for number, part in enumerate(value))
    for name, part in pairs:
        where = f"{place}.{name}"
        yield where, name, part, depth
        if isinstance(part, dict | list):
            yield from _members(where, part, depth + 1)
