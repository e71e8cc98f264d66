"""The account at PayPal that the settings name, and where PayPal's certificates may come from."""

import re
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

from engine.runtime.settings import Settings

# Where certificates may be fetched from, by the address of the interface that is used. No suffix is compared.
CERTIFICATE_ORIGINS = {
    "https://api-m.paypal.com": ("https://api.paypal.com", "https://api-m.paypal.com"),
    "https://api-m.sandbox.paypal.com": ("https://api.sandbox.paypal.com", "https://api-m.sandbox.paypal.com"),
}
_CERTIFICATE_PATH = re.compile(r"/v1/notifications/certs/[A-Za-z0-9._-]{1,200}")


@dataclass(frozen=True)
class Account:
    """Where PayPal is asked, and as whom."""

    url: str
    client_id: str
    client_secret: str = field(repr=False)
    webhook_id: str = ""
    verify: str = "certificate"
    ca_file: Path | None = None

    def may_hold_certificate(self, address: str) -> bool:
        """Whether an address is one of PayPal's own for certificates: origin and path as pinned, nothing else."""
        try:
            parts = urlsplit(address)
            port = parts.port
        except ValueError:
            return False
        origin = f"{parts.scheme}://{parts.hostname}" + (f":{port}" if port is not None else "")
        plain = address == f"{origin}{parts.path}" and _CERTIFICATE_PATH.fullmatch(parts.path) is not None
        return plain and origin in CERTIFICATE_ORIGINS.get(self.url, (self.url,)) and ".." not in parts.path


def account(settings: Settings) -> Account | None:
    """The account that is configured; None without a client."""
    if not (settings.paypal_client_id and settings.paypal_client_secret):
        return None
    return Account(
        settings.paypal_url,
        settings.paypal_client_id,
        settings.paypal_client_secret,
        settings.paypal_webhook_id,
        settings.paypal_verify,
        settings.paypal_ca_file,
    )
