"""Setting where an organization's chat messages and webhooks go. Secrets are made here and shown once."""

from engine.delivery.addresses import AddressRefusal, WebhookTarget
from engine.delivery.message import one_line
from engine.delivery.webhook import new_secret
from engine.model.errors import BadRequest, NotFound
from engine.model.vocabulary import EndpointChannel
from engine.store import Revision
from engine.store.queries.deliveries import endpoints, remove_endpoint, set_endpoint

MOST = 2_000


def set_webhook(revision: Revision, url: str) -> str:
    """Set the organization's webhook and return its new signing secret; BadRequest for a URL that is not called."""
    try:
        WebhookTarget.of(url)
    except AddressRefusal as refused:
        raise BadRequest(f"The webhook cannot be set: {refused}", word="invalid_webhook") from refused
    if len(url) > MOST:
        raise BadRequest(f"The webhook's address may have {MOST:,} characters.", word="invalid_webhook")
    secret = new_secret()
    set_endpoint(revision, "webhook", url, [secret])
    return secret


def rotate_secret(revision: Revision) -> str:
    """A new secret; the one before signs as well until the next rotation, so that receivers can change over."""
    known = endpoints(revision.connection, revision.org_id).get("webhook")
    if known is None:
        raise NotFound("The organization has set no webhook, so there is no secret to rotate.")
    secret = new_secret()
    set_endpoint(revision, "webhook", known.address, [secret, *known.secrets[:1]])
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
