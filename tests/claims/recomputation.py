"""Figures recomputed by SQL over the raw tables, which knows their printed definitions and nothing of the product."""

import re
from datetime import date
from pathlib import Path

import duckdb

from engine.replica.replica_tables import PRESENT
from tests.claims.organizations import Organization, replica_rows
from tests.claims.values import World

FOLDER = Path(__file__).parent / "recomputed"
VIEWS = ("days", "states", "registers", "vendors", "frameworks")  # in the order in which they rest on each other
QUERY = re.compile(r"^-- (\w+)\n(SELECT.*?;)$", re.MULTILINE | re.DOTALL)
DATA = Path(__file__).parents[2] / "data"
TEXT = "types = {'control_id': 'VARCHAR', 'group_id': 'VARCHAR', 'parent_id': 'VARCHAR'}"
CATALOGUE = f"""
CREATE TABLE catalogue AS
SELECT split_part(parse_filename(filename), '.', 1) AS framework, assessable, cadence AS catalogue_cadence,
    string_split(evidence_kinds, ';') AS kinds, weight::INT AS weight,
    * EXCLUDE (cadence, evidence_kinds, assessable, weight, filename)
FROM read_csv($frameworks, filename = true, union_by_name = true, {TEXT});
CREATE TABLE actions AS FROM read_csv('{DATA}/rules/actions.csv', header = true);
CREATE TABLE action_controls AS FROM read_csv('{DATA}/rules/action_controls.csv', header = true, all_varchar = true);
CREATE TABLE inheritance AS FROM read_csv('{DATA}/rules/vendor_inheritance.csv', header = true, all_varchar = true);
"""


def queries() -> dict[str, str]:
    """By figure, the statement that recomputes it."""
    pairs = [pair for path in sorted(FOLDER.glob("*.sql")) for pair in QUERY.findall(path.read_text())]
    assert len(pairs) == len(dict(pairs)), "a figure is recomputed twice"
    return dict(pairs)


def figures_by_sql(connection: duckdb.DuckDBPyConnection, day: date, zone: str) -> dict[str, object]:
    """The value of each figure that a statement is there for, of the one organization in the replica's tables."""
    connection.execute("SET TimeZone = 'UTC'")
    connection.execute("CREATE TABLE asked AS SELECT ?::DATE AS as_of, ? AS time_zone", [day, zone])
    files = [path.as_posix() for path in sorted((DATA / "frameworks").glob("*.csv")) if path.stem != "frameworks"]
    connection.execute(CATALOGUE.replace("$frameworks", str(files)))
    for name in VIEWS:
        connection.execute((FOLDER / "views" / f"{name}.sql").read_text())
    return {name: connection.execute(query).fetchone()[0] for name, query in queries().items()}


def sql_values(org: Organization) -> dict[str, object]:
    """The same of the rows of an organization."""
    with duckdb.connect(":memory:", config={"threads": 1}) as connection:
        for definition in PRESENT:
            connection.execute(definition)
        for name, frame in replica_rows("w", org.tables).items():
            connection.register("incoming", frame.to_arrow())
            connection.execute(f"INSERT INTO {name} BY NAME SELECT * FROM incoming")
            connection.unregister("incoming")
        return figures_by_sql(connection, org.day, org.zone)


def different_values(org: Organization, world: World) -> dict[str, tuple[object, object]]:
    """By figure, what SQL makes it and what the product does, where these differ."""
    values = sql_values(org)
    return {name: (value, world.values[name]) for name, value in values.items() if value != world.values[name]}
