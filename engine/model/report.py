"""What a report declares, and the question that it answers.

A report is one file in ``reports/``: a pure ``build(fact frames…, ask) -> Document`` and ``REPORT = Report(...)``.
A parameter bears the name of the fact that it takes, restricted to one organization; their order means nothing.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property
from inspect import signature

import polars as pl

from engine.model.document import Document
from engine.model.errors import BadRequest
from engine.model.thresholds import Thresholds

Value = str | int | None  # of a parameter: a number or a text; None where it may be left out
Parameters = Mapping[str, Value]
FORMATS = ("json", "csv", "html", "md")


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


@dataclass(frozen=True)
class Report:
    """One line of the catalogue. ``name`` is the last part of its route; ``build`` names what it takes."""

    name: str
    title: str
    description: str
    build: Callable[..., Document]
    formats: tuple[str, ...] = FORMATS
    parameters: tuple[Parameter, ...] = (PERIOD_DAYS,)
    schema_version: int = 1

    @cached_property
    def facts(self) -> tuple[str, ...]:
        """The facts that ``build`` takes: the names of its parameters, but for ``ask``."""
        return tuple(name for name in signature(self.build).parameters if name != "ask")

    def document(self, frames: Mapping[str, pl.DataFrame], ask: Ask) -> Document:
        """The report's document; ``frames`` hold at least its facts, of one organization."""
        return self.build(**{name: frames[name] for name in self.facts}, ask=ask)

    @cached_property
    def has_period(self) -> bool:
        """Whether it is asked over a period; what is not says the same over any."""
        return any(parameter.name == PERIOD_DAYS.name for parameter in self.parameters)

    def period_days(self, parameters: Parameters) -> int:
        """The length of the period, in days."""
        return int(parameters.get(PERIOD_DAYS.name) or DEFAULT_PERIOD_DAYS)

    def format(self, wanted: str | None) -> str:
        """The format asked for, else the report's first. BadRequest names those that it has."""
        if wanted is None:
            return self.formats[0]
        if wanted not in self.formats:
            raise BadRequest(
                f"The report {self.name} comes as {', '.join(self.formats)}; got {wanted[:40]!r}.",
                word="unknown_format",
                details=[{"parameter": "format", "expected": list(self.formats), "got": wanted[:40]}],
            )
        return wanted

    def parse(self, query: Mapping[str, str]) -> dict[str, Value]:
        """Every declared parameter with its value or default, in declared order; unknown names are refused."""
        known = {parameter.name: parameter for parameter in self.parameters}
        for name in query:
            if name not in known:
                allowed = ", ".join(known) or "none"
                accepted = f"{allowed} and format" if known else "format alone"
                raise BadRequest(
                    f"The parameter {name[:80]!r} is not known to {self.name}; it accepts {accepted}.",
                    word="invalid_parameter",
                    details=[{"parameter": name[:80], "expected": allowed, "got": "unknown parameter"}],
                )
        return {
            name: parameter.parse(query[name]) if name in query else parameter.default
            for name, parameter in known.items()
        }
