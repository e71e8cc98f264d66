"""One approval carries one execution, and for a time: asked for, decided and used over HTTP."""

# ruff: noqa: F811 - parameters take the names of the fixtures that are imported

import http.client
import json
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta

import pytest

from engine.store.schema.audit import audit_log
from engine.store.schema.automation import executions
from tests.conftest import NOW
from tests.web.client import Client
from tests.web.handlers.test_approvals import CHAT, SECRET, click, mapped_users, sign  # noqa: F401 - fixtures
from tests.web.handlers.test_automations import (  # noqa: F401 - fixtures
    DRY,
    EXECUTE,
    ORDER,
    client,
    prepared_store,
    publish,
    refusal,
    rehearse,
    rule,
    stored_rows,
)
from tests.whole_checks import assert_provable

FOUR_EYES = rule("approval.status", "eq", "approved", "require", "four-eyes")
LATE = timedelta(hours=24, seconds=1)


@pytest.fixture
def environment(environment):
    return {**environment, "SVC_CHAT_SIGNING_SECRET": SECRET}


@pytest.fixture
def dry_run(client, prepared_store):
    publish(client, FOUR_EYES)
    return rehearse(client)


def press(sign_in, run, choice="approve", now=NOW):
    body = click(run["approval"]["actions"][choice])
    return sign_in(None).post(CHAT, body, **sign(body, now=now))


def a_day_later(console):
    return Client(console, console.gate.sessions.issue("operator@acme.example", "acme", now=NOW + LATE))


def reasons(answer):
    return [one["reason"] for one in answer.json["details"]]


def test_an_approval_is_used_once_and_who_comes_second_is_told_by_what(client, dry_run, mapped_users, sign_in):
    assert press(sign_in, dry_run).status == 200
    done = client.post(EXECUTE, ORDER)
    assert done.status == 201
    again = client.post(EXECUTE, ORDER)
    assert (again.status, reasons(again)) == (409, ["approval_spent", "policy_denied"])
    assert done.json["id"] in again.json["message"]
    assert len(stored_rows(mapped_users, executions)) == 1


def test_what_nobody_decides_expires_a_day_after_it_was_asked_for(dry_run, mapped_users, sign_in, console, clock):
    clock.move_to(NOW + LATE)
    assert (
        press(sign_in, dry_run, now=NOW + LATE)
        .json["text"]
        .startswith("The approval expired 24 hours after it was asked for")
    )
    answer = a_day_later(console).post(EXECUTE, ORDER)
    assert (answer.status, reasons(answer)) == (409, ["dry_run_stale", "approval_expired", "policy_denied"])
    assert_provable(mapped_users)


def test_what_was_approved_expires_a_day_after_that(dry_run, mapped_users, sign_in, console, clock):
    assert press(sign_in, dry_run).status == 200
    clock.move_to(NOW + LATE)
    answer = a_day_later(console).post(EXECUTE, ORDER)
    assert (answer.status, reasons(answer)) == (409, ["dry_run_stale", "approval_expired", "policy_denied"])
    assert "24 hours after it was decided" in answer.json["details"][1]["message"]


@pytest.mark.real
def test_of_four_executions_at_once_one_is_carried_out_and_three_are_told_by_what(
    mapped_users, prepared_store, console, server_port
):
    """Without a clock that stands: over four connections to a port, as four people would press at once."""
    now = datetime.now(UTC)
    cookie = f"svc_session={console.gate.sessions.issue('operator@acme.example', 'acme', now=now)}"

    def post(path, body, **headers):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        with closing(http.client.HTTPConnection("127.0.0.1", server_port, timeout=60)) as connection:
            connection.request("POST", path, data, {"Cookie": cookie, "Content-Type": "application/json", **named})
            answer = connection.getresponse()
            return answer.status, answer.read()

    policy = {"playbook": "rotate-key", "rules": [FOUR_EYES], "state": "active"}
    assert post("/api/automations/policies", policy)[0] == 201
    status, run = post(DRY, {"playbook": "rotate-key", "inputs": ORDER["inputs"]})
    assert status == 201
    press_body = click(json.loads(run)["approval"]["actions"]["approve"])
    assert post(CHAT, press_body, **sign(press_body, now=now))[0] == 200
    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: post(EXECUTE, ORDER), range(4)))
    assert sorted(status for status, _ in answers) == [201, 409, 409, 409]
    (done,) = (json.loads(body) for status, body in answers if status == 201)
    refused = [json.loads(body) for status, body in answers if status == 409]
    assert {one["error"] for one in refused} == {"approval_spent"}
    assert all(done["id"] in one["message"] for one in refused)
    assert len(stored_rows(mapped_users, executions)) == 1
    blocks = stored_rows(mapped_users, audit_log, action="policy.blocked")
    assert [row["details"]["reasons"][0] for row in blocks] == ["approval_spent"] * 3, "each attempt is an event"
    assert_provable(mapped_users)
