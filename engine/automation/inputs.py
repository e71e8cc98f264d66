"""What a caller says to a playbook: checked against its schema, completed with defaults, hashed."""

from collections.abc import Mapping
from hashlib import sha256
from typing import TypeGuard, get_args

from engine.automation.playbooks import Playbook, PlaybookInput
from engine.automation.state import Reference, State
from engine.automation.targets import InputValue
from engine.model.errors import BadRequest, NotFound
from engine.store.types import canonical_json

REFERENCES: tuple[Reference, ...] = get_args(Reference)
LONGEST = 200


def complete(book: Playbook, given: Mapping[str, object]) -> dict[str, InputValue]:
    """Every input that has a value; BadRequest lists each that is unknown, missing or of another form."""
    problems = [
        _problem(name, f"one of {', '.join(book.inputs) or 'nothing'}", "an unknown name")
        for name in given
        if name not in book.inputs
    ]
    values: dict[str, InputValue] = {}
    for name, schema in book.inputs.items():
        value = given.get(name)
        if value is None:
            value = schema.default
        if value is None:
            if schema.required:
                problems.append(_problem(name, _expectation(schema), "nothing"))
        elif _fits(value, schema):
            values[name] = value
        else:
            problems.append(_problem(name, _expectation(schema), repr(value)[:80]))
    if problems:
        first = problems[0]
        raise BadRequest(
            f"The inputs do not fit {book.id}: {first['field']} must be {first['expected']}; got {first['got']}.",
            word="invalid_inputs",
            details=problems[:20],
        )
    return values


def name_references(book: Playbook, values: Mapping[str, InputValue], state: State) -> dict[str, InputValue]:
    """The values as steps show them: references by name. NotFound when one is not in the organization."""
    references: dict[str, InputValue] = {}
    for name, value in values.items():
        kind = book.inputs[name].type
        if kind not in REFERENCES:
            references[name] = {True: "yes", False: "no"}[value] if isinstance(value, bool) else value
            continue
        found = state.name_of(kind, str(value))
        if found is None:
            raise NotFound(f"There is no {kind} {value!r} (inputs.{name}).", word="not_found")
        references[name] = found
    return references


def inputs_hash(values: Mapping[str, object]) -> str:
    """SHA-256 of the inputs as canonical JSON (sorted keys, no white space), in hexadecimal."""
    return sha256(canonical_json(values).encode()).hexdigest()


def _fits(value: object, schema: PlaybookInput) -> TypeGuard[InputValue]:
    if schema.type == "boolean":
        return isinstance(value, bool)
    if schema.type == "integer":
        low, high = schema.low or 0, schema.high or 0
        return isinstance(value, int) and not isinstance(value, bool) and low <= value <= high
    if not isinstance(value, str) or not 0 < len(value) <= LONGEST or not value.isprintable():
        return False
    return schema.type != "choice" or value in schema.choices


def _expectation(schema: PlaybookInput) -> str:
    if schema.type == "boolean":
        return "true or false"
    if schema.type == "integer":
        return f"an integer from {schema.low} to {schema.high}"
    if schema.type == "choice":
        return f"one of {', '.join(schema.choices)}"
    text = f"a printable text of 1 to {LONGEST} characters"
    return text if schema.type == "text" else f"the identifier of a {schema.type}"


def _problem(name: str, expected: str, got: str) -> dict[str, str]:
    return {"field": f"inputs.{name[:80]}", "expected": expected, "got": got}
