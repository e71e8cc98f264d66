"""Links that sign somebody in, once: a signed token in an address of the desk.

Mail scanners follow links, so a link alone does nothing: its page has a button, and what the button posts is spent.
The token is signed with a key of its own, which is derived from the secret of sessions: it is no session. The same
link made for the same moment is the same text.
"""

import base64
import binascii
import hmac
from datetime import datetime, timedelta
from typing import NamedTuple
from urllib.parse import urlencode

import msgspec

from engine.model.errors import Conflict, Unauthorized, Usage
from engine.runtime.keys.session_secret import session_secret
from engine.runtime.settings import Settings
from engine.store import Revision, Store
from engine.store.database.read_cache import SessionEnds
from engine.store.queries.accounts.sessions import session_ends
from engine.store.schema.outputs import ended_sessions

PRINTED_LIFE = timedelta(minutes=10)
MAIL_LIFE = timedelta(days=1)
DEFAULT_DESK_URL = "http://127.0.0.1:8090"
PATH = "/sign-in"
LONGEST = 4_000
_PURPOSE = b"hq sign-in-link"


class SignInLink(msgspec.Struct, frozen=True):
    """Whom a link signs in, in which organization, where it leads, when it was made and ends (seconds since 1970)."""

    email: str
    org_id: str
    to: str
    began: float
    ends: float

    @property
    def id(self) -> str:
        """What tells it from others."""
        return hmac.digest(_PURPOSE, msgspec.json.encode(self), "sha256").hex()[:32]


class SpentLink(NamedTuple):
    """A link whose button was pressed, and what its page said."""

    email: str
    org_id: str
    to: str


class SignInLinks:
    """Makes, reads and spends the tokens of links."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.are_possible = settings.session_jwks_file is None

    def new(self, email: str, org_id: str, *, now: datetime, life: timedelta = PRINTED_LIFE, to: str = "/") -> str:
        """The token of a link. Usage where sessions come from a key set: then its issuer signs people in."""
        link = SignInLink(email.lower(), org_id, to, now.timestamp(), (now + life).timestamp())
        body = msgspec.json.encode(link)
        return f"{_text(body)}.{_text(self._signature(body))}"

    def address(self, token: str) -> str:
        """The link itself."""
        return f"{desk_url(self._settings)}{PATH}?{urlencode({'link': token})}"

    def read(self, token: str, *, now: datetime) -> SignInLink:
        """What a link says; Unauthorized when it is not ours or over. It may be spent already."""
        try:
            body, signature = (_bytes(part) for part in token[:LONGEST].split("."))
            link = msgspec.json.decode(body, type=SignInLink)
        except (ValueError, binascii.Error, msgspec.DecodeError) as error:
            raise _not_ours() from error
        if not hmac.compare_digest(signature, self._signature(body)):
            raise _not_ours()
        if link.ends <= now.timestamp():
            raise Unauthorized("This link has expired; ask for a new one.", word="link_expired")
        return link

    def usable(self, store: Store, token: str, *, now: datetime) -> SignInLink:
        """What a link says that would sign somebody in now; the errors of ``spend``, and nothing is spent."""
        link = self._for_member(store, token, now)
        with store.reader() as connection:
            _must_be_fresh(link, session_ends(connection, link.org_id, link.email))
        return link

    def spend(self, store: Store, token: str, *, now: datetime) -> SpentLink:
        """Use a link up. Unauthorized for one that is over or nobody's, Conflict for one that was used."""
        link = self._for_member(store, token, now)

        def change(revision: Revision) -> None:
            _must_be_fresh(link, session_ends(revision.records, link.org_id, link.email))
            row = {"email": link.email, "session_id": link.id, "ended_at": revision.now}
            revision.upsert(ended_sessions, [row])
            revision.record("session.began", object_type="session", object_id=link.id, details={"by": "link"})

        store.write(link.org_id, link.email, change, now=now)
        return SpentLink(link.email, link.org_id, link.to)

    def _for_member(self, store: Store, token: str, now: datetime) -> SignInLink:
        link = self.read(token, now=now)
        if store.role(link.org_id, link.email) is None:
            raise Unauthorized("This link is for somebody who is not a member now.", word="not_a_member")
        return link

    def _signature(self, body: bytes) -> bytes:
        if not self.are_possible:
            raise Usage("Sessions come from the key set in SVC_SESSION_JWKS_FILE: sign in where it is issued.")
        secret = session_secret(self._settings).encode()
        return hmac.digest(hmac.digest(secret, _PURPOSE, "sha256"), body, "sha256")


def desk_url(settings: Settings) -> str:
    """Where people reach the desk, without a slash at the end."""
    return (settings.desk_url or DEFAULT_DESK_URL).rstrip("/")


def _must_be_fresh(link: SignInLink, ends: SessionEnds) -> None:
    if link.id in ends.ids:
        raise Conflict("This link was used already; ask for a new one.", word="link_spent")
    if ends.until is not None and link.began <= ends.until.timestamp():
        raise Unauthorized("This link was ended with the sessions of its time.", word="session_ended")


def _not_ours() -> Unauthorized:
    return Unauthorized("This link is not one of ours, or was cut off on its way.", word="bad_link")


def _text(body: bytes) -> str:
    return base64.urlsafe_b64encode(body).decode().rstrip("=")


def _bytes(text: str) -> bytes:
    return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
