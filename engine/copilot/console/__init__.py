"""Questions that the console answers elsewhere: asked there, never computed a second time."""

from collections.abc import Sequence

from engine.copilot.answers.answers import AnswerPart, CitationList
from engine.copilot.answers.library import Library
from engine.copilot.console.arrivals import arrivals
from engine.copilot.console.door import Door, is_for
from engine.copilot.console.estate import budgets, failing, points_of_failure
from engine.copilot.console.handover import handover
from engine.copilot.console.past import changes, past_value
from engine.copilot.console.readiness import agreements, gate, lapsing, reach, ready, retention
from engine.copilot.console.scores import reasons, steps
from engine.copilot.console.trouble import breakdown
from engine.copilot.grammar.names import OwnName
from engine.copilot.grammar.reading import CopilotQuestion

DOORS: tuple[Door, ...] = (
    arrivals,
    handover,
    breakdown,
    failing,
    points_of_failure,
    budgets,
    agreements,
    retention,
    gate,
    lapsing,
    reach,
    ready,
)
SCORES: tuple[Door, ...] = (changes, past_value, reasons, steps)


def ask_console(
    asked: CopilotQuestion, names: Sequence[OwnName], library: Library, citations: CitationList
) -> AnswerPart | None:
    """The answer of the first door that every word of the question is for; None where none is."""
    for door in (*DOORS, *SCORES):
        if is_for(door, asked, names, library):
            part = door.answer(asked, names, library, citations)
            if part is not None:
                return part
    return None
