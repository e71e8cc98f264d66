"""A question as a query: which rows of which kind of thing, and what is asked of them."""

import re
from dataclasses import dataclass
from typing import Literal

import polars as pl

from engine.copilot.entities.entity import Entity
from engine.copilot.grammar.reading import NumberLimit, Reading
from engine.copilot.grammar.windows import TimeWindow

Intent = Literal[
    "count", "list", "who", "when", "why", "what", "check", "every", "group", "measure", "compare", "share", "tally"
]


_INTENTS: tuple[tuple[Intent, str], ...] = (
    (
        "why",
        r"\bwhy\b|\bhow come\b|\bwhat (?:is |was )?(?:the )?(?:root )?cause|"
        r"\bwhat caused\b|\breason (?:for|of|behind)\b|"
        r"(?<!without )(?<!without a )(?<!no )\broot cause\b(?! analys)",
    ),
    ("count", r"\bhow many\b|\bnumber of\b|\bcount\b|\bhow much (?:of|work)\b"),
    (
        "who",
        r"(?<!vendors )(?<!suppliers )(?<!people )(?<!users )"
        r"(?<!somebody )(?<!person )(?<!owners )\bwho\b|"
        r"\bwhom\b|^whose\b|\bwhich (?:person|people|owner|colleague|engineer)\b",
    ),
    (
        "when",
        r"\bwhen\b|\bhow old\b|\bsince when\b|\bwhat (?:date|day)\b|\bwhich (?:date|day)\b|"
        r"\bhow soon\b|\buntil when\b|\bdeadline (?:for|of)\b|"
        r"(?<!past )(?<!past their )(?<!past its )(?<!past the )(?<!no )(?<!a )\b(?:target|due|expiry|review|"
        r"end) date\b",
    ),
)


@dataclass(frozen=True)
class Constraint:
    """Which rows count. ``label`` is how it reads: before the noun, or behind it where ``after``.

    ``at`` is where the question says it, -1 where it does not. ``parts`` are the single values of alternatives.
    """

    dimension: str
    label: str
    where: pl.Expr
    after: bool = False
    at: int = -1
    parts: tuple["Constraint", ...] = ()


@dataclass(frozen=True)
class Order:
    """By which column the rows are ordered, from which end, and how many are asked for."""

    column: str
    down: bool
    count: int
    words: str


@dataclass(frozen=True)
class Tally:
    """How many rows of another kind each thing has: ``rows`` holds its ``key`` and the ``number``, in order.

    ``of`` is what was counted, ``ranked`` whether the first or last are asked for, ``among`` how many things there are.
    """

    rows: pl.DataFrame
    of: "Query"
    ranked: bool
    quantity: str
    among: int


@dataclass(frozen=True)
class Query:
    """A question as a query. ``columns`` are what is asked of the rows; ``unknown`` could not be applied."""

    entity: Entity
    intent: Intent
    constraints: tuple[Constraint, ...] = ()
    columns: tuple[str, ...] = ()
    measure: tuple[str, str] | None = None
    group: str | None = None
    having: NumberLimit | None = None
    order: Order | None = None
    halves: tuple[Constraint, ...] = ()
    unknown: tuple[str, ...] = ()
    corrections: tuple[tuple[str, str], ...] = ()
    unused: tuple[str, ...] = ()
    verbs: tuple[str, ...] = ()  # the dates whose verbs are said: a later "and when?" is about them
    named: bool = True
    lookup: bool = False
    noun: int = -1  # where the thing is named
    polar: bool = False  # asks for yes or no
    checks: tuple[Constraint, ...] = ()
    presumed: bool = False
    window: tuple[str, TimeWindow] | None = None
    tally: Tally | None = None
    minutes: bool = False  # a time is asked for in minutes
    assumed: tuple[str, ...] = ()  # what was taken for granted in reading it: such an answer is never sure

    @property
    def where(self) -> pl.Expr:
        """All constraints together."""
        return pl.all_horizontal(pl.lit(True), *(each.where for each in self.constraints))


def intent_of(reading: Reading) -> Intent:
    asked = reading.asked
    return next((intent for intent, pattern in _INTENTS if asked.matches(pattern)), "list")


def dates_of(reading: Reading) -> list[str]:
    timed = verb_timed(reading)
    return [sense.column for piece in reading.pieces if (sense := piece.sense("date")) and sense.column not in timed]


TIMED = {
    "acknowledged_on": "hours_to_acknowledge",
    "mitigated_on": "hours_to_mitigate",
    "resolved_on": "hours_to_resolve",
    "closed_on": "hours_to_resolve",
}
_HOW_LONG = (
    r"\bhow (?:long|fast|quick|quickly|soon|slow|slowly|many (?:hours|minutes))\b|\btime\b|"
    r"\btakes? (?:us |them |me )?to\b|\b(?:average|avg|mean|median|typical)\b"
)


def verb_timed(reading: Reading) -> dict[str, str]:
    """The dates of verbs of which a question asks how long they take ("to acknowledge"), each with its measure."""
    if not reading.asked.matches(_HOW_LONG):
        return {}
    found = [
        sense.column
        for piece in reading.pieces
        if (sense := piece.sense("date"))
        and sense.column in TIMED
        and TIMED[sense.column] in reading.entity.measures
        and (
            reading.asked.matches(rf"\bto {re.escape(piece.words)}\b")
            or (
                reading.asked.matches(rf"\b(?:do|does|did|are|were|was|is|get|got) .*\b{re.escape(piece.words)}")
                and reading.asked.matches(r"\bhow\b")
            )
        )
    ]
    return {column: TIMED[column] for column in found}


def columns_of(reading: Reading, kind: str, frame: pl.DataFrame) -> list[str]:
    found = [sense.column for piece in reading.pieces for sense in piece.senses if sense.kind == kind]
    return [column for column in found if column in frame.columns]
