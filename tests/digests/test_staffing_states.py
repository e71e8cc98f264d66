"""Staffing actions move with the digests: proposed, offered in the chat, open with their peak week, then at rest."""

from datetime import UTC, date, datetime, timedelta

import polars as pl
import pytest

from engine.digests import deliver
from engine.digests.buttons import FACES, Button
from engine.digests.chat import blocks
from engine.model.documents.document import Table
from engine.programme import staffing
from engine.programme.staffing import COMPLETION, TAKE_UP, approval_id
from engine.store.schema.audit import audit_log
from engine.store.schema.automation import approvals
from engine.store.schema.organizations import organizations
from engine.store.schema.outputs import deliveries, delivery_contents
from tests.digests.conftest import NOW, action, staffing_actions
from tests.digests.registry import DIGEST

PEAK = "peak-week-staffing-digest"
REMINDERS = "staffing-action-reminders"
MOVING = (
    PEAK,
    REMINDERS,
    "staffing-completion-rollup",
    "staffing-sla-breach-digest",
    "cross-staffing-committee-escalation",
)
BEGUN = "2026-W47"  # today is its Friday


def run(house, name, now=NOW, **options):
    return deliver(house.services, DIGEST[name], "acme", "admin@acme.example", now=now, **options)


def last_blocks(house, kind, **where):
    """The blocks of the last chat message of a kind."""
    chat = house.rows(kind=kind, channel="chat", order=("created_at",), **where)[-1]
    (found,) = house.rows(delivery_contents, delivery_id=chat["id"])
    return found["blocks"]


def buttons(blocks):
    return [
        (part["text"]["text"], part["value"])
        for block in blocks
        if block["type"] == "actions"
        for part in block["elements"]
    ]


def buttons_of(action_id, org="acme"):
    value = f"{org}:{approval_id(org, action_id, TAKE_UP)}"
    return [("Take it up", f"{value}:approve"), ("Decline", f"{value}:reject")]


def statuses(house):
    return {row["id"]: row["status"] for row in house.rows(staffing_actions)}


def change_row(house, table, key, **values):
    with house.store.revision("acme", "t", now=NOW) as revision:
        assert revision.update(table, key, values)
        revision.record("records.changed")


@pytest.mark.real
def test_every_proposal_in_the_chat_can_be_taken_up_or_declined(peak):
    peak.endpoints("chat")
    run(peak, PEAK)
    recorded = {row["id"]: row for row in peak.rows(staffing_actions)}
    action_ids = [row["action_id"] for row in peak.rows(channel="chat")[0]["payload"]["actions"]]
    assert sorted(action_ids) == sorted(recorded) != []
    assert buttons(last_blocks(peak, PEAK)) == [button for action_id in action_ids for button in buttons_of(action_id)]
    headline, *said = [block["text"]["text"] for block in last_blocks(peak, PEAK) if block["type"] == "section"]
    assert headline.endswith(", most ann@acme.example in the week of 30 Nov 2026."), "weeks as people read them"
    assert "Proposals, the first to be decided first, then those for the shortest of hours" in said
    pending = {(row["id"], row["kind"], row["subject"], row["status"], row["revision"]) for row in peak.rows(approvals)}
    (revision,) = {row["revision"] for row in peak.rows(deliveries)}  # the delivery's own
    assert pending == {
        (approval_id("acme", action_id, TAKE_UP), TAKE_UP, action_id, "pending", revision) for action_id in recorded
    }
    assert {row["revision"] for row in recorded.values()} == {revision}


@pytest.mark.real
@pytest.mark.parametrize(
    ("status", "decision", "again"),
    [
        ("proposed", "pending", True),
        ("proposed", "rejected", False),
        ("tracked", "approved", False),
        ("tracked", "pending", False),
    ],
)
def test_what_was_taken_up_or_declined_is_not_offered_again(status, decision, again, peak):
    """The last is taken up by import: the question is pending still, and nobody is asked it any more."""
    peak.endpoints("chat")
    run(peak, PEAK)
    (asked,) = peak.rows(approvals)
    change_row(peak, staffing_actions, {"id": asked["subject"]}, status=status)
    change_row(peak, approvals, {"id": asked["id"]}, status=decision)
    later = run(peak, PEAK, now=NOW + timedelta(days=3))
    (row,) = peak.rows(kind=PEAK, channel="chat", period=later.period)
    assert {one["action_id"]: one["status"] for one in row["payload"]["actions"]}[asked["subject"]] == status
    offers = set(buttons(last_blocks(peak, PEAK, period=later.period)))
    assert offers.issuperset(buttons_of(asked["subject"])) == again
    assert offers.isdisjoint(buttons_of(asked["subject"])) != again
    assert [one["status"] for one in peak.rows(approvals, subject=asked["subject"])] == [decision]


def test_a_message_offers_no_more_than_the_chat_takes(house):
    """Of twenty proposals the first twelve have buttons, and how many more there are is said; 50 blocks are the limit."""
    edition = house.content(DIGEST[PEAK]).edition
    keys = [f"a{number}" for number in range(20)]
    tables = [Table(name, name.title(), pl.DataFrame({"what": keys})) for name in ("weeks", "proposals")]
    offers = {key: [Button(face, key) for face in FACES[TAKE_UP]] for key in keys}
    found = blocks(edition, tables, keys, "https://hq.example", [[None] * 20, keys], offers)
    assert buttons(found) == [(face.says, key) for key in keys[:12] for face in FACES[TAKE_UP]]
    assert "and 8 more" in [block["text"]["text"] for block in found if block["type"] == "section"]
    assert len(found) <= 50


def test_the_mail_names_each_proposal_and_how_to_take_it_up_without_the_chat(peak):
    run(peak, PEAK)
    assert peak.rows(channel="chat") == []
    mails = {email: " ".join(text.split()) for email, text in peak.mails(PEAK).items()}
    for row in peak.rows(staffing_actions):
        assert all(f"Identifier: {row['id']}" in text for text in (mails["owner@acme.example"], mails[row["owner"]]))
    assert all("Elsewhere by importing it with the status tracked and the day" in text for text in mails.values())


def test_what_no_message_told_is_not_asked(peak):
    peak.environment["SVC_SMTP_URL"] = ""
    assert run(peak, PEAK).outcome == "not_configured"
    assert set(statuses(peak).values()) == {"proposed"}
    assert peak.rows(approvals) == []


def test_without_a_peak_nothing_is_asked_or_moved(house):
    house.endpoints("chat")
    head = house.store.head("acme")
    assert [run(house, name).outcome for name in MOVING] == ["empty"] * 5
    assert house.store.head("acme") == head


@pytest.mark.parametrize("name", MOVING)
def test_a_tracked_action_is_open_once_a_staffing_digest_runs_in_its_peak_week(name, house):
    rows = [
        action(1, week=BEGUN, status="tracked"),
        action(2, week="2026-W48", status="tracked"),
        action(3, week=BEGUN, status="proposed", tracked_on=None),
        action(4, week=BEGUN, status="completed", completed_on=date(2026, 11, 16)),
        action(5, week=BEGUN, status="completed", completed_on=date(2026, 11, 21)),  # said to be so tomorrow
    ]
    house.write((staffing_actions, rows))
    assert statuses(house) == {"a1": "tracked", "a2": "tracked", "a3": "proposed", "a4": "completed", "a5": "completed"}
    run(house, name)
    assert statuses(house) == {"a1": "open", "a2": "tracked", "a3": "proposed", "a4": "completed", "a5": "completed"}
    opened = [row for row in house.rows(audit_log) if row["action"] == "staffing.opened"]
    assert [(row["object_id"], row["details"], row["actor"]) for row in opened] == [
        ("a1", {"week": BEGUN}, "admin@acme.example")
    ]
    head = house.store.head("acme")
    run(house, name)
    assert house.store.head("acme") == head
    assert house.store.verify("acme").ok


def test_a_preview_says_open_and_writes_nothing(house):
    house.write((staffing_actions, [action(1, week=BEGUN, status="tracked")]))
    head = house.store.head("acme")
    rollup = house.content(DIGEST["staffing-completion-rollup"]).payload
    counts = [rollup["summary"][f"staffing_actions_{status}"] for status in ("tracked", "open")]
    assert (rollup["actions"][0]["status"], counts) == ("open", [0, 1])
    assert (house.store.head("acme"), statuses(house)) == (head, {"a1": "tracked"})


@pytest.mark.parametrize(
    ("zone", "now", "status"),
    [
        ("UTC", datetime(2026, 11, 22, 23, 59, tzinfo=UTC), "tracked"),
        ("UTC", datetime(2026, 11, 23, 0, 0, tzinfo=UTC), "open"),
        ("Pacific/Auckland", datetime(2026, 11, 22, 10, 59, tzinfo=UTC), "tracked"),
        ("Pacific/Auckland", datetime(2026, 11, 22, 11, 0, tzinfo=UTC), "open"),
        ("America/New_York", datetime(2026, 11, 23, 4, 59, tzinfo=UTC), "tracked"),
        ("America/New_York", datetime(2026, 11, 23, 5, 0, tzinfo=UTC), "open"),
    ],
)
def test_the_week_begins_with_monday_where_the_organization_is(zone, now, status, house):
    change_row(house, organizations, {}, time_zone=zone)
    house.write((staffing_actions, [action(1, week="2026-W48", status="tracked")]))
    run(house, REMINDERS, now=now)
    assert statuses(house) == {"a1": status}


@pytest.mark.real
def test_a_completed_action_is_the_archive_and_nothing_moves_it(house):
    """Its peak week is proposed again, its buttons are pressed late, digests run: the row stays as it is."""
    row = action(1, week=BEGUN, status="completed", completed_on=date(2026, 11, 18), relief_actual_hours=3.0)
    house.write((staffing_actions, [row]))
    (before,) = house.rows(staffing_actions)
    with house.store.revision("acme", "t", now=NOW) as revision:
        proposed = {name: row[name] for name in ("id", "week", "kind", "owner", "relief_hours")}
        assert staffing.propose(revision, [proposed]) == 0
        staffing.open_due_actions(revision, ["a1"])
        for move in (lambda: staffing.take_up(revision, "a1"), lambda: staffing.complete(revision, "a1", "late")):
            with pytest.raises(staffing.Conflict, match="The staffing action is completed"):
                move()
    for name in MOVING:
        run(house, name)
    assert house.rows(staffing_actions) == [before]
    rollup = house.content(DIGEST["staffing-completion-rollup"]).payload
    assert [(one["action_id"], one["completed_on"], one["standing"]) for one in rollup["archive"]] == [
        ("a1", "2026-11-18", "done_on_time")
    ]
    assert rollup["actions"] == []


def test_each_kind_of_approval_is_asked_once(house):
    with house.store.revision("acme", "t", now=NOW) as revision:
        staffing.ask(revision, TAKE_UP, [])
        staffing.ask(revision, TAKE_UP, ["a1", "a2"])
        staffing.ask(revision, COMPLETION, ["a1"])
        staffing.ask(revision, TAKE_UP, ["a1"])
    asked = sorted((row["kind"], row["subject"], row["requested_by"]) for row in house.rows(approvals))
    assert asked == [
        ("staffing_action", "a1", "hq"),
        ("staffing_take_up", "a1", "hq"),
        ("staffing_take_up", "a2", "hq"),
    ]
    assert len({row["id"] for row in house.rows(approvals)}) == 3


def test_an_action_that_was_completed_by_button_is_not_offered_that_again(house):
    """Somebody said by import that it is open after all: the decision was made, so the reminder has no button."""
    house.endpoints("chat")
    house.write((staffing_actions, [action(1), action(2)]))
    with house.store.revision("acme", "t", now=NOW) as revision:
        staffing.ask(revision, COMPLETION, ["a1"])
        revision.update(approvals, {"id": approval_id("acme", "a1")}, {"status": "approved"})
    run(house, REMINDERS)
    assert buttons(last_blocks(house, REMINDERS)) == [
        ("Mark as completed", f"acme:{approval_id('acme', 'a2')}:approve")
    ]
