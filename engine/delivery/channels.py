"""Which channels can leave for an organization, and why the others cannot. Nothing configured: nothing leaves."""

from collections.abc import Mapping
from dataclasses import dataclass

from engine.delivery.addresses import AddressRefusal, WebhookTarget
from engine.delivery.secret_keys import SecretKeys
from engine.model import vocabulary
from engine.model.errors import Problem
from engine.runtime.settings import Settings
from engine.store.queries.sending.deliveries import Endpoint
from engine.store.queries.sending.deliveries import endpoints as endpoints

Endpoints = Mapping[str, Endpoint]


@dataclass(frozen=True)
class Channel:
    """One way out. ``recipients`` are those that the channel itself fixes; those of e-mail come from people.

    ``reason`` is one sentence for a person: where it goes, or what is missing.
    """

    name: vocabulary.Channel
    leaves: bool
    reason: str
    recipients: tuple[str, ...] = ()


@dataclass(frozen=True)
class Channels:
    """The three ways out of an organization. ``leaving`` are those that can be used now."""

    email: Channel
    chat: Channel
    webhook: Channel

    @property
    def leaving(self) -> tuple[Channel, ...]:
        """The channels over which something leaves, in a fixed order."""
        return tuple(channel for channel in (self.email, self.chat, self.webhook) if channel.leaves)

    def as_dicts(self) -> list[dict[str, object]]:
        """For a preview: name, leaves, reason, recipients of each."""
        return [
            {"name": one.name, "leaves": one.leaves, "reason": one.reason, "recipients": list(one.recipients)}
            for one in (self.email, self.chat, self.webhook)
        ]


def channels_of(settings: Settings, endpoints: Endpoints) -> Channels:
    """What can leave under these settings and the organization's own endpoints."""
    return Channels(
        _email(settings), _chat(settings, endpoints.get("chat")), _webhook(settings, endpoints.get("webhook"))
    )


def _email(settings: Settings) -> Channel:
    if not settings.smtp_url:
        return Channel("email", False, "No mail server is configured (SVC_SMTP_URL): no e-mail leaves.")
    if not settings.smtp_from:
        return Channel("email", False, "No sender is configured (SVC_SMTP_FROM): no e-mail leaves.")
    return Channel("email", True, f"E-mail leaves from {settings.smtp_from}.")


def _chat(settings: Settings, endpoint: Endpoint | None) -> Channel:
    if not (settings.chat_bot_token or settings.chat_webhook_url):
        return Channel(
            "chat",
            False,
            "No chat service is configured (SVC_CHAT_BOT_TOKEN or SVC_CHAT_WEBHOOK_URL): nothing is posted.",
        )
    if endpoint is None:
        return Channel("chat", False, "The organization has named no chat channel: nothing is posted.")
    if endpoint.disabled:
        return Channel("chat", False, "The organization's chat channel is switched off: nothing is posted.")
    return Channel("chat", True, f"Chat messages are posted to {endpoint.address}.", (endpoint.address,))


def _webhook(settings: Settings, endpoint: Endpoint | None) -> Channel:
    if endpoint is None:
        return Channel("webhook", False, "The organization has set no webhook address: none is called.")
    if endpoint.disabled:
        return Channel("webhook", False, "The webhook said that it is gone and is switched off: it is not called.")
    try:
        target = WebhookTarget.of(endpoint.address)
    except AddressRefusal as refused:
        return Channel("webhook", False, f"The organization's webhook is not called: {refused}")
    if not endpoint.secrets:
        return Channel("webhook", False, "The organization's webhook has no signing secret: it is not called.")
    try:
        SecretKeys(settings.webhook_key_path).open(endpoint.address, endpoint.secrets[0])
    except Problem as lost:
        return Channel("webhook", False, f"The organization's webhook is not called. {lost.message}")
    return Channel("webhook", True, f"The webhook at {target.host} is called, signed.", (endpoint.address,))
