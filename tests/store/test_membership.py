"""The organizations of a person, asked before a store is opened."""

import sqlite3
from contextlib import closing

import pytest

from engine.model.errors import Unavailable
from engine.store import Store
from engine.store.membership import organizations_of
from engine.store.schema.organizations import memberships
from tests.conftest import NOW

ANN = "ann@acme.example"


def join(store, org_id, **columns):
    with store.revision(org_id, "setup", now=NOW, create={"name": org_id}) as revision:
        revision.insert(memberships, [{"email": ANN, "role": "member", **columns}])
        revision.record("member.added")


def test_a_person_belongs_where_the_membership_is_active_and_the_platform_comes_last(database_url):
    store = Store(database_url)
    for org_id in ("platform", "zeta", "beta"):
        join(store, org_id)
    join(store, "left", status="removed")
    join(store, "other", email="bob@acme.example")
    store.close()
    assert organizations_of(database_url, ANN) == ["beta", "zeta", "platform"]
    assert organizations_of(database_url, "eve@acme.example") == []


def test_a_store_that_a_server_has_open_answers_what_it_wrote_last(sqlite_url):
    store = Store(sqlite_url)
    join(store, "acme")
    assert organizations_of(sqlite_url, ANN) == ["acme"]
    join(store, "beta")
    assert organizations_of(sqlite_url, ANN) == ["acme", "beta"]
    store.close()


@pytest.mark.parametrize("name", ["hq.db", "a folder #1/hq 100%.db"])
def test_a_store_that_is_not_there_is_not_made(tmp_path, name):
    with pytest.raises(Unavailable, match="The store is at no migration"):
        organizations_of(f"sqlite:///{tmp_path}/{name}", ANN)
    assert not (tmp_path / name).exists()


def test_an_address_with_options_names_the_same_store(sqlite_url):
    store = Store(sqlite_url)
    join(store, "acme")
    store.close()
    assert organizations_of(f"{sqlite_url}?timeout=5", ANN) == ["acme"]


def test_a_file_that_is_no_store_is_one_clear_sentence(tmp_path):
    (tmp_path / "hq.db").write_bytes(b"this is no database" * 500)
    with pytest.raises(Unavailable, match="restore a backup"):
        organizations_of(f"sqlite:///{tmp_path}/hq.db", ANN)


def test_asking_changes_nothing_in_the_file(sqlite_url):
    with closing(sqlite3.connect(sqlite_url.removeprefix("sqlite:///"))) as connection:
        before = list(connection.iterdump())
        organizations_of(sqlite_url, ANN)
        assert list(connection.iterdump()) == before
