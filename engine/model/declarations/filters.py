"""Filters: what every report may be asked besides its own parameters, to say of one thing alone what it says of all.

A report that declares a parameter of such a name itself means its own by it.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from engine.model.declarations.ask import Parameter, Parameters
from engine.model.entities import EntityKind
from engine.model.vocabulary import FRAMEWORK_NAMES

NAMING: tuple[EntityKind, ...] = ("control", "owner", "framework", "vendor")
"""The kinds of things that rows may be asked to name; the filter of each is called like it."""
TABLE = Parameter("table", None, "this table alone, by the name that it has in JSON")
ROWS = Parameter("rows", None, "all: no row of a page is behind a disclosure, so that all print", choices=("all",))
FILTERS: tuple[Parameter, ...] = (
    Parameter("control", None, "only rows that name this control: soc2:CC6.1, or CC6.1 in the report of its framework"),
    Parameter("owner", None, "only rows that name this person, by address"),
    Parameter("framework", None, "only rows that name this framework"),
    Parameter("vendor", None, "only rows that name this vendor, by identifier"),
    TABLE,
    ROWS,
)


@dataclass(frozen=True)
class Filters:
    """What rows must name to be kept, by filter, and the one table that is asked for; nothing where all is."""

    named: Mapping[EntityKind, str]
    table: str | None = None
    own_frameworks: Mapping[str, str] = field(default_factory=dict)  # titles by identifier

    @classmethod
    def of(cls, parameters: Parameters, own: Iterable[Parameter]) -> "Filters":
        """The filters among the parameters of a report that declares ``own``."""
        given = {name: str(parameters[name]) for name in filters_beside(own) if name in parameters}
        return cls({kind: given[kind] for kind in NAMING if kind in given}, given.get(TABLE.name))

    def __bool__(self) -> bool:
        return bool(self.named) or self.table is not None

    @property
    def words(self) -> str:
        """What is named, for a title or a sentence: ``owner ana@aurora.example and framework SOC 2``."""
        names = {**FRAMEWORK_NAMES, **self.own_frameworks}
        return " and ".join(f"{kind} {names.get(value, value)}" for kind, value in self.named.items())

    @property
    def file_words(self) -> str:
        """What a file of it is told by from that of the whole report."""
        parts = [f"{kind} {value}" for kind, value in self.named.items()]
        return " ".join([*parts, *([self.table] if self.table is not None else [])])


def filters_beside(own: Iterable[Parameter]) -> dict[str, Parameter]:
    """The filters of a report that declares ``own`` parameters, by name."""
    taken = {parameter.name for parameter in own}
    return {parameter.name: parameter for parameter in FILTERS if parameter.name not in taken}
