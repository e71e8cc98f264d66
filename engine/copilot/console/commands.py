"""What people do about an incident is typed: the copilot prints the command and takes no step itself."""

import re
import shlex
from collections.abc import Iterator, Mapping, Sequence

from engine.copilot.answers.answers import AnswerPart
from engine.copilot.answers.library import Library
from engine.copilot.console.door import Door, is_for, names_of_kind
from engine.copilot.grammar.names import OwnName
from engine.copilot.grammar.reading import CopilotQuestion
from engine.model.vocabulary import INCIDENT_LAWS, StepKind

_VERBS: Mapping[str, StepKind] = {
    **dict.fromkeys(("acknowledge", "ack"), "acknowledge"),
    **dict.fromkeys(("assign", "reassign"), "assign"),
    **dict.fromkeys(("relate", "link"), "relate"),
    **dict.fromkeys(("unrelate", "unlink"), "unrelate"),
    "close": "close",
    "reopen": "reopen",
    "assess": "assess",
    "annotate": "note",
}
_ASKS = re.compile(
    r"^(?:(?:please|can|could|would|you|how|do|i|we|to|want|need|should|let|me|us) )*"
    rf"(?P<verb>{'|'.join(_VERBS)})\b"
)
_WORDS = (
    "please can could would you how do i we to want need should let me us incident incidents the of for from under "
    "as a its family parent law and with now by command myself article notification clocks is"
)


def _nothing(*_: object) -> None:
    return None


STEP = Door(
    _ASKS.pattern,
    frozenset((*_WORDS.split(), *_VERBS, *INCIDENT_LAWS)),
    frozenset(("incident", "person", "framework")),
    _nothing,
)


def step_command(asked: CopilotQuestion, names: Sequence[OwnName], library: Library, asker: str) -> AnswerPart | None:
    """The command that takes the step somebody wants; None where that is not asked, or not of one incident."""
    wanted = _ASKS.search(asked.text)
    if wanted is None or not is_for(STEP, asked, names, library):
        return None
    kind = _VERBS[wanted["verb"]]
    meant = [name.keys[0] for name in names_of_kind(names, "incident")]
    if len(meant) != (2 if kind == "relate" else 1):
        return None
    options = list(_options(kind, asked, meant, names))
    command = shlex.join(["hq", "incident", kind, *options, "--org", library.org_id, "--actor", asker, meant[0]])
    return AnswerPart(
        (
            "I take no steps. Whoever does types:",
            f"    {command}",
            "with --why for the reason and --at for when it happened, where that is not now.",
        ),
        "high",
    )


def _options(kind: StepKind, asked: CopilotQuestion, meant: Sequence[str], names: Sequence[OwnName]) -> Iterator[str]:
    """What the step needs beside the incident; what was not asked stands in capitals."""
    if kind == "assign":
        yield from ("--to", next((name.keys[0] for name in names_of_kind(names, "person")), "MEMBER"))
    elif kind == "relate":
        yield from ("--to", meant[1])
    elif kind == "assess":
        yield from ("--under", next((law for law in INCIDENT_LAWS if re.search(rf"\b{law}\b", asked.text)), "LAW"))
    elif kind == "note":
        yield from ("--why", "TEXT")
