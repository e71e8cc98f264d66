"""Whether the database has the tables, columns, keys, constraints and indexes that its migration made, and no others.

A trigger that answers for a table, a view in a table's place, a column more: the rows that the log vouches for would be
others than those that are read. What is looked at is told apart by kind, name, type and what a check lets through, in
words that are the same on both engines; its SHA-256 is the fingerprint of the schema. That of each migration is in
``data/migrations/fingerprints.json``.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from hashlib import sha256

from sqlalchemy import CheckConstraint, Connection, Dialect, Table, UniqueConstraint, inspect
from sqlalchemy.dialects import sqlite
from sqlalchemy.engine import Inspector
from sqlalchemy.exc import CompileError, ProgrammingError
from sqlalchemy.types import TypeEngine

from engine.model.errors import Conflict
from engine.operations.schema.check_words import check_words
from engine.operations.schema.disguises import disguises
from engine.store.schema import metadata

VIEWS = ("database_health",)
VERSION_TABLE = "alembic_version"
_OF_TABLES = ("index", "unique", "key", "reference", "constraint")  # their lines end with the table
_CHECK = re.compile(r"constraint (ck_\w+) \((.*)\) of (\w+)", re.DOTALL)
_WORDS = {  # of types that engines call differently
    "sqlite": {"VARCHAR(27)": "INSTANT"},
    "postgresql": {"TIMESTAMP WITH TIME ZONE": "INSTANT", "DOUBLE PRECISION": "FLOAT", "BYTEA": "BLOB"},
}


def declared_schema() -> set[str]:
    """What there has to be: a line for each table, column, its shape, primary key, constraint, index and view."""
    lines = {f"table {VERSION_TABLE}", f"column {VERSION_TABLE}.version_num", *(f"view {name}" for name in VIEWS)}
    lines |= {f"shape {VERSION_TABLE}.version_num VARCHAR(32), never empty", f"key (version_num) of {VERSION_TABLE}"}
    for table in metadata.tables.values():
        lines.add(f"table {table.name}")
        lines |= {f"column {table.name}.{column.name}" for column in table.columns}
        lines |= {
            _shape(table.name, column.name, column.type, bool(column.nullable), sqlite.dialect())
            for column in table.columns
        }
        lines |= _key(table.name, [column.name for column in table.primary_key.columns])
        lines |= _constraints(table)
    return lines


def _constraints(table: Table) -> set[str]:
    lines = {
        _index(table.name, index.name, [column.name for column in index.columns], bool(index.unique))
        for index in table.indexes
    }
    for key in table.foreign_key_constraints:
        referred = [element.column.name for element in key.elements]
        lines.add(_reference(table.name, key.column_keys, key.referred_table.name, referred))
    for constraint in table.constraints:
        if isinstance(constraint, UniqueConstraint):
            lines.add(f"constraint UNIQUE ({', '.join(constraint.columns.keys())}) of {table.name}")
        elif isinstance(constraint, CheckConstraint):
            lines.add(_check(table.name, str(constraint.name), str(constraint.sqltext)))
    return lines


def present_schema(connection: Connection) -> set[str]:
    """What there is, with the triggers, rules and all else that acts and that nothing of ours makes."""
    inspector = inspect(connection)
    lines = {f"view {name}" for name in inspector.get_view_names()}
    for (_, table), columns in inspector.get_multi_columns().items():
        lines.add(f"table {table}")
        lines |= {f"column {table}.{column['name']}" for column in columns}
        lines |= {
            _shape(table, column["name"], column["type"], column["nullable"], connection.dialect) for column in columns
        }
    for (_, table), key in inspector.get_multi_pk_constraint().items():
        lines |= _key(table, key["constrained_columns"])
    return lines | _present_constraints(inspector) | set(_active(connection)) | set(disguises(connection))


def _present_constraints(inspector: Inspector) -> set[str]:
    lines, unique = set[str](), set[tuple[str, str | None]]()
    for (_, table), constraints in inspector.get_multi_unique_constraints().items():
        lines |= {f"constraint UNIQUE ({', '.join(one['column_names'])}) of {table}" for one in constraints}
        unique |= {(table, one["name"]) for one in constraints}
    for (_, table), checks in inspector.get_multi_check_constraints().items():
        lines |= {_check(table, one["name"], one["sqltext"]) for one in checks}
    for (_, table), keys in inspector.get_multi_foreign_keys().items():
        lines |= {
            _reference(table, key["constrained_columns"], key["referred_table"], key["referred_columns"])
            for key in keys
        }
    for (_, table), indexes in inspector.get_multi_indexes().items():
        lines |= {
            _index(table, one["name"], one["column_names"], bool(one["unique"]))
            for one in indexes
            if (table, one["name"]) not in unique  # PostgreSQL has an index for each of them
        }
    return lines


def _shape(table: str, column: str, kind: TypeEngine[object], nullable: bool, dialect: Dialect) -> str:
    try:
        text = kind.compile(dialect=dialect)
    except CompileError:  # SQLite takes columns without a type
        text = "no type"
    word = _WORDS.get(dialect.name, {}).get(text, text)
    return f"shape {table}.{column} {word}, {'may be empty' if nullable else 'never empty'}"


def _key(table: str, columns: Sequence[str]) -> set[str]:
    return {f"key ({', '.join(columns)}) of {table}"} if columns else set()


def _index(table: str, name: str | None, columns: Sequence[str | None], unique: bool) -> str:
    text = ", ".join(column or "an expression" for column in columns)
    return f"{'unique ' if unique else ''}index {name} ({text}) of {table}"


def _check(table: str, name: str | None, text: str) -> str:
    return _check_line(str(name), check_words(text), table)


def _check_line(name: str, words: str, table: str) -> str:
    return f"constraint {name} ({words}) of {table}"


def _reference(table: str, columns: Sequence[str], referred_table: str, referred: Sequence[str]) -> str:
    return f"reference ({', '.join(columns)}) to {referred_table} ({', '.join(referred)}) of {table}"


def _active(connection: Connection) -> Iterable[str]:
    if connection.dialect.name == "sqlite":
        query = "SELECT name, tbl_name FROM sqlite_master WHERE type = 'trigger'"
        return [f"trigger {name} on {table}" for name, table in connection.exec_driver_sql(query)]
    query = """
        SELECT t.tgname, c.relname FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
        JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE NOT t.tgisinternal AND n.nspname = current_schema()
    """
    rules = """
        SELECT rulename, tablename FROM pg_rules WHERE schemaname = current_schema()
    """
    more = """
        SELECT matviewname FROM pg_matviews WHERE schemaname = current_schema()
    """
    secured = """
        SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = current_schema() AND c.relrowsecurity
    """
    idle = """
        SELECT DISTINCT conname, relname FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid
        JOIN pg_namespace n ON n.oid = c.relnamespace LEFT JOIN pg_trigger t ON t.tgconstraint = k.oid
        WHERE n.nspname = current_schema() AND (NOT k.convalidated OR t.tgenabled NOT IN ('O', 'A'))
    """
    unlogged = """
        SELECT relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
        WHERE n.nspname = current_schema() AND c.relkind IN ('r', 'p') AND c.relpersistence = 'u'
    """  # empty after a crash of the server
    return [
        *(f"trigger {name} on {table}" for name, table in connection.exec_driver_sql(query)),
        *(f"rule {name} on {table}" for name, table in connection.exec_driver_sql(rules)),
        *(f"view {name}" for (name,) in connection.exec_driver_sql(more)),
        *(f"row security on {table}" for (table,) in connection.exec_driver_sql(secured)),
        *(f"setting NOT VALID or DISABLED for {name} of {table}" for name, table in connection.exec_driver_sql(idle)),
        *(f"setting UNLOGGED of {table}" for (table,) in connection.exec_driver_sql(unlogged)),
    ]


def fingerprint(lines: Iterable[str]) -> str:
    """The SHA-256 over the lines in their order."""
    return sha256("".join(f"{line}\n" for line in sorted(lines)).encode()).hexdigest()


def schema_problems(connection: Connection) -> list[str]:
    """A phrase for each thing that is there and should not be, or the other way round."""
    there, wanted, found = present_schema(connection), declared_schema(), sorted(set(disguises(connection)))
    there -= set(found)
    missing, strange = wanted - there, there - wanted
    swapped = {line.removeprefix("table ") for line in missing if line.startswith("table ")} & {
        line.removeprefix("view ") for line in strange if line.startswith("view ")
    }
    found += [f"a view stands in the place of the table {name}" for name in sorted(swapped)]

    def is_of(line: str) -> bool:
        """Whether it follows from a view in a table's place, or from a table that is not there or one too many."""
        kind, _, name = line.partition(" ")
        owner = name.rpartition(" of ")[2] if kind in _OF_TABLES else name.partition(".")[0]
        parts = ("column", "shape", *_OF_TABLES)
        return owner in swapped or (kind in parts and f"table {owner}" in missing | strange)

    found += _other_shapes(missing, strange)
    for (name, table), (wanted_words, present_words) in sorted(_other_checks(missing, strange).items()):
        found.append(f"the constraint {name} of {table} lets through {present_words}, expected {wanted_words}")
        missing -= {_check_line(name, wanted_words, table)}
        strange -= {_check_line(name, present_words, table)}
    missing, strange = ({line for line in lines if not line.startswith("shape ")} for lines in (missing, strange))
    found += [f"the {line} is not there" for line in sorted(missing) if not is_of(line)]
    found += [f"the {line} was added" for line in sorted(strange) if not is_of(line)]
    return found + _other_versions(connection, there)


def _other_versions(connection: Connection, there: Collection[str]) -> list[str]:
    """A phrase where the table of the version says more than that the store is at one migration."""
    if f"table {VERSION_TABLE}" not in there:
        return []
    query = "SELECT version_num FROM alembic_version ORDER BY version_num"
    numbers = [str(number) for (number,) in connection.exec_driver_sql(query)]
    if len(numbers) == 1:
        return []
    return [f"{VERSION_TABLE} has {len(numbers)} rows, expected one: {', '.join(numbers) or 'none'}"]


def _other_shapes(missing: Iterable[str], strange: Iterable[str]) -> list[str]:
    """A phrase for each column that is there, and of another type, or may be empty where it should not."""
    wanted, there = _shapes(missing), _shapes(strange)
    return [f"the column {name} is {there[name]}, expected {wanted[name]}" for name in sorted(wanted.keys() & there)]


def _other_checks(missing: Iterable[str], strange: Iterable[str]) -> dict[tuple[str, str], tuple[str, str]]:
    """What is let through and what should be, of each check that is there under its name and says something else."""
    wanted, there = (
        {(found[1], found[3]): found[2] for line in lines if (found := _CHECK.fullmatch(line))}
        for lines in (missing, strange)
    )
    return {key: (wanted[key], there[key]) for key in wanted.keys() & there}


def _shapes(lines: Iterable[str]) -> dict[str, str]:
    parts = [line.split(" ", 2) for line in lines if line.startswith("shape ")]
    return {column: shape for _, column, shape in parts}


def is_unreadable(problems: Sequence[str]) -> bool:
    """Whether a table or a column is not there that others would read."""
    return any(
        "is not there" in problem and ("the table" in problem or "the column" in problem) for problem in problems
    )


@contextmanager
def structure_faults() -> Iterator[None]:
    """Conflict for a statement that names what the schema of a PostgreSQL store does not have."""
    try:
        yield
    except ProgrammingError as error:
        raise Conflict("The store does not have a table or a column that is read.", word="schema_altered") from error
