"""What names a kept report, read with the driver alone: what the store says, or nothing."""

from sqlalchemy import text

from engine.store import PLATFORM
from engine.store.database.head_reader import OrganizationHead, read_head
from engine.store.schema.organizations import memberships
from tests.conftest import NOW
from tests.databases import raw_transaction


def test_it_is_what_the_store_says(any_store):
    with any_store.revision("acme", "setup", now=NOW) as revision:
        revision.insert(memberships, [{"email": "ann@acme.example", "role": "owner"}])
        revision.record("membership.created")
    expected = OrganizationHead("acme", "UTC", any_store.head("acme"), any_store.part_heads("acme"))
    assert (read_head(any_store.url, "acme"), read_head(any_store.url, None)) == (expected, expected)
    assert {"memberships", "audit_log:membership.created"} <= expected.parts.keys()


def test_the_only_organization_is_not_the_platforms_and_of_two_neither_is(any_store):
    any_store.ensure_platform(NOW)
    assert read_head(any_store.url, None).org_id == "acme"
    assert (read_head(any_store.url, PLATFORM), read_head(any_store.url, "' OR 1=1 --")) == (None, None)
    with any_store.revision("other", "setup", now=NOW, create={"name": "Other"}) as revision:
        revision.record("organization.created")
    assert read_head(any_store.url, None) is None
    assert [read_head(any_store.url, name).org_id for name in ("acme", "other")] == ["acme", "other"]


def test_a_store_without_records_has_none(database_url):
    assert (read_head(database_url, None), read_head(database_url, "acme")) == (None, None)


def test_of_another_schema_nothing_is_read(any_store):
    with raw_transaction(any_store) as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0001'"))
    assert read_head(any_store.url, "acme") is None


def test_what_does_not_answer_is_left_to_the_store(tmp_path):
    (tmp_path / "strange.db").write_bytes(b"no database at all" * 100)
    assert read_head(f"sqlite:///{tmp_path}/strange.db", "acme") is None
    assert read_head(f"sqlite:///{tmp_path}/absent.db", "acme") is None
    assert not (tmp_path / "absent.db").exists()
    assert read_head("postgresql+psycopg://nobody@127.0.0.1:9/none", "acme") is None
    assert read_head("mysql://nobody@127.0.0.1:9/none", "acme") is None
