"""What is said of a batch: which organizations go together, what all of them have in common, what came of each."""

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import TypeAlias

from engine.model.declarations.declaration import Declaration
from engine.model.every_organization import OrganizationsRun
from engine.reporting.artifacts.artifacts import ArtifactStorage

Chunk: TypeAlias = tuple[str, ...]
"""Identifiers of organizations."""


@dataclass(frozen=True)
class ReportBatch:
    """What all chunks of a batch have in common, wherever they are built. ``memory_limit`` is DuckDB's, ``costs`` are
    the processor seconds that each organization is expected to take."""

    url: str
    storage: ArtifactStorage
    catalogue: Mapping[str, Declaration]
    now: datetime
    memory_limit: str = "2GB"
    costs: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class BuildResult:
    """What came of one organization: files made, files that were there already, bytes made, processor seconds.

    Equal contents of reports may take more bytes here than there, as their frames lie in memory.
    """

    org_id: str
    made: int
    kept: int
    size: int = field(compare=False)
    seconds: float = field(default=0.0, compare=False)


ChunkResult: TypeAlias = Callable[[], OrganizationsRun[BuildResult]]
"""Gives what came of a chunk, or raises what it failed for as a whole."""
ChunkRuns: TypeAlias = Generator[tuple[Chunk, ChunkResult], None, None]
ChunkRun: TypeAlias = Callable[[ReportBatch, Sequence[Chunk]], ChunkRuns]
"""Has chunks built; gives each with its result as it is done, in whatever order."""
