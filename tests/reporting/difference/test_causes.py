"""Causes are found among what was written and what the day brought; none is invented."""

from datetime import UTC, date, datetime

import pytest

from engine.reporting.difference.causes import Cause, Causes, Grounds, sentence_of
from engine.store.queries.history.writes import RowWrite, WriteEvent

DAYS = date(2026, 11, 1), date(2026, 11, 20)
AT = datetime(2026, 11, 3, 23, 30, tzinfo=UTC)
CONTROL = {"framework": "soc2", "control_id": "CC6.1"}
SIGNED = RowWrite(
    7, "attestations", ("a",), {**CONTROL, "owner": "ann"}, {**CONTROL, "owner": "ann", "outcome": "attested"}
)
MADE = WriteEvent(8, 7, "hq:8", AT, "ann", "attestation.signed", "a")
OPENED = WriteEvent(7, 7, "hq:7", AT, "ann", "import.completed", None)


def causes(row, columns=(), **grounds):
    return Causes(Grounds(DAYS, **grounds)).of(row, columns)


def test_a_write_of_the_control_that_a_row_is_about_is_its_cause():
    (found,) = causes({**CONTROL, "state": "effective"}, writes=[SIGNED], events={7: [OPENED, MADE]})
    assert found == Cause(
        "write",
        "Control attested by its owner: attestation a (outcome – → attested)",
        date(2026, 11, 3),
        7,
        "hq:8",
        "ann",
        AT,
    )
    assert sentence_of([found], CONTROL, ["attestations"]) == (
        "Control attested by its owner: attestation a (outcome – → attested) (ann, 3 Nov 2026, revision 7)."
    )


def test_the_import_of_a_framework_of_ones_own_is_the_cause_of_its_controls():
    added = RowWrite(7, "framework_controls", ("annex", "A.1"), None, {"title": "Doors"})
    accepted = WriteEvent(8, 7, "hq:8", AT, "ann", "framework.accepted", "annex")
    row = {"framework": "annex", "control_id": "A.1", "state": "no_data"}
    assert [cause.event_id for cause in causes(row, writes=[added], events={7: [accepted]})] == ["hq:8"]
    assert causes({**row, "control_id": "A.2"}, writes=[added], events={7: [accepted]}) == []


def test_the_day_of_a_cause_is_that_of_the_organization():
    grounds = {"writes": [SIGNED], "events": {7: [MADE]}, "time_zone": "Europe/Berlin"}
    assert [cause.on for cause in causes(CONTROL, **grounds)] == [date(2026, 11, 4)]


@pytest.mark.parametrize(
    "row", [{"id": "a"}, {"id": "a-next"}, {"gap_id": "soc2:CC6.1"}, {"obligation_id": "attestation:a"}]
)
def test_a_row_is_known_by_its_identifiers(row):
    grounds = {"writes": [SIGNED], "events": {7: [MADE]}, "sources": {"attestation:a": "attestations/a"}}
    assert [cause.event_id for cause in causes(row, **grounds)] == ["hq:8"]


@pytest.mark.parametrize("row", [{}, {"id": "b"}, {"framework": "soc2", "control_id": "CC7.2"}, {"owner": "ann"}])
def test_a_write_of_something_else_is_no_cause(row):
    assert causes(row, writes=[SIGNED], events={7: [MADE]}) == []


def test_a_write_about_the_owner_of_a_thing_is_no_cause_of_the_thing():
    email = "ann@acme.example"
    capacity = RowWrite(8, "owner_capacity", (email, "2026-W45"), None, {"hours": 4.0})
    given = {"writes": [capacity], "events": {8: [MADE]}}
    assert [cause.event_id for cause in causes({"owner": email, "hours": 4.0}, **given)] == ["hq:8"]
    assert [cause.event_id for cause in causes({"week": "2026-W45", "owner": email}, **given)] == ["hq:8"]
    assert causes({"decision": "Renew 1 expired exception", "owner": email}, **given) == []
    assert causes({"due_on": date(2026, 12, 9), "title": "Committee meets", "owner": email}, **given) == []


def test_where_nothing_did_it_that_is_said():
    assert sentence_of([], CONTROL, ["readiness", "gaps"]) == (
        "No write between the two touches it; computed anew from readiness, gaps."
    )
    assert sentence_of([], {"owner": "ann"}, ["gaps"]) == "It follows from several records."


def test_a_deadline_between_the_two_days_is_a_cause_unless_it_was_moved():
    row = {"id": "b", "due_on": date(2026, 11, 3), "state": "overdue", "opened_on": date(2026, 11, 2)}
    (found,) = causes(row, ["state"])
    assert found == Cause("time", "Due: 3 Nov 2026", date(2026, 11, 3))
    assert sentence_of([found], CONTROL, []) == "time passed: Due: 3 Nov 2026."
    assert causes(row, ["state", "due_on"]) == []
    assert causes({**row, "due_on": date(2026, 12, 3)}) == []


def test_what_the_console_noted_itself_is_told_only_where_nothing_else_is_known():
    noted = RowWrite(9, "control_state_changes", ("soc2", "CC6.1", "2026-11-04"), None, {**CONTROL, "state": "stale"})
    events = {7: [MADE], 9: [WriteEvent(9, 9, "hq:9", AT, "system", "snapshot.taken", None)]}
    assert [cause.event_id for cause in causes(CONTROL, writes=[noted, SIGNED], events=events)] == ["hq:8"]
    assert [cause.event_id for cause in causes(CONTROL, writes=[noted], events=events)] == ["hq:9"]


def test_a_write_whose_events_retention_removed_has_its_revision_alone():
    (found,) = causes(CONTROL, writes=[SIGNED])
    assert (found.revision, found.actor) == (7, None)
    assert sentence_of([found], CONTROL, []) == "attestation a (outcome – → attested) (revision 7)."


def test_evidence_that_the_facts_name_is_a_cause():
    event = WriteEvent(5, 5, "hq:5", AT, "backup", "backup.completed", None)
    (found,) = causes(CONTROL, evidence={("control", "soc2", "CC6.1"): [event]})
    assert (found.kind, found.event_id, found.actor) == ("evidence", "hq:5", "backup")


def test_of_a_write_whose_events_do_not_name_the_record_nobody_is_said_to_have_done_it():
    imported = WriteEvent(6, 6, "e1", AT, "monitor", "alert.received", "INC-1")
    (found,) = causes(CONTROL, writes=[SIGNED], events={7: [imported, OPENED]})
    assert (found.event_id, found.actor, found.words) == ("hq:7", None, "attestation a (outcome – → attested)")
    (found,) = causes(CONTROL, writes=[SIGNED], events={7: [OPENED]})
    assert (found.event_id, found.actor) == ("hq:7", "ann")
    assert found.words == "Records imported: attestation a (outcome – → attested)"
