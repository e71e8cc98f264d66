"""What several answers share."""

from datetime import date
from typing import Annotated, TypeAlias

import msgspec
from msgspec import UNSET, Meta, UnsetType

Hash: TypeAlias = Annotated[str, Meta(pattern="^[0-9a-f]{64}$", examples=["9f2c" * 16])]
Percent: TypeAlias = Annotated[float, Meta(description="percent, with one decimal")]


class Shape(msgspec.Struct, forbid_unknown_fields=True):
    """An object with these members and no other."""


class Failure(Shape):
    """Every error: a word for machines, a sentence for people, and the fields at fault where there are any."""

    error: Annotated[str, Meta(pattern="^[a-z0-9_]+$", examples=["invalid_parameter"])]
    message: str
    details: list[dict[str, object]] | UnsetType = UNSET
    retry_after: int | UnsetType = UNSET


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
