"""What is said of a report without computing it: what it is called, what it may be asked, how it may be shown.

A ``Report`` is a declaration, and so is its line in the index (``engine/reporting/index.py``). Whoever answers from
artifacts needs no more, and imports none of what reports are computed with.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping
from functools import cached_property
from typing import TypeVar

from engine.model.declarations.as_of import PAST_PARAMETERS, SINCE
from engine.model.declarations.ask import DEFAULT_PERIOD_DAYS, PERIOD_DAYS, Parameter, Parameters, Value
from engine.model.declarations.filters import FILTERS, filters_beside
from engine.model.declarations.plan_parameters import PLAN_PARAMETERS
from engine.model.errors import BadRequest, NotFound
from engine.model.suggestions import suggestion

FORMATS = ("json", "csv", "html", "md", "xlsx")
HEAVY = ("xlsx", "pdf")  # formats that an exported site has where somebody asks for them
EXPLAIN = "explain"  # the parameter of every report
_OF_ALL = ", ".join([*(one.name for one in FILTERS), EXPLAIN, *(one.name for one in PAST_PARAMETERS)]) + " and format"


class Declaration(ABC):
    """One report, as far as it can be told without it. ``name`` is the last part of its route."""

    name: str
    title: str
    description: str
    formats: tuple[str, ...]
    parameters: tuple[Parameter, ...]
    schema_version: int
    plans: str  # the framework that it answers for when it is asked whether that will be ready by a day; "" for none

    @property
    @abstractmethod
    def figure_ids(self) -> tuple[str, ...]:
        """The figures of its summary."""

    @property
    @abstractmethod
    def report_module(self) -> str:
        """The module that declares the report as ``REPORT``."""

    @cached_property
    def has_period(self) -> bool:
        """Whether it is asked over a period; what is not says the same over any."""
        return any(parameter.name == PERIOD_DAYS.name for parameter in self.parameters)

    def period_days(self, parameters: Parameters) -> int:
        """The length of the period, in days."""
        own = next((each.default for each in self.parameters if each.name == PERIOD_DAYS.name), None)
        return int(parameters.get(PERIOD_DAYS.name) or own or DEFAULT_PERIOD_DAYS)

    def formats_of(self, parameters: Mapping[str, object]) -> tuple[str, ...]:
        """The formats that it comes in; an explanation and a difference are tables, whatever the report itself is."""
        return FORMATS if EXPLAIN in parameters or SINCE.name in parameters else self.formats

    def is_plan_query(self, query: Mapping[str, object]) -> bool:
        """Whether it is asked what will be by a day, which another declaration answers."""
        return bool(self.plans) and any(parameter.name in query for parameter in PLAN_PARAMETERS)

    @property
    def light_formats(self) -> tuple[str, ...]:
        """The formats that take no time to speak of."""
        return tuple(form for form in self.formats if form not in HEAVY)

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
            EXPLAIN, None, "a figure of the summary: answer with the rows that it counts", choices=self.figure_ids
        )

    def parse(self, query: Mapping[str, str]) -> dict[str, Value]:
        """Every declared parameter with its value or default, in declared order; unknown names are refused."""
        known = {parameter.name: parameter for parameter in self.parameters}
        further = {**filters_beside(self.parameters), EXPLAIN: self.explain, SINCE.name: SINCE}
        for name in query:
            if name not in known and name not in further:
                allowed = ", ".join(known) or "none"
                accepted = ", ".join([*known, _OF_ALL])
                raise BadRequest(
                    f"The parameter {name[:80]!r} is not known to {self.name}; it accepts {accepted}.",
                    word="invalid_parameter",
                    details=[{"parameter": name[:80], "expected": allowed, "got": "unknown parameter"}],
                )
        if EXPLAIN in query and not self.figure_ids:
            raise BadRequest(
                f"{self.name} has no figure of which rows could be shown; leave {EXPLAIN} out.",
                word="invalid_parameter",
                details=[{"parameter": EXPLAIN, "expected": "nothing", "got": query[EXPLAIN][:80]}],
            )
        parameters = {
            name: parameter.parse(query[name]) if name in query else parameter.default
            for name, parameter in known.items()
        }
        return parameters | {name: one.parse(query[name]) for name, one in further.items() if name in query}

    def without_filters(self, parameters: Parameters) -> Parameters:
        """The parameters of the whole report that rows are chosen from."""
        return {name: value for name, value in parameters.items() if name not in filters_beside(self.parameters)}


D = TypeVar("D", bound=Declaration)


def find_report(catalogue: Mapping[str, D], name: str) -> D:
    """A report of the catalogue; NotFound names the one that was probably meant, else those that exist."""
    if name not in catalogue:
        near = suggestion(name[:80], catalogue)
        instead = f". {near}" if near else f"; there are: {', '.join(sorted(catalogue))}."
        raise NotFound(f"There is no report {name[:80]!r}{instead}", word="unknown_report")
    return catalogue[name]
