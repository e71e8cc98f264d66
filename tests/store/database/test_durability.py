"""A PostgreSQL server that loses what was committed is named."""

from contextlib import closing

import pytest
from sqlalchemy import create_engine, text

from engine.cli.installation.workers import warn_of_losses
from engine.operations.schema.schema_check import schema_problems
from engine.store import Store
from engine.store.queries.accounts.installation import durability_problems


def test_a_file_has_no_server(sqlite_url):
    engine = create_engine(sqlite_url)
    with engine.connect() as connection:
        assert list(durability_problems(connection)) == []
    engine.dispose()


@pytest.mark.real
@pytest.mark.postgresql
def test_a_commit_that_nobody_waits_for_is_named(postgresql_url):
    engine = create_engine(postgresql_url)
    with engine.connect() as connection:
        connection.execute(text("SET synchronous_commit = off"))
        found = [one for one in durability_problems(connection) if one.startswith("synchronous_commit")]
        assert found == ["synchronous_commit is 'off', expected on or local or remote_write or remote_apply"]
        connection.execute(text("SET synchronous_commit = on"))
        assert not [one for one in durability_problems(connection) if one.startswith("synchronous_commit")]
    engine.dispose()


@pytest.mark.real
@pytest.mark.postgresql
def test_whoever_serves_says_it_and_a_table_that_a_crash_empties_is_found(postgresql_url, caplog):
    with closing(Store(postgresql_url)) as store:  # our servers have synchronous_commit off
        warn_of_losses(store)
    (said,) = [one for one in caplog.messages if "synchronous_commit" in one]
    assert said.startswith(
        "the PostgreSQL server loses what was committed when it crashes: synchronous_commit is 'off'"
    )
    engine = create_engine(postgresql_url)
    with engine.connect() as connection:
        connection.execute(text("ALTER TABLE vendors SET UNLOGGED"))
        assert list(schema_problems(connection)) == ["the setting UNLOGGED of vendors was added"]
    engine.dispose()
