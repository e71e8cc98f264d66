"""Drawn histories of work: what was believed of each piece, what it took, and what the pieces ahead will take.

Written from how work goes, not from how the planner reckons, to hold its promises against: whoever changes one leaves the other alone.
Hours of a piece are what was believed times five things: how the organization estimates, how its people work, what sort of quarter it
was (shared by everybody's work in it: a migration, a reorganization, an audit), how hard the piece itself is, and now and then a surprise
with a heavy tail that has no mean to speak of. Interruptions stretch what is under way in a week, for all of a team at once, and are
logged on it.
"""

import math
import random
from dataclasses import dataclass

SORTS = ("ranges", "history", "short", "nothing")


@dataclass(frozen=True)
class Piece:
    """Work of one person: what they believed, the hours between which they were fairly sure, what it took."""

    id: str
    owner: str
    believed: float
    low: float | None
    high: float | None
    took: float


@dataclass(frozen=True)
class History:
    """``past`` is done and on record, ``ahead`` is to be done; ``hours`` are those of each person's week."""

    sort: str
    past: tuple[Piece, ...]
    ahead: tuple[Piece, ...]
    hours: dict[str, float]


def _round(hours):
    return max(0.25, round(hours * 4) / 4)


def _surprise(drawn):
    """One piece in twelve turns out to be something else: a Pareto tail, cut where somebody would give up."""
    return min(6.0, drawn.paretovariate(2.2)) if drawn.random() < 1 / 12 else 1.0


def _interruptions(drawn, hit):
    """What a quarter's interruptions add to a piece: few in a calm one; all pieces of a hit team are longer."""
    return 1.0 + (drawn.uniform(0.05, 0.35) if hit else drawn.uniform(0.0, 0.08))


class _Team:
    def __init__(self, drawn):
        self.drawn = drawn
        self.bias = math.exp(drawn.gauss(0.03, 0.12))
        self.people = [f"p{number}" for number in range(drawn.randint(1, 4))]
        self.pace = {one: math.exp(drawn.gauss(0.0, 0.12)) for one in self.people}
        self.spread = drawn.uniform(0.2, 0.45)
        self.usual = {one: drawn.uniform(3, 12) for one in self.people}

    def quarter(self):
        """A climate that everybody's work shares, and whether the team was hit by interruptions."""
        return math.exp(self.drawn.gauss(0.0, 0.12)), self.drawn.random() < 0.2

    def piece(self, name, owner, quarter, *, ranges):
        climate, hit = quarter
        drawn = self.drawn
        believed = _round(self.usual[owner] * math.exp(drawn.gauss(0.0, 0.5)))
        own = math.exp(drawn.gauss(0.0, self.spread))
        took = believed * self.bias * self.pace[owner] * climate * own * _surprise(drawn) * _interruptions(drawn, hit)
        low = high = None
        if ranges:  # what people who know the work say: right in the middle, and somewhat too sure of themselves
            sure = self.spread * drawn.uniform(0.9, 1.5)
            low, high = _round(believed * math.exp(-sure)), _round(believed * math.exp(1.5 * sure))
        return Piece(name, owner, believed, low, high, _round(took))


def history(seed):
    """The same organization for the same seed."""
    drawn = random.Random(f"history {seed}")
    sort = SORTS[seed % len(SORTS)]
    team = _Team(drawn)
    pieces = {"history": drawn.randint(15, 60), "short": drawn.randint(2, 7)}.get(sort, 0)
    quarters = [team.quarter() for _ in range(6)]
    past = tuple(
        team.piece(f"old-{number}", drawn.choice(team.people), drawn.choice(quarters), ranges=False)
        for number in range(pieces)
    )
    coming = team.quarter()
    ahead = tuple(
        team.piece(f"new-{one}-{number}", one, coming, ranges=sort == "ranges")
        for one in team.people
        for number in range(drawn.randint(2, 7))
    )
    return History(sort, past, ahead, {one: float(drawn.randint(4, 14)) for one in team.people})


def last_week(order, took, weeks):
    """The number of the week in which the last piece is done: each person's one after the other, in the order given, as
    the hours of ``weeks`` allow; None where they do not."""
    last = 0
    for owner, hours in weeks.items():
        left = sum(took[piece] for piece, of in order if of == owner)
        for number, here in enumerate(hours):
            if left <= 1e-9:
                break
            left -= here
            last = max(last, number)
        if left > 1e-9:
            return None
    return last
