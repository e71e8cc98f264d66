"""Steps that come as lines of an imported history: read, followed, and recorded like those that are typed."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, get_args

from engine.incidents.hands.steps import PersonStep, follow_line
from engine.intake.times import EXPECTED_TIME, instant
from engine.model.errors import BadRequest, Conflict, InvalidData, NotFound
from engine.model.vocabulary import INCIDENT_LAWS, IncidentLaw, StepKind
from engine.store import Revision
from engine.store.schema.services import incident_timeline

FOLLOWED: tuple[StepKind, ...] = tuple(kind for kind in get_args(StepKind) if kind != "note")
"""Kinds of lines that bring something about; a note is only a line."""


def follow_lines(revision: Revision, lines: Iterable[Mapping[str, Any]]) -> None:
    """What new lines of the history bring about, in order of their times. InvalidData names the line that cannot be."""
    for line in sorted(lines, key=lambda one: (one["happened_at"], one["id"])):
        try:
            follow_line(revision, line, step_of_line(line))
        except (BadRequest, NotFound, Conflict) as problem:
            raise InvalidData(
                f"The line {line['id']} of incident_timeline does not hold: {problem.message}"
            ) from problem
        if line.get("heard_at") is None:
            revision.update(incident_timeline, {"id": line["id"]}, {"heard_at": revision.now})


def step_of_line(line: Mapping[str, Any]) -> PersonStep:
    """The step that a line of the history is; BadRequest for a payload that does not fit."""
    payload = line.get("payload") or {}
    if not isinstance(payload, dict):
        raise BadRequest(f"payload must be an object; got {payload!r:.80}.", word="invalid_step")
    return PersonStep(
        kind=line["kind"],
        at=line["happened_at"],
        why=_text(payload, "why") or (line.get("body") if line["kind"] == "cause" else None),
        to=_text(payload, "to"),
        parent=_text(payload, "parent"),
        law=_law(payload),
        aware_at=_time(payload, "aware_at"),
        classified_at=_time(payload, "classified_at"),
    )


def _text(payload: Mapping[str, object], name: str) -> str | None:
    value = payload.get(name)
    if value is None or isinstance(value, str):
        return value or None
    raise BadRequest(f"payload.{name} must be a text; got {value!r:.80}.", word="invalid_step")


def _law(payload: Mapping[str, object]) -> IncidentLaw | None:
    value = payload.get("law")
    law = next((one for one in INCIDENT_LAWS if one == value), None)
    if law is None and value is not None:
        raise BadRequest(
            f"payload.law must be one of {', '.join(INCIDENT_LAWS)}; got {value!r:.80}.", word="invalid_step"
        )
    return law


def _time(payload: Mapping[str, object], name: str) -> datetime | None:
    value = payload.get(name)
    if value is None:
        return None
    at = instant(value)
    if at is None:
        raise BadRequest(f"payload.{name} must be {EXPECTED_TIME}; got {value!r:.80}.", word="invalid_step")
    return at
