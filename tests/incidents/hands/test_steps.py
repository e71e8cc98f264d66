"""What people do about an incident: a line, an event, and what follows; never against the clock."""

from datetime import timedelta
from functools import partial

import polars as pl
import pytest

from engine.automation import approvals
from engine.automation.incident_steps import ask_for_step
from engine.incidents.alerts.alert_rows import Receipt
from engine.incidents.alerts.alerts import ingest_alerts
from engine.incidents.hands.lines import FOLLOWED, follow_lines
from engine.incidents.hands.steps import PersonStep, take_step
from engine.intake.alerts import Alert
from engine.intake.imports import FollowedLines
from engine.intake.imports.imports import frame_sheets, import_sheets, silent
from engine.model.errors import BadRequest, Conflict, InvalidData, NotFound
from engine.store.removal.retention import purge_incidents
from engine.store.rows import first, many
from engine.store.schema.audit import audit_log
from engine.store.schema.services import incident_timeline, incidents
from tests.conftest import NOW

ANN, BOB = "ann@acme.example", "bob@acme.example"
MINUTE = timedelta(minutes=1)


def deliver(store, state, minutes, key="disk", at=NOW):
    alert = Alert("pagerduty", key, state, "Disk full", occurred_at=NOW + minutes * MINUTE)
    (result,) = store.write("acme", "monitor", partial(ingest_alerts, alerts=[alert], receipt=Receipt(at)), now=at)
    return result["incident_id"], result["outcome"]


@pytest.fixture
def disk(store):
    """An incident of half an hour ago."""
    return deliver(store, "firing", -30)[0]


def do(store, name, kind, minutes=0, actor=ANN, now=NOW, **given):
    step = PersonStep(kind, NOW + minutes * MINUTE, **given)
    return store.write("acme", actor, lambda revision: take_step(revision, name, step, "by command line"), now=now)


def row(store, name):
    with store.reader() as connection:
        return first(connection, incidents, "acme", id=name)


def last_event(store):
    with store.reader() as connection:
        return many(connection, audit_log, "acme", order=("-seq",), limit=1)[0]


def test_whoever_takes_an_incident_and_when_is_kept_with_both_clocks(store, disk):
    line = do(store, disk, "acknowledge", -20, why="on call")
    found = row(store, disk)
    assert (found["status"], found["acknowledged_at"]) == ("acknowledged", NOW - 20 * MINUTE)
    assert (found["acknowledged_heard_at"], found["acknowledged_by"]) == (NOW, ANN)
    assert (line["body"], line["heard_at"]) == ("Acknowledged by command line: on call", NOW)
    event = last_event(store)
    assert (event["action"], event["actor"], event["object_id"]) == ("incident.acknowledged", ANN, disk)
    assert event["details"] == {
        "why": "on call",
        "way": "by command line",
        "happened_at": "2026-11-20T08:10:00+00:00",
        "heard_at": "2026-11-20T08:30:00+00:00",
    }
    with pytest.raises(Conflict, match="was acknowledged already at 2026-11-20 08:10:00 UTC by ann@acme.example"):
        do(store, disk, "acknowledge")
    assert store.verify_rows("acme").ok


@pytest.mark.parametrize(
    ("minutes", "said"), [(1, "at must be no later than now"), (-31, "at must be no earlier than the incident began")]
)
@pytest.mark.parametrize("kind", ["acknowledge", "close", "note"])
def test_a_time_in_the_future_or_before_the_start_is_refused(store, disk, kind, minutes, said):
    head = store.head("acme")
    with pytest.raises(BadRequest, match=said):
        do(store, disk, kind, minutes, why="x")
    assert store.head("acme") == head


def test_closed_by_hand_opens_again_when_its_sender_says_that_it_goes_on(store, disk):
    do(store, disk, "close", -10, why="a test")
    found = row(store, disk)
    assert (found["status"], found["closed_at"], found["closed_by"]) == ("closed", NOW - 10 * MINUTE, ANN)
    assert found["resolved_at"] == NOW - 10 * MINUTE
    assert deliver(store, "firing", -5) == (disk, "reopened")
    found = row(store, disk)
    assert (found["status"], found["closed_at"], found["closed_by"], found["resolved_at"]) == ("open", None, None, None)
    with store.reader() as connection:
        texts = [line["body"] for line in many(connection, incident_timeline, "acme", kind="status")]
    assert texts == ["Reopened: it was closed by hand, and the alert fires again"]
    assert store.verify_rows("acme").ok


def test_what_is_dated_by_its_start_goes_on_after_a_close_when_the_monitor_says_so_again(store):
    alert = Alert("grafana", "cpu", "firing", "Hot", occurred_at=NOW - 30 * MINUTE, dated_by_start=True)

    def repeat(at):
        change = partial(ingest_alerts, alerts=[alert], receipt=Receipt(at))
        (result,) = store.write("acme", "monitor", change, now=at)
        return result["incident_id"], result["outcome"]

    cpu, _ = repeat(NOW)
    do(store, cpu, "close", why="a test")
    assert repeat(NOW + 4 * MINUTE) == (cpu, "out_of_order")
    assert repeat(NOW + 9 * MINUTE) == (cpu, "reopened")
    with store.reader() as connection:
        (line,) = many(connection, incident_timeline, "acme", kind="status")
    assert line["body"] == "Goes on: 9 min after it was closed by hand the monitor says again that it fires"
    assert line["happened_at"] == line["heard_at"] == NOW + 9 * MINUTE


def test_an_alert_whose_incident_was_closed_and_went_with_its_time_opens_another(store, disk):
    do(store, disk, "close", -10)
    later = NOW + 40 * 24 * 60 * MINUTE
    with store.revision("acme", "retention", now=later) as revision:
        assert purge_incidents(revision, later - MINUTE).rows == 1
    other, outcome = deliver(store, "firing", 40 * 24 * 60, at=later)
    assert (outcome, row(store, other)["related_to"]) == ("created", None)
    assert store.verify_rows("acme").ok


def test_closing_and_opening_what_is_so_already_is_refused(store, disk):
    with pytest.raises(Conflict, match="it needs no opening"):
        do(store, disk, "reopen")
    do(store, disk, "close")
    with pytest.raises(Conflict, match="is closed since"):
        do(store, disk, "close")
    assert do(store, disk, "reopen", why="not over")["body"] == "Opened again by hand by command line: not over"
    assert row(store, disk)["status"] == "open"


def test_a_close_that_an_alert_contradicts_is_refused(store, disk):
    deliver(store, "firing", -5)
    with pytest.raises(Conflict, match="went on after"):
        do(store, disk, "close", -10)


def test_a_close_that_an_alert_of_an_incident_of_its_own_contradicts_is_refused(store, disk):
    deliver(store, "resolved", -25)
    deliver(store, "firing", -10)
    with pytest.raises(Conflict, match="went on after 2026-11-20 08:10:00 UTC: an alert came"):
        do(store, disk, "close", -20)
    assert row(store, disk)["status"] == "open"


@pytest.mark.parametrize("kind", ["acknowledge", "close"])
def test_a_step_stays_where_a_recovery_that_was_heard_later_splits_an_incident(kind, store):
    """Nobody could know that what was acknowledged or closed was another incident by then."""
    name, _ = deliver(store, "firing", -400)
    deliver(store, "firing", -200)
    do(store, name, kind, -100)
    deliver(store, "resolved", -290, at=NOW + MINUTE)
    with store.reader() as connection:
        earlier, later = many(connection, incidents, "acme", order=("opened_at",))
        texts = [line["body"] for line in many(connection, incident_timeline, "acme", incident_id=later["id"])]
    assert (earlier["id"], earlier["resolved_at"]) == (name, NOW - 290 * MINUTE)
    if kind == "acknowledge":
        assert (later["status"], later["acknowledged_at"], later["acknowledged_by"]) == (
            *("acknowledged", NOW - 100 * MINUTE),
            ANN,
        )
        assert (earlier["acknowledged_at"], earlier["acknowledged_by"]) == (None, None)
        text = f"; {ANN} acknowledged it as a part of that"
        assert texts == [f"Split off {name}: a recovery between them came late{text}"]
    else:
        assert {(one["status"], one["closed_at"], one["closed_by"]) for one in (earlier, later)} == {
            ("closed", NOW - 100 * MINUTE, ANN)
        }
    assert store.verify_rows("acme").ok


def test_what_opens_again_is_the_last_incident_of_a_key(store, disk):
    deliver(store, "resolved", -25)
    later, _ = deliver(store, "firing", 90, at=NOW + 90 * MINUTE)
    with pytest.raises(Conflict, match=f"{later} of the same key came after {disk}; say it of that"):
        do(store, disk, "reopen", 91, now=NOW + 92 * MINUTE)
    assert row(store, disk)["status"] == "resolved"


def test_owner_and_cause_are_the_incidents(store, disk):
    do(store, disk, "assign", to=BOB)
    do(store, disk, "cause", why="A certificate ran out")
    do(store, disk, "note", why="The provider confirms")
    found = row(store, disk)
    assert (found["owner"], found["root_cause"]) == (BOB, "A certificate ran out")
    with pytest.raises(BadRequest, match="e-mail address"):
        do(store, disk, "assign", to="Bob")
    with pytest.raises(BadRequest, match="needs its text"):
        do(store, disk, "note")
    with pytest.raises(NotFound, match="There is no incident"):
        do(store, "inc_none", "note", why="x")


def test_families_have_no_cycles(store, disk):
    cpu, ram = deliver(store, "firing", -20, "cpu")[0], deliver(store, "firing", -10, "ram")[0]
    do(store, cpu, "relate", parent=disk, why="the same switch")
    do(store, ram, "relate", parent=cpu)
    assert [row(store, cpu)[name] for name in ("parent_id", "parent_state", "parent_reason")] == [
        disk,
        "confirmed",
        "the same switch",
    ]
    for parent in (disk, cpu, ram):
        with pytest.raises(BadRequest, match="would be a cycle"):
            do(store, disk, "relate", parent=parent)
    do(store, cpu, "unrelate")
    assert row(store, cpu)["parent_id"] is None
    with pytest.raises(Conflict, match="is not related"):
        do(store, cpu, "unrelate")
    assert store.verify_rows("acme").ok


def test_an_assessment_keeps_when_the_organization_became_aware(store, disk):
    line = do(store, disk, "assess", law="gdpr", aware_at=NOW - 15 * MINUTE)
    assert line["payload"] == {"law": "gdpr", "aware_at": "2026-11-20T08:15:00+00:00"}
    assert line["body"].startswith("Assessed under gdpr: aware since 2026-11-20 08:15 UTC ")
    with pytest.raises(BadRequest, match="aware_at must be no later"):
        do(store, disk, "assess", law="gdpr", aware_at=NOW + MINUTE)


def test_the_line_of_an_assessment_under_dora_names_the_classification(store, disk):
    line = do(store, disk, "assess", law="dora", aware_at=NOW - 15 * MINUTE, classified_at=NOW - 5 * MINUTE)
    text = "Assessed under dora: aware since 2026-11-20 08:15 UTC, classified 2026-11-20 08:25 UTC "
    assert line["body"].startswith(text)


def test_an_incident_without_a_key_takes_steps_too(store):
    with store.revision("acme", "import", now=NOW) as revision:
        values = {"title": "Theft", "severity": "high", "status": "open", "opened_at": NOW - 60 * MINUTE}
        revision.insert(incidents, [{"id": "inc-1", **values}])
        revision.record("import.completed")
    do(store, "inc-1", "acknowledge", -50)
    do(store, "inc-1", "close", -10)
    found = row(store, "inc-1")
    assert (found["status"], found["acknowledged_at"], found["resolved_at"]) == (
        "closed",
        NOW - 50 * MINUTE,
        NOW - 10 * MINUTE,
    )


def import_line(store, **line):
    rows = {
        "id": ["tl-1"],
        "incident_id": [line.pop("incident_id")],
        "happened_at": [NOW - 5 * MINUTE],
        "actor": [BOB],
        "body": ["said"],
        **{name: [value] for name, value in line.items()},
    }
    follow = FollowedLines("incident_timeline", FOLLOWED, follow_lines)
    sheets = frame_sheets({"incident_timeline": pl.DataFrame(rows)})
    return import_sheets(store, sheets, "acme", "import", NOW, silent, follow=follow)


def test_a_line_that_is_imported_does_the_same_once(store, disk):
    assert import_line(store, incident_id=disk, kind="acknowledge").has_changes
    found = row(store, disk)
    assert (found["status"], found["acknowledged_by"], found["acknowledged_at"]) == (
        "acknowledged",
        BOB,
        NOW - 5 * MINUTE,
    )
    assert not import_line(store, incident_id=disk, kind="acknowledge").has_changes
    assert store.verify_rows("acme").ok


def test_a_line_that_cannot_be_leaves_everything_as_it_was(store, disk):
    head = store.head("acme")
    with pytest.raises(InvalidData, match="The line tl-1 of incident_timeline does not hold: That would be a cycle"):
        import_line(store, incident_id=disk, kind="relate", payload=f'{{"parent": "{disk}"}}')
    assert store.head("acme") == head


def test_a_second_close_by_somebody_else_is_no_line(store, disk):
    do(store, disk, "close", -10)
    head = store.head("acme")
    with pytest.raises(
        InvalidData, match="tl-1 of incident_timeline does not hold: .* is closed since 2026-11-20 08:20"
    ):
        import_line(store, incident_id=disk, kind="close")
    assert store.head("acme") == head


def test_a_line_that_the_row_of_its_incident_says_already_is_taken(store, disk):
    do(store, disk, "close", -5, actor=BOB)
    assert import_line(store, incident_id=disk, kind="close").has_changes
    assert (row(store, disk)["closed_at"], row(store, disk)["closed_by"]) == (NOW - 5 * MINUTE, BOB)


def test_a_button_in_the_chat_takes_a_step(store, disk):
    step = PersonStep("acknowledge", NOW)
    made = store.write("acme", BOB, lambda revision: ask_for_step(revision, disk, step), now=NOW)
    assert (made["kind"], made["subject"], sorted(made["actions"])) == (
        "incident",
        f"acknowledge:{disk}",
        ["approve", "reject"],
    )
    decide = partial(approvals.decide, approval_id=made["id"], decision="approve", role="operator", details={})
    store.write("acme", ANN, decide, now=NOW)
    assert row(store, disk)["acknowledged_by"] == ANN
    assert store.verify_rows("acme").ok
