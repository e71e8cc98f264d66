"""The question that a plan answers, in numbers alone: actions with hours and weeks, people with hours in each week."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace


@dataclass(frozen=True)
class WorkPart:
    """Work of so many hours that must lie in the weeks from ``first`` to ``last``, both included.

    ``kinds`` are those of the evidence that it yields, ``lead_days`` after it is done. ``duty`` is the signature that
    it is. Hours that duties on record count already are none. ``agreed`` has the hours of weeks that were agreed upon.
    ``last_beside`` is the last week for hours beside it that may come later than it.
    """

    hours: float
    first: int
    last: int
    kinds: tuple[str, ...] = ()
    lead_days: int = 0
    duty: str | None = None
    agreed: tuple[tuple[int, float], ...] = ()
    last_beside: int | None = None

    @property
    def is_signed(self) -> bool:
        """Whether it is a signature that takes hours of the plan, and so of whoever is accountable."""
        return self.duty is not None and self.hours > 0


@dataclass(frozen=True)
class PlanAction:
    """Work that covers needs when all its parts are done, by one of ``owners``: the first is whose it is.

    Of the actions of a ``group`` one is done at most; ``after`` names groups of which one must be done before, in an
    earlier week or earlier in the same one. ``asides`` are hours of others that come with it, none of whoever does it.
    ``least_hours`` are those of the cheapest action of the group, ``holes`` the days on which evidence lapses
    meanwhile. ``agreed`` is whose it is as agreed.
    """

    id: str
    owners: tuple[str, ...]
    parts: tuple[WorkPart, ...]
    closes: frozenset[str]
    after: tuple[str, ...] = ()
    group: str = ""
    asides: tuple[tuple[str, WorkPart], ...] = ()
    least_hours: float | None = None
    holes: int = 0
    agreed: str | None = None

    @property
    def name(self) -> str:
        """Of what it is one way."""
        return self.group or self.id

    @property
    def hours(self) -> float:
        """What it takes."""
        return sum(part.hours for part in self.parts)

    def asides_of(self, owner: str) -> tuple[tuple[str, WorkPart], ...]:
        """The hours of others where ``owner`` does it."""
        return tuple((person, part) for person, part in self.asides if person != owner)

    @property
    def core_hours(self) -> float:
        """What the cheapest way takes."""
        return self.hours if self.least_hours is None else self.least_hours


@dataclass(frozen=True)
class GapGoal:
    """At least ``wanted`` of some gaps are to be closed."""

    gaps: frozenset[str]
    wanted: int


@dataclass(frozen=True)
class PlanProblem:
    """Close at least ``wanted`` gaps for the fewest hours; ``capacity`` has the hours of each person, week by week.

    Work may be split over the weeks that it may lie in. A gap is closed when all of its ``needs`` are covered, by one
    action or several; without them it is what actions close. ``goals`` want so many of some gaps each, in place of
    ``wanted``. With ``keep`` what was agreed comes before what is wanted.
    """

    capacity: Mapping[str, tuple[float, ...]]
    actions: tuple[PlanAction, ...]
    wanted: int
    needs: Mapping[str, frozenset[str]] = field(default_factory=dict)
    goals: tuple[GapGoal, ...] = ()
    keep: bool = False

    @property
    def gap_needs(self) -> Mapping[str, frozenset[str]]:
        """What each gap needs to be closed."""
        if self.needs:
            return self.needs
        every = sorted(set().union(*(action.closes for action in self.actions)))
        return {gap: frozenset({gap}) for gap in every}

    @property
    def gap_goals(self) -> tuple[GapGoal, ...]:
        """How many of which gaps are wanted."""
        return self.goals or (GapGoal(frozenset(self.gap_needs), self.wanted),)


@dataclass(frozen=True)
class Choice:
    """Which actions are done, each by whom. ``closed`` gaps of those wanted; ``hours`` in all.

    No choice that closes as many takes fewer hours than ``bound``. ``windows`` are the weeks within which actions that
    wait for each other lie.
    """

    done: Mapping[str, str]
    closed: int
    hours: float
    bound: float
    windows: Mapping[str, tuple[int, int]] = field(default_factory=dict)


def within(action: PlanAction, first: int, last: int) -> PlanAction:
    """The action in the weeks from ``first`` to ``last``; a part that has no week then ends before it begins."""

    def cut(part: WorkPart) -> WorkPart:
        return replace(part, first=max(part.first, first), last=min(part.last, last))

    asides = tuple((person, cut(part)) for person, part in action.asides)
    return replace(action, parts=tuple(cut(part) for part in action.parts), asides=asides)


def closed_gaps(problem: PlanProblem, done: Sequence[str]) -> frozenset[str]:
    """The gaps all of whose needs some of the actions cover."""
    covered = set[str]().union(*(action.closes for action in problem.actions if action.id in set(done)))
    return frozenset(gap for gap, needs in problem.gap_needs.items() if needs <= covered)
