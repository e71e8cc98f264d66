"""What happened to things between two days, in words: ``9 controls went stale on 3 Nov 2026``."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import NamedTuple

from engine.model.days import spelled_day


class StateMove(NamedTuple):
    """One thing that came into a state: of which kind, on which day, and for which reason as the facts have it.

    ``about`` are the records that it is, by which others tell whether it concerns them.
    """

    kind: str
    state: str
    thing: str
    on: date | None = None
    because: str = ""
    about: tuple[tuple[str, ...], ...] = ()


@dataclass(frozen=True)
class ThingKind:
    """How things of a kind are called, one and several, and what is said of one and of several in a new state."""

    noun: tuple[str, str]
    verbs: Mapping[str, tuple[str, str]]


def _same_words(text: str) -> tuple[str, str]:
    return text, text


# kinds in the order in which they are told, states of each from the worst on
KINDS: Mapping[str, ThingKind] = {
    "control": ThingKind(
        ("control", "controls"),
        {
            "ineffective": _same_words("became ineffective"),
            "stale": _same_words("went stale"),
            "no_data": _same_words("lost all evidence"),
            "partial": _same_words("became partial"),
            "effective": _same_words("became effective"),
            "not_applicable": _same_words("left the scope"),
        },
    ),
    "attestation": ThingKind(
        ("attestation", "attestations"),
        {
            "overdue": _same_words("lapsed"),
            "rejected": ("was refused", "were refused"),
            "attested": ("was signed", "were signed"),
        },
    ),
    "exception": ThingKind(
        ("exception", "exceptions"), {"expired": _same_words("expired"), "approved": ("was approved", "were approved")}
    ),
    "third_party": ThingKind(
        ("third party", "third parties"),
        {"lapsed": ("lost its assurance", "lost their assurance"), "assured": _same_words("became assured")},
    ),
    "request": ThingKind(
        ("evidence request", "evidence requests"),
        {
            "overdue": _same_words("became overdue"),
            "closed_late": ("was answered late", "were answered late"),
            "closed_on_time": ("was answered in time", "were answered in time"),
        },
    ),
    "test": ThingKind(
        ("test", "tests"), {"missed": ("was missed", "were missed"), "done": ("was performed", "were performed")}
    ),
    "incident": ThingKind(
        ("incident", "incidents"),
        {"open": ("was opened", "were opened"), "resolved": ("was resolved", "were resolved")},
    ),
    "duty": ThingKind(
        ("duty", "duties"),
        {
            "overdue": _same_words("became overdue"),
            "late": ("was done late", "were done late"),
            "done": ("was done in time", "were done in time"),
        },
    ),
    "remediation": ThingKind(
        ("remediation", "remediations"), {"not_on_time": ("passed its date", "passed their dates")}
    ),
    "risk": ThingKind(("risk", "risks"), {"over_appetite": _same_words("rose above the appetite")}),
}
FEW = 3  # a reason that holds of fewer things is not told by itself
OTHERS = "for various reasons"
GOOD = ("effective", "attested", "approved", "assured", "closed_on_time", "done", "resolved")


@dataclass(frozen=True)
class Movement:
    """Things of one kind that came into one state for one reason."""

    kind: str
    state: str
    because: str
    things: tuple[str, ...]
    days: tuple[date, ...]

    @property
    def is_good(self) -> bool:
        """Whether that is for the better."""
        return self.state in GOOD

    @property
    def words(self) -> str:
        """``9 controls went stale on 3 Nov 2026 when backup evidence stopped``."""
        number, kind = len(self.things), KINDS[self.kind]
        subject = f"{number:,} {kind.noun[number != 1]} {kind.verbs[self.state][number != 1]}"
        return " ".join(filter(None, (subject, self.when, self.because)))

    @property
    def when(self) -> str:
        """``on 3 Nov 2026``, ``between 3 and 12 Nov 2026``; empty where no day is known."""
        if not self.days:
            return ""
        first, last = self.days[0], self.days[-1]
        if first == last:
            return f"on {spelled_day(first)}"
        if (first.year, first.month) == (last.year, last.month):
            return f"between {first.day} and {spelled_day(last)}"
        return f"between {spelled_day(first)} and {spelled_day(last)}"


def in_groups(moved: Iterable[StateMove]) -> list[Movement]:
    """What moved by kind, state and reason: kinds and states as they are declared, then the most things first.

    Reasons that hold of few things are told together.
    """
    groups: dict[tuple[str, str, str], list[StateMove]] = defaultdict(list)
    for one in moved:
        groups[one.kind, one.state, one.because].append(one)
    few = Counter((kind, state) for (kind, state, _), several in groups.items() if len(several) < FEW)
    pooled: dict[tuple[str, str, str], list[StateMove]] = defaultdict(list)
    for (kind, state, because), several in groups.items():
        alone = len(several) >= FEW or few[kind, state] == 1
        pooled[kind, state, because if alone else OTHERS].extend(several)
    kinds = list(KINDS)
    return sorted(
        (_movement(*key, several) for key, several in pooled.items()),
        key=lambda one: (
            kinds.index(one.kind),
            list(KINDS[one.kind].verbs).index(one.state),
            -len(one.things),
            one.because,
        ),
    )


def _movement(kind: str, state: str, because: str, several: Sequence[StateMove]) -> Movement:
    days = sorted(one.on for one in several if one.on is not None)
    return Movement(kind, state, because, tuple(sorted(one.thing for one in several)), tuple(days))


def main_movements(movements: Sequence[Movement], better: bool | None, most: int = 3) -> str:
    """The movements of most things, as one clause; ``better`` where only those that go that way are wanted."""
    same = [one for one in movements if better is None or one.is_good == better]
    return "; ".join(
        one.words for one in sorted(same, key=lambda one: (one.because == OTHERS, -len(one.things)))[:most]
    )
