"""Nobody changes a record beside the change log: what a revision hands out answers questions alone."""

import ast
from pathlib import Path

import pytest
from sqlalchemy import bindparam, delete, insert, select, text, update

from engine.store.schema import LOGGED, metadata
from engine.store.schema.controls import attestations
from engine.store.schema.outputs import deliveries, leases
from engine.store.writing.guarded_connection import WriteBesideLogError
from engine.store.writing.statements import CompiledStatement
from tests.conftest import NOW

ROOT = Path(__file__).resolve().parents[3]
# the one module that changes rows of tables with a log, and what it is made of; each line says why it may
WRITERS = {
    "revisions.py": "each change of a row is logged by the method that makes it",
    "row_statements.py": "the statements of those methods",
    "statements.py": "the statements of rows that wait",
    "person_erasure.py": "rows of tables without a log, through a connection that refuses all others",
    "table_copy.py": "copies a whole store, its log included",
}
CHANGES = [
    insert(attestations).values(org_id="acme", id="a"),
    update(attestations).values(outcome="attested"),
    delete(attestations),
    text("UPDATE attestations SET outcome = 'attested'"),
    text("DROP TABLE attestations"),
]


@pytest.mark.parametrize("change", CHANGES, ids=["insert", "update", "delete", "text", "table"])
@pytest.mark.parametrize("place", ["connection", "records", "side_tables"])
def test_a_revision_hands_out_a_connection_that_cannot_write(place, change, store):
    with store.revision("acme", "me", now=NOW) as revision:
        with pytest.raises(WriteBesideLogError):
            getattr(revision, place).execute(change)
        with pytest.raises(WriteBesideLogError):
            getattr(revision, place).scalar(change)
        with pytest.raises(WriteBesideLogError):
            getattr(revision, place).exec_driver_sql(str(change))


def test_a_compiled_statement_is_no_way_around_it(store):
    change = CompiledStatement(delete(attestations).where(attestations.c.id == bindparam("id")))
    with store.revision("acme", "me", now=NOW) as revision, pytest.raises(WriteBesideLogError):
        change.run(revision.records, {"id": "a"})


def test_what_is_not_logged_may_change_beside_the_chain(any_store):
    with any_store.unversioned_transaction() as connection:
        connection.execute(insert(leases).values(name="job", holder="me", until=NOW))
        connection.execute(update(deliveries).where(deliveries.c.id == "a").values(attempts=1))
        with pytest.raises(WriteBesideLogError):
            connection.execute(update(deliveries).where(deliveries.c.id == "a").values(attempts=1, status="sent"))
    with any_store.reader() as connection:
        assert connection.execute(select(leases.c.holder)).scalars().all() == ["me"]


def statements():
    """(file, table) of each statement of the product that changes rows of a named table."""
    names = set(metadata.tables)
    for path in sorted((ROOT / "engine").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.Call):
                continue
            if isinstance(node.func, ast.Name) and node.func.id in ("insert", "update", "delete") and node.args:
                yield path, ast.unparse(node.args[0]).rpartition(".")[2]
            elif isinstance(node.func, ast.Attribute) and node.func.attr in ("insert", "update", "delete"):
                table = ast.unparse(node.func.value).rpartition(".")[2]
                if table in names | {"table"} and not node.args:
                    yield path, table


def test_one_module_has_the_statements_that_change_logged_tables():
    columns_alone = {"deliveries"}  # attempts and the like are columns without a log: the connection holds that
    wrong = [
        (path.name, table)
        for path, table in statements()
        if path.name not in WRITERS and (table in LOGGED or table == "table") and table not in columns_alone
    ]
    assert wrong == []
    assert {path.name for path, table in statements() if table == "table"} <= set(WRITERS) | {"guarded_connection.py"}
