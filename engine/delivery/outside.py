"""What sending needs of the world: names, connections, trust, and how the operator's own services are reached."""

import socket
import ssl
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote, urlsplit

from engine.delivery.addresses import resolve
from engine.delivery.secret_keys import SecretKeys
from engine.delivery.unsubscribe import Unsubscribing
from engine.runtime.settings import Settings

SMTP_PORTS = {"smtp": 25, "starttls": 587, "smtps": 465}
CONNECT_SECONDS = 5.0


def _connect(address: str, port: int) -> socket.socket:
    return socket.create_connection((address, port), timeout=CONNECT_SECONDS)


@dataclass(frozen=True)
class MailServer:
    """The server of SVC_SMTP_URL. ``scheme``: smtps speaks TLS from the start, starttls insists on switching to it."""

    scheme: str
    host: str
    port: int
    user: str
    password: str = field(repr=False)

    @classmethod
    def of(cls, url: str) -> "MailServer":
        """From a URL that the settings have checked."""
        parts = urlsplit(url)
        return cls(
            parts.scheme,
            parts.hostname or "",
            parts.port or SMTP_PORTS[parts.scheme],
            unquote(parts.username or ""),
            unquote(parts.password or ""),
        )


@dataclass(frozen=True)
class Outside:
    """Where things go, and how. ``resolve``, ``connect`` and ``trust`` are the system's own unless a test says."""

    mail_server: MailServer | None
    mail_from: str
    chat_webhook: str = field(repr=False)
    chat_token: str = field(repr=False)
    chat_api: str
    base_url: str
    keys: SecretKeys
    unsubscribing: Unsubscribing
    resolve: Callable[[str, int], Sequence[str]] = resolve
    connect: Callable[[str, int], socket.socket] = _connect
    trust: Callable[[], ssl.SSLContext] = ssl.create_default_context

    @classmethod
    def of(cls, settings: Settings) -> "Outside":
        """As the settings say."""
        url = settings.smtp_url
        return cls(
            MailServer.of(url) if url else None,
            settings.smtp_from,
            settings.chat_webhook_url,
            settings.chat_bot_token,
            settings.chat_api_url,
            settings.base_url,
            SecretKeys(settings.webhook_key_path),
            Unsubscribing(settings.unsubscribe_mailto, settings.signing_key_path),
        )

    def missing_channels(self) -> list[str]:
        """Channels over which nothing can leave at all: what waits for them is not touched."""
        mail = self.mail_server is not None and self.mail_from
        chat = self.chat_token or self.chat_webhook
        return [name for name, there in (("email", mail), ("chat", chat)) if not there]
