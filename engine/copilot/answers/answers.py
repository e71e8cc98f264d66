"""An answer from the records: its parts, its citations, and the one text that they make."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from engine.model.vocabulary import CONFIDENCES, Confidence

if TYPE_CHECKING:
    from engine.copilot.answers.library import Library


@dataclass(frozen=True)
class Citation:
    """Where something stands: what it was read from, the route that shows it (none where no route does), the row."""

    number: int
    report: str
    route: str | None
    row: str | None
    as_of: str
    revision: int


@dataclass(frozen=True)
class OfflineAnswer:
    """``confidence`` is high, medium, low, or none where nothing could be said."""

    text: str
    citations: tuple[Citation, ...]
    confidence: Confidence


@dataclass(frozen=True)
class AnswerPart:
    """What one source says, with its citations in place."""

    lines: tuple[str, ...]
    confidence: Confidence
    reason: str = ""


class CitationList:
    """The citations of an answer, numbered in the order in which its text names them."""

    def __init__(self, library: "Library") -> None:
        self.items: list[Citation] = []
        self._library = library

    def cite(self, report: str, route: str | None, row: str | None = None) -> str:
        """The mark of a citation."""
        number = len(self.items) + 1
        day, revision = self._library.today.isoformat(), self._library.revision
        self.items.append(Citation(number, report, route, row, day, revision))
        return f"[{number}]"


def join_parts(parts: Sequence[AnswerPart], citations: Sequence[Citation], library: "Library") -> OfflineAnswer:
    """One text; only as sure as its least sure part that says anything."""
    saying = [part.confidence for part in parts if part.confidence != "none"]
    confidence: Confidence = max(saying, key=CONFIDENCES.index, default="none")
    reason = next((part.reason for part in parts if part.confidence == confidence and part.reason), "")
    if confidence == "high" and len(saying) < len(parts):
        confidence, reason = "medium", "a part of the question was not answered"
    because = f" ({reason})" if reason else ""
    text = [
        *("\n".join(part.lines) for part in parts),
        f"Confidence: {confidence}{because}. As of {library.today}, revision {library.revision}.",
    ]
    if citations:
        text.append("\n".join(["Sources:", *(f"[{c.number}] {_source(c)}" for c in citations)]))
    return OfflineAnswer("\n\n".join(text), tuple(citations), confidence)


def _source(citation: Citation) -> str:
    where = citation.route or citation.report
    return f"{where}, row {citation.row}" if citation.row else where
