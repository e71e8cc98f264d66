"""E-mail: a multipart message of text and HTML over SMTP."""

import smtplib
import socket
import ssl
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC
from email.headerregistry import HeaderRegistry
from email.message import EmailMessage
from email.policy import SMTP, Policy
from email.utils import format_datetime, parseaddr
from functools import cache
from hashlib import sha256
from typing import TypeAlias

from engine.delivery.message import address, one_line
from engine.delivery.outcome import SENT, Outcome
from engine.delivery.outside import MailServer, Outside
from engine.model.records import DeliveryContentRow, DeliveryRow
from engine.render.mail.gathered_mail import MailPart, gathered_html, gathered_text, text_footer, with_footer
from engine.reporting.index import index
from engine.runtime.heads.signed_heads import HEADER

TIMEOUT_SECONDS = 20.0
PREFERENCES = "/api/user/notification-preferences"
WIDTH = 64  # of a piece of a long header
Letter: TypeAlias = tuple[DeliveryRow, DeliveryContentRow]
LETTERS = ("lead-email",)  # written by a person to a person, who has no preferences here


class _Unbroken:
    """A header that is one line however long it is: what is between its brackets must stay an address."""

    max_count = 1

    @classmethod
    def parse(cls, value: str, kwds: dict[str, object]) -> None:
        """As the registry of headers asks for it."""
        kwds.update(parse_tree=None, decoded=str(value), defects=[])

    def fold(self, *, policy: Policy) -> str:
        """The line."""
        return f"List-Unsubscribe: {self}{policy.linesep}"


_HEADERS = HeaderRegistry()
_HEADERS.map_to_type("list-unsubscribe", _Unbroken)  # type: ignore[arg-type]  # it is mixed into the base class
POLICY = SMTP.clone(header_factory=_HEADERS)


def compose(outside: Outside, letters: Sequence[Letter], head: str | None = None) -> EmailMessage:
    """One message of the deliveries that leave as one: the same bytes at every attempt with the same ones.

    ``head`` is the signed head that it carries, in a header; spaces in it are for the line breaks of mail alone.
    ValueError for a recipient that is no address.
    """
    places = {digest.name: place for place, digest in enumerate(index().digests)}
    letters = sorted(letters, key=lambda letter: (places.get(letter[0]["kind"], 0), letter[0]["id"]))
    row, contents = letters[0]
    recipient = address(row["recipient"])
    if recipient is None:
        raise ValueError("the recipient is not one e-mail address")
    mail = EmailMessage(policy=POLICY)
    mail["From"] = outside.mail_from
    mail["To"] = recipient
    mail["Subject"] = one_line(contents["subject"] if len(letters) == 1 else _subject(letters))
    mail["Date"] = format_datetime(row["created_at"].astimezone(UTC))
    mail["Message-ID"] = f"<{_identifier(letters)}@{parseaddr(outside.mail_from)[1].rpartition('@')[2]}>"
    text, html = contents["body_text"], contents["body_html"]
    if row["kind"] not in LETTERS:
        each: dict[str, str] = {}
        for one, _ in letters:
            each.setdefault(one["kind"], one["id"])  # one of each kind is enough, and fits into a header
        mailto = outside.unsubscribing.mailto(list(each.values()))
        if mailto is not None:
            mail["List-Unsubscribe"] = f"<{mailto}>"
        mail["Auto-Submitted"] = "auto-generated"
        if head is not None:
            mail[HEADER] = " ".join(head[start : start + WIDTH] for start in range(0, len(head), WIDTH))
        text, html = _bodies(letters, mailto, f"{outside.base_url.rstrip('/')}{PREFERENCES}")
    mail.set_content(text)
    if html:
        mail.add_alternative(html, subtype="html")
        mail.set_boundary(f"=_{row['id']}")
    return mail


def _identifier(letters: Sequence[Letter]) -> str:
    """By which readers know a mail again: other letters beside the first one are another mail."""
    first, *others = (row["id"] for row, _ in letters)
    return f"{first}.{sha256(' '.join(others).encode()).hexdigest()[:12]}" if others else str(first)


def _subject(letters: Sequence[Letter]) -> str:
    titles = dict.fromkeys(contents["subject"].partition(" · ")[0] for _, contents in letters)
    organization = letters[0][1]["subject"].split(" · ")[1:2]
    return " · ".join([*organization, ", ".join(titles)])


def _bodies(letters: Sequence[Letter], mailto: str | None, preferences: str) -> tuple[str, str | None]:
    """Text and HTML with what is said to whoever wants no more of it."""
    _, contents = letters[0]
    text, html = contents["body_text"], contents["body_html"]
    if len(letters) > 1:
        parts = [
            MailPart(each["subject"].partition(" · ")[0], _headline(one), each["body_text"], each["body_html"] or "")
            for one, each in letters
        ]
        text, html = gathered_text(parts), gathered_html(parts, _subject(letters))
    sentences = [f"Which mails you get, and whether they come as one, is under {preferences} once you are signed in."]
    if mailto is None:
        sentences.append("Owners and admins of your organization can say for you that you want no more.")
    return text + text_footer(sentences, mailto), html and with_footer(html, sentences, mailto)


def _headline(row: DeliveryRow) -> str:
    """What a letter says to its reader, in a sentence."""
    payload = row["payload"]
    told = (payload.get("message") or payload.get("headline")) if isinstance(payload, dict) else None
    return str(told or "")


def send(outside: Outside, letters: Sequence[Letter], head: str | None = None) -> Outcome:
    """Hand the mail to the server. A refusal of this mail (5xx) is final, everything else is tried again."""
    server = outside.mail_server
    if server is None:
        return Outcome("retry", "No mail server is configured.", channel_down=True)
    try:
        mail = compose(outside, letters, head)
    except ValueError:
        return Outcome("failed", "The recipient is not one e-mail address.")
    try:
        session = _session(server, outside)
        try:
            session.send_message(mail)
        finally:
            _leave(session)
    except smtplib.SMTPRecipientsRefused as error:
        code = max((refusal[0] for refusal in error.recipients.values()), default=0)
        return _refusal(code, "the recipient")
    except smtplib.SMTPDataError as error:
        return _refusal(error.smtp_code, "the message")
    except (OSError, smtplib.SMTPException) as error:
        return _down(error)
    return SENT


def unreachable(outside: Outside) -> str | None:
    """Why no mail would be taken: the server is greeted as for a mail, and none is sent. None where it answers, or none
    is configured."""
    if outside.mail_server is None:
        return None
    try:
        session = _session(outside.mail_server, outside)
        try:
            session.ehlo_or_helo_if_needed()
        finally:
            _leave(session)
    except (OSError, smtplib.SMTPException) as error:
        return _down(error).error
    return None


def _down(error: Exception) -> Outcome:
    """What a server says that takes no mail at all."""
    if isinstance(error, smtplib.SMTPNotSupportedError):
        return Outcome("retry", "The mail server lacks what is needed: TLS, sign-in or international addresses.")
    if isinstance(error, smtplib.SMTPResponseException):
        return Outcome("retry", f"The mail server answered {error.smtp_code}: no mail is taken.", channel_down=True)
    if isinstance(error, ssl.SSLCertVerificationError):
        return Outcome("retry", "The mail server's certificate is not valid for its name.", channel_down=True)
    text = f"The mail server could not be reached ({type(error).__name__})."
    return Outcome("retry", text, channel_down=True)


@cache
def _own_name() -> str:
    """This machine's name, as it greets the server: looked up once, for that may take a while."""
    return socket.getfqdn()


def _refusal(code: int, what: str) -> Outcome:
    text = f"The mail server answered {code} to {what}."
    return Outcome("failed" if code >= 500 else "retry", text)


def _session(server: MailServer, outside: Outside) -> smtplib.SMTP:
    """Connected, encrypted as the URL says, and signed in."""
    if server.scheme == "smtps":
        session: smtplib.SMTP = smtplib.SMTP_SSL(
            server.host, server.port, _own_name(), timeout=TIMEOUT_SECONDS, context=outside.trust()
        )
    else:
        session = smtplib.SMTP(server.host, server.port, _own_name(), timeout=TIMEOUT_SECONDS)
    try:
        if server.scheme == "starttls":
            session.starttls(context=outside.trust())
        if server.user:
            session.login(server.user, server.password)
    except BaseException:
        session.close()
        raise
    return session


def _leave(session: smtplib.SMTP) -> None:
    """Say goodbye. What the server makes of that changes nothing: the mail is taken or refused already."""
    with suppress(OSError, smtplib.SMTPException):
        session.quit()
    session.close()
