"""Links that sign somebody in, once: a signed token in the address of the desk.

Mail scanners follow links, so a link alone does nothing: its page has a button, and what the button posts is spent.
The token is signed with a key of its own, which is derived from the secret of sessions: it is no session.
"""

import hmac
import secrets
from datetime import datetime, timedelta
from typing import NamedTuple
from urllib.parse import urlencode

import jwt

from engine.model.errors import Conflict, Unauthorized, Usage
from engine.store import Revision, Store
from engine.store.queries.accounts.sessions import session_ends
from engine.store.schema.outputs import ended_sessions
from engine.web.admission.sessions import Sessions

PRINTED_LIFE = timedelta(minutes=10)
MAIL_LIFE = timedelta(days=1)
DEFAULT_DESK_URL = "http://127.0.0.1:8090"
PATH = "/sign-in"
_KIND = "sign-in-link"


class SignInLink(NamedTuple):
    """Whom a link signs in, in which organization, where it leads, and what tells it from others."""

    email: str
    org_id: str
    to: str
    id: str
    began: float


class SignInLinks:
    """Makes and reads the tokens of links."""

    def __init__(self, sessions: Sessions) -> None:
        self._key = None if sessions.from_key_set else sessions.derived_key(_KIND)
        self._sessions = sessions

    def new(self, email: str, org_id: str, *, now: datetime, life: timedelta = PRINTED_LIFE, to: str = "/") -> str:
        """The token of a new link. Usage where sessions come from a key set: then its issuer signs people in."""
        claims = {
            **{"sub": email.lower(), "org": org_id, "to": to, "aud": _KIND},
            **{"jti": secrets.token_hex(16), "iat": now, "exp": now + life},
        }
        return jwt.encode(claims, self._needed_key(), algorithm="HS256")

    def address(self, desk_url: str, token: str) -> str:
        """The link itself."""
        return f"{(desk_url or DEFAULT_DESK_URL).rstrip('/')}{PATH}?{urlencode({'link': token})}"

    def read(self, token: str, *, now: datetime) -> SignInLink:
        """What a link says; Unauthorized when it is not ours or over. It may be spent already."""
        try:
            claims = jwt.decode(
                token,
                self._needed_key(),
                algorithms=["HS256"],
                audience=_KIND,
                options={"require": ["sub", "org", "exp", "jti", "iat"], "verify_exp": False, "verify_iat": False},
            )
            found = SignInLink(
                str(claims["sub"]), str(claims["org"]), str(claims.get("to") or "/"), str(claims["jti"]),
                float(claims["iat"]),
            )  # fmt: skip
            ends = float(claims["exp"])
        except (jwt.PyJWTError, ValueError, TypeError, KeyError) as error:
            raise Unauthorized("This link is not one of ours, or was cut off on its way.", word="bad_link") from error
        if ends <= now.timestamp():
            raise Unauthorized("This link has expired; ask for a new one.", word="link_expired")
        return found

    def spend(self, store: Store, token: str, *, now: datetime) -> tuple[str, SignInLink]:
        """A new session for the link, which is good no more. Unauthorized for one that is over, Conflict for one that
        was used."""
        link = self.read(token, now=now)
        if store.role(link.org_id, link.email) is None:
            raise Unauthorized("This link is for somebody who is not a member now.", word="not_a_member")

        def change(revision: Revision) -> None:
            ends = session_ends(revision.records, link.org_id, link.email)
            if link.id in ends.ids:
                raise Conflict("This link was used already; ask for a new one.", word="link_spent")
            if ends.until is not None and link.began <= ends.until.timestamp():
                raise Unauthorized("This link was ended with the sessions of its time.", word="session_ended")
            row = {"email": link.email, "session_id": link.id, "ended_at": revision.now}
            revision.upsert(ended_sessions, [row])
            revision.record("session.began", object_type="session", object_id=link.id, details={"by": "link"})

        store.write(link.org_id, link.email, change, now=now)
        return self._sessions.issue(link.email, link.org_id, now=now), link

    def _needed_key(self) -> bytes:
        if self._key is None:
            raise Usage("Sessions come from the key set in SVC_SESSION_JWKS_FILE: sign in where it is issued.")
        return self._key


def form_token(sessions: Sessions, session_id: str) -> str:
    """What every form of a session carries, so that no other page can post in its name."""
    return hmac.new(sessions.derived_key("form"), session_id.encode(), "sha256").hexdigest()
