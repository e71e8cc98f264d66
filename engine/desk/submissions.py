"""Who changes what at the desk: what goes to the worker that writes it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from engine.model.vocabulary import StepKind

FORM = "form"
ITEMS = "evidence_items"
CHANGED = "changed_meanwhile"
Corrections = Mapping[tuple[str, int, str], str]


@dataclass(frozen=True)
class Author:
    """An address in an organization, with a role; ``local`` for the one user of a console without sessions."""

    org_id: str
    email: str
    role: str
    local: bool = False


@dataclass(frozen=True)
class Submission:
    """A form: the cells of one row, ``key`` and ``seen`` (the row's revision) where it changes one that exists.

    ``act`` is a right of the table; ``step`` is a step about an incident that it takes, too; ``files`` are evidence by
    name, to be held; ``own_files`` are those that the row itself names, where it is an item of evidence; ``control`` is
    the framework and identifier of the author's own control that a new item supports.
    """

    author: Author
    table: str
    act: str
    cells: Mapping[str, str | None]
    key: Mapping[str, object] | None = None
    seen: int | None = None
    event: str = "record.changed"
    why: str = ""
    step: StepKind | None = None
    files: Sequence[tuple[str, bytes]] = ()
    own_files: Mapping[str, bytes] = field(default_factory=dict)
    control: tuple[str, str] | None = None


@dataclass(frozen=True)
class Upload:
    """Dropped files, with cells that were corrected on the page.

    ``seen`` is where the organization's chain stood when what they would do was shown; None where nobody says.
    """

    author: Author
    paths: Sequence[Path]
    corrections: Corrections = field(default_factory=dict)
    seen: int | None = None
