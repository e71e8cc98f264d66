"""Killed at random moments (SIGKILL, a process of its own): everybody gets everything, under the same identifier."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from datetime import timedelta

import pytest

from engine.store.rows import many
from engine.store.schema.audit import audit_log
from tests.conftest import NOW
from tests.delivery.conftest import message

pytestmark = [pytest.mark.real, pytest.mark.filterwarnings("ignore::ResourceWarning")]  # connections of those who died


def drains(house, hooks, now, kill_after=None):
    """Drain in a process of its own, killed ``kill_after`` seconds after it is ready; True when it was."""
    given = {
        "environment": house.environment,
        "url": house.store.url,
        "hooks": hooks.port,
        "now": now.isoformat(),
        "authority": str(house.authority[0]),
    }
    command = [sys.executable, "-W", "ignore", "-m", "tests.delivery.sender", json.dumps(given)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "ready\n"
        if kill_after is not None:
            time.sleep(kill_after)
            if process.poll() is None:
                os.kill(process.pid, signal.SIGKILL)
        process.wait(120)
    return process.returncode == -signal.SIGKILL


def survives(house, mailbox, hooks, chat, people, kills, seed):
    """Queue, kill so often, then drain to the end; what each side got by identifier, and how many processes died."""
    chance = random.Random(seed)
    house.mail(mailbox.port)
    house.chat(chat)
    house.webhook(hooks)
    weeks = [f"2026-W{week}" for week in range(10, 10 + people // 4)]
    answers = house.queue(
        *(message(recipient=f"p{number:03}@acme.example") for number in range(people // 2)),
        *(message(channel="chat", period=week) for week in weeks),
        *(message(channel="webhook", period=week) for week in weeks),
    )
    now, died = NOW, 0
    for _ in range(kills):
        died += drains(house, hooks, now, chance.uniform(0.0, 0.15))
        now += timedelta(minutes=6)  # the leases of the dead have ended
    while house.ledger("status").count(("pending",)):
        drains(house, hooks, now)
        now += timedelta(minutes=6)
    got = Counter(mail["Message-ID"].strip("<>").split("@")[0] for _, _, mail in mailbox.mails)
    got.update(headers["idempotency-key"] for _, headers, _ in chat.requests)
    got.update(headers["webhook-id"] for _, headers, _ in hooks.requests)
    return {answer["id"] for answer in answers}, got, died


def check(house, ids, got):
    assert set(got) == ids
    ledger = dict(house.ledger("id", "status"))
    assert ledger == dict.fromkeys(ids, "sent")
    attempts = dict(house.ledger("id", "attempts"))
    assert all(got[one] <= attempts[one] for one in ids)
    with house.store.reader() as connection:
        counts = Counter(row["object_id"] for row in many(connection, audit_log, "acme", action="digest.delivered"))
    assert counts == Counter(ids)
    assert house.store.verify("acme").ok


def test_a_few_kills(house, mailbox, hooks, chat):
    ids, got, died = survives(house, mailbox, hooks, chat, people=24, kills=2, seed=1)
    check(house, ids, got)
    assert (len(ids), died >= 1) == (24, True)


@pytest.mark.skipif("SVC_TEST_SOAK" not in os.environ, reason="takes minutes: SVC_TEST_SOAK=1 runs it")
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_two_hundred_deliveries_and_many_kills(house, mailbox, hooks, chat, seed):
    ids, got, died = survives(house, mailbox, hooks, chat, people=200, kills=12, seed=seed)
    check(house, ids, got)
    twice = sum(1 for count in got.values() if count > 1)
    print(
        f"\nseed {seed}: {len(ids)} deliveries, {died} processes killed, {sum(got.values())} sent, {twice} more than once"
    )
