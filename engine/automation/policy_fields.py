"""What a policy can look at: the fields of its context, each with the type of its values."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from engine.automation.playbooks import Playbook
from engine.model.vocabulary import (
    APPROVAL_STATUSES,
    AUTOMATION_STAGES,
    ENVIRONMENTS,
    PLAYBOOK_RISKS,
    ROLES,
    SEVERITIES,
    Severity,
)

FieldType: TypeAlias = Literal["text", "number", "boolean", "word", "ordered", "clock", "date"]
SEVERITY_ORDER: tuple[Severity | Literal["none"], ...] = ("none", *reversed(SEVERITIES))
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


@dataclass(frozen=True)
class PolicyField:
    """A field: ``type`` decides operators and values; ``words`` are all its values, in order where it has one."""

    type: FieldType
    help: str
    words: tuple[str, ...] = ()


FIELDS: Mapping[str, PolicyField] = {
    "playbook": PolicyField("text", "id of the playbook"),
    "playbook.risk": PolicyField("ordered", "risk that the playbook states", PLAYBOOK_RISKS),
    "stage": PolicyField("word", "what is asked for", AUTOMATION_STAGES),
    "environment": PolicyField(
        "word", "the most exposed environment among the services acted on", (*ENVIRONMENTS, "none")
    ),
    "severity": PolicyField("ordered", "severity of the incident that is named", SEVERITY_ORDER),
    "actor.email": PolicyField("text", "who asks"),
    "actor.role": PolicyField("word", "role of who asks", ROLES),
    "actor.rehearsed": PolicyField("boolean", "the same person made the dry-run"),
    "time.clock": PolicyField("clock", "time of day in the organization's time zone, HH:MM"),
    "time.date": PolicyField("date", "date in the organization's time zone, YYYY-MM-DD"),
    "time.weekday": PolicyField("word", "day of the week in the organization's time zone", WEEKDAYS),
    "targets": PolicyField("number", "objects acted on"),
    "blast_radius.services": PolicyField("number", "services acted on"),
    "blast_radius.dependents": PolicyField("number", "other services that notice"),
    "blast_radius.vital": PolicyField("number", "services of criticality 5 among both"),
    "service.criticality": PolicyField("number", "highest criticality of a service acted on, 0 without services"),
    "service.internet_facing": PolicyField("boolean", "one of the services acted on is reachable from the internet"),
    "service.holds_customer_data": PolicyField("boolean", "one of the services acted on holds customer data"),
    "incidents.open": PolicyField("number", "other unresolved incidents on the services acted on or that notice"),
    "incidents.worst": PolicyField("ordered", "highest severity among them", SEVERITY_ORDER),
    "approval.status": PolicyField("word", "approval of this very dry-run", ("none", *APPROVAL_STATUSES)),
    "dry_run.age_minutes": PolicyField("number", "age of the dry-run, 0 during one"),
}

_INPUT_TYPES: Mapping[str, FieldType] = {"integer": "number", "boolean": "boolean"}


def fields_of(book: Playbook) -> dict[str, PolicyField]:
    """The fields of a policy for this playbook: the common ones, and ``inputs.NAME`` for each input."""
    own = {
        f"inputs.{name}": PolicyField(
            "word" if given.choices else _INPUT_TYPES.get(given.type, "text"), given.help, given.choices
        )
        for name, given in book.inputs.items()
    }
    return {**FIELDS, **own}


def position(field: PolicyField, value: object) -> object:
    """The value as it is compared: words of an ordered field by their place, all else as it is."""
    return field.words.index(value) if field.type == "ordered" and value in field.words else value
