"""What several answers share."""

from collections.abc import Callable
from datetime import date
from inspect import get_annotations
from typing import Annotated, TypeAlias, TypeVar

import msgspec
from msgspec import UNSET, Meta, UnsetType

Hash: TypeAlias = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", examples=["9f2c" * 16])]
Percent: TypeAlias = Annotated[float, Meta(description="percent, with one decimal")]


class Shape(msgspec.Struct, forbid_unknown_fields=True):
    """An object with these members and no other."""


S = TypeVar("S", bound=Shape)


def mirror_row(row: type, names: str) -> Callable[[type[S]], type[S]]:
    """Give a struct the members ``names``, in this order: columns of a row of the store, in the types of the schema.

    What the class declares itself comes in place of a column's type; what ``names`` does not list comes last. Options,
    such as ``rename``, are those of its bases.
    TypeError names a member that is neither a column nor declared.
    """
    columns = get_annotations(row)

    def mirror(written: type[S]) -> type[S]:
        declared = {one.name: one for one in msgspec.structs.fields(written) if one.name in get_annotations(written)}
        listed = names.split()
        if unknown := [name for name in listed if name not in declared and name not in columns]:
            raise TypeError(f"{written.__name__} lists {', '.join(unknown)}; {row.__name__} has no such column.")
        members = [
            (name, declared[name].type, msgspec.field(default=declared[name].default))
            if name in declared
            else (name, columns[name], msgspec.field())
            for name in dict.fromkeys((*listed, *declared))
        ]
        text = {"__doc__": written.__doc__}
        return msgspec.defstruct(  # type: ignore[return-value]
            written.__name__, members, bases=written.__bases__, namespace=text, module=written.__module__
        )

    return mirror


class Failure(Shape):
    """Every error: a word for machines, a sentence for people, and the fields at fault where there are any.

    ``ok`` is there and false where readiness was asked for.
    """

    error: Annotated[str, Meta(pattern="^[a-z0-9_]+$", examples=["invalid_parameter"])]
    message: str
    details: list[dict[str, object]] | UnsetType = UNSET
    retry_after: int | UnsetType = UNSET
    ok: bool | UnsetType = UNSET


class RevisionAnswer(Shape):
    """A position in the organization's audit chain; the hash is null when retention removed the event."""

    seq: int
    hash: Hash | None


class OrganizationName(Shape):
    id: str
    name: str


class CoverageShare(Shape):
    """How much of what should have been assessed was."""

    assessed: int
    total: int
    pct: Percent | None


class ReportEnvelope(msgspec.Struct):
    """What every report has as JSON; its tables are further members, each an array of rows."""

    report: str
    title: str
    schema_version: int
    organization: OrganizationName
    as_of: date
    revision: RevisionAnswer
    parameters: dict[str, object]
    settings_version: int
    coverage: CoverageShare | None
    headline: str
    next_step: str
    summary: dict[str, object]
    definitions: dict[str, str]
    footnotes: list[str]
    warnings: list[str]


class OscalDocument(msgspec.Struct, rename="kebab"):
    """A plan of action and milestones in NIST's OSCAL; its schema is NIST's."""

    plan_of_action_and_milestones: dict[str, object]
