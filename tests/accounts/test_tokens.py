"""Keys and tokens: the form of secrets, their life, and the note of their last use."""

from datetime import timedelta

import pytest
from sqlalchemy import select

from engine.accounts import tokens
from engine.accounts.tokens import API_KEY, INGEST, digest, issue, list_credentials, new_secret, revoke, well_formed
from engine.model.errors import Conflict, Forbidden, NotFound
from engine.store.schema.outputs import credential_uses, credentials
from engine.store.writing.credentials import last_uses
from tests.conftest import NOW

ANN, BOB = "ann@acme.example", "bob@acme.example"


def issue_token(store, kind=API_KEY, who=ANN, **values):
    return store.write("acme", who, lambda revision: issue(revision, kind, "build", **values), now=NOW)


def uses(store):
    with store.reader() as connection:
        return [tuple(row) for row in connection.execute(select(credential_uses))]


@pytest.mark.parametrize("kind", tokens.PREFIXES)
def test_a_secret_has_its_prefix_256_random_bits_and_a_checksum(kind):
    secret = new_secret(kind)
    assert secret.startswith(tokens.PREFIXES[kind])
    assert len(secret) == len(tokens.PREFIXES[kind]) + 49
    assert new_secret(kind) != secret
    assert [other for other in tokens.PREFIXES if well_formed(secret, other)] == [kind]


def test_a_legacy_prefix_is_accepted_for_its_kind_only():
    legacy = ("api_key=old_", "ingest=tok_")
    assert well_formed("old_abc", "api_key", legacy)
    assert not well_formed("old_abc", "ingest", legacy)
    assert not well_formed("old_abc", "api_key")
    assert not well_formed("old_ä", "api_key", legacy)
    assert not well_formed("old_" + "x" * 300, "api_key", legacy)


def test_a_mistyped_secret_of_today_is_not_saved_by_a_legacy_prefix():
    assert not well_formed("svc_sk_mistyped", "api_key", ("api_key=svc_",))


def test_the_store_keeps_the_hash_and_not_the_secret(store):
    made = issue_token(store)
    with store.reader() as connection:
        (row,) = connection.execute(select(credentials)).mappings()
    assert row["secret_sha256"] == digest(made["secret"])
    assert made["secret"] not in str(dict(row))
    assert (row["prefix"], row["last_four"]) == ("svc_sk_", made["secret"][-4:])


def test_a_list_has_metadata_without_the_secret_newest_first(store):
    first = issue_token(store)

    def later(revision):
        return issue(revision, API_KEY, "second", expires_at=NOW + timedelta(days=30))

    second = store.write("acme", ANN, later, now=NOW + timedelta(hours=1))
    assert [key["id"] for key in list_credentials(store, "acme", API_KEY, owner=ANN)] == [second["id"], first["id"]]
    assert list_credentials(store, "acme", API_KEY, owner=ANN)[1] == {
        "id": first["id"],
        "label": "build",
        "prefix": "svc_sk_",
        "last_four": first["secret"][-4:],
        "created_at": NOW,
        "expires_at": None,
        "revoked_at": None,
        "last_used_at": None,
    }
    assert list_credentials(store, "acme", API_KEY, owner=BOB) == []
    assert list_credentials(store, "acme", INGEST) == []


def test_a_personal_key_does_not_exist_for_anybody_else(store):
    made = issue_token(store)
    with pytest.raises(NotFound):
        store.write("acme", BOB, lambda revision: revoke(revision, API_KEY, made["id"], any_owner=False), now=NOW)


def test_a_shared_token_is_seen_by_all_and_revoked_by_its_maker_or_the_privileged(store):
    made = issue_token(store, INGEST)
    with pytest.raises(Forbidden):
        store.write("acme", BOB, lambda revision: revoke(revision, INGEST, made["id"], any_owner=False), now=NOW)
    gone = store.write("acme", BOB, lambda revision: revoke(revision, INGEST, made["id"], any_owner=True), now=NOW)
    assert gone["revoked_at"] == NOW


def test_revoking_twice_is_revoking_once(store):
    made = issue_token(store)

    def again(revision):
        return revoke(revision, API_KEY, made["id"], any_owner=False)

    store.write("acme", ANN, again, now=NOW)
    head = store.head("acme")
    assert store.write("acme", ANN, again, now=NOW + timedelta(days=1))["revoked_at"] == NOW
    assert store.head("acme") == head


def test_dead_keys_do_not_count_towards_the_most_one_may_have(store, monkeypatch):
    monkeypatch.setattr(tokens, "MOST_LIVE", 2)
    issue_token(store, expires_at=NOW - timedelta(days=1))
    made = issue_token(store)
    issue_token(store)
    head = store.head("acme")
    with pytest.raises(Conflict):
        issue_token(store)
    assert store.head("acme") == head
    issue_token(store, who=BOB)
    store.write("acme", ANN, lambda revision: revoke(revision, API_KEY, made["id"], any_owner=False), now=NOW)
    issue_token(store)


def test_last_use_is_written_once_a_minute_and_counts_every_use(any_store):
    head = any_store.head("acme")
    for seconds in (0, 1, 59):
        any_store.uses.note("acme", "key_1", NOW + timedelta(seconds=seconds))
    assert uses(any_store) == [("acme", "key_1", NOW, 1)]
    any_store.uses.note("acme", "key_1", NOW + timedelta(seconds=61))
    assert uses(any_store) == [("acme", "key_1", NOW + timedelta(seconds=61), 4)]
    assert any_store.head("acme") == head


def test_uses_that_wait_are_written_at_the_end(any_store):
    for seconds in (0, 5, 9):
        any_store.uses.note("acme", "key_1", NOW + timedelta(seconds=seconds))
    any_store.uses.flush()
    any_store.uses.flush()
    with any_store.reader() as connection:
        assert last_uses(connection, "acme") == {"key_1": NOW + timedelta(seconds=9)}
    assert uses(any_store)[0][3] == 3
