"""CSV exports of scanners: the header is found below lines about the report, and rows end where the export says so."""

import csv
from collections.abc import Iterable, Iterator
from io import StringIO
from itertools import chain

from engine.intake.values import folded_name, plain
from engine.model.errors import BadRequest

DELIMITERS = (",", ";", "\t")
LOOKED_AT = 30  # lines before the header
WHOSE = ("qid", "plugin_id", "plugin", "definition_id", "finding_id")  # a header has one of these, and a host
HOSTS = frozenset(
    {"ip", "ip_address", "host", "host_id", "hostname", "dns", "dns_name"}
    | {"asset_id", "asset_name", "asset_uuid", "asset_ipv4", "asset_host_name"}
)
END = "----END_RESPONSE_BODY_CSV"  # Qualys' API puts lines around its CSV
LONGEST_CELL = 8 * 2**20  # outputs of checks are long; the body has its own limit
csv.field_size_limit(LONGEST_CELL)


def is_csv(data: bytes) -> bool:
    """Whether the first lines hold the header of a scanner's export."""
    return _header(_text(data[: 2**16])) is not None


def read_csv(data: bytes) -> list[dict[str, object]]:
    """The rows under their header, blank ones left out; BadRequest where there is no header that is known."""
    text = _text(data)
    header = _header(text)
    if header is None:
        raise BadRequest(
            f"The CSV has no header in its first {LOOKED_AT} lines with the number of a check "
            f"({', '.join(WHOSE)}) and a host ({', '.join(sorted(HOSTS))}).",
            word="unknown_finding_shape",
        )
    start, delimiter = header
    try:
        lines = csv.reader(StringIO(text[start:], newline=""), delimiter=delimiter)
        return list(_rows(_inner_lines(lines, delimiter)))
    except csv.Error as error:
        raise BadRequest(f"The CSV cannot be read: {error}.", word="invalid_body") from error


def _inner_lines(lines: Iterator[list[str]], delimiter: str) -> Iterator[list[str]]:
    """The lines; of a file whose lines are one quoted cell each, what those cells hold."""
    names = next(lines)
    if len(names) > 1:
        yield names
        yield from lines
        return
    for cells in chain([names], lines):
        yield from csv.reader(StringIO(cells[0] if cells else "", newline=""), delimiter=delimiter)


def _rows(lines: Iterator[list[str]]) -> Iterator[dict[str, object]]:
    names = next(lines)
    for cells in lines:
        if cells and cells[0].startswith(END):
            return
        if any(plain(cell) for cell in cells):
            yield dict(_first_values(zip(names, cells, strict=False)))


def _first_values(pairs: Iterable[tuple[str, str]]) -> Iterator[tuple[str, object]]:
    """Columns with a name; of two with one name the first that holds something."""
    seen: dict[str, str] = {}
    for name, cell in pairs:
        if name.strip() and not plain(seen.get(name)):
            seen[name] = cell
    yield from seen.items()


def _header(text: str) -> tuple[int, str] | None:
    """Where the header begins, and what parts its columns."""
    start = 0
    for line in text.split("\n", LOOKED_AT)[:LOOKED_AT]:
        for delimiter in DELIMITERS:
            names = {folded_name(cell.strip().strip('"')[:64]) for cell in line.split(delimiter)}
            if names & HOSTS and any(name in names for name in WHOSE):
                return start, delimiter
        start += len(line) + 1
    return None


def _text(data: bytes) -> str:
    if data[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return data.decode("utf-16", "replace")
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")
