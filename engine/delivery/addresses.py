"""Which addresses an outbound webhook may reach: HTTPS, a public name, and only addresses of the public internet.

The name is resolved once and every answer is judged; the connection goes to an address that was judged, so that a
second lookup cannot lead elsewhere. What is set aside for a special purpose is in ``data/addresses`` with its date, as
IANA lists it: ``ipaddress.is_global`` is as old as the Python that runs.
"""

import csv
import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address, ip_network
from pathlib import Path
from urllib.parse import urlsplit

PORTS = (443, 8443)
UNICAST = IPv6Network("2000::/3")
REGISTRIES = {4: "ipv4.csv", 6: "ipv6.csv"}  # by version, in data/addresses
LOCAL_NAMES = ("localhost", "local", "internal", "localdomain", "lan", "home", "intranet", "arpa", "onion")
_LABEL = r"(?!-)[a-z0-9_-]{1,63}(?<!-)"


class AddressRefusal(Exception):
    """A URL or an address that is not called; the text is one sentence without the path of the URL."""


@dataclass(frozen=True)
class WebhookTarget:
    """A URL taken apart: ``host`` is what is resolved, named in TLS and in the Host header."""

    host: str
    port: int
    path: str
    tls: bool = True

    @property
    def host_header(self) -> str:
        """Host with its port where that is not the scheme's own."""
        name = f"[{self.host}]" if ":" in self.host else self.host
        return name if self.port == (443 if self.tls else 80) else f"{name}:{self.port}"

    @classmethod
    def of(cls, url: str) -> "WebhookTarget":
        """A webhook's URL; AddressRefusal for anything but https to a public name on a usual port."""
        target = cls.any(url)
        if not target.tls:
            raise AddressRefusal("its address must begin with https://.")
        if target.port not in PORTS:
            raise AddressRefusal(f"its port must be {' or '.join(map(str, PORTS))}; got {target.port}.")
        if _literal(target.host) is None and ("." not in target.host or target.host.rpartition(".")[2] in LOCAL_NAMES):
            raise AddressRefusal("its address must have a public name, such as hooks.example.com.")
        return target

    @classmethod
    def any(cls, url: str) -> "WebhookTarget":
        """An http or https URL that whoever runs the console has chosen."""
        try:
            parts = urlsplit(url)
            port = parts.port
        except ValueError as error:
            raise AddressRefusal("its address is not a URL.") from error
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise AddressRefusal("its address must begin with https://.")
        if parts.username is not None or parts.password is not None:
            raise AddressRefusal("its address must not hold a user name or password.")
        if not re.fullmatch(r"[!-~]*", parts.path + parts.query):
            raise AddressRefusal("its path must be percent-encoded.")
        tls = parts.scheme == "https"
        path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
        return cls(_host(parts.hostname), port if port is not None else (443 if tls else 80), path, tls)


def _host(name: str) -> str:
    """A host name in ASCII and lower case without a final dot, or an address as it stands."""
    if _literal(name) is not None:
        return name
    try:
        plain = name.rstrip(".").encode("idna").decode().lower()
    except UnicodeError as error:
        raise AddressRefusal("its host is not a name.") from error
    if len(plain) > 253 or not re.fullmatch(rf"{_LABEL}(\.{_LABEL})*", plain):
        raise AddressRefusal("its host is not a name.")
    return plain


def _literal(host: str) -> IPv4Address | IPv6Address | None:
    try:
        return ip_address(host)
    except ValueError:
        return None


def is_public(address: IPv4Address | IPv6Address) -> bool:
    """Whether an address belongs to a host of the public internet."""
    if isinstance(address, IPv6Address):
        if address.ipv4_mapped is not None:
            return is_public(address.ipv4_mapped)
        if address.scope_id is not None or address not in UNICAST:
            return False
    return not address.is_multicast and not any(
        low <= int(address) <= high for low, high in _special_blocks(address.version)
    )


@cache
def _special_blocks(version: int) -> tuple[tuple[int, int], ...]:
    """First and last address of every block that IANA set aside for a special purpose."""
    path = Path(__file__).parents[2] / "data" / "addresses" / REGISTRIES[version]
    with path.open(newline="") as file:
        blocks = [ip_network(row["block"]) for row in csv.DictReader(file)]
    return tuple((int(block[0]), int(block[-1])) for block in blocks)


def resolve(host: str, port: int) -> Sequence[str]:
    """Every address of a name, as the system resolves it. OSError when there is none."""
    getaddrinfo = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(sockaddr[0]) for _, _, _, _, sockaddr in getaddrinfo))


def vet(addresses: Sequence[str]) -> Sequence[str]:
    """The addresses, when there are some and all are public; AddressRefusal otherwise: one bad answer spoils all."""
    if not addresses:
        raise AddressRefusal("its name has no address.")
    for text in addresses:
        literal = _literal(text)
        if literal is None or not is_public(literal):
            raise AddressRefusal("its name leads to an address that is not on the public internet.")
    return addresses
