"""Reading a file of the catalogue: every cell is checked, the first that does not hold is named."""

import re
from collections.abc import Iterator, Mapping
from collections.abc import Set as AbstractSet
from pathlib import Path
from typing import NoReturn

import polars as pl

from engine.catalogue.columns import WORDS, CatalogueColumn
from engine.model.errors import InvalidData

Key = tuple[str, str]  # framework, control_id
Check = tuple[str, pl.Expr, str]  # column, what is bad about a row, what was expected
EXPECTED: dict[pl.DataType, str] = {
    pl.Boolean(): "true or false",
    pl.Int64(): "a whole number",
    pl.Float64(): "a number",
    pl.Date(): "a date YYYY-MM-DD",
}


def read(path: Path, columns: Mapping[str, CatalogueColumn], key: tuple[str, ...]) -> pl.DataFrame:
    try:
        raw = pl.read_csv(path, infer_schema=False)
    except (OSError, pl.exceptions.PolarsError) as error:
        raise InvalidData(f"{_name(path)}: expected a CSV file, found {error}") from error
    if raw.columns != list(columns):
        refuse(path, 1, "(header)", ", ".join(columns), ", ".join(raw.columns))
    again = (key[-1], ~pl.struct(key).is_first_distinct(), f"each {', '.join(key)} once")
    check(path, raw, *_checks(columns), again)
    return raw.select(_parse(name, column) for name, column in columns.items())


def _checks(columns: Mapping[str, CatalogueColumn]) -> Iterator[Check]:
    for name, column in columns.items():
        value, parsed = pl.col(name), _parse(name, column)
        if not column.optional:
            yield name, value.is_null(), "a value"
        if column.allowed:
            word = f"({'|'.join(map(re.escape, column.allowed))})"
            pattern = f"^{word}(;{word})*$" if column.dtype == WORDS else f"^{word}$"
            yield name, ~value.str.contains(pattern), f"one of {', '.join(column.allowed)}"
        if column.dtype in EXPECTED:
            yield name, parsed.is_null() & value.is_not_null(), EXPECTED[column.dtype]
        if column.between:
            low, high = column.between
            yield name, ~parsed.is_between(low, high), f"from {low:g} to {high:g}"


def _parse(name: str, column: CatalogueColumn) -> pl.Expr:
    """The cells as values; a cell that is none becomes null."""
    value = pl.col(name)
    if column.dtype == WORDS:
        return value.str.split(";")
    if column.dtype == pl.Boolean:
        return value.replace_strict({"true": True, "false": False}, default=None, return_dtype=pl.Boolean)
    return value.str.to_date(strict=False) if column.dtype == pl.Date else value.cast(column.dtype, strict=False)


def empty(columns: Mapping[str, CatalogueColumn]) -> pl.DataFrame:
    return pl.DataFrame(schema={name: column.dtype for name, column in columns.items()})


def control_exists(frame: pl.DataFrame, framework: str, control_id: str, keys: AbstractSet[Key]) -> Check:
    unknown = [pair not in keys for pair in frame.select(framework, control_id).iter_rows()]
    return (
        control_id,
        pl.lit(pl.Series(unknown, dtype=pl.Boolean)),
        "a control of that framework that may be named here",
    )


def check(path: Path, frame: pl.DataFrame, *checks: Check) -> None:
    """Refuse the first row that fails a check."""
    first = (bad.fill_null(False).arg_true().first().alias(str(number)) for number, (_, bad, _) in enumerate(checks))
    failed = [(row, number) for number, row in enumerate(frame.select(first).row(0)) if row is not None]
    if failed:
        row, number = min(failed)
        column, _, expected = checks[number]
        found = frame[column][row]
        refuse(path, row + 2, column, expected, "nothing" if found is None else repr(found))


def refuse(path: Path, row: int, column: str, expected: str, found: str) -> NoReturn:
    cell = {"file": _name(path), "row": row, "column": column, "expected": expected, "found": found}
    sentence = f"{_name(path)} row {row}, column {column}: expected {expected}, found {found}"
    raise InvalidData(sentence, details=[cell])


def _name(path: Path) -> str:
    inner = path.parent.parent.name == "crosswalks"  # a folder of those to one catalogue that is none of ours
    return "/".join(path.parts[-3 if inner else -2 :])
