"""The tree over the whole installation: who takes an organization away, or adds one, is found by it."""

import json
from datetime import timedelta

import pytest
from sqlalchemy import delete, insert, select, text, update

from engine.archives.verification import verify as script
from engine.model.checkpoints import open_note, read_checkpoint
from engine.model.errors import Conflict
from engine.operations.schema.schema_check import declared_schema, fingerprint, present_schema, schema_problems
from engine.runtime.heads.installation import EVERY, own_proof, sign_installation, tree_path
from engine.runtime.heads.installation_check import check_installation_tree
from engine.runtime.keys.key_rotations import own_keys
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store.database.epoch import EPOCH
from engine.store.schema import metadata
from engine.store.schema.audit import installation_commitments, installation_heads
from engine.store.schema.organizations import heads, organizations
from tests.conftest import NOW
from tests.databases import raw_transaction
from tests.store.accept_fingerprint import FINGERPRINTS

HOUR = timedelta(hours=1)


@pytest.fixture
def services(any_store, tmp_path):
    return Services(Settings.of({"SVC_DATA_DIR": str(tmp_path / "var")}), any_store, None, NOW)


def write(services, org="acme", name="login.done", **more):
    with services.store.revision(org, "ann", now=NOW, **more) as revision:
        revision.record(name)


def tree_problems(services):
    with services.store.reader() as connection:
        return check_installation_tree(connection, services.settings).problems


def execute(services, *statements):
    with raw_transaction(services.store) as connection:
        for statement in statements:
            connection.execute(statement)


def vanish(services, org):
    """All rows of an organization, of all tables, and its files."""
    tables = [table for table in reversed(metadata.sorted_tables) if "org_id" in table.c]
    execute(services, *(delete(table).where(table.c.org_id == org) for table in tables if table.foreign_keys))
    execute(services, delete(organizations).where(organizations.c.id == org))


def test_a_head_is_signed_once_a_day_and_with_a_new_organization_at_once(services):
    first = sign_installation(services, now=NOW, every=EVERY)
    assert (first.size, first.new) == (1, True)
    write(services)
    assert sign_installation(services, now=NOW + HOUR, every=EVERY).new is False
    write(services, "globex", create={"name": "Globex"})
    assert sign_installation(services, now=NOW + HOUR, every=EVERY).size == 2
    assert sign_installation(services, now=NOW + HOUR, every=EVERY).new is False
    later = sign_installation(services, now=NOW + HOUR + EVERY, every=EVERY)
    assert read_checkpoint(open_note(later.note).text).size == 3  # acme anew; in globex nothing happened
    assert tree_path(services.settings).read_text().count("\n") == 3
    assert tree_problems(services) == []


def test_an_organization_that_vanished_is_named(services):
    write(services, "globex", create={"name": "Globex"})
    sign_installation(services, now=NOW)
    vanish(services, "globex")
    (said,) = tree_problems(services)
    assert said.startswith("the organization globex is not there any more; it had ")


def test_who_takes_the_commitment_away_too_is_found_by_the_file(services):
    sign_installation(services, now=NOW)
    write(services, "globex", create={"name": "Globex"})
    sign_installation(services, now=NOW)
    vanish(services, "globex")
    execute(
        services,
        delete(installation_commitments).where(installation_commitments.c.org_id == "globex"),
        delete(installation_heads).where(installation_heads.c.size == 2),
    )
    (said,) = tree_problems(services)
    assert said == (
        "line 2 of heads/installation.tree is of 2 commitments to organizations, and there are 1: the tree was cut"
    )
    write(services)
    with pytest.raises(Conflict, match="hq verify --all"):
        sign_installation(services, now=NOW)


def test_what_is_signed_while_somebody_checks_is_for_the_next_check(services):
    sign_installation(services, now=NOW)
    with services.store.reader() as before:
        before.execute(select(heads)).all()  # from here on it sees this state
        write(services, "globex", create={"name": "Globex"})
        sign_installation(services, now=NOW)
        check = check_installation_tree(before, services.settings, later=services.store.reader)
    assert (check.commitments, check.problems) == (1, [])


@pytest.mark.parametrize("column", ["org_id", "seq", "hash", "salt"])
def test_a_commitment_that_was_changed_is_found(services, column):
    sign_installation(services, now=NOW)
    changed = {"org_id": "globex", "seq": 9, "hash": "0" * 64, "salt": "0" * 32}[column]
    execute(services, update(installation_commitments).values({column: changed}))
    assert (
        "line 1 of heads/installation.tree has another root than the first 1 commitments: they were changed"
        in tree_problems(services)
    )


def test_an_organization_that_was_added_beside_the_console_is_named(services):
    sign_installation(services, now=NOW)
    with services.store.reader() as connection:
        row = dict(connection.execute(select(organizations)).mappings().first())
    execute(services, insert(organizations).values(**{**row, "id": "ghost", "name": "Ghost"}))
    assert tree_problems(services) == ["the organization ghost has no event: it was added beside the console"]


def test_a_proof_leads_to_the_signed_head_and_names_nobody_else(services):
    write(services, "globex", create={"name": "Globex"})
    sign_installation(services, now=NOW)
    with services.store.reader() as connection:
        proof, seq = (
            own_proof(connection, "acme"),
            connection.execute(select(heads.c.last_seq, heads.c.hash).where(heads.c.org_id == "acme")).one(),
        )
    keys = own_keys(services.settings.signing_key_path)
    revision = {"seq": seq.last_seq, "hash": seq.hash}
    script.check_installation(proof, "acme", revision, list(keys))
    assert "globex" not in proof
    for wrong in (proof.replace("acme", "amce"), proof.replace("index 0", "index 1"), proof.replace("\n\n", "\n")):
        with pytest.raises(script.Broken):
            script.check_installation(wrong, "acme", revision, list(keys))
    with pytest.raises(script.Broken, match="later event"):
        script.check_installation(proof, "acme", {**revision, "seq": 0}, list(keys))


# -- the schema --------------------------------------------------------------------------------------------------------


def test_the_schema_of_a_migration_has_one_fingerprint_on_both_engines(services):
    with services.store.reader() as connection:
        assert schema_problems(connection) == []
        assert (
            fingerprint(present_schema(connection))
            == fingerprint(declared_schema())
            == json.loads(FINGERPRINTS.read_text())[EPOCH]
        )


BENT = {
    "the table notes was added": ["CREATE TABLE notes (id INTEGER)"],
    "the column vendors.secret was added": ["ALTER TABLE vendors ADD COLUMN secret TEXT"],
    "the column vendors.category is not there": ["ALTER TABLE vendors DROP COLUMN category"],
    "the table seen_events is not there": ["DROP TABLE seen_events"],
    "a view stands in the place of the table plays": [
        "ALTER TABLE plays RENAME TO played",
        "CREATE VIEW plays AS SELECT * FROM played",
    ],
    "the view quiet was added": ["CREATE VIEW quiet AS SELECT 1 AS one"],
    "the view database_health is not there": ["DROP VIEW database_health"],
}
TRIGGERS = {
    "sqlite": ["CREATE TRIGGER bent AFTER INSERT ON vendors BEGIN SELECT 1; END"],
    "postgresql": [
        "CREATE FUNCTION bent() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END'",
        "CREATE TRIGGER bent AFTER INSERT ON vendors FOR EACH ROW EXECUTE FUNCTION bent()",
    ],
}


@pytest.mark.parametrize("said", BENT)
def test_what_was_added_or_taken_away_is_named(services, said):
    execute(services, *map(text, BENT[said]))
    with services.store.reader() as connection:
        assert said in schema_problems(connection)


OTHER_COLUMNS = {
    "sqlite": ["ALTER TABLE leads RENAME TO old", "CREATE TABLE leads AS SELECT * FROM old", "DROP TABLE old"],
    "postgresql": [
        "ALTER TABLE leads ALTER COLUMN value TYPE numeric",
        "ALTER TABLE leads ALTER COLUMN email DROP NOT NULL",
    ],
}
NAMED = {
    "sqlite": {
        "the column leads.email is TEXT, may be empty, expected TEXT, never empty",
        "the column leads.value is REAL, may be empty, expected FLOAT, may be empty",
        "the key (org_id, id) of leads is not there",
    },
    "postgresql": {
        "the column leads.email is TEXT, may be empty, expected TEXT, never empty",
        "the column leads.value is NUMERIC, may be empty, expected FLOAT, may be empty",
    },
}


def test_a_column_of_another_type_or_that_may_be_empty_is_named(services):
    dialect = services.store.dialect
    execute(services, *map(text, OTHER_COLUMNS[dialect]))
    with services.store.reader() as connection:
        found = set(schema_problems(connection))
    assert NAMED[dialect] <= found
    assert dialect == "sqlite" or found == NAMED[dialect]


CONSTRAINTS = {
    "sqlite": [
        "PRAGMA writable_schema = on",
        "UPDATE sqlite_master SET sql = replace(sql, ', \n\tCONSTRAINT fk_vendors_org_id FOREIGN KEY(org_id) REFERENCES "
        "organizations (id)', '') WHERE name = 'vendors'",
        "UPDATE sqlite_master SET sql = replace(sql, 'UNIQUE INDEX', 'INDEX') WHERE name = 'ix_leads_reference'",
        "PRAGMA schema_version = 4711",  # who has the store open reads it anew
    ],
    "postgresql": [
        "ALTER TABLE vendors DROP CONSTRAINT fk_vendors_org_id",
        "DROP INDEX ix_leads_reference",
        "CREATE INDEX ix_leads_reference ON leads (org_id, reference_id)",
    ],
}


def test_a_reference_that_was_taken_away_and_an_index_that_is_unique_no_more_are_named(services):
    execute(services, *map(text, CONSTRAINTS[services.store.dialect]))
    with services.store.reader() as connection:
        assert schema_problems(connection) == [
            "the reference (org_id) to organizations (id) of vendors is not there",
            "the unique index ix_leads_reference (org_id, reference_id) of leads is not there",
            "the index ix_leads_reference (org_id, reference_id) of leads was added",
        ]


def test_a_constraint_that_a_server_does_not_hold_is_named(services):
    if services.store.dialect != "postgresql":
        pytest.skip("SQLite has no constraint that is there and not held")
    execute(services, text("ALTER TABLE plays DISABLE TRIGGER ALL"))
    with services.store.reader() as connection:
        assert schema_problems(connection) == [
            "the setting NOT VALID or DISABLED for fk_plays_org_id of plays was added"
        ]


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("INSERT INTO alembic_version VALUES ('9999')", f"has 2 rows, expected one: {EPOCH}, 9999"),
        ("DELETE FROM alembic_version", "has 0 rows, expected one: none"),
    ],
)
def test_a_second_version_of_the_schema_is_named(services, statement, said):
    execute(services, text(statement))
    with services.store.reader() as connection:
        assert schema_problems(connection) == [f"alembic_version {said}"]


def test_a_trigger_is_named(services):
    execute(services, *map(text, TRIGGERS[services.store.dialect]))
    with services.store.reader() as connection:
        assert schema_problems(connection) == ["the trigger bent on vendors was added"]
