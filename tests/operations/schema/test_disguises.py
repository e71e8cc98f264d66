"""A schema whose names are those of the migration, and that keeps, hides or answers something else."""

import pytest
from sqlalchemy import text

from engine.operations.schema.check_words import check_words
from engine.operations.schema.schema_check import schema_problems
from engine.store.store import Store
from tests.databases import raw_transaction

OTHER_HEALTH = (
    "CREATE VIEW database_health AS SELECT '0046' AS migration, 0 AS organizations, 0 AS empty_heads, "
    "0 AS deliveries_pending, 0 AS deliveries_failed"
)
FILE = [
    "DROP VIEW database_health",
    OTHER_HEALTH,
    "ALTER TABLE plays ADD COLUMN twice TEXT GENERATED ALWAYS AS (id) VIRTUAL",
    "DROP INDEX ix_leads_reference",
    "CREATE UNIQUE INDEX ix_leads_reference ON leads (org_id, reference_id) WHERE org_id = 'none'",
    "PRAGMA writable_schema = on",
    "UPDATE sqlite_master SET sql = replace(sql, '''draft'', ''active''', '''draft'', ''ghost'', ''active''') "
    "WHERE name = 'policies'",
    "UPDATE sqlite_master SET sql = replace(sql, 'id VARCHAR(200)', 'id VARCHAR(200) COLLATE NOCASE') "
    "WHERE name = 'vendors'",
    "UPDATE sqlite_master SET sql = replace(sql, 'PRIMARY KEY (org_id, id)', "
    "'PRIMARY KEY (org_id, id) ON CONFLICT REPLACE') WHERE name = 'exceptions'",
    "PRAGMA schema_version = 4711",  # who has the store open reads it anew
]
FILE_PROBLEMS = [
    "the table exceptions takes or leaves rows that have one key (CONFLICT)",
    "the table leads has an index over some of its rows (WHERE)",
    "the table plays has a column that is computed (AS)",
    "the table plays has a column that is computed (GENERATED)",
    "the table plays has what is not kept (VIRTUAL)",
    "the table vendors compares texts by another order (COLLATE)",
    "the view database_health answers by another query",
    "the constraint ck_policies_state of policies lets through state: active, draft, ghost, retired, "
    "expected state: active, draft, retired",
    "the column plays.twice was added",
]
SERVER = [
    "DROP VIEW database_health",
    OTHER_HEALTH,
    "ALTER TABLE policies DROP CONSTRAINT ck_policies_state",
    "ALTER TABLE policies ADD CONSTRAINT ck_policies_state CHECK (state IN ('draft', 'active', 'retired') OR true)",
    "CREATE POLICY hide ON vendors USING (id <> 'v2')",
    "ALTER TABLE vendors ALTER COLUMN category SET DEFAULT 'none'",
    'ALTER TABLE leads ALTER COLUMN email TYPE text COLLATE "C"',
    "ALTER TABLE plays ADD COLUMN twice text GENERATED ALWAYS AS (id) STORED",
    "ALTER TABLE plays DROP CONSTRAINT fk_plays_org_id",
    "ALTER TABLE plays ADD CONSTRAINT fk_plays_org_id FOREIGN KEY (org_id) REFERENCES organizations (id) "
    "ON DELETE CASCADE",
    "DROP INDEX ix_leads_reference",
    "CREATE UNIQUE INDEX ix_leads_reference ON leads (org_id, reference_id) WHERE org_id = 'none'",
    "CREATE SCHEMA aside",
    "CREATE TABLE aside.more () INHERITS (vendors)",
    "GRANT UPDATE ON audit_log TO PUBLIC",
    "GRANT UPDATE (hash) ON heads TO PUBLIC",
    "GRANT SELECT ON ALL TABLES IN SCHEMA public TO PUBLIC",
    "ALTER TABLE organizations OWNER TO pg_monitor",
    "SET session_replication_role = replica",
]
SERVER_PROBLEMS = [
    "everybody may write to audit_log, heads beside the console (GRANT)",
    "references and triggers do not act (session_replication_role = replica)",
    "rows of more are read with those of vendors (INHERITS)",
    "the column leads.email compares texts by another order (COLLATE)",
    "the column plays.twice is computed (GENERATED)",
    "the column vendors.category is filled where it was not written (DEFAULT)",
    "the index ix_leads_reference of leads holds some of the rows, or later (WHERE, DEFERRABLE)",
    "the policy hide says which rows of vendors are seen",
    "the reference fk_plays_org_id of plays does more than refuse (CASCADE, SET, DEFERRABLE)",
    "the table organizations belongs to pg_monitor, alembic_version to postgres",
    "the view database_health answers by another query",
]


def test_what_a_file_keeps_otherwise_is_named(store):
    with raw_transaction(store) as connection:
        for statement in FILE:
            connection.execute(text(statement))
    with store.reader() as connection:
        assert schema_problems(connection) == FILE_PROBLEMS


@pytest.mark.postgresql
@pytest.mark.real
def test_what_a_server_keeps_hides_or_answers_otherwise_is_named(postgresql_url):
    """And who may write beside the console. Rights to read are nobody's harm."""
    store = Store(postgresql_url)
    with raw_transaction(store) as connection:
        for statement in SERVER:
            connection.execute(text(statement))
        found = schema_problems(connection)
        connection.rollback()
    store.close()
    assert found[: len(SERVER_PROBLEMS)] == SERVER_PROBLEMS
    assert any("ck_policies_state of policies lets through (state" in problem for problem in found)


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("kind IN ('b', 'a')", "kind: a, b"),
        ("(kind::text = ANY (ARRAY['b'::character varying, 'a'::text]::text[]))", "kind: a, b"),
        ("(kind = 'it''s'::text)", "kind: it''s"),
        ("kind IN ('a') OR true", "kind IN ('a') OR true"),
        ("(kind IN ('a')) OR (kind IN ('b'))", "(kind IN ('a')) OR (kind IN ('b'))"),
        ("kind IN ('a', 1)", "kind IN ('a', 1)"),
        ("kind IN ('a' || 'b')", "kind IN ('a' || 'b')"),
        ("kind <> 'a'", "kind <> 'a'"),
    ],
)
def test_a_list_of_words_reads_the_same_however_it_is_written(written, read):
    assert check_words(written) == read
