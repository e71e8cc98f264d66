"""Files as a source: CSV, JSON, JSON Lines, Parquet and XLSX below the folder of the file of pulls.

Each file is copied first, bounded, without following a link, and what is hashed is what is read.
"""

import csv
import hashlib
import json
import re
from pathlib import Path

import duckdb

from engine.evidence.pulls.declarations import PullSource
from engine.evidence.pulls.sources.paths import MOST_BYTES, matches_of, matching_files, open_source_file
from engine.evidence.pulls.sources.reading import SourceProblem, SourceReaders, SourceRows, read_relation, types_of
from engine.evidence.pulls.tables import SourceTable, literal
from engine.model.errors import Usage

_SEPARATORS = (",", ";", "\t", "|")  # the first of those that stand there equally often
_QUOTED = re.compile(rb'"[^"]*"')
_LONGEST_HEADER = 1 << 20  # bytes
_FORMATS = {
    ".csv": "csv",
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
    ".xlsx": "xlsx",
}
_READERS = {
    "csv": "read_csv({paths}, header = true, skip = 0, delim = {separator}, quote = '\"', escape = '\"', comment = '', "
    "sample_size = -1, union_by_name = true{types})",
    "json": "read_json({paths}, maximum_object_size = {size}, union_by_name = true, map_inference_threshold = -1)",
    "jsonl": "read_json({paths}, format = 'newline_delimited', maximum_object_size = {size}, union_by_name = true)",
    "parquet": "read_parquet({paths}, union_by_name = true)",
}


def read_files(
    source: PullSource, base: Path, folder: Path, connection: duckdb.DuckDBPyConnection, readers: SourceReaders
) -> SourceRows:
    """The rows of all files that the paths of a source match, one below the other."""
    names = _names(source, base)
    form = source.text("format") or _format_of(source, names)
    copies, origins = [], []
    for number, name in enumerate(names):
        copy = folder / f"{number}.{form}"
        origins.append((name, copy_file(base, name, copy, source)))
        copies.append(copy)
    try:
        if form == "xlsx":
            read = [_workbook_as_csv(copy, source, readers) for copy in copies]
            table = read_formatted(source, "csv", read, connection)
        else:
            table = read_formatted(source, form, copies, connection)
    except SourceProblem as problem:  # a file is called by its own name, not by that of the copy
        message = problem.message
        for copy, name in zip(copies, names, strict=True):
            message = message.replace(str(copy), name)
        raise SourceProblem(message) from problem
    return SourceRows({source.name: table}, tuple(origins))


def read_formatted(
    source: PullSource, form: str, copies: list[Path], connection: duckdb.DuckDBPyConnection
) -> SourceTable:
    """The rows of files of one format, which may be pulled out of a member (``rows``) of a JSON document."""
    if (member := source.text("rows")) and form == "json":
        copies = [_member_as_lines(copy, source, member) for copy in copies]
        form = "jsonl"
    paths = "[" + ", ".join(literal(str(copy)) for copy in copies) + "]"
    size = max(1 << 24, *(copy.stat().st_size + 1 for copy in copies))
    if form in ("csv", "json", "jsonl") and not any(copy.stat().st_size for copy in copies):
        raise SourceProblem(f"[source.{source.name}] is empty: not even a header is there.")
    if form == "json":
        for copy in copies:
            _must_end(copy, source)
    texts = ", ".join(f"{literal(name)}: 'VARCHAR'" for name, word in types_of(source).items() if word == "text")
    types = f", types = {{{texts}}}" if texts else ""
    separator = ""
    if form == "csv":
        sign = _separator(copies, source)
        _must_name_columns_once(copies, source, sign)
        separator = literal(sign)
    reader = _READERS[form].format(paths=paths, size=size, types=types, separator=separator)
    return read_relation(connection, source, reader)


def _separator(paths: list[Path], source: PullSource) -> str:
    """What stands between the names of the header: a guess from the cells below it would take texts apart."""
    found = set()
    for path in paths:
        with path.open("rb") as file:
            header = _QUOTED.sub(b"", file.readline(_LONGEST_HEADER))
        found.add(max(_SEPARATORS, key=lambda one: header.count(one.encode())))
    if len(found) > 1:
        there = ", ".join(map(repr, sorted(found)))
        raise SourceProblem(f"[source.{source.name}] must have files with one separator; got {there}.")
    return found.pop()


def _must_name_columns_once(paths: list[Path], source: PullSource, separator: str) -> None:
    """SourceProblem for a header that has a name twice: a query would read one of the two without a word."""
    for path in paths:
        with path.open(newline="", encoding="utf-8-sig", errors="replace") as file:
            names = [name.strip().lower() for name in next(csv.reader(file, delimiter=separator), [])]
        twice = next((name for place, name in enumerate(names) if name and name in names[:place]), None)
        if twice is not None:
            raise SourceProblem(f"[source.{source.name}] has two columns named {twice!r} in {path}.")


def _must_end(path: Path, source: PullSource) -> None:
    """SourceProblem for a list that was cut off: what is before its end would be read without a word."""
    data = path.read_bytes().strip()
    if data.startswith(b"[") and not data.endswith(b"]"):
        raise SourceProblem(f"[source.{source.name}] cannot be read: {path} is cut off, its list does not end.")


def _names(source: PullSource, base: Path) -> list[str]:
    """The files that the paths match, by name; SourceProblem for a path that matches none."""
    try:
        for pattern in source.words("paths"):
            if not matches_of(pattern, base):
                raise SourceProblem(f"[source.{source.name}] finds no file for {pattern!r}.")
        return matching_files(source, base)
    except Usage as problem:
        raise SourceProblem(f"[source.{source.name}] {problem.message}") from problem


def _format_of(source: PullSource, names: list[str]) -> str:
    forms = {_FORMATS.get(Path(name).suffix.lower(), "") for name in names}
    if "" in forms or len(forms) > 1:
        raise SourceProblem(
            f"[source.{source.name}] must have files of one format (CSV, JSON, JSON Lines, Parquet or XLSX, by their "
            f"ending, or as format says); got {', '.join(names[:5])}."
        )
    return forms.pop()


def copy_file(base: Path, name: str, to: Path, source: PullSource) -> str:
    """Copy a file below a folder and return its SHA-256. SourceProblem for a link, a device, or one too large."""
    place, digest, left = f"[source.{source.name}]", hashlib.sha256(), MOST_BYTES
    try:
        with open_source_file(base, name) as file, to.open("wb") as copy:
            while piece := file.read(1 << 20):
                left -= len(piece)
                if left < 0:
                    raise SourceProblem(
                        f"[source.{source.name}] {name} grew beyond {MOST_BYTES:,} bytes as it was read."
                    )
                digest.update(piece)
                copy.write(piece)
    except Usage as problem:
        raise SourceProblem(f"{place} {problem.message}") from problem
    return digest.hexdigest()


def _workbook_as_csv(path: Path, source: PullSource, readers: SourceReaders) -> Path:
    out = path.with_suffix(".sheet.csv")
    try:
        rows = readers.workbook(path, source.text("sheet"))
    except SourceProblem as problem:
        raise SourceProblem(f"[source.{source.name}] {problem.message.replace(path.name, str(path), 1)}") from problem
    cells = [["" if cell is None else cell for cell in row] for row in rows]
    with out.open("w", newline="") as file:
        csv.writer(file, quoting=csv.QUOTE_ALL).writerows(cells[:1])  # nothing of a name is taken for a separator
        csv.writer(file).writerows(cells[1:])
    return out


def _member_as_lines(path: Path, source: PullSource, member: str) -> Path:
    """The list that a dotted path leads to in a JSON document, a line for each of its values."""
    place = f"[source.{source.name}]"
    try:
        value = json.loads(path.read_bytes())
    except (ValueError, RecursionError) as error:
        raise SourceProblem(f"{place} is not JSON: {error}.") from error
    for part in member.split("."):
        if isinstance(value, list):
            value = [one.get(part) for one in value if isinstance(one, dict)]
            value = [inner for one in value for inner in (one if isinstance(one, list) else [one]) if inner is not None]
        elif isinstance(value, dict) and part in value:
            value = value[part]
        else:
            raise SourceProblem(f"{place} has no rows at {member!r}: {part!r} is not there.")
    if not isinstance(value, list):
        raise SourceProblem(f"{place} must have a list of objects at {member!r}; got {type(value).__name__}.")
    out = path.with_suffix(".rows.jsonl")
    out.write_text("".join(json.dumps(one) + "\n" for one in value))
    return out
