"""Which addresses an outbound webhook may reach: HTTPS, a public name, and only addresses of the public internet.

The name is resolved once and every answer is judged; the connection goes to an address that was judged, so that a
second lookup cannot lead elsewhere. ``ipaddress.is_global`` alone lets multicast and tunnels through, hence the list.
"""

import re
import socket
from collections.abc import Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address
from urllib.parse import urlsplit

PORTS = (443, 8443)
UNICAST = IPv6Network("2000::/3")
# inside what Python calls global: tunnels that carry another address, relays, and blocks younger than its list
V4_REFUSED = (IPv4Network("192.88.99.0/24"),)
V6_REFUSED = tuple(map(IPv6Network, ("2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20")))
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
    if isinstance(address, IPv6Address) and address.ipv4_mapped is not None:
        address = address.ipv4_mapped
    if not address.is_global or address.is_multicast:
        return False
    if isinstance(address, IPv4Address):
        return not any(address in network for network in V4_REFUSED)
    if address.scope_id is not None:
        return False
    return address in UNICAST and not any(address in network for network in V6_REFUSED)


def resolve(host: str, port: int) -> Sequence[str]:
    """Every address of a name, as the system resolves it. OSError when there is none."""
    found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(sockaddr[0]) for _, _, _, _, sockaddr in found))


def vet(addresses: Sequence[str]) -> Sequence[str]:
    """The addresses, when there are some and all are public; AddressRefusal otherwise: one bad answer spoils all."""
    if not addresses:
        raise AddressRefusal("its name has no address.")
    for text in addresses:
        literal = _literal(text)
        if literal is None or not is_public(literal):
            raise AddressRefusal("its name leads to an address that is not on the public internet.")
    return addresses
