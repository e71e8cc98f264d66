"""The chance that at least one of several attack paths succeeds, with what they share counted once.

A path is the set of its needs: its entry and its dependencies. Each need holds or does not, independently of the
others. Few paths are computed exactly by factoring (Moskowitz 1958, as for the reliability of networks): paths that
share nothing are taken apart, what all of them share is taken out, and what is left is conditioned on the need that
most of them share, both ways. Beyond a bounded number of such steps a sample with a fixed seed estimates the chance.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import prod, sqrt
from operator import and_
from random import Random
from typing import Literal, TypeAlias

Need: TypeAlias = str
UnionMethod = Literal["exact", "monte_carlo"]

STEPS_OF_ONE, STEPS_OF_ALL = 400, 2_000
MOST_PATHS = 100
SAMPLES = 16_384
SEED = "attack paths"
BINARY_DIGITS = 16  # of a probability: what is cut off is below a hundredth of the standard error


@dataclass(frozen=True)
class UnionChance:
    """A probability, how it was found, and its standard error: 0 where it is exact."""

    value: float
    method: UnionMethod
    standard_error: float


def union_chances(
    unions: Mapping[int, Sequence[Sequence[Need]]],
    probabilities: Mapping[Need, float],
    *,
    steps_of_one: int = STEPS_OF_ONE,
    steps_of_all: int = STEPS_OF_ALL,
) -> dict[int, UnionChance]:
    """For each key the chance that all needs of one of its paths hold; few paths come first, while steps are left."""
    sample = _Sample(probabilities)
    chances: dict[int, UnionChance] = {}
    left = steps_of_all
    for key in sorted(unions, key=lambda one: (len(unions[one]), one)):
        paths = unions[key]
        if len(paths) == 1:
            chances[key] = UnionChance(prod(probabilities[need] for need in paths[0]), "exact", 0.0)
            continue
        factoring = _Factoring(paths, probabilities, min(left, steps_of_one))
        try:
            chances[key] = UnionChance(factoring.chance(), "exact", 0.0)
        except _TooManySteps:
            chances[key] = sample.chance(paths)
        left -= factoring.steps
    return chances


class _TooManySteps(ArithmeticError):
    """An exact value would take more steps than it may."""


class _Factoring:
    """The exact chance of one union. A path is a set of bits; a step is one need that is conditioned on."""

    def __init__(self, paths: Sequence[Sequence[Need]], probabilities: Mapping[Need, float], most_steps: int) -> None:
        bits: dict[Need, int] = {}
        self._paths = [sum(bits.setdefault(need, 1 << len(bits)) for need in path) for path in paths]
        self._chances = {bit: probabilities[need] for need, bit in bits.items()}
        self._most_steps = most_steps
        self._known: dict[frozenset[int], float] = {}
        self.steps = 0

    def chance(self) -> float:
        """The chance of all paths; _TooManySteps when it cannot be had within the steps."""
        if len(self._paths) > MOST_PATHS:
            raise _TooManySteps
        return self._any(self._paths)

    def _any(self, paths: list[int]) -> float:
        if len(paths) == 1:
            return self._all(paths[0])
        none = 1.0
        for part in _parts(paths):
            none *= 1 - self._connected_chance(part)
        return 1 - none

    def _all(self, path: int) -> float:
        known = self._chances.get(path)
        if known is None:
            lowest = path & -path
            known = self._chances[path] = self._chances[lowest] * self._all(path ^ lowest) if path else 1.0
        return known

    def _connected_chance(self, paths: list[int]) -> float:
        """Paths of which none can be taken apart: what all need is taken out, or one need is conditioned on."""
        shared = reduce(and_, paths)
        if shared:
            rest = [path ^ shared for path in paths]
            return self._all(shared) * (1.0 if 0 in rest else self._any(rest))
        key = frozenset(paths)
        if key not in self._known:
            self._known[key] = self._conditional_chance(paths)
        return self._known[key]

    def _conditional_chance(self, paths: list[int]) -> float:
        if self.steps >= self._most_steps:
            raise _TooManySteps
        self.steps += 1
        need = _most_common(paths)
        without = [path for path in paths if not path & need]
        freed = [path ^ need for path in paths if path & need]
        holds = [*freed, *(path for path in without if all(path & one != one for one in freed))]
        chance = self._chances[need]
        return chance * (1.0 if 0 in freed else self._any(holds)) + (1 - chance) * self._any(without)


def _parts(paths: list[int]) -> list[list[int]]:
    """Paths in groups that have no need in common."""
    groups: list[tuple[int, list[int]]] = []
    for path in paths:
        needs, members, apart = path, [path], []
        for group in groups:
            if group[0] & path:
                needs |= group[0]
                members += group[1]
            else:
                apart.append(group)
        groups = [*apart, (needs, members)]
    return [members for _, members in groups]


def _most_common(paths: list[int]) -> int:
    counts: dict[int, int] = {}
    for path in paths:
        while path:
            bit = path & -path
            counts[bit] = counts.get(bit, 0) + 1
            path ^= bit
    return max(counts, key=lambda bit: (counts[bit], -bit))


class _Sample:
    """16,384 draws of every need at once: bit n of its number says whether it holds in draw n.

    Each need has a seed of its own, so it is drawn alike whatever else there is, and one more path never makes an
    estimate smaller.
    """

    def __init__(self, probabilities: Mapping[Need, float]) -> None:
        self._probabilities = probabilities
        self._draws: dict[Need, int] = {}

    def chance(self, paths: Sequence[Sequence[Need]]) -> UnionChance:
        """The share of draws in which a path holds. Its error is that of one draw more of each kind, never 0."""
        holds = 0
        for path in paths:
            holds |= reduce(and_, (self._draw(need) for need in path))
        hits = holds.bit_count()
        likely = (hits + 1) / (SAMPLES + 2)
        return UnionChance(hits / SAMPLES, "monte_carlo", sqrt(likely * (1 - likely) / SAMPLES))

    def _draw(self, need: Need) -> int:
        if need not in self._draws:
            random = Random(f"{SEED}: {need}")  # noqa: S311 a sample that must come out alike, no secret
            self._draws[need] = _bernoulli(random, self._probabilities[need])
        return self._draws[need]


def _bernoulli(random: Random, probability: float) -> int:
    """Bits that are each 1 with a probability: its binary digits, the last first, decide by one draw each."""
    digits = round(probability * (1 << BINARY_DIGITS))
    if digits >> BINARY_DIGITS:
        return (1 << SAMPLES) - 1
    bits = 0
    for place in range(BINARY_DIGITS):
        drawn = random.getrandbits(SAMPLES)
        bits = bits | drawn if digits >> place & 1 else bits & drawn
    return bits
