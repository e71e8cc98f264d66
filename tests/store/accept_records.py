"""Write the row types of the schema's tables: ``python -m tests.store.accept_records``."""

from pathlib import Path

from sqlalchemy import BigInteger, Boolean, Column, Date, Float, LargeBinary, String, Table

from engine.model import records
from engine.store.schema import metadata
from engine.store.types import Instant

PATH = Path(records.__file__)
TYPES = {
    String: "str",
    LargeBinary: "bytes",
    BigInteger: "int",
    Float: "float",
    Boolean: "bool",
    Date: "date",
    Instant: "datetime",
}
HEAD = '''"""The rows of the tables as types, one for each table. Written by ``python -m tests.store.accept_records``."""

from datetime import date, datetime
from typing import TypedDict

from engine.model.vocabulary import (
{words}
)
'''


def source() -> str:
    """The module as it has to be."""
    tables = sorted(metadata.tables.values(), key=lambda table: row_name(table))
    words = {"Json"} | {column.info["words"] for table in tables for column in table.columns if "words" in column.info}
    head = HEAD.format(words="\n".join(f"    {word}," for word in sorted(words, key=str.lower)))
    return "\n\n".join([head, *(record(table) for table in tables)])


def record(table: Table) -> str:
    """The class of a table's rows."""
    columns = [f"    {column.name}: {column_type(column)}" for column in table.columns]
    return "\n".join([f"class {row_name(table)}(TypedDict):", f'    """{table.comment}"""', "", *columns, ""])


def row_name(table: Table) -> str:
    """``IncidentRow`` for the table ``incidents``."""
    words = table.name.removesuffix("s").split("_")
    words[-1] = words[-1][:-2] + "y" if words[-1].endswith("ie") else words[-1]
    return "".join(word.capitalize() for word in words) + "Row"


def column_type(column: Column) -> str:
    """The type of a column's values; null is a value of JSON already."""
    declared = column.info.get("words") or column.info.get("holds")
    plain = declared or next(word for kind, word in TYPES.items() if isinstance(column.type, kind))
    return f"{plain} | None" if column.nullable and plain != "Json" else plain


if __name__ == "__main__":
    PATH.write_text(source())
    print(PATH)
