"""E-mail: a multipart message of text and HTML over SMTP."""

import smtplib
import socket
import ssl
from contextlib import suppress
from datetime import UTC
from email.message import EmailMessage
from email.policy import SMTP
from email.utils import format_datetime, parseaddr
from functools import cache

from engine.delivery.message import address, one_line
from engine.delivery.outcome import SENT, Outcome
from engine.delivery.outside import MailServer, Outside
from engine.runtime.signed_heads import HEADER
from engine.store.schema.records import DeliveryContentRow, DeliveryRow

TIMEOUT_SECONDS = 20.0
PREFERENCES = "/api/user/notification-preferences"
WIDTH = 64  # of a piece of a long header
LETTERS = ("lead-email",)  # written by a person to a person, who has no preferences here


def compose(outside: Outside, row: DeliveryRow, contents: DeliveryContentRow, head: str | None = None) -> EmailMessage:
    """The message of a delivery: the same bytes at every attempt. ValueError for a recipient that is no address.

    ``head`` is the signed head that it carries, in a header; spaces in it are for the line breaks of mail alone.
    """
    recipient = address(row["recipient"])
    if recipient is None:
        raise ValueError("the recipient is not one e-mail address")
    mail = EmailMessage(policy=SMTP)
    mail["From"] = outside.mail_from
    mail["To"] = recipient
    mail["Subject"] = one_line(contents["subject"])
    mail["Date"] = format_datetime(row["created_at"].astimezone(UTC))
    mail["Message-ID"] = f"<{row['id']}@{parseaddr(outside.mail_from)[1].rpartition('@')[2]}>"
    if row["kind"] not in LETTERS:
        mail["List-Unsubscribe"] = f"<{outside.base_url.rstrip('/')}{PREFERENCES}>"
        mail["Auto-Submitted"] = "auto-generated"
        if head is not None:
            mail[HEADER] = " ".join(head[start : start + WIDTH] for start in range(0, len(head), WIDTH))
    mail.set_content(contents["body_text"])
    if contents["body_html"]:
        mail.add_alternative(contents["body_html"], subtype="html")
        mail.set_boundary(f"=_{row['id']}")
    return mail


def send(outside: Outside, row: DeliveryRow, contents: DeliveryContentRow, head: str | None = None) -> Outcome:
    """Hand the mail to the server. A refusal of this mail (5xx) is final, everything else is tried again."""
    server = outside.mail_server
    if server is None:
        return Outcome("retry", "No mail server is configured.", channel_down=True)
    try:
        mail = compose(outside, row, contents, head)
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
        return _refused(code, "the recipient")
    except smtplib.SMTPDataError as error:
        return _refused(error.smtp_code, "the message")
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
    said = f"The mail server could not be reached ({type(error).__name__})."
    return Outcome("retry", said, channel_down=True)


@cache
def _own_name() -> str:
    """This machine's name, as it greets the server: looked up once, for that may take a while."""
    return socket.getfqdn()


def _refused(code: int, what: str) -> Outcome:
    said = f"The mail server answered {code} to {what}."
    return Outcome("failed" if code >= 500 else "retry", said)


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
