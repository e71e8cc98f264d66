"""Laws of the change log: random writes are rebuilt from it, and no value is changed unseen."""

import random

import pytest
from sqlalchemy import LargeBinary, String, create_engine, select
from sqlalchemy.exc import DBAPIError

from engine.store.schema import LOGGED
from engine.store.schema.audit import audit_log, change_log
from tests.conftest import NOW
from tests.laws import WHOLE, examples
from tests.store import random_rows

CATALOGUE = {"chain_cuts", "bundles"}  # a cut or a bundle that nobody made would mean something to others


def live(store, draw, writes):
    """Random writes to every logged table, alone and together, several of a row within one write."""
    tables = [table for name, table in LOGGED.items() if name not in {"organizations", *CATALOGUE}]

    def change(revision):
        random_rows.random_write(draw, revision, tables)
        revision.record("drawn", object_id=str(draw.random()), details={"n": draw.choice(random_rows.WORDS)})

    for number in range(writes):
        if number % 2:
            store.write("acme", "me", change, now=NOW)
        else:
            with store.revision("acme", "me", now=NOW) as revision:
                change(revision)


FULL = [pytest.param(seed, 200, marks=pytest.mark.real) for seed in range(1, examples(3) + 1)]


@pytest.mark.parametrize(("seed", "writes"), [(1, 40), *FULL])
def test_the_tables_are_what_the_log_rebuilds(any_store, seed, writes):
    live(any_store, random.Random(seed), writes)
    assert any_store.verify("acme").problem is None
    verify_rows = any_store.verify_rows("acme")
    assert (verify_rows.problem, verify_rows.rows > 50) == (None, True)


def another(draw, column, value):
    """A value that the column can hold and that says something else."""
    found = value
    while found == value:
        if isinstance(column.type, LargeBinary):
            place = draw.randrange(len(value))
            found = value[:place] + bytes([value[place] ^ draw.randrange(1, 256)]) + value[place + 1 :]
        else:
            found = f"{value or ''}x" if draw.random() < 0.2 and is_text(column) else random_rows.value(draw, column)
    return found


def is_text(column):
    return isinstance(column.type, String) and not column.info.get("choices")


@pytest.mark.parametrize(
    ("writes", "samples"), [(15, 12), pytest.param(200, 300 if WHOLE else 50, marks=pytest.mark.real)]
)
def test_whichever_value_is_changed_of_a_row_an_event_or_the_log_it_is_found(any_store, writes, samples):
    """Others in each run: the seed is part of what is said where one is not found."""
    seed = random.SystemRandom().randrange(2**32)
    draw = random.Random(seed)
    live(any_store, draw, writes)
    tables = {**LOGGED, "audit_log": audit_log, "change_log": change_log}
    engine = create_engine(any_store.url)
    with engine.connect() as connection:
        stored = {
            name: [row._asdict() for row in connection.execute(select(table).order_by(*table.primary_key.columns))]
            for name, table in tables.items()
        }
    names, unseen, tried = [name for name, rows in stored.items() if rows], [], 0
    while tried < samples:
        name = draw.choice([*names, "audit_log", "change_log"])
        table, row = tables[name], draw.choice(stored[name])
        column = draw.choice(
            [each for each in table.columns if each.name not in ("org_id", "id") and not each.info.get("unlogged")]
        )
        forged = another(draw, column, row[column.name])
        this = [each == row[each.name] for each in table.primary_key.columns]
        that = [each == (forged if each is column else row[each.name]) for each in table.primary_key.columns]
        try:
            with engine.begin() as connection:
                connection.execute(table.update().where(*this).values({column.name: forged}))
        except DBAPIError:  # the database has it from nobody
            continue
        tried += 1
        if any_store.verify("acme").problem is None and any_store.verify_rows("acme").problem is None:
            unseen.append((name, column.name, row[column.name], forged))
        with engine.begin() as connection:
            connection.execute(table.update().where(*that).values({column.name: row[column.name]}))
    assert (any_store.verify("acme").problem, any_store.verify_rows("acme").problem) == (None, None)
    engine.dispose()
    assert (seed, unseen) == (seed, [])
