"""Figures recomputed by SQL over the raw tables, which knows their printed definitions and nothing of the product."""

import re
from pathlib import Path

import duckdb
import polars as pl

from engine.replica.replica_tables import PRESENT
from tests.claims.organizations import Organization, replica_rows

FOLDER = Path(__file__).parent / "recomputed"
QUERY = re.compile(r"^-- (\w+)\n(SELECT.*?;)", re.MULTILINE | re.DOTALL)


def queries() -> dict[str, str]:
    """By figure, the statement that recomputes it."""
    found = [pair for path in sorted(FOLDER.glob("*.sql")) for pair in QUERY.findall(path.read_text())]
    assert len(found) == len(dict(found)), "a figure is recomputed twice"
    return dict(found)


def sql_values(org: Organization) -> dict[str, object]:
    """The value of each figure that a statement is there for."""
    with duckdb.connect(":memory:") as connection:
        connection.execute("SET TimeZone = 'UTC'")
        for definition in PRESENT:
            connection.execute(definition)
        for name, frame in replica_rows("w", org.tables).items():
            connection.register("incoming", frame.to_arrow())
            connection.execute(f"INSERT INTO {name} BY NAME SELECT * FROM incoming")
            connection.unregister("incoming")
        asked = pl.DataFrame({"as_of": [org.day], "time_zone": [org.zone]})
        connection.register("asked_frame", asked.to_arrow())
        connection.execute("CREATE TABLE asked AS SELECT * FROM asked_frame")
        connection.execute((FOLDER / "views.sql").read_text())
        return {name: connection.execute(query).fetchone()[0] for name, query in queries().items()}
