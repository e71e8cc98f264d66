"""The question that a report answers: its day, its period, the organization's settings and what else was asked."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from functools import cached_property

from engine.model.errors import BadRequest
from engine.model.thresholds import DEFAULTS, Thresholds
from engine.model.vocabulary import FRAMEWORK_NAMES

Value = str | int | None  # of a parameter: a number or a text; None where it may be left out
Parameters = Mapping[str, Value]


@dataclass(frozen=True)
class Parameter:
    """A query parameter: an integer from ``minimum`` to ``maximum``, one of ``choices``, a day, or a short text.

    A text that names a record says which ``(fact, column)`` it is found in: one that is not there is refused, so that
    what has no answer of its own has no artifact of its own either.
    """

    name: str
    default: Value
    help: str
    minimum: int | None = None
    maximum: int | None = None
    choices: tuple[str, ...] = ()
    found_in: tuple[str, str] | None = None
    is_day: bool = False

    @property
    def expectation(self) -> str:
        """What the parameter accepts, in words."""
        if self.minimum is not None:
            return f"an integer from {self.minimum} to {self.maximum}"
        if self.choices:
            return "one of " + ", ".join(self.choices)
        if self.is_day:
            return "a day as YYYY-MM-DD"
        if self.found_in:
            fact, column = self.found_in
            return f"the {column} of one of the organization's {fact}"
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
        elif self.is_day:
            if _is_day(raw):
                return raw
        elif 0 < len(raw) <= 200 and raw.isprintable():
            return raw
        raise self.refusal(raw)

    def refusal(self, raw: str, expected: str = "") -> BadRequest:
        """What is said of a value that is not allowed, or not here: ``expected`` then says what is."""
        expected = expected or self.expectation
        return BadRequest(
            f"The parameter {self.name} must be {expected}; got {raw[:80]!r}.",
            word="invalid_parameter",
            details=[{"parameter": self.name, "expected": expected, "got": raw[:80]}],
        )


def _is_day(raw: str) -> bool:
    try:
        return date.fromisoformat(raw).isoformat() == raw
    except ValueError:
        return False


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
    own_frameworks: Mapping[str, str] = field(default_factory=dict)  # titles by identifier

    def framework_name(self, framework: str) -> str:
        """What a framework is called, of the program or of the organization's own; itself where nobody has it."""
        return self.framework_names.get(framework, framework)

    @cached_property
    def framework_names(self) -> Mapping[str, str]:
        """What frameworks are called, by identifier: those of the program, then one's own."""
        return {**FRAMEWORK_NAMES, **self.own_frameworks}

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
        """What titles and definitions of figures may name in braces: settings, days, horizon, parameters.

        ``{source_name}`` is what the framework is called that the parameter ``source`` names.
        """
        return {
            **{name: f"{self.settings[name]:g}" for name in DEFAULTS},
            **self.options,
            **{f"{name}_name": self.framework_name(str(value)) for name, value in self.options.items()},
            "as_of": self.as_of,
            "period_days": self.period_days,
            "period_start": self.period_start,
            "horizon_weeks": self.horizon_weeks,
        }
