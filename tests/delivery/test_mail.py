"""E-mail, read back from a real SMTP server."""

from datetime import timedelta

import pytest

from engine.delivery.mail import compose
from tests.conftest import NOW
from tests.delivery.conftest import message
from tests.delivery.world import Mailbox, free_port


def outcome(house):
    return house.ledger("status", "attempts", "last_error")


def test_a_mail_is_text_and_html_with_the_headers_that_readers_need(house, mailbox):
    house.mail(mailbox.port)
    (answer,) = house.queue(message(text="Grüße — drei Änderungen\n", html="<p>Grüße</p>", subject="Änderungen"))
    assert str(house.drain()) == "1 sent, 0 retried, 0 failed, 0 skipped, 0 waiting"
    ((sender, recipients, mail),) = mailbox.mails
    assert (sender, recipients) == ("compliance@acme.example", ["ann@acme.example"])
    others = ("Content-Type", "X-Peer", "X-MailFrom", "X-RcptTo", "X-Svc-Signed-Head")
    assert {name: mail[name] for name in mail if name not in others} == {
        "From": "Acme Compliance <compliance@acme.example>",
        "To": "ann@acme.example",
        "Subject": "Änderungen",
        "Date": "Fri, 20 Nov 2026 08:30:00 +0000",
        "Message-ID": f"<{answer['id']}@acme.example>",
        "Auto-Submitted": "auto-generated",
        "MIME-Version": "1.0",
    }
    assert mail.get_content_type() == "multipart/alternative"
    parts = [(part.get_content_type(), part.get_content().strip()) for part in mail.iter_parts()]
    assert [(kind, text.splitlines()[0]) for kind, text in parts] == [
        ("text/plain", "Grüße — drei Änderungen"),
        ("text/html", "<p>Grüße</p>"),
    ]
    assert "https://hq.example/api/user/notification-preferences once you are signed in" in parts[0][1]
    assert house.ledger("status", "attempts", "next_attempt_at", "last_error") == [("sent", 1, None, None)]
    ((sent_at,),) = house.ledger("sent_at")
    assert NOW <= sent_at < NOW + timedelta(seconds=5)


def test_a_mail_without_html_is_plain_text(house, mailbox):
    house.mail(mailbox.port)
    house.queue(message(html=None))
    house.drain()
    mail = mailbox.mails[0][2]
    assert (mail.get_content_type(), mail.get_content().splitlines()[0]) == ("text/plain", "Three mappings changed.")


def test_a_letter_to_somebody_outside_is_no_list_mail(house, mailbox):
    house.mail(mailbox.port)
    house.queue(message(kind="lead-email"))
    house.drain()
    mail = mailbox.mails[0][2]
    assert (mail["List-Unsubscribe"], mail["Auto-Submitted"]) == (None, None)


def test_a_subject_cannot_add_headers(house, mailbox):
    house.mail(mailbox.port)
    house.queue(message(subject="Hello\r\nBcc: eve@evil.example\r\n\r\nbody"))
    house.drain()
    ((_, recipients, mail),) = mailbox.mails
    assert (recipients, mail["Bcc"], mail["Subject"]) == (
        ["ann@acme.example"],
        None,
        "Hello Bcc: eve@evil.example body",
    )


def test_a_retry_is_the_same_mail_byte_for_byte(house):
    house.mail(25)
    row = {"kind": "digest", "id": "dlv_1", "recipient": "ann@acme.example", "created_at": NOW}
    contents = {"subject": "S", "body_text": "T", "body_html": "<p>H</p>"}
    one, other = (compose(house.outside, [(row, contents)]).as_bytes() for _ in range(2))
    assert one == other


def test_an_address_beyond_ascii_is_delivered_to_a_server_that_takes_it(house, mailbox):
    house.mail(mailbox.port)
    house.queue(message(recipient="jörg@acme.example"))
    house.drain()
    assert [recipients for _, recipients, _ in mailbox.mails] == [["jörg@acme.example"]]


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        ("550 5.1.1 <ann@acme.example> unknown", ("failed", 1, "The mail server answered 550 to the recipient.")),
        ("451 4.7.1 greylisted", ("pending", 1, "The mail server answered 451 to the recipient.")),
    ],
)
def test_a_refused_recipient_fails_or_waits_and_others_get_theirs(house, mailbox, answer, found):
    house.mail(mailbox.port)
    mailbox.refuse["ann@acme.example"] = answer
    house.queue(message(), message(recipient="bob@acme.example"))
    house.drain()
    assert outcome(house) == [found, ("sent", 1, None)]


@pytest.mark.parametrize(
    ("answer", "status"), [("554 5.7.1 looks like spam to ann@acme.example", "failed"), ("452 full", "pending")]
)
def test_a_refused_message_is_told_without_the_servers_words(house, mailbox, answer, status):
    house.mail(mailbox.port)
    mailbox.data = answer
    house.queue(message())
    house.drain()
    assert outcome(house) == [(status, 1, f"The mail server answered {answer[:3]} to the message.")]


def test_what_the_server_says_at_goodbye_does_not_make_a_second_mail(house, mailbox):
    house.mail(mailbox.port)
    mailbox.quit_answer = "421 in a hurry"
    house.queue(message())
    house.drain()
    assert (len(mailbox.mails), outcome(house)) == (1, [("sent", 1, None)])


def test_a_server_that_is_down_costs_nobody_an_attempt_but_those_it_was_noticed_with(house):
    house.mail(free_port())
    house.queue(*(message(recipient=f"p{number:02}@acme.example") for number in range(20)))
    result = house.drain()
    assert (result.sent, result.failed, result.retried + result.waiting) == (0, 0, 20)
    assert 1 <= result.retried <= 4
    errors = {error for _, attempts, error in outcome(house) if attempts}
    assert errors == {"The mail server could not be reached (ConnectionRefusedError)."}


def test_mail_is_encrypted_and_signed_in(house, authority):
    box = Mailbox(authority[1], secure="starttls", users={"hq@acme": "p:w d"})
    house.mail(box.port, "starttls", "localhost", "hq%40acme:p%3Aw%20d@")
    house.queue(message())
    house.drain()
    box.close()
    assert (outcome(house), len(box.mails)) == ([("sent", 1, None)], 1)


def test_mail_is_encrypted_from_the_start_where_the_url_says_so(house, authority):
    box = Mailbox(authority[1], secure="smtps")
    house.mail(box.port, "smtps", "localhost")
    house.queue(message())
    house.drain()
    box.close()
    assert (outcome(house), len(box.mails)) == ([("sent", 1, None)], 1)


def test_a_wrong_password_leaves_the_mail_waiting(house, authority):
    box = Mailbox(authority[1], secure="starttls", users={"hq": "right"})
    house.mail(box.port, "starttls", "localhost", "hq:wrong@")
    house.queue(message())
    house.drain()
    box.close()
    assert outcome(house) == [("pending", 1, "The mail server answered 535: no mail is taken.")]


def test_a_server_without_tls_gets_nothing_where_tls_is_demanded(house, mailbox):
    house.mail(mailbox.port, "starttls", "localhost")
    house.queue(message())
    house.drain()
    assert (mailbox.mails, outcome(house)[0][0]) == ([], "pending")


def test_a_certificate_for_another_name_is_not_believed(house, authority):
    box = Mailbox(authority[1], secure="smtps")
    house.mail(box.port, "smtps", "127.0.0.1")
    house.queue(message())
    house.drain()
    box.close()
    assert box.mails == []
    assert outcome(house) == [("pending", 1, "The mail server's certificate is not valid for its name.")]
