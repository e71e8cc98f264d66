"""What a snapshot is of, and where the facts of it come from."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Protocol, TypeAlias

from engine.model.documents.document import Document, Organization, Position
from engine.model.thresholds import Thresholds

if TYPE_CHECKING:
    import polars as pl

    from engine.facts.memory import DerivedMemory, FactCache

PartHeads: TypeAlias = Mapping[str, Position]
"""Where the newest write to each part of an organization's records ended."""
RevisionOnDay: TypeAlias = tuple[Position, date]
"""A place in the chain of an organization, and the day that is looked at it from."""


@dataclass(frozen=True)
class Subject:
    """What a snapshot is of: who, where in its chain, on which of its days, under which thresholds."""

    organization: Organization
    revision: Position
    as_of: date
    settings: Thresholds
    part_heads: PartHeads


class FactSource(Protocol):
    """Where the facts of one subject come from."""

    @property
    def subject(self) -> Subject: ...

    @property
    def documents(self) -> "FactCache[Document]":
        """What reports said of the organization before."""

    @property
    def row_memory(self) -> "DerivedMemory":
        """What functions of facts made of them for reports."""

    @property
    def titles(self) -> "FactCache[Mapping[str, str]]":
        """What records of the organization were called before."""

    def frame(self, name: str, period_days: int | None) -> "pl.DataFrame":
        """A fact of the subject alone; over any period where ``period_days`` is None."""

    def release(self) -> None:
        """The snapshot needs it no more."""
