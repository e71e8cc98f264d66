"""Deploy events: a change that went live, told once or several times by whoever delivered it."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from engine.model.errors import BadRequest, Conflict, NotFound
from engine.model.records import DeployRow
from engine.model.vocabulary import DeployStatus
from engine.store import Reader, Revision
from engine.store.ids import new_id
from engine.store.queries.operations.services import services_called
from engine.store.rows import first, pick, without
from engine.store.schema.services import deploys, services


@dataclass(frozen=True)
class DeployEvent:
    """What was told. ``id`` is the sender's own; without it service, version, environment and time are the key.

    ``is_dated``: whether the sender said when it went live; else ``deployed_at`` is when it was told.
    """

    service_id: str
    version: str | None
    environment: str
    deployed_at: datetime
    status: DeployStatus
    change_ref: str | None
    url: str | None
    id: str | None
    rolled_back_at: datetime | None = None
    is_dated: bool = True


def find_service(connection: Reader, org_id: str, service_id: str | None, name: str | None) -> str:
    """The id of the service that is meant; NotFound for an unknown one, BadRequest for a name that several have."""
    if service_id is not None and first(connection, services, org_id, id=service_id) is None:
        raise NotFound(f"There is no service {service_id[:200]!r}.", word="unknown_service")
    if name is None:
        return service_id or ""
    called = services_called(connection, org_id, name)
    if not called:
        raise NotFound(f"There is no service {name[:200]!r}.", word="unknown_service")
    if service_id is not None:
        if service_id not in called:
            raise BadRequest(
                f"service {name[:200]!r} and service_id {service_id!r} are two services.", word="invalid_body"
            )
        return service_id
    if len(called) > 1:
        raise BadRequest(f"{len(called)} services are called {name[:200]!r}; send service_id.", word="invalid_body")
    return called[0]


def record(revision: Revision, event: DeployEvent) -> tuple[str, dict[str, object]]:
    """``created``, ``updated`` (how it ended changed) or ``duplicate`` (nothing was written), and the deploy.

    How it ended only moves forward: bodies come again and out of order, and what was said before a roll-back takes none
    back. Of two that end it otherwise, and of two times of a roll-back, the one that is told last counts.
    """
    known = _recorded_deploy(revision, event)
    _check_rollback_time(event, event.deployed_at if known is None else known["deployed_at"])
    if known is None:
        row: DeployRow = {
            "org_id": revision.org_id,
            "revision": revision.seq,
            "id": event.id or new_id("dep"),
            "service_id": event.service_id,
            "version": event.version,
            "environment": event.environment,
            "deployed_at": event.deployed_at,
            "actor": revision.actor,
            "change_ref": event.change_ref or event.url,
            "status": event.status,
            "rolled_back_at": _rollback_time(revision, event, None),
        }
        revision.insert(deploys, [row])
        _audit(revision, row, event)
        return "created", _answer(row)
    if known["status"] == "rolled_back" and event.status != "rolled_back":
        _check_same_release(event, known)
        return "duplicate", _answer(known)
    taken_back = _rollback_time(revision, event, known)
    if (known["status"], known["rolled_back_at"]) == (event.status, taken_back):
        return "duplicate", _answer(known)
    known["status"], known["rolled_back_at"] = event.status, taken_back
    revision.update(deploys, {"id": known["id"]}, {"status": event.status, "rolled_back_at": taken_back})
    _audit(revision, known, event)
    return "updated", _answer(known)


def _check_rollback_time(event: DeployEvent, deployed_at: datetime) -> None:
    """BadRequest for a roll-back from before it went live."""
    if event.rolled_back_at is not None and event.rolled_back_at < deployed_at:
        expected, got = f"a time from {deployed_at.isoformat()} on", event.rolled_back_at.isoformat()
        raise BadRequest(
            f"The body does not fit: rolled_back_at must be {expected}; got {got!r}.",
            word="invalid_body",
            details=[{"field": "rolled_back_at", "expected": expected, "got": got}],
        )


def _check_same_release(event: DeployEvent, known: DeployRow) -> None:
    """Conflict where it says that it went live after its roll-back: that is another deploy, which may not get lost."""
    taken_back = known["rolled_back_at"]
    if event.is_dated and taken_back is not None and event.deployed_at > taken_back:
        expected, got = f"until {taken_back.isoformat()}", event.deployed_at.isoformat()
        raise Conflict(
            f"The deploy {known['id']!r} was rolled back at {taken_back.isoformat()}; what went live after that needs "
            "an id of its own.",
            word="deploy_conflict",
            details=[{"field": "deployed_at", "expected": expected, "got": got}],
        )


def _rollback_time(revision: Revision, event: DeployEvent, known: DeployRow | None) -> datetime | None:
    """When it was taken back: what the sender says, else what was recorded, else when a known deploy is told so first.

    Of a deploy that is told for the first time and was rolled back already, nobody knows when.
    """
    if event.status != "rolled_back":
        return None
    before = known["rolled_back_at"] if known is not None else None
    first = revision.now if known is not None and known["status"] != "rolled_back" else None
    return event.rolled_back_at or before or first


def _recorded_deploy(revision: Revision, event: DeployEvent) -> DeployRow | None:
    """The deploy that was told before; Conflict where the sender's id names another one."""
    if event.id is None:
        return first(
            revision.connection,
            deploys,
            revision.org_id,
            service_id=event.service_id,
            version=event.version,
            environment=event.environment,
            deployed_at=event.deployed_at,
        )
    known = first(revision.connection, deploys, revision.org_id, id=event.id)
    if known is None:
        return None
    stored: Mapping[str, object] = known
    key = {"service_id": event.service_id, "version": event.version, "environment": event.environment}
    if differing := [name for name, value in key.items() if stored[name] != value]:
        raise Conflict(
            f"The deploy {event.id!r} was recorded with another {' and '.join(differing)}.",
            word="deploy_conflict",
            details=[{"field": name, "expected": stored[name], "got": key[name]} for name in differing],
        )
    return known


def _audit(revision: Revision, row: DeployRow, event: DeployEvent) -> None:
    details = pick(row, ("service_id", "version", "environment", "change_ref", "status"))
    if row["rolled_back_at"] is not None:
        details["rolled_back_at"] = row["rolled_back_at"].isoformat()
    if event.url is not None:
        details["url"] = event.url
    revision.record(
        "change.rolled_back" if row["status"] == "rolled_back" else "deploy.recorded",
        object_type="deploy",
        object_id=row["id"],
        outcome="failure" if row["status"] == "failed" else "success",
        details=details,
    )


def _answer(row: DeployRow) -> dict[str, object]:
    return without(row, "org_id", "revision")
