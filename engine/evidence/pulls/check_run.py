"""Running a check over tables: its population, its exceptions, and what comes out of them.

Tables are loaded first; then external access, configuration and everything else that leads outside are shut, and only
then the two queries run. The same tables and days come to the same answer, here, tomorrow and elsewhere.
"""

import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass

import duckdb

from engine.evidence.pulls.declarations import DaySpan, PullCheck
from engine.evidence.pulls.queries import fill_days
from engine.evidence.pulls.tables import SourceTable, identifier, load, open_engine, shut, to_source_table
from engine.model.vocabulary import TestRunOutcome

SECONDS = 60.0  # that the queries of a check may take
_COLUMN = re.compile(r'Referenced column "([^"]*)" not found|Table "([^"]*)" does not have a column named "([^"]*)"')
_NO_ROWS = SourceTable((), b"", 0)


@dataclass(frozen=True)
class CheckQueries:
    """What decides the answer about given tables: the two queries, and the two limits."""

    population: str
    exceptions: str
    most: int
    least_population: int

    @classmethod
    def of(cls, check: PullCheck) -> "CheckQueries":
        """Those of a check as it is declared."""
        return cls(check.population, check.exceptions, check.most, check.least_population)


@dataclass(frozen=True)
class CheckAnswer:
    """What came out. ``reason`` says why it is not tested; empty otherwise."""

    outcome: TestRunOutcome
    reason: str
    population: SourceTable
    exceptions: SourceTable
    could_run: bool = True

    @property
    def key(self) -> tuple[str, str, str, str]:
        """Two answers with one key are the same."""
        return self.outcome, self.reason, self.population.sha256, self.exceptions.sha256


def run_check(queries: CheckQueries, tables: Mapping[str, SourceTable], span: DaySpan) -> CheckAnswer:
    """Population and exceptions of a check over its tables. A query that fails is not tested, with the reason."""
    with loaded_tables(tables) as connection, time_limit(connection):
        return answer(connection, queries, span)


@contextmanager
def loaded_tables(tables: Mapping[str, SourceTable]) -> Iterator[duckdb.DuckDBPyConnection]:
    """An engine that has the tables and reaches nothing else."""
    with open_engine() as connection:
        for name, table in sorted(tables.items()):
            load(connection, name, table)
        shut(connection)
        yield connection


@contextmanager
def time_limit(connection: duckdb.DuckDBPyConnection) -> Iterator[None]:
    """Whatever an engine does for longer than ``SECONDS`` is interrupted, and so is not tested."""
    timer = threading.Timer(SECONDS, connection.interrupt)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def answer(
    connection: duckdb.DuckDBPyConnection, queries: CheckQueries, span: DaySpan, *, counted: bool = False
) -> CheckAnswer:
    """The same over tables that an engine has; tables called population and exceptions are replaced.

    ``counted``: rows of the population are counted and not read, which leaves it without columns and lines.
    """
    try:
        count = _make_table(connection, "population", fill_days(queries.population, span))
        population = SourceTable((), b"", count) if counted else _table(connection, "population")
        count = _make_table(connection, "exceptions", fill_days(queries.exceptions, span))
        exceptions = _NO_ROWS if counted and not count else _table(connection, "exceptions")
    except duckdb.Error as error:
        return CheckAnswer("not_tested", _reason(error), _NO_ROWS, _NO_ROWS, could_run=False)
    if population.rows < queries.least_population:
        few = "the population is empty" if not population.rows else f"the population has {population.rows:,} rows"
        few += "" if queries.least_population == 1 else f", fewer than {queries.least_population:,}"
        return CheckAnswer("not_tested", few, population, exceptions)
    return CheckAnswer("passed" if exceptions.rows <= queries.most else "failed", "", population, exceptions)


def _make_table(connection: duckdb.DuckDBPyConnection, name: str, query: str) -> int:
    """Make a table of a query, which later queries see; how many rows it has."""
    connection.execute(f"CREATE OR REPLACE TABLE {identifier(name)} AS SELECT * FROM (\n{query}\n)")  # noqa: S608 - one SELECT, which was looked at
    ((count,),) = connection.fetchall()
    return int(count)


def _table(connection: duckdb.DuckDBPyConnection, name: str) -> SourceTable:
    return to_source_table(connection, identifier(name), {})


def _reason(error: duckdb.Error) -> str:
    text = str(error)
    missing = _COLUMN.search(text)
    if missing:
        column, table = missing[1] or missing[3], missing[2]
        return f"the column {column} is not there" + (f" in {table}" if table else "")
    if isinstance(error, duckdb.InterruptException):
        return f"its queries took more than {SECONDS:.0f} s"
    if isinstance(error, duckdb.OutOfMemoryException):
        return "the query needs more memory than a check may have"
    line = next((line.strip() for line in text.splitlines() if line.strip()), "it cannot run")
    return f"the query cannot run: {line}"[:400]
