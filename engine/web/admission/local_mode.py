"""Session-mode for one local user: who may speak for that user.

Whatever reaches the loopback address is let in, so a request has to come from this machine by name, and not from a page
of somebody else that happens to be open in the browser. A name of the outside that leads to 127.0.0.1 (DNS rebinding)
gives itself away by its ``Host``; a foreign page by ``Origin`` or ``Sec-Fetch-Site``, which it cannot leave out.
"""

import re
from ipaddress import ip_address
from urllib.parse import urlsplit

from engine.model.errors import Forbidden
from engine.web.http import Request

_HOST = re.compile(r"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<name>[0-9A-Za-z.]+))(?::[0-9]{1,5})?")


def check_local(request: Request) -> None:
    """Forbidden for a request that is not this machine's own user's."""
    host = request.headers.get("host", "")
    if not _is_loopback(host):
        raise Forbidden(
            "SVC_SESSION_AUTH is off: the console answers under 127.0.0.1, ::1 or localhost alone.", word="foreign_host"
        )
    origin = request.headers.get("origin")
    site = request.headers.get("sec-fetch-site", "none")
    foreign = origin is not None and _netloc(origin) != host
    if foreign or (site not in ("same-origin", "none") and not _followed_link(request)):
        raise Forbidden("SVC_SESSION_AUTH is off: a page of another site may not use the console.", word="cross_origin")


def _netloc(origin: str) -> str | None:
    """Where an origin is from; None for one that is no address, as ``null`` and ``http://[`` are."""
    try:
        return urlsplit(origin).netloc or None
    except ValueError:
        return None


def _is_loopback(host: str) -> bool:
    match = _HOST.fullmatch(host)
    name = (match["six"] or match["name"].lower()) if match else ""
    try:
        return name == "localhost" or ip_address(name).is_loopback
    except ValueError:
        return False


def _followed_link(request: Request) -> bool:
    """Whether the answer becomes the page that the user sees: no other page can read it or work with it."""
    asked = request.headers.get("sec-fetch-mode"), request.headers.get("sec-fetch-dest")
    return request.method in ("GET", "HEAD") and asked == ("navigate", "document")
