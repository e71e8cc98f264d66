"""What reading a source needs and gives: the world it may reach, the rows that came, or one sentence why not."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal
from pathlib import Path

import duckdb

from engine.evidence.pulls.declarations import PullSource
from engine.evidence.pulls.tables import EMPTY, NAMED_TYPES, SourceTable, identifier, literal, to_source_table
from engine.model.errors import Problem

SECONDS = 60  # where a source says nothing


class SourceProblem(Problem):
    """A source that cannot be read; its checks keep their last answer and are stale."""

    status = 400
    word = "source_unreadable"


@dataclass(frozen=True)
class SourceReaders:
    """What sources may reach, each as the door hands it over.

    ``workbook`` reads a sheet of an XLSX file as texts (header first); ``fetch`` gets an address with a bearer token,
    or none, within seconds and bytes, pinned to an address that was judged.
    """

    environment: Mapping[str, str]
    commands: tuple[str, ...]
    workbook: Callable[[Path, str], Sequence[Sequence[str | None]]]
    fetch: Callable[[str, str, int, int], bytes]


@dataclass(frozen=True)
class SourceRows:
    """The tables of a source by name, what they were read from (place, SHA-256), and what is to be said aloud."""

    tables: Mapping[str, SourceTable]
    origins: tuple[tuple[str, str], ...]
    warnings: tuple[str, ...] = ()
    versions: Mapping[str, str] = field(default_factory=dict)


def refuse_many(source: PullSource, rows: int) -> None:
    """SourceProblem for more rows than a source may have."""
    if rows > source.max_rows:
        raise SourceProblem(
            f"[source.{source.name}] has more than max_rows = {source.max_rows:,} rows: raise it, or ask for fewer."
        )


def types_of(source: PullSource) -> dict[str, str]:
    """The types that a source names for its columns."""
    types = source.options.get("types", {})
    return {str(name): str(word) for name, word in types.items()} if isinstance(types, dict) else {}


def read_relation(
    connection: duckdb.DuckDBPyConnection, source: PullSource, relation: str, name: str | None = None
) -> SourceTable:
    """The rows of a relation, given in SQL, bounded; SourceProblem where they cannot be read."""
    place = f"[source.{source.name}]"
    types = types_of(source)
    try:
        connection.execute(f"CREATE OR REPLACE TEMP TABLE source_rows AS FROM {relation} LIMIT {source.max_rows + 1}")
        count = connection.execute("SELECT count(*) FROM source_rows").fetchone()
        refuse_many(source, count[0] if count else 0)
        there = {str(row[0]) for row in connection.execute("DESCRIBE source_rows").fetchall()}
        present = {
            column: kind for column, kind in types.items() if column in there
        }  # who asks of others is not tested
        return to_source_table(connection, "source_rows", present)
    except duckdb.OutOfMemoryException as error:
        raise SourceProblem(f"{place} needs more memory than a pull may have.") from error
    except duckdb.Error as error:
        raise SourceProblem(f"{place} cannot be read: {_reason(error)}") from error


def _reason(error: duckdb.Error) -> str:
    """What DuckDB says in its first line, and of a line of a CSV file what is wrong with it."""
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    if "Error when sniffing file" in lines[0]:
        name = lines[0].partition("Error when sniffing file")[2].strip(' ".')
        return f"{name} has a line with more or fewer cells than its header, or a quotation mark that does not end."
    said = [line for line in lines if not line.startswith("Original Line")][: 2 if "CSV Error" in lines[0] else 1]
    return ": ".join(said)[:300]


def records_table(
    connection: duckdb.DuckDBPyConnection,
    source: PullSource,
    folder: Path,
    columns: Sequence[tuple[str, str | None]],
    records: Iterable[Sequence[object]],
) -> SourceTable:
    """Rows of Python's values; a column without a type has that of its values, texts of days and moments theirs."""
    names = [name.lower() for name, _ in columns]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise SourceProblem(f"[source.{source.name}] has two columns {twice!r}: give one another name in its query.")
    rows = list(records)
    refuse_many(source, len(rows))
    kinds = [
        kind or NAMED_TYPES.get(types_of(source).get(name, "")) or _kind(row[at] for row in rows)
        for at, (name, kind) in enumerate(columns)
    ]
    path = folder / "records.jsonl"
    with path.open("w") as file:
        for row in rows:
            cells = {name: _plain(value) for (name, _), value in zip(columns, row, strict=True)}
            file.write(json.dumps(cells, ensure_ascii=False, allow_nan=False) + "\n")
    struct = ", ".join(f"{literal(name)}: {literal(kind)}" for (name, _), kind in zip(columns, kinds, strict=True))
    if not rows:
        nothing = ", ".join(
            f"CAST(NULL AS {kind}) AS {identifier(name)}" for (name, _), kind in zip(columns, kinds, strict=True)
        )
        return read_relation(connection, source, f"(SELECT {nothing} LIMIT 0)")
    relation = (
        f"read_json({literal(str(path))}, format = 'newline_delimited', columns = {{{struct}}},"
        f" maximum_object_size = {max(path.stat().st_size + 1, 1 << 20)})"
    )
    return read_relation(connection, source, relation)


def _plain(value: object) -> object:
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else None
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if isinstance(value, dict):
        return {str(name): _plain(one) for name, one in value.items()}
    return str(value)


def _kind(values: Iterable[object]) -> str:
    """DuckDB's type of Python's values."""
    there = [value for value in values if value is not None]
    if not there:
        return EMPTY
    if all(isinstance(value, str) for value in there):
        return _kind_of_texts([str(value) for value in there])
    if all(isinstance(value, bool) for value in there):
        return "BOOLEAN"
    if all(isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 63 for value in there):
        return "BIGINT"
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in there):
        return "DOUBLE"
    if all(isinstance(value, datetime) for value in there):
        return "TIMESTAMP WITH TIME ZONE" if all(_is_zoned(value) for value in there) else "TIMESTAMP"
    if all(isinstance(value, date) and not isinstance(value, datetime) for value in there):
        return "DATE"
    return "JSON" if any(isinstance(value, list | dict) for value in there) else "VARCHAR"


def _is_zoned(value: object) -> bool:
    return isinstance(value, datetime) and value.tzinfo is not None


def _kind_of_texts(texts: Sequence[str]) -> str:
    for kind, read, lengths in (("DATE", date.fromisoformat, (10,)), ("TIMESTAMP", datetime.fromisoformat, ())):
        try:
            for text in texts:
                if (lengths and len(text) not in lengths) or not text[:4].isdigit() or text[4:5] != "-":
                    raise ValueError(text)
                read(text)
        except ValueError:
            continue
        if kind == "TIMESTAMP" and any(datetime.fromisoformat(text).tzinfo for text in texts):
            return "TIMESTAMP WITH TIME ZONE"
        return kind
    return "VARCHAR"
