"""What a caller says to a playbook: checked against its schema, completed with defaults, hashed."""

from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from engine.automation.playbooks import Input, Playbook
from engine.automation.state import State
from engine.model.errors import BadRequest, NotFound
from engine.store.types import canonical_json

REFERENCES = ("service", "user", "vendor", "system")
LONGEST = 200


def complete(book: Playbook, given: Mapping[str, Any]) -> dict[str, Any]:
    """Every input that has a value; BadRequest lists each that is unknown, missing or of another form."""
    problems = [
        _problem(name, f"one of {', '.join(book.inputs) or 'nothing'}", "an unknown name")
        for name in given
        if name not in book.inputs
    ]
    values: dict[str, Any] = {}
    for name, schema in book.inputs.items():
        value = given.get(name)
        if value is None:
            value = schema.default
        if value is None:
            if schema.required:
                problems.append(_problem(name, _expected(schema), "nothing"))
        elif _fits(schema, value):
            values[name] = value
        else:
            problems.append(_problem(name, _expected(schema), repr(value)[:80]))
    if problems:
        first = problems[0]
        raise BadRequest(
            f"The inputs do not fit {book.id}: {first['field']} must be {first['expected']}; got {first['got']}.",
            word="invalid_inputs",
            details=problems[:20],
        )
    return values


def name_references(book: Playbook, values: Mapping[str, Any], state: State) -> dict[str, Any]:
    """The values as steps show them: references by name. NotFound when one is not in the organization."""
    shown = {}
    for name, value in values.items():
        kind = book.inputs[name].type
        if kind not in REFERENCES:
            shown[name] = {True: "yes", False: "no"}[value] if isinstance(value, bool) else value
            continue
        found = state.name_of(kind, value)
        if found is None:
            raise NotFound(f"There is no {kind} {value!r} (inputs.{name}).", word="not_found")
        shown[name] = found
    return shown


def inputs_hash(values: Mapping[str, Any]) -> str:
    """SHA-256 of the inputs as canonical JSON (sorted keys, no white space), in hexadecimal."""
    return sha256(canonical_json(values).encode()).hexdigest()


def _fits(schema: Input, value: Any) -> bool:
    if schema.type == "boolean":
        return isinstance(value, bool)
    if schema.type == "integer":
        low, high = schema.low or 0, schema.high or 0
        return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST or not value.isprintable():
        return False
    return schema.type != "choice" or value in schema.choices


def _expected(schema: Input) -> str:
    if schema.type == "boolean":
        return "true or false"
    if schema.type == "integer":
        return f"an integer from {schema.low} to {schema.high}"
    if schema.type == "choice":
        return f"one of {', '.join(schema.choices)}"
    text = f"a printable text of 1 to {LONGEST} characters"
    return text if schema.type == "text" else f"the identifier of a {schema.type}"


def _problem(name: str, expected: str, got: str) -> dict[str, Any]:
    return {"field": f"inputs.{name[:80]}", "expected": expected, "got": got}
