"""Secrets of webhooks at rest: whoever reads the database, a backup or a disk cannot sign for us."""

import base64
import os
import stat

import pytest

from engine.delivery import channels_of, endpoints
from engine.delivery.endpoint_changes import encrypt_secrets, renew_key, set_webhook
from engine.delivery.secret_keys import MissingKey, SecretKeys
from engine.delivery.webhook import new_secret
from engine.model.errors import Usage
from engine.runtime.settings import Settings
from engine.store import Store
from engine.store.queries.sending.deliveries import set_endpoint
from tests.conftest import NOW

URL = "https://hooks.example.com/in"


@pytest.fixture
def keys(tmp_path):
    return SecretKeys(tmp_path / "keys" / "webhook.key")


@pytest.fixture
def key_file(tmp_path):
    return tmp_path / "keys" / "webhook.key"


def stored_secrets(store, org="acme"):
    with store.reader() as connection:
        return list(endpoints(connection, org)["webhook"].secrets)


def plain(store, *secrets):
    store.write("acme", "t", lambda revision: set_endpoint(revision, "webhook", URL, secrets), now=NOW)


def test_what_is_stored_is_not_the_secret(any_store, keys, key_file):
    secret = any_store.write("acme", "t", lambda revision: set_webhook(revision, keys, URL), now=NOW)
    (sealed,) = stored_secrets(any_store)
    assert (sealed[:4], secret in sealed, keys.open(URL, sealed)) == ("enc:", False, secret)
    assert stat.S_IMODE(key_file.stat().st_mode) == 0o600
    assert keys.seal(URL, secret) != sealed, "never the same twice"


def test_secrets_of_an_earlier_version_are_encrypted_once_and_leave_nothing_behind(sqlite_url, keys, tmp_path):
    secrets = [new_secret(), new_secret()]
    store = Store(sqlite_url)
    with store.revision("acme", "t", now=NOW, create={"name": "Acme"}) as revision:
        revision.record("organization.created")
    plain(store, *secrets)
    assert [encrypt_secrets(store, keys, now=NOW), encrypt_secrets(store, keys, now=NOW)] == [1, 0]
    assert [keys.open(URL, one) for one in stored_secrets(store)] == secrets
    assert store.verify("acme").ok
    store.close()
    left = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    assert [secret.encode() in left for secret in secrets] == [False, False]


def test_a_new_key_takes_the_place_of_the_one_before(any_store, keys, key_file):
    secret = any_store.write("acme", "t", lambda revision: set_webhook(revision, keys, URL), now=NOW)
    before, old = stored_secrets(any_store), key_file.read_text()
    assert renew_key(any_store, keys, now=NOW) == 1
    assert (stored_secrets(any_store) != before, [keys.open(URL, one) for one in stored_secrets(any_store)]) == (
        True,
        [secret],
    )
    assert (key_file.read_text().count("\n"), old in key_file.read_text()) == (1, False)


def test_while_one_key_replaces_another_both_decrypt(keys):
    sealed = keys.seal(URL, "whsec_x")
    keys.renew()
    assert (keys.open(URL, sealed), keys.is_current(sealed)) == ("whsec_x", False)
    assert keys.is_current(keys.seal(URL, "whsec_x"))


def test_a_lost_key_is_one_sentence_in_the_preview(store, tmp_path):
    settings = Settings(data_dir=tmp_path / "var")
    keys = SecretKeys(settings.webhook_key_path)
    store.write("acme", "t", lambda revision: set_webhook(revision, keys, URL), now=NOW)
    (sealed,) = stored_secrets(store)
    settings.webhook_key_path.unlink()
    assert encrypt_secrets(store, keys, now=NOW) == 0, "what cannot be read stays as it is"
    with store.reader() as connection:
        channel = channels_of(settings, endpoints(connection, "acme")).webhook
    assert (channel.leaves, channel.reason) == (
        False,
        (
            "The organization's webhook is not called. The webhook's secret was encrypted with the key "
            f"{sealed.split(':')[1]}, which is not in {settings.webhook_key_path}: restore that file from a backup, or make a "
            "new secret with hq endpoints --rotate."
        ),
    )


def test_a_secret_does_not_sign_for_another_address(keys):
    """Whoever may write to the database, and has an endpoint of his own, leads no webhook there."""
    with pytest.raises(MissingKey, match="does not belong to its address"):
        keys.open("https://evil.example/", keys.seal(URL, "whsec_x"))


@pytest.mark.parametrize("text", ["", "no key", base64.b64encode(b"short").decode(), "ü"])
def test_a_file_that_holds_something_else_is_one_sentence(text, keys, key_file):
    key_file.parent.mkdir()
    key_file.write_text(text)
    with pytest.raises(Usage, match=r"webhook\.key must hold keys of 32 bytes in base64, one a line"):
        keys.seal(URL, "whsec_x")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_one_sentence(keys, key_file):
    key_file.parent.mkdir(mode=0o500)
    with pytest.raises(Usage, match="The key of webhooks cannot be made"):
        keys.seal(URL, "whsec_x")
