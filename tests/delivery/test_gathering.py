"""Mails that wait for the same person leave as one, unless that person wants them apart; each is settled by itself."""

from datetime import timedelta

import pytest

from engine.delivery.mail import compose
from engine.delivery.unsubscribe import TOKEN, Unsubscribing
from engine.model.errors import Usage
from engine.runtime.keys.key_rotations import rotate_key
from engine.store.queries.sending.claims import claim
from engine.store.schema.organizations import users
from tests.conftest import NOW
from tests.delivery.conftest import message

REMINDERS, DIGEST = "sla-reminders", "compliance-digest"


def mail(kind, **given):
    card = f"<html><!--mail--><table>{kind} card</table><!--/mail--><!--footer--></html>"
    values = {"subject": f"{kind} title · Acme · 2026-W47", "html": card, "text": f"{kind} text\n", "kind": kind}
    return message(**{**values, **given})


@pytest.fixture
def sending(house, mailbox):
    house.mail(mailbox.port)
    return house


def test_two_that_are_due_leave_as_one_mail_and_both_are_sent(sending, mailbox):
    sending.queue(mail(REMINDERS), mail(DIGEST))
    assert sending.drain().sent == 2
    ((_, recipients, found),) = mailbox.mails
    assert (recipients, found["Subject"]) == (["ann@acme.example"], f"Acme · {DIGEST} title, {REMINDERS} title")
    text, html = (found.get_body((kind,)).get_content() for kind in ("plain", "html"))
    assert "Today there are 2 messages for you:" in text
    assert all(f"{kind} text" in text and f"{kind} card" in html for kind in (REMINDERS, DIGEST))
    assert html.count("<html") == 1
    assert sending.ledger("status", "attempts") == [("sent", 1), ("sent", 1)]


def test_who_wants_them_apart_gets_each_by_itself(sending, mailbox):
    with sending.store.revision("acme", "t", now=NOW) as revision:
        revision.insert(users, [{"email": "ann@acme.example", "preferences": {"mails_apart": True}}])
        revision.record("profile.prepared")
    sending.queue(mail(REMINDERS), mail(DIGEST))
    sending.drain()
    assert sorted(found["Subject"].partition(" ")[0] for _, _, found in mailbox.mails) == [DIGEST, REMINDERS]


def test_mails_to_others_letters_and_plain_ones_stay_what_they_are(sending, mailbox):
    sending.queue(
        mail(REMINDERS),
        mail(REMINDERS, recipient="bob@acme.example"),
        mail("lead-email"),
        mail(DIGEST, html="<p>x</p>"),
    )
    assert sending.drain().sent == 4
    assert len(mailbox.mails) == 4
    assert {attempts for (attempts,) in sending.ledger("attempts")} == {1}


def test_one_that_somebody_is_sending_is_not_sent_twice(sending, mailbox):
    sending.queue(mail(REMINDERS), mail(DIGEST))
    claimed = claim(sending.store, now=NOW, until=NOW + timedelta(minutes=5))
    other = claim(sending.store, now=NOW, until=NOW + timedelta(minutes=5), gathered=(REMINDERS, DIGEST))
    assert (claimed.id != other.id, other.beside) == (True, ())


def test_one_that_waits_for_others_leaves_with_the_first_that_is_due(sending, mailbox):
    sending.queue(mail(REMINDERS))
    later = NOW + timedelta(minutes=9)
    sending.store.write("acme", "t", lambda revision: _put_off(revision, later), now=NOW)
    sending.queue(mail(DIGEST))
    sending.drain()
    assert len(mailbox.mails) == 1


def _put_off(revision, at):
    from engine.store.schema.outputs import deliveries

    revision.update(deliveries, {}, {"next_attempt_at": at})
    revision.record("delivery.prepared")


def test_what_could_not_leave_together_is_tried_again_together(house):
    house.mail(1)
    house.queue(mail(REMINDERS), mail(DIGEST))
    assert house.drain().retried == 2
    (first, again) = house.ledger("status", "attempts", "next_attempt_at")
    assert (first, first[:2]) == (again, ("pending", 1))


def rows(*ids, kind=None):
    contents = {
        "subject": "S · Acme · 2026-W47",
        "body_text": "T\n",
        "body_html": "<!--mail-->H<!--/mail--><!--footer-->",
    }
    row = {"recipient": "ann@acme.example", "created_at": NOW, "payload": {"headline": "Two <b>."}}
    return [({**row, "id": one, "kind": kind or f"kind of {one}"}, contents) for one in ids]


def test_another_set_of_mails_is_another_mail(house):
    house.mail(25)
    names = [compose(house.outside, rows(*ids))["Message-ID"] for ids in (("d1",), ("d1", "d2"), ("d1", "d3"))]
    assert len(set(names)) == 3
    assert names[0] == "<d1@acme.example>"


def test_what_a_mail_says_first_is_escaped(house):
    house.mail(25)
    html = compose(house.outside, rows("d1", "d2")).get_body(("html",)).get_content()
    assert ("Two &lt;b&gt;." in html, "Two <b>." in html) == (True, False)


def test_without_an_address_no_header_promises_a_way_out(house):
    house.mail(25)
    email_message = compose(house.outside, rows("d1"))
    assert email_message["List-Unsubscribe"] is None
    assert "Owners and admins of your organization can say" in email_message.get_body(("plain",)).get_content()


def test_list_unsubscribe_is_a_signed_mailto_in_one_line(house):
    house.environment["SVC_UNSUBSCRIBE_MAILTO"] = "no-more@acme.example"
    house.mail(25)
    email_message = compose(house.outside, rows("d1", "d2"))
    (line,) = [one for one in email_message.as_bytes().split(b"\r\n") if one.startswith(b"List-Unsubscribe: ")]
    assert line.startswith(b"List-Unsubscribe: <mailto:no-more@acme.example?subject=unsubscribe%20hqu1.d1.d2.")
    assert email_message["List-Unsubscribe-Post"] is None
    (token,) = set(TOKEN.findall(line.decode()))
    assert house.outside.unsubscribing.deliveries_of(token) == ["d1", "d2"]
    assert all(token in email_message.get_body((kind,)).get_content() for kind in ("plain", "html"))


def test_a_mail_of_very_many_names_one_delivery_of_each_kind(house):
    house.environment["SVC_UNSUBSCRIBE_MAILTO"] = "no-more@acme.example"
    house.mail(25)
    many = [f"d{number}" for number in range(100)]
    letters = [*rows(*many, kind=REMINDERS), *rows("e1", "e2", kind=DIGEST)]
    (token,) = TOKEN.findall(compose(house.outside, letters)["List-Unsubscribe"])
    assert house.outside.unsubscribing.deliveries_of(token) == ["e1", "d0"]


def test_a_token_holds_after_the_key_was_rotated_and_no_other_text_does(tmp_path):
    unsubscribing = Unsubscribing("no-more@acme.example", tmp_path / "signing.key")
    token = unsubscribing.token(["d1"])
    rotate_key(tmp_path / "signing.key", now=NOW)
    assert unsubscribing.deliveries_of(token) == ["d1"]
    for wrong in (token.replace(".d1.", ".d2."), token[:-2], f"{token}x", "", "hqu1.d1"):
        with pytest.raises(Usage):
            unsubscribing.deliveries_of(wrong)
    other = Unsubscribing("no-more@acme.example", tmp_path / "other.key")
    with pytest.raises(Usage, match="none of this installation's"):
        other.deliveries_of(token)
