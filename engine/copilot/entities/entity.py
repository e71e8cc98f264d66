"""What people ask about, declared: where its rows come from, and which words mean which of its columns."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Protocol

import polars as pl

from engine.model.documents.document import Edition

Words = tuple[str, ...]


class Records(Protocol):
    """Where rows come from: facts and tables of one organization at one moment."""

    @property
    def today(self) -> date:
        """The organization's day."""
        ...

    @property
    def now(self) -> datetime:
        """The moment that is asked at."""
        ...

    def fact(self, name: str) -> pl.DataFrame:
        """The rows of a fact or a scan."""
        ...

    def table(self, name: str) -> pl.DataFrame:
        """The rows of a table as it is stored."""
        ...

    def budgets(self) -> pl.DataFrame:
        """The error budgets of services with an objective."""
        ...

    def number(self, threshold: str) -> int:
        """A threshold of the organization."""
        ...

    def edition(self, report: str) -> Edition | None:
        """A report."""
        ...


@dataclass(frozen=True)
class RowState:
    """A word for some of the rows: ``label`` stands before the noun, ``where`` says which rows, on which day."""

    label: str
    where: Callable[[date], pl.Expr]
    words: Words = ()
    after: bool = False  # the label stands behind the noun
    aside: bool = False  # says nothing of how far the thing is: what is presumed stays presumed
    assumed: str = ""  # what is taken for granted where this word is said


@dataclass(frozen=True, eq=False)
class Entity:
    """A kind of thing that people ask about; adding one is adding its rows and states, and a file of what it is.

    ``key`` is the column that names a row, ``line`` how a row reads. ``names`` are columns by which a row is called,
    whole or by a telling word. ``choices`` are columns of few words, each with what else people call them: ``word:
    value``. ``dates`` are days, the usual one first, with the verbs that mean them; ``due`` is the one to look ahead
    on, ``done`` the one on which what was due was done, ``until`` the last day of what lasts from the usual one on.
    ``people`` are columns of addresses, the usual one first. ``links`` are columns that hold the key of another
    thing: a service, a framework, a control, a vendor, an incident. ``attributes`` are what can be asked of one row.
    ``presumed`` is the state that is meant where no other is said. ``size`` orders what is largest or worst.
    ``figures`` names the figure that counts exactly these states and choices, ``period_figures`` the one over a period
    that ends today. ``report`` shows the rows; ``row_route`` is where one row stands.
    """

    name: str
    plural: str
    source: Callable[[Records], pl.DataFrame]
    key: str
    line: str
    words: Words = ()
    names: Words = ()
    states: tuple[RowState, ...] = ()
    choices: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    dates: Mapping[str, Words] = field(default_factory=dict)
    due: str | None = None
    done: str | None = None
    until: str | None = None
    begun: str | None = None  # the day on which it came to be, where that is not the usual one: newest goes by it
    people: Mapping[str, Words] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    turned: Mapping[str, Mapping[str, str]] = field(default_factory=dict)  # links behind a preposition of their own
    attributes: Mapping[str, Words] = field(default_factory=dict)
    measures: Mapping[str, Words] = field(default_factory=dict)
    reason: str | None = None
    size: str | None = None
    presumed: str | None = None
    figures: Mapping[frozenset[str], str] = field(default_factory=dict)
    period_figures: Mapping[tuple[str, frozenset[str]], str] = field(default_factory=dict)
    report: str | None = None
    row_route: str | None = None
    fillers: Words = ()
    dated: bool = True  # a span of time without a verb is about the usual date
    scale: str | None = None  # the number that "above 12" is held against where none is named
    hints: Words = ()  # words that mean it where no noun is said
    closed: bool = True  # what is not on record is not there
    loose: Words = ()  # nouns that people use of it and of other things, too: never sure
    unsure: Words = ()  # words that are said of other things of it, too: never sure
    unrated: str | None = None  # the flag of rows whose ``size`` is presumed: nobody gave it
    leaves_out: str = ""  # what is no row of it, though somebody may count it in: said with every number

    def state(self, label: str) -> RowState:
        """The state of that label."""
        return next(state for state in self.states if state.label == label)


def framework_name(records: Records, column: str = "framework") -> pl.Expr:
    """What the frameworks of a column are called, of the program or of the organization's own."""
    names = dict(records.fact("frameworks").select("framework", "name").iter_rows())
    return pl.col(column).replace_strict(names, default=pl.col(column), return_dtype=pl.String)


def phrases(text: str) -> Words:
    """The phrases of a list with commas."""
    return tuple(text.split(", "))


def meanings(text: str) -> dict[str, str]:
    """What each word means: "critical: crit, sev1; high: sev2" has "crit" and "sev1" for critical."""
    pairs = (one.split(": ") for one in text.split("; "))
    return {word: value for value, words in pairs for word in phrases(words)}


def is_in(column: str, *values: object) -> Callable[[date], pl.Expr]:
    """Rows whose column has one of these values."""
    return lambda _: pl.col(column).is_in(values)


def none(column: str) -> Callable[[date], pl.Expr]:
    """Rows whose column is empty."""
    return lambda _: pl.col(column).is_null()


def flag(column: str, value: bool = True) -> Callable[[date], pl.Expr]:
    """Rows whose flag is set; an unknown one is not."""
    return lambda _: pl.col(column).fill_null(not value) == value


def past(column: str, *live: str, status: str = "status") -> Callable[[date], pl.Expr]:
    """Rows of one of the states ``live`` whose day has passed."""
    return lambda today: (pl.col(column) < today) & pl.col(status).is_in(live)


def over(column: str, least: float) -> Callable[[date], pl.Expr]:
    """Rows whose number is at least so large."""
    return lambda _: pl.col(column) >= least
