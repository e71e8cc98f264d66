"""An answer from the reports: its parts, its citations, and the one text that they make."""

from collections.abc import Sequence
from dataclasses import dataclass

from engine.copilot.library import Library
from engine.model.document import Edition
from engine.model.vocabulary import CONFIDENCES, Confidence


@dataclass(frozen=True)
class Citation:
    """Where a figure stands: the route of a report, the row in it (none for its headline), day and revision."""

    number: int
    report: str
    route: str
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

    def __init__(self) -> None:
        self.items: list[Citation] = []

    def cite(self, edition: Edition, route: str, row: str | None = None) -> str:
        """The mark of a citation."""
        number = len(self.items) + 1
        as_of = edition.as_of.isoformat()
        self.items.append(Citation(number, edition.report, route, row, as_of, edition.revision.seq))
        return f"[{number}]"


def join_parts(parts: Sequence[AnswerPart], citations: Sequence[Citation], library: Library) -> OfflineAnswer:
    """One text; only as sure as its least sure part that says anything."""
    saying = [part.confidence for part in parts if part.confidence != "none"]
    confidence: Confidence = max(saying, key=CONFIDENCES.index, default="none")
    reason = next((part.reason for part in parts if part.confidence == confidence and part.reason), "")
    because = f" ({reason})" if reason else ""
    text = [
        *("\n".join(part.lines) for part in parts),
        f"Confidence: {confidence}{because}. As of {library.as_of}, revision {library.revision}.",
    ]
    if citations:
        sources = (f"[{c.number}] {c.route}{f', row {c.row}' if c.row else ''}" for c in citations)
        text.append("\n".join(["Sources:", *sources]))
    return OfflineAnswer("\n\n".join(text), tuple(citations), confidence)
