"""The signed head that leaves with a mail or a webhook, and what is noted of it."""

import base64
from datetime import timedelta

from sqlalchemy import delete, select

import scheduler
from engine.delivery import mail
from engine.model.checkpoints import open_note, read_checkpoint, signer
from engine.runtime.heads.signed_heads import newest_signed_head, signed_head
from engine.runtime.keys.signing_keys import signing_key
from engine.store.schema.audit import audit_log, change_log
from engine.store.schema.organizations import heads
from engine.store.schema.outputs import deliveries
from tests.conftest import NOW
from tests.databases import raw_transaction
from tests.delivery.conftest import message
from tests.whole_checks import heads_of


def head_notes(house):
    with house.store.reader() as connection:
        query = select(deliveries.c.head_seq, deliveries.c.head_hash).order_by(deliveries.c.period)
        return [tuple(row) for row in connection.execute(query)]


def head_in(house, line):
    """The head that a header carries, its signature checked."""
    note = open_note(base64.b64decode("".join(line.split()), validate=True).decode())
    key = signing_key(house.services.settings.signing_key_path)
    assert signer(note, "hq/acme", [key.public_bytes]) == key.public_bytes
    return read_checkpoint(note.text)


def test_a_mail_carries_the_head_that_is_noted_with_it(any_house, mailbox):
    any_house.mail(mailbox.port)
    any_house.queue(message())
    head = any_house.store.head("acme")
    any_house.drain()
    found = head_in(any_house, mailbox.mails[0][2]["X-Svc-Signed-Head"])
    assert (found.size, found.chain) == (head.seq, head.hash)
    assert head_notes(any_house) == [(head.seq, head.hash)]
    assert heads_of(any_house.services, "acme").problems == []


def test_what_leaves_together_carries_one_head(house, mailbox):
    house.mail(mailbox.port)
    house.queue(*(message(recipient=f"p{number}@acme.example", period=f"w{number}") for number in range(5)))
    head = house.store.head("acme")
    house.drain()
    assert len({one[2]["X-Svc-Signed-Head"] for one in mailbox.mails}) == 1
    assert head_notes(house) == [(head.seq, head.hash)] * 5


def test_every_attempt_carries_the_same(house, hooks):
    house.webhook(hooks)
    house.queue(message(channel="webhook"))
    hooks.answers = [(503, {}, b"")]
    house.drain()
    house.queue(message(channel="email"))  # the chain goes on
    signed_head(house.services, "acme", now=NOW)
    house.drain(NOW + timedelta(hours=1))
    first, second = (headers["x-svc-signed-head"] for _, headers, _ in hooks.requests)
    assert first == second
    assert head_in(house, first).size == head_notes(house)[0][0]


def test_no_line_of_a_mail_is_long(house, mailbox):
    house.mail(mailbox.port)
    house.queue(message())
    house.drain()
    raw = mailbox.mails[0][2].as_bytes()
    begin = raw.index(b"X-Svc-Signed-Head")
    assert max(map(len, raw[begin : begin + 500].splitlines())) < 79
    assert b"=?" not in raw[begin : begin + 500]


def test_letters_and_chat_messages_carry_none(house, mailbox, chat):
    house.mail(mailbox.port)
    house.chat(chat)
    house.queue(message(kind=mail.LETTERS[0]), message(channel="chat"))
    house.drain()
    assert mailbox.mails[0][2]["X-Svc-Signed-Head"] is None
    assert "x-svc-signed-head" not in chat.requests[0][1]


def test_what_is_owed_leaves_though_no_head_can_be_signed(house, mailbox, caplog):
    house.mail(mailbox.port)
    signed_head(house.services, "acme", now=NOW)
    with raw_transaction(house.store) as connection:  # the store begins anew, below what was signed
        for table in (audit_log, change_log):
            connection.execute(delete(table))
        connection.execute(heads.update().where(heads.c.org_id == "acme").values(last_seq=0, hash="0" * 64))
    house.queue(message())
    house.drain()
    assert mailbox.mails[0][2]["X-Svc-Signed-Head"] is None
    assert head_notes(house) == [(None, None)]
    assert "deliveries of acme leave without a signed head: No head of acme is signed" in caplog.text


def test_the_job_signs_each_head_once(any_house):
    tree = "; the installation's tree of {} commitments signed"
    assert scheduler.heads(any_house.services, NOW) == "1 heads signed, 0 stamped" + tree.format(1)
    assert scheduler.heads(any_house.services, NOW) == "0 heads signed, 0 stamped"
    any_house.store.ensure_platform(NOW)
    any_house.queue(message())
    assert scheduler.heads(any_house.services, NOW) == "2 heads signed, 0 stamped" + tree.format(2)
    assert heads_of(any_house.services, "platform").problems == []


def test_the_job_for_retention_signs_before_anything_goes(house):
    head = house.store.head("acme")
    scheduler.retention(house.services, NOW)
    assert head_in(house, newest_signed_head(house.services, "acme").line).size == head.seq
