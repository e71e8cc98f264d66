"""A PostgreSQL server that loses what was committed is named."""

import pytest
from sqlalchemy import create_engine, text

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
