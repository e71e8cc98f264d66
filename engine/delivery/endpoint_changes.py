"""Setting where an organization's chat messages and webhooks go. Secrets are made here and shown once."""

from datetime import datetime

from engine.delivery.addresses import AddressRefusal, WebhookTarget
from engine.delivery.message import one_line
from engine.delivery.secret_keys import MissingKey, SecretKeys
from engine.delivery.webhook import new_secret
from engine.model.errors import BadRequest, NotFound
from engine.model.vocabulary import EndpointChannel
from engine.store import Revision, Store
from engine.store.queries.sending.deliveries import endpoints, remove_endpoint, replace_secrets, set_endpoint, webhooks

MOST = 2_000


def set_webhook(revision: Revision, keys: SecretKeys, url: str) -> str:
    """Set the organization's webhook and return its new signing secret; BadRequest for a URL that is not called."""
    try:
        WebhookTarget.of(url)
    except AddressRefusal as refused:
        raise BadRequest(f"The webhook cannot be set: {refused}", word="invalid_webhook") from refused
    if len(url) > MOST:
        raise BadRequest(f"The webhook's address may have {MOST:,} characters.", word="invalid_webhook")
    secret = new_secret()
    set_endpoint(revision, "webhook", url, [keys.seal(url, secret)])
    return secret


def rotate_secret(revision: Revision, keys: SecretKeys) -> str:
    """A new secret; the one before signs as well until the next rotation, so that receivers can change over.

    One that cannot be read any more is given up.
    """
    known = endpoints(revision.connection, revision.org_id).get("webhook")
    if known is None:
        raise NotFound("The organization has set no webhook, so there is no secret to rotate.")
    secret = new_secret()
    try:
        before = [keys.seal(known.address, keys.open(known.address, stored)) for stored in known.secrets[:1]]
    except MissingKey:
        before = []
    set_endpoint(revision, "webhook", known.address, [keys.seal(known.address, secret), *before])
    return secret


def set_chat(revision: Revision, channel: str) -> None:
    """Name the chat channel of the organization; BadRequest for what cannot be one."""
    name = one_line(channel, 81)
    if not name or len(name) > 80 or name != channel:
        raise BadRequest("A chat channel is 1 to 80 printable characters, such as #compliance.", word="invalid_channel")
    set_endpoint(revision, "chat", name, [])


def forget(revision: Revision, channel: EndpointChannel) -> None:
    """Forget where a channel goes; NotFound when nothing was set."""
    if not remove_endpoint(revision, channel):
        raise NotFound(f"The organization has set no {channel}.")


def encrypt_secrets(store: Store, keys: SecretKeys, *, now: datetime) -> int:
    """Encrypt what is stored plain, or under an earlier key, with the key of now; returns for how many webhooks.

    What cannot be read any more stays as it is: `hq endpoints` says so.
    """
    changed = 0
    with store.reader() as connection:
        stored = webhooks(connection)
    for org_id, endpoint in stored.items():
        if all(keys.is_current(one) for one in endpoint.secrets):
            continue
        try:
            plain = [keys.open(endpoint.address, one) for one in endpoint.secrets]
        except MissingKey:
            continue
        sealed = [keys.seal(endpoint.address, one) for one in plain]
        with store.revision(org_id, "console", now=now) as revision:
            changed += replace_secrets(revision, endpoint, sealed)
    return changed


def renew_key(store: Store, keys: SecretKeys, *, now: datetime) -> int:
    """A new key in place of the one that encrypts, for every secret that can be read; returns for how many webhooks."""
    keys.renew()
    changed = encrypt_secrets(store, keys, now=now)
    keys.forget_old()
    return changed
