"""What a report declares, and the question that it answers.

A report is one file in ``reports/``: a pure ``build(fact frames…, ask) -> Document`` and ``REPORT = Report(...)``.
A parameter bears the name of the fact that it takes, restricted to one organization; their order means nothing. Two
names are no facts: ``ask`` is the question, ``figures`` the values of the figures that the report declares.
"""

import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from functools import cached_property
from importlib import import_module
from inspect import signature

import polars as pl

from engine.model.document import Document, Table
from engine.model.errors import BadRequest
from engine.model.figure import ASK, FIGURES, Figure, Figures, facts_of
from engine.model.thresholds import DEFAULTS, Thresholds

Value = str | int | None  # of a parameter: a number or a text; None where it may be left out
Parameters = Mapping[str, Value]
FORMATS = ("json", "csv", "html", "md")
EXPLAIN = "explain"  # the parameter of every report


@dataclass(frozen=True)
class Parameter:
    """A query parameter: an integer from ``minimum`` to ``maximum``, one of ``choices``, or a short text."""

    name: str
    default: Value
    help: str
    minimum: int | None = None
    maximum: int | None = None
    choices: tuple[str, ...] = ()

    @property
    def allowed(self) -> str:
        """What the parameter accepts, in words."""
        if self.minimum is not None:
            return f"an integer from {self.minimum} to {self.maximum}"
        if self.choices:
            return "one of " + ", ".join(self.choices)
        return "a text of 1 to 200 characters"

    def parse(self, raw: str) -> Value:
        """The value of ``raw``; BadRequest names the parameter, what came and what is allowed."""
        if self.minimum is not None and self.maximum is not None:
            digits = raw.removeprefix("-")
            if digits.isascii() and digits.isdigit() and len(digits) < 10 and self.minimum <= int(raw) <= self.maximum:
                return int(raw)
        elif self.choices:
            if raw in self.choices:
                return raw
        elif 0 < len(raw) <= 200 and raw.isprintable():
            return raw
        raise BadRequest(
            f"The parameter {self.name} must be {self.allowed}; got {raw[:80]!r}.",
            word="invalid_parameter",
            details=[{"parameter": self.name, "expected": self.allowed, "got": raw[:80]}],
        )


DEFAULT_PERIOD_DAYS = 30
PERIOD_DAYS = Parameter(
    "periodDays", DEFAULT_PERIOD_DAYS, "length of the period that ends on the report's day, in days", 1, 730
)


@dataclass(frozen=True)
class Ask:
    """One question to a report: for which day, over which period, under which thresholds."""

    as_of: date
    period_days: int
    settings: Thresholds
    options: Parameters = field(default_factory=dict)

    def number(self, parameter: Parameter) -> int:
        """The value of a parameter that is a number."""
        return int(self._value(parameter))

    def word(self, parameter: Parameter) -> str:
        """The value of a parameter that is a text."""
        return str(self._value(parameter))

    def _value(self, parameter: Parameter) -> str | int:
        value = self.options.get(parameter.name, parameter.default)
        if value is None:
            raise ValueError(f"the parameter {parameter.name} has no value and no default")
        return value

    @property
    def period_start(self) -> date:
        """First day of the period; the period ends with ``as_of`` inclusive."""
        return self.as_of - timedelta(days=self.period_days - 1)

    @property
    def horizon_weeks(self) -> int:
        """ISO weeks that are looked ahead, the present one included: as asked, else as the organization set it."""
        return int(self.options.get("weeks") or self.settings["forecast_weeks"])

    @property
    def words(self) -> Mapping[str, object]:
        """What titles and definitions of figures may name in braces: settings, days, horizon, parameters."""
        return {
            **{name: f"{self.settings[name]:g}" for name in DEFAULTS},
            **self.options,
            "as_of": self.as_of,
            "period_days": self.period_days,
            "period_start": self.period_start,
            "horizon_weeks": self.horizon_weeks,
        }


@dataclass(frozen=True)
class Report:
    """One line of the catalogue. ``name`` is the last part of its route; ``build`` names what it takes.

    ``figures`` are its summary, in their order; what else ``build`` puts into the summary follows them.
    """

    name: str
    title: str
    description: str
    build: Callable[..., Document]
    figures: tuple[Figure, ...] = ()
    formats: tuple[str, ...] = FORMATS
    parameters: tuple[Parameter, ...] = (PERIOD_DAYS,)
    schema_version: int = 1

    def __reduce__(self) -> str | tuple[object, ...]:
        """Other processes find a report where it is declared: predicates of figures do not travel."""
        module = self.build.__module__
        if getattr(sys.modules[module], "REPORT", None) is self:
            return _declared_in, (module,)
        return super().__reduce__()

    @cached_property
    def facts(self) -> tuple[str, ...]:
        """The facts that ``build`` and the figures take."""
        counted = [fact for figure in self.figures for fact in figure.facts]
        return tuple(dict.fromkeys([*facts_of(self.build), *counted]))

    def values(self, frames: Mapping[str, pl.DataFrame], ask: Ask) -> Figures:
        """The report's figures; ``frames`` hold at least its facts, of one organization."""
        return Figures(self.figures, frames, ask)

    def document(self, frames: Mapping[str, pl.DataFrame], ask: Ask) -> Document:
        """The report's document; ``frames`` hold at least its facts, of one organization."""
        figures = self.values(frames, ask)
        reserved = {ASK: ask, FIGURES: figures}
        taken = signature(self.build).parameters
        document = self.build(**{name: reserved[name] if name in reserved else frames[name] for name in taken})
        return self._with_figures(document, figures)

    def explanation(self, frames: Mapping[str, pl.DataFrame], ask: Ask, name: str) -> Document:
        """The rows that one of its figures counts, with the reason of each."""
        figures, figure = self.values(frames, ask), next(figure for figure in self.figures if figure.id == name)
        rows = figures.explained(name)
        title = figures.title(name)
        return Document(
            headline=f"{title}: {_said(figures[name], figure)}, from {rows.height:,} "
            f"{'row' if rows.height == 1 else 'rows'}. {figures.definition(name)}",
            summary={name: figures[name]},
            titles={name: title},
            tables=(Table("rows", title, rows),),
            definitions={title: figures.definition(name)},
        )

    def _with_figures(self, document: Document, figures: Figures) -> Document:
        """The document with its figures as the first part of summary, titles and definitions."""
        twice = figures.declared.keys() & document.summary.keys()
        if twice:
            raise ValueError(f"{self.name}: {', '.join(sorted(twice))} is a figure and is also put into the summary.")
        words = [figure.id for figure in self.figures if figure.unit == "word"]
        return replace(
            document,
            summary={**{name: figures[name] for name in figures.declared}, **document.summary},
            titles={**{name: figures.title(name) for name in figures.declared}, **document.titles},
            definitions={
                **{figures.title(name): figures.definition(name) for name in figures.declared},
                **document.definitions,
            },
            words=(*words, *document.words),
        )

    @cached_property
    def has_period(self) -> bool:
        """Whether it is asked over a period; what is not says the same over any."""
        return any(parameter.name == PERIOD_DAYS.name for parameter in self.parameters)

    def period_days(self, parameters: Parameters) -> int:
        """The length of the period, in days."""
        own = next((each.default for each in self.parameters if each.name == PERIOD_DAYS.name), None)
        return int(parameters.get(PERIOD_DAYS.name) or own or DEFAULT_PERIOD_DAYS)

    def formats_of(self, parameters: Mapping[str, object]) -> tuple[str, ...]:
        """The formats that it comes in; an explanation is a table, whatever the report itself is."""
        return FORMATS if EXPLAIN in parameters else self.formats

    def format(self, wanted: str | None, parameters: Mapping[str, object]) -> str:
        """The format asked for, else the report's first. BadRequest names those that it has."""
        formats = self.formats_of(parameters)
        if wanted is None:
            return formats[0]
        if wanted not in formats:
            raise BadRequest(
                f"The report {self.name} comes as {', '.join(formats)}; got {wanted[:40]!r}.",
                word="unknown_format",
                details=[{"parameter": "format", "expected": list(formats), "got": wanted[:40]}],
            )
        return wanted

    @cached_property
    def explain(self) -> Parameter:
        """The parameter that asks for the rows of a figure instead of the report."""
        return Parameter(
            EXPLAIN, None, "a figure of the summary: answer with the rows that it counts",
            choices=tuple(figure.id for figure in self.figures),
        )  # fmt: skip

    def parse(self, query: Mapping[str, str]) -> dict[str, Value]:
        """Every declared parameter with its value or default, in declared order; unknown names are refused."""
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in query:
            if name not in known and name != EXPLAIN:
                allowed = ", ".join(known) or "none"
                accepted = f"{allowed}, explain and format" if known else "explain and format"
                raise BadRequest(
                    f"The parameter {name[:80]!r} is not known to {self.name}; it accepts {accepted}.",
                    word="invalid_parameter",
                    details=[{"parameter": name[:80], "expected": allowed, "got": "unknown parameter"}],
                )
        parameters = {
            name: parameter.parse(query[name]) if name in query else parameter.default
            for name, parameter in known.items()
        }
        return parameters | ({EXPLAIN: self.explain.parse(query[EXPLAIN])} if EXPLAIN in query else {})


def _declared_in(module: str) -> Report:
    report: Report = import_module(module).REPORT
    return report


def _said(value: object, figure: Figure) -> str:
    """A figure's value in a sentence."""
    match value:
        case None:
            return "not known"
        case bool():
            return "yes" if value else "no"
        case int() | float():
            unit = {"percent": " %", "count": ""}.get(figure.unit, f" {figure.unit}")
            return f"{value:,}{unit}"
    return str(value)
