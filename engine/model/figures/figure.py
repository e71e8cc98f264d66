"""Figures: the numbers that people quote, each declared once (REPORTS R10, DESIGN 4).

A ``Figure`` says which rows of which fact count and how they make a value. ``Figures`` are the values of one question:
whatever shows a figure takes it from there, so that one name has one value on one page and on all. The printed
definition, the glossary and the explanation (the rows that are counted, with the reason of each) follow from the same
declaration.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from inspect import Parameter, signature
from string import Formatter
from typing import Annotated, Any, TypeAlias, get_origin

import polars as pl

from engine.model.declarations.ask import PERIOD_DAYS, Ask
from engine.model.figures.aggregates import Aggregate, Counted, Expression, expression
from engine.model.figures.thousands import with_thousands
from engine.model.figures.versions import version_of
from engine.model.vocabulary import Better, Unit

# takes facts by the names of its parameters, what others make of them as ``Annotated[its type, function]``, and ``ask``
Rows: TypeAlias = Callable[..., pl.DataFrame]
# gives what was made for a key of the same sources before, if anything was, else makes it; few rows are no frames
Recall: TypeAlias = Callable[[Hashable, tuple[object, ...], Callable[[], Any]], Any]
ASK, FIGURES = "ask", "figures"  # reserved names of parameters: they are no facts
REASON = "reason"
OWN_RULE = "own_rule"
PARTS = ("flag", "weight", "amount", "numerator", "denominator", "value", "contribution")
DIGITS: Mapping[Unit, int] = {"percent": 1, "points": 1, "hours": 2, "minutes": 1, "days": 1, "ratio": 2}
# what tells the rows of a fact apart, in the order in which people look for it
IDENTITY = (
    *("component", "framework", "control_id", "gap_id", "obligation_id", "poam_id", "weakness_key", "id", "action_id"),
    *("vendor_id", "vendor", "policy_id", "schedule_id", "test_id", "system_id", "service_id", "cluster_id"),
    *("play_id", "alert_id", "delivery_id"),
    *("scenario", "source", "target", "source_framework", "source_id", "target_framework", "target_id"),
    *("name", "title", "kind", "week", "taken_on", "owner", "recipient", "email"),
)


@dataclass(frozen=True)
class Figure:
    """A number that people quote.

    ``fact`` is the name of a fact, or a function of facts (named by its parameters) and ``ask`` whose rows the figure
    counts. ``where`` says which of its rows count: all without it. ``title`` and ``definition`` may name what is asked
    in braces: a setting, ``{period_days}``, ``{period_start}``, ``{as_of}``, ``{horizon_weeks}``. ``reason`` is said of
    each row that counts, with columns in braces; without it, the columns that decide are named. ``comparison``: it
    compares two days itself, or names one of them; what changed between two days leaves it out.
    """

    id: str
    title: str
    unit: Unit
    better: Better
    definition: str
    fact: str | Rows
    aggregate: Aggregate
    where: Expression | None = None
    reason: str | None = None
    comparison: bool = False

    @property
    def version(self) -> int:
        """Of its formula, from 1: values of different versions are not compared."""
        return version_of(self.id)

    @property
    def fact_name(self) -> str:
        """The name of the fact, or of the function that gives the rows."""
        return self.fact if isinstance(self.fact, str) else self.fact.__name__

    @cached_property
    def facts(self) -> tuple[str, ...]:
        """The facts that it is counted on."""
        return (self.fact,) if isinstance(self.fact, str) else facts_of(self.fact)


@cache
def parameters_of(function: Callable[..., object]) -> Mapping[str, Parameter]:
    """The parameters of a function of facts: reading them takes longer than many a function does."""
    return signature(function).parameters


@cache
def inputs_of(function: Callable[..., object]) -> Mapping[str, str | Rows]:
    """What each parameter takes: the fact of its name, or the rows of the function that it is ``Annotated`` with."""
    taken = parameters_of(function).values()
    return {
        each.name: each.annotation.__metadata__[0] if get_origin(each.annotation) is Annotated else each.name
        for each in taken
        if each.name not in (ASK, FIGURES)
    }


def facts_of(function: Callable[..., object]) -> tuple[str, ...]:
    """The facts that a function takes, those of the functions that it takes rows of included."""
    taken = inputs_of(function).values()
    names = (name for each in taken for name in ((each,) if isinstance(each, str) else facts_of(each)))
    return tuple(dict.fromkeys(names))


@dataclass(frozen=True, eq=False)
class Identical:
    """A value that equals itself alone: what it holds may be frames, which are not compared at a glance."""

    value: object

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Identical) and self.value is other.value


class Figures:
    """The figures of one question, each computed when it is first asked for.

    With ``recall``, rows that functions of facts make are those of other reports and of before, where they were made
    from the same.
    """

    def __init__(
        self, declared: Sequence[Figure], frames: Mapping[str, pl.DataFrame], ask: Ask, recall: Recall | None = None
    ) -> None:
        self.declared = {figure.id: figure for figure in declared}
        self._frames = frames
        self._ask = ask
        self._recall = recall
        self._rows: dict[object, pl.DataFrame] = {}
        self._values: dict[str, object] = {}

    def __getitem__(self, name: str) -> Any:  # a number, a day, a word or None: the declaration knows which
        """The value; KeyError for a figure that the report does not declare."""
        if name not in self._values:
            self._values |= self._values_on(self._figure(name).fact)
        return self._values[name]

    def rows(self, fact: str | Rows) -> pl.DataFrame:
        """The frame of a fact, or of a function of facts: computed once for all that look at it."""
        if isinstance(fact, str):
            return self._frames[fact]
        if fact not in self._rows:
            given: dict[str, Any] = {name: self.rows(taken) for name, taken in inputs_of(fact).items()}
            self._rows[fact] = self._make(fact, given)
        return self._rows[fact]

    def _make(self, fact: Rows, given: dict[str, Any]) -> pl.DataFrame:
        ask = self._ask
        sources: tuple[object, ...] = tuple(
            each if isinstance(each, pl.DataFrame) else Identical(each) for each in given.values()
        )
        key: tuple[Hashable, ...] = fact, ask.period_days
        if ASK in parameters_of(fact):
            given[ASK] = ask
            key = *key, *(option for option in ask.options.items() if option[0] != PERIOD_DAYS.name)
            sources = *sources, ask.as_of, ask.settings
        return fact(**given) if self._recall is None else self._recall(key, sources, lambda: fact(**given))

    def counted_rows(self, name: str) -> pl.DataFrame:
        """The rows of the fact that a figure counts, with all of its columns."""
        figure = self._figure(name)
        frame = self.rows(figure.fact)
        return frame if figure.where is None else frame.filter(expression(figure.where, self._ask))

    def is_founded(self, name: str) -> bool:
        """Whether there is anything on record that a figure could count; a zero of nothing is no merit."""
        return self._has_records(self._figure(name).fact)

    def _has_records(self, fact: str | Rows) -> bool:
        """Whether a fact has rows; of a function, whether that has any which it is about: what it takes first."""
        rows: object = self.rows(fact)
        if isinstance(rows, pl.DataFrame) and rows.height:
            return True
        return not isinstance(fact, str) and any(self._has_records(taken) for taken in [*inputs_of(fact).values()][:1])

    def _values_on(self, fact: str | Rows) -> Mapping[str, object]:
        """All figures that are counted on one fact: a look at a frame costs more than what is measured in it."""
        figures = [figure for figure in self.declared.values() if figure.fact == fact]
        measures = {figure.id: figure.aggregate.measures(self._counting(figure)) for figure in figures}
        named = {f"{name} {part}": measure for name, given in measures.items() for part, measure in given.items()}
        row = self.rows(fact).select(**named).row(0, named=True)
        found = {name: {part: row[f"{name} {part}"] for part in given} for name, given in measures.items()}
        return {figure.id: _round(figure, figure.aggregate.value(found[figure.id])) for figure in figures}

    def _counting(self, figure: Figure) -> Counted:
        """What an expression says of the rows that a figure counts."""
        if figure.where is None:
            return lambda given: expression(given, self._ask)
        where = expression(figure.where, self._ask)
        return lambda given: expression(given, self._ask).filter(where)

    def title(self, name: str) -> str:
        """The title, with what was asked in place."""
        return self._figure(name).title.format_map(self._words)

    def definition(self, name: str) -> str:
        """The definition, with what was asked in place."""
        return self._figure(name).definition.format_map(self._words)

    def explained_rows(self, name: str) -> pl.DataFrame:
        """The rows that a figure counts: what tells them apart, why each counts, and what its aggregate takes."""
        figure = self._figure(name)
        rows = self._rows_of(figure, explained=True)
        parts = [part for part in PARTS if part in (*figure.aggregate.parts, "numerator") and part in rows.columns]
        named = [*IDENTITY, *self._decisive(figure), *columns_of(figure.reason or "")]
        columns = [
            column for column in dict.fromkeys(named) if column in rows.columns and column not in (*parts, REASON)
        ]
        floats = [column for column in parts if rows.schema[column].is_float()]
        return rows.select(*columns, REASON, *parts).with_columns(pl.col(floats).round(6))

    @cached_property
    def _words(self) -> Mapping[str, object]:
        return self._ask.words

    def _figure(self, name: str) -> Figure:
        if name not in self.declared:
            raise KeyError(f"the figure {name!r} is not declared by this report; it has {', '.join(self.declared)}")
        return self.declared[name]

    def _rows_of(self, figure: Figure, *, explained: bool = False) -> pl.DataFrame:
        """The rows that count with the columns that the aggregate takes; explained, with the reason of each."""
        parts = {part: expression(given, self._ask) for part, given in figure.aggregate.parts.items()}
        counted = self.counted_rows(figure.id)
        reason = [_reason(figure, self._decisive(figure), counted).alias(REASON)] if explained else []
        return figure.aggregate.rows(counted.with_columns(*reason, **parts))

    def _decisive(self, figure: Figure) -> list[str]:
        """The columns that decide which rows count, and those that make the value."""
        given = [*([] if figure.where is None else [figure.where]), *figure.aggregate.parts.values()]
        return [column for one in given for column in expression(one, self._ask).meta.root_names()]


def _round(figure: Figure, value: object) -> object:
    """Floats in the digits of the unit; minus zero is zero."""
    return round(value, DIGITS.get(figure.unit, 2)) + 0.0 if isinstance(value, float) else value


def _reason(figure: Figure, columns: Sequence[str], rows: pl.DataFrame) -> pl.Expr:
    """Why each row counts: in the figure's own words, else by the columns that decide; and the own rule behind it."""
    why = _why(figure, columns, rows)
    if OWN_RULE not in rows.columns:
        return why
    return pl.concat_str(why, pl.lit("; by the rule ") + pl.col(OWN_RULE), ignore_nulls=True)


def _why(figure: Figure, columns: Sequence[str], rows: pl.DataFrame) -> pl.Expr:
    if figure.reason is not None:
        return _fill(figure.reason, rows)
    told = [column for column in dict.fromkeys(columns) if column in rows.columns]
    if not told:
        return pl.lit(figure.title)
    expressions = [pl.concat_str(pl.lit(f"{column.replace('_', ' ')} "), _text(column, rows)) for column in told]
    return pl.concat_str(expressions, separator="; ")


def columns_of(template: str) -> list[str]:
    """The columns that a reason names in braces."""
    return [column for _, column, _, _ in Formatter().parse(template) if column]


def _fill(template: str, rows: pl.DataFrame) -> pl.Expr:
    """The template with the columns that it names in braces."""
    pieces: list[pl.Expr] = []
    for literal, column, _, _ in Formatter().parse(template):
        if literal:
            pieces.append(pl.lit(literal))
        if column:
            pieces.append(_text(column, rows))
    return pl.concat_str(pieces)


def _text(column: str, rows: pl.DataFrame) -> pl.Expr:
    cell = pl.col(column)
    if rows.schema[column].is_nested():
        cell = cell.list.eval(pl.element().cast(pl.String)).list.join(", ", ignore_nulls=True)
    return (with_thousands(cell) if rows.schema[column].is_integer() else cell.cast(pl.String)).fill_null("none")
