"""The one reader of bodies: JSON as structs, forms as browsers send them, and bytes that a handler checks first."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

import msgspec

from engine.model.errors import BadRequest
from engine.web import forms
from engine.web.http import Request

JSON = "application/json"
FORMS = ("application/x-www-form-urlencoded", "multipart/form-data")
TRUE = ("true", "on", "yes", "1")
T = TypeVar("T")


class Body(Protocol):
    """What a route reads: ``kind`` is what it holds, ``media_types`` how it may come."""

    @property
    def kind(self) -> object: ...

    @property
    def media_types(self) -> tuple[str, ...]: ...

    @property
    def required(self) -> bool: ...

    def arguments(self, request: Request) -> tuple[object, ...]:
        """What the handler is called with after the request; BadRequest says what is wrong."""


@dataclass(frozen=True)
class JsonBody:
    """A JSON object that is this struct. One that is not required may be left out: then it has its defaults."""

    kind: type[msgspec.Struct]
    required: bool = True
    media_types: tuple[str, ...] = (JSON,)

    def arguments(self, request: Request) -> tuple[object, ...]:
        """The struct."""
        if not request.body and not self.required:
            return (self.kind(),)
        return (json_struct(request.body, self.kind),)


@dataclass(frozen=True)
class JsonMembers:
    """A JSON object whose members the handler checks, so that it can say what is wrong with each of them."""

    kind: type[msgspec.Struct]
    required: bool = True
    media_types: tuple[str, ...] = (JSON,)

    def arguments(self, request: Request) -> tuple[object, ...]:
        """The object."""
        return (json_object(request.body),)


@dataclass(frozen=True)
class JsonOrForm:
    """A struct as JSON, or as a form with a text for each member."""

    kind: type[msgspec.Struct]
    required: bool = True
    media_types: tuple[str, ...] = (JSON, *FORMS)

    def arguments(self, request: Request) -> tuple[object, ...]:
        """The struct."""
        pairs = forms.pairs(request.headers.get("content-type", ""), request.body)
        if pairs is None:
            return (json_struct(request.body, self.kind),)
        return (_form_struct(pairs, self.kind),)


@dataclass(frozen=True)
class RawBody:
    """What the handler reads itself: bytes that are checked, or passed on, as they came.

    ``texts`` are those of its media types that hold no JSON.
    """

    kind: object
    required: bool = True
    media_types: tuple[str, ...] = (JSON,)
    texts: tuple[str, ...] = ()

    def arguments(self, request: Request) -> tuple[object, ...]:
        """Nothing: the request has the bytes."""
        return ()


class AnyObject(msgspec.Struct):
    """An object whose members say nothing."""


def json_object(body: bytes) -> dict[str, object]:
    """A JSON object; BadRequest says what came instead."""
    if not body:
        raise BadRequest("The body must be a JSON object; it is empty.", word="invalid_body")
    try:
        value = msgspec.json.decode(body)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise BadRequest(f"The body must be a JSON object; it is not JSON ({error}).", word="invalid_body") from error
    if b"\\u0000" in body:
        raise BadRequest("The body may not hold the character U+0000.", word="invalid_body")
    if not isinstance(value, dict):
        kind = type(value).__name__.replace("list", "array").replace("NoneType", "null")
        raise BadRequest(f"The body must be a JSON object; it is a JSON {kind}.", word="invalid_body")
    return value


def json_struct(body: bytes, kind: type[T]) -> T:
    """The body as a msgspec struct; BadRequest names the member at fault, what was expected and what came."""
    value = json_object(body)
    try:
        return msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        expected, _, place = str(error).partition(" - at `$")
        member = place.rstrip("`").lstrip(".") or "body"
        if not place and expected.startswith("Object "):  # a member too many, or one too few
            known = ", ".join(one.encode_name for one in msgspec.structs.fields(kind))  # type: ignore[arg-type]
            expected = f"{expected}; its members are {known}"
        raise BadRequest(
            f"The body does not fit: {expected}" + (f" (at {member})." if place else "."),
            word="invalid_body",
            details=[{"field": member, "expected": expected}],
        ) from error


def _form_struct(pairs: Sequence[tuple[str, str]], kind: type[msgspec.Struct]) -> msgspec.Struct:
    """A form's texts as the members that JSON would have; a field that comes twice is refused."""
    members = {field.name: field.type for field in msgspec.structs.fields(kind)}
    values: dict[str, object] = {}
    for name, text in pairs:
        if name in values:
            raise forms.unreadable(f"each field once; {name} came twice")
        if name in members:
            values[name] = _member(text, members[name])
    try:
        return msgspec.convert(values, kind)
    except msgspec.ValidationError as error:
        expected, _, place = str(error).partition(" - at `$.")
        field = place.rstrip("`") or expected.rpartition("field `")[2].rstrip("`")
        raise BadRequest(
            f"The form does not fit: {expected}" + (f" (at {field})." if place else "."),
            word="invalid_body",
            details=[{"field": field, "expected": expected}],
        ) from error


def _member(text: str, kind: object) -> str | bool | int:
    """A field's text as what the member holds; as it came where it is not that."""
    if kind is bool:
        return text.strip().lower() in TRUE
    if kind == int | None:
        digits = text.strip()
        return int(digits) if digits.isascii() and digits.isdigit() and len(digits) < 16 else digits
    return text
