"""The tables of the replica: rows as they are, schema ``past`` with rows as they were, and where a copy stands."""

from hashlib import sha256

import duckdb
from sqlalchemy import Table

from engine.store.database.bulk_read import sql_type
from engine.store.schema import LOGGED, REPLICATED

VERSIONED = {name: table for name, table in REPLICATED.items() if name in LOGGED}


def owner(table: Table) -> str:
    """The column that says whose a row is."""
    return "id" if table.name == "organizations" else "org_id"


def _definition(table: Table, schema: str = "", more: str = "") -> str:
    columns = ", ".join(f"{column.name} {sql_type(column)}" for column in table.columns)
    return f"CREATE TABLE {schema}{table.name} ({columns}{more})"


PRESENT = (
    "CREATE TABLE replica (fingerprint VARCHAR)",
    "CREATE TABLE watermarks (org_id VARCHAR, seq BIGINT, hash VARCHAR, has_past BOOLEAN, seal VARCHAR)",
    "CREATE TABLE tallies (org_id VARCHAR, name VARCHAR, row_count BIGINT, digest UBIGINT)",
    *(_definition(table) for table in REPLICATED.values()),
)
DEFINITIONS = (
    *PRESENT,
    "CREATE SCHEMA past",
    "CREATE TABLE past.parts (org_id VARCHAR, part VARCHAR, revision BIGINT)",  # which writes changed a table
    *(_definition(table, "past.", ", until BIGINT") for table in VERSIONED.values()),
)
# another version of DuckDB may hash rows otherwise
FINGERPRINT = sha256("\n".join((duckdb.__version__, *DEFINITIONS)).encode()).hexdigest()

TALLIED: dict[str, tuple[str, tuple[str, ...]]] = {
    **{name: (owner(table), tuple(table.columns.keys())) for name, table in REPLICATED.items()},
    "past.parts": ("org_id", ("org_id", "part", "revision")),
    **{f"past.{name}": (owner(table), (*table.columns.keys(), "until")) for name, table in VERSIONED.items()},
}
"""Tables whose rows are counted: the column of the organization, and all columns."""
