"""Readiness over HTTP: a store that answers and is behind is not ready, and says what is missing."""

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine, text

from engine.store.database.migrations import FOLDER, latest

HEALTH = "/api/health/db"


def change(store, *statements):
    """Something happens to the schema behind our back."""
    engine = create_engine(store.url)
    with engine.begin() as connection:
        for statement in statements:
            connection.execute(text(statement))
    engine.dispose()


def downgrade(store, target):
    engine, config = create_engine(store.url), Config()
    config.set_main_option("script_location", str(FOLDER))
    config.set_main_option("path_separator", "os")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, target)
    engine.dispose()


def test_a_store_with_every_migration_is_ready(sign_in):
    answer = sign_in(None).get(HEALTH)
    assert answer.status == 200
    assert answer.json == {"ok": True, "database": "sqlite", "migration": latest(), "expected": latest()}


@pytest.mark.real
@pytest.mark.parametrize(
    ("target", "error", "said"),
    [
        ("0014", "migration_missing", "Migration 15 (database_health) is missing"),
        ("0020", "schema_outdated", "The schema of the store is outdated"),
    ],
)
def test_a_store_that_is_behind_is_503_and_names_what_is_there_and_what_is_expected(
    target, error, said, sign_in, with_people
):
    downgrade(with_people, target)
    answer = sign_in(None).get(HEALTH)
    assert (answer.status, answer.json) == (
        503,
        {
            "ok": False,
            "error": error,
            "message": f"{said}: the store is at {target}, {latest()} is expected; run `hq migrate`.",
            "details": [{"found": target, "expected": latest()}],
        },
    )
    assert sign_in(None).get("/api/health").status == 200


def test_a_store_that_was_migrated_beneath_the_process_is_503_and_so_is_what_is_written(sign_in, with_people):
    client = sign_in(None)
    change(with_people, "UPDATE alembic_version SET version_num = '0099'")
    answer = client.get(HEALTH)
    assert (answer.status, answer.json["ok"], answer.json["error"]) == (503, False, "schema_changed")
    assert answer.json["details"] == [{"found": "0099", "expected": latest()}]


def test_a_store_whose_view_was_dropped_or_that_was_never_migrated_is_503(sign_in, with_people):
    client = sign_in(None)
    change(with_people, "DROP VIEW database_health")
    answer = client.get(HEALTH)
    assert (answer.status, answer.json["error"]) == (503, "migration_missing")
    assert "The view database_health of migration 15 is missing: the store is at" in answer.json["message"]
    change(with_people, "DROP TABLE alembic_version")
    answer = client.get(HEALTH)
    assert (answer.status, answer.json["details"]) == (503, [{"found": "no migration", "expected": latest()}])
