"""The files of a run: what it asked and answered, the rows that it saw, and its exceptions; and back from them.

Whoever has the files has all of it: each table is a file of JSON Lines with its columns and types in ``run.json``,
and the queries stand there with their days filled in.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from typing import Any

import duckdb

from engine.evidence.pulls.check_run import CheckAnswer, CheckQueries, run_check
from engine.evidence.pulls.declarations import DaySpan
from engine.evidence.pulls.pull import PullOutcome
from engine.evidence.pulls.queries import fill_days
from engine.evidence.pulls.tables import SourceTable
from engine.model.errors import Conflict
from engine.store.types import canonical_json

FORMAT = "hq-check-run/1"
RUN, EXCEPTIONS = "run", "exceptions"  # parts of a run; every other part is a table


@dataclass(frozen=True)
class RunFile:
    """A file of a run: the part that it is, its name, and its bytes."""

    part: str
    name: str
    data: bytes


def rows_sha256(outcome: PullOutcome, answer: CheckAnswer) -> str:
    """The hash of the query, the rows and the answer: two runs with one hash saw and said the same."""
    said = {
        "answer": answer.key,
        "query": outcome.check.query_sha256,
        "tables": {name: table.sha256 for name, table in outcome.tables.items()},
    }
    return hashlib.sha256(canonical_json(said).encode()).hexdigest()


def run_files(outcome: PullOutcome, answer: CheckAnswer, now: datetime) -> list[RunFile]:
    """The files of a run, the same for the same run."""
    check = outcome.check
    tables = [RunFile(name, f"{check.id}.{name}.jsonl", table.lines) for name, table in sorted(outcome.tables.items())]
    exceptions = RunFile(EXCEPTIONS, f"{check.id}.exceptions.jsonl", answer.exceptions.lines)
    said = {
        "format": FORMAT,
        "check": check.id,
        "title": check.title,
        "controls": [":".join(control) for control in check.controls],
        "cadence": check.cadence,
        "since": outcome.span.since.isoformat(),
        "until": outcome.span.until.isoformat(),
        "ran_at": now.isoformat(),
        "population": check.population,
        "exceptions": check.exceptions,
        "queries": {
            "population": fill_days(check.population, outcome.span),
            "exceptions": fill_days(check.exceptions, outcome.span),
        },
        "source_queries": dict(check.source_queries),
        "most": check.most,
        "least_population": check.least_population,
        "query_sha256": check.query_sha256,
        "tables": {
            file.part: {
                "file": file.name,
                "sha256": outcome.tables[file.part].sha256,
                "rows": outcome.tables[file.part].rows,
                "columns": [list(column) for column in outcome.tables[file.part].columns],
            }
            for file in tables
        },
        "sources": {
            name: [{"place": place, "sha256": digest} for place, digest in origins]
            for name, origins in sorted(outcome.origins.items())
        },
        "versions": {"duckdb": duckdb.__version__, **outcome.versions},
        "outcome": answer.outcome,
        "reason": answer.reason,
        "population_rows": answer.population.rows,
        "population_sha256": answer.population.sha256,
        "exceptions_rows": answer.exceptions.rows,
        "exceptions_sha256": answer.exceptions.sha256,
    }
    text = json.dumps(said, ensure_ascii=False, indent=1, sort_keys=True) + "\n"
    run = RunFile(RUN, f"{check.id}.run.json", text.encode())
    return [run, *tables, *([exceptions] if answer.exceptions.rows else [])]


@dataclass(frozen=True)
class Rerun:
    """A run done again from its files: what it comes to, and what it came to then, each by name."""

    answer: CheckAnswer
    before: Mapping[str, object]

    @property
    def differences(self) -> list[str]:
        """Where the two are not the same: a sentence each; empty when all is."""
        now = {
            "outcome": self.answer.outcome,
            "population_rows": self.answer.population.rows,
            "exceptions_rows": self.answer.exceptions.rows,
            "population_sha256": self.answer.population.sha256,
            "exceptions_sha256": self.answer.exceptions.sha256,
        }
        return [
            f"{name.replace('_', ' ')} was {self.before.get(name)} and is {value}."
            for name, value in now.items()
            if self.before.get(name) != value
        ]


def rerun_files(run: bytes, tables: Mapping[str, bytes]) -> Rerun:
    """Run a check again from the bytes of its files. Conflict where they are not those of a run."""
    try:
        document = json.loads(run)
        if document["format"] != FORMAT:
            raise Conflict(f"The file is of the format {document['format']!r}; expected {FORMAT!r}.")
        queries = CheckQueries(
            str(document["population"]),
            str(document["exceptions"]),
            int(document["most"]),
            int(document["least_population"]),
        )
        span = DaySpan(date.fromisoformat(document["since"]), date.fromisoformat(document["until"]))
        loaded = tables_of_run(document, tables)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise Conflict(f"The files are not those of a run: {error}.") from error
    return Rerun(run_check(queries, loaded, span), document)


def tables_of_run(said: Mapping[str, Any], parts: Mapping[str, bytes]) -> dict[str, SourceTable]:
    """The tables of a run by name, from its files. Conflict where their bytes are not those that it saw."""
    loaded = {}
    for name, table in said["tables"].items():
        lines = parts[name]
        if hashlib.sha256(lines).hexdigest() != table["sha256"]:
            raise Conflict(f"The rows of {name} are not those that the run saw: they are no evidence.")
        columns = tuple((str(column), str(kind)) for column, kind in table["columns"])
        loaded[name] = SourceTable(columns, lines, lines.count(b"\n"))
    return loaded
