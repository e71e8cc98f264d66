"""Migrations build exactly the declared model."""

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import create_engine, inspect
from sqlalchemy.engine import make_url

from engine.model.errors import Unavailable, Usage
from engine.store.database.database import open_engines
from engine.store.database.migrations import FOLDER, database_health, latest, migrate
from engine.store.schema import metadata


def test_migrations_and_declared_tables_agree(database_url):
    engine = create_engine(database_url)
    with engine.connect() as connection:
        context = MigrationContext.configure(connection, opts={"compare_type": True})
        assert compare_metadata(context, metadata) == []
    engine.dispose()


def test_every_table_and_column_says_what_it_is_for():
    silent = [t.name for t in metadata.tables.values() if not t.comment] + [
        f"{t.name}.{c.name}" for t in metadata.tables.values() for c in t.columns if not c.comment
    ]
    assert silent == []


@pytest.mark.real
def test_health_needs_migration_15(tmp_path):
    url = f"sqlite:///{tmp_path}/hq.db"
    assert migrate(url, "0014") == (None, "0014")
    reader, _ = open_engines(url)
    with reader.connect() as connection, pytest.raises(Unavailable, match="Migration 15") as caught:
        database_health(connection)
    assert (caught.value.word, caught.value.details) == ("migration_missing", [{"found": "0014", "expected": latest()}])
    assert migrate(url) == ("0014", latest())
    with reader.connect() as connection:
        assert database_health(connection)["migration"] == latest()


def test_the_newest_migration_is_the_end_of_alembics_chain():
    assert latest() == ScriptDirectory(str(FOLDER)).get_current_head()


def test_migrating_twice_changes_nothing(database_url):
    assert migrate(database_url) == (latest(), latest())


@pytest.mark.real
def test_every_migration_can_be_taken_back(database_url):
    engine = create_engine(database_url)
    config = Config()
    config.set_main_option("script_location", str(FOLDER))
    config.set_main_option("path_separator", "os")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, "base")
    with engine.connect() as connection:
        assert inspect(connection).get_table_names() == ["alembic_version"]
        assert inspect(connection).get_view_names() == []
    engine.dispose()
    assert migrate(database_url) == (None, latest())


def test_a_store_of_a_newer_version_is_refused(sqlite_url):
    engine = create_engine(sqlite_url)
    with engine.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    engine.dispose()
    with pytest.raises(Unavailable, match="migration 9999"):
        migrate(sqlite_url)


def test_a_damaged_file_is_one_clear_sentence(tmp_path):
    path = tmp_path / "hq.db"
    path.write_bytes(b"this is no database" * 500)
    with pytest.raises(Unavailable, match="restore a backup"):
        migrate(f"sqlite:///{path}")
    assert path.read_bytes() == b"this is no database" * 500


@pytest.mark.parametrize("url", ["mysql://localhost/x", "nonsense", "sqlite://"])
def test_other_databases_are_refused(url):
    with pytest.raises(Usage):
        open_engines(url)


def test_tables_of_an_organization_are_keyed_by_it(sqlite_url):
    engine = create_engine(sqlite_url)
    inspector = inspect(engine)
    loose = [
        name
        for name in metadata.tables
        if name not in ("organizations", "leases", "seen_events", "installation_commitments", "installation_heads")
        and inspector.get_pk_constraint(name)["constrained_columns"][0] != "org_id"
    ]
    engine.dispose()
    assert loose == []
    assert make_url(sqlite_url).database
