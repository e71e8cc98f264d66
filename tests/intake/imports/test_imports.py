"""What an import does to the store."""

import json
from datetime import UTC, date, datetime

import polars as pl
import pytest

from engine.model.errors import InvalidData, Usage
from tests.intake.imports.conftest import Door

RISKS = "id,title,impact,owner\nR-1,Fire,3,ann@acme.example\nR-2,Flood,4,\n"
EVENTS = (
    "event_id,occurred_at,actor,action,controls,details\n"
    'e2,2026-03-01T10:00:00Z,Ann@Acme.example,access.review.completed,soc2:cc6.1,"{""b"": 1, ""a"": [2]}"\n'
    "e1,2026-02-01 09:30,backup-bot,backup.completed,,\n"
)


def test_rows_are_created_in_one_revision_with_one_event(door):
    result = door.text("risks.csv", RISKS)
    assert door.counts(result) == {"risks": (2, 2, 0, 0)}
    assert (result.before, result.after) == (1, 2)
    assert door.rows("risks", "id", "title", "impact", "owner", "status", "revision") == [
        ("R-1", "Fire", 3, "ann@acme.example", "open", 2),
        ("R-2", "Flood", 4, None, "open", 2),
    ]
    ((_, action, actor, details),) = door.rows("audit_log", "seq", "action", "actor", "details")[1:]
    assert (action, actor) == ("import.completed", "ann@acme.example")
    (file,) = details["files"]
    assert len(file.pop("sha256")) == 64
    assert file == {"name": "risks.csv", "table": "risks", "rows": 2, "created": 2, "updated": 0}


def test_the_same_file_twice_changes_nothing(door):
    door.text("risks.csv", RISKS)
    head = door.store.head("acme")
    result = door.text("risks.csv", RISKS)
    assert (door.counts(result), result.after, result.has_changes) == ({"risks": (2, 0, 0, 2)}, None, False)
    assert door.store.head("acme") == head


def test_only_the_columns_of_the_file_change(door):
    door.text("risks.csv", RISKS)
    result = door.text("risks.csv", "id,Impact\nR-1,5\nR-2,4\n")
    assert door.counts(result) == {"risks": (2, 0, 1, 1)}
    assert door.rows("risks", "id", "title", "impact", "owner", "revision") == [
        ("R-1", "Fire", 5, "ann@acme.example", 3),
        ("R-2", "Flood", 4, None, 2),
    ]


def test_a_file_without_columns_that_new_rows_need_may_not_bring_new_rows(door):
    door.text("risks.csv", RISKS)
    assert door.bad_cells("risks.csv", "id,impact\nR-1,5\nR-3,1\n") == [
        (
            3,
            "title",
            "a column title, as R-3 is not on record, and a new row needs it: text of up to 100,000 characters",
            "columns id, impact",
        )
    ]


def test_an_empty_cell_empties_and_an_empty_choice_takes_its_default(door):
    door.text("risks.csv", RISKS.replace("owner", "status").replace("ann@acme.example", "closed"))
    door.text("risks.csv", "id,impact,status\nR-1,,\n")
    assert door.rows("risks", "id", "impact", "status")[0] == ("R-1", None, "open")


def test_files_of_a_folder_refer_to_each_other(door):
    door.file("vendor_documents.csv", "id,vendor_id,kind\nd1,acme-cloud,SOC2 Type 2\n")
    door.file("vendors.csv", "name,category,tier\nAcme Cloud,cloud,high\n")
    door.file(".DS_Store", "x")
    door.file("~$vendors.xlsx", "x")
    result = door.paths(door.folder)
    assert door.counts(result) == {"vendor_documents": (1, 1, 0, 0), "vendors": (1, 1, 0, 0)}
    assert door.rows("vendor_documents", "id", "vendor_id", "kind", "in_scope") == [
        ("d1", "acme-cloud", "soc2_type2", True)
    ]


def test_an_identifier_is_made_from_the_natural_columns(door):
    text = "framework,control_id,owner,due_on\nsoc2,CC6.1,ann@acme.example,2026-12-01\n"
    door.text("attestations.csv", text)
    assert door.rows("attestations", "id") == [("soc2-cc6-1-2026-12-01",)]
    assert not door.text("attestations.csv", text).has_changes


def test_a_request_without_due_date_is_due_by_its_priority(door):
    text = "id,title,requester,opened_on,priority,due_on\nE-1,t,r,2026-11-20,P1,\nE-2,t,r,2026-11-20,,2026-12-24\n"
    door.text("organization_settings.csv", "name,value\nrequest_sla_p1_days,4\n")
    door.text("evidence_requests.csv", text)
    assert door.rows("evidence_requests", "id", "priority", "due_on") == [
        ("E-1", "P1", date(2026, 11, 26)),
        ("E-2", "P3", date(2026, 12, 24)),
    ]
    door.text("organization_settings.csv", "name,value\nrequest_sla_p1_days,9\n")
    assert not door.text("evidence_requests.csv", text).has_changes


def test_events_keep_their_time_and_are_chained_in_the_order_of_the_file(door):
    result = door.text("audit_log.csv", EVENTS)
    assert (door.counts(result), result.before, result.after) == ({"audit_log": (2, 2, 0, 0)}, 1, 4)
    names = ("seq", "event_id", "occurred_at", "actor", "outcome", "controls", "details", "revision")
    assert door.rows("audit_log", *names)[1:3] == [
        (
            2,
            "e2",
            datetime(2026, 3, 1, 10, tzinfo=UTC),
            "ann@acme.example",
            "success",
            "soc2:CC6.1",
            {"a": [2], "b": 1},
            2,
        ),
        (3, "e1", datetime(2026, 2, 1, 9, 30, tzinfo=UTC), "backup-bot", "success", None, None, 2),
    ]
    assert door.store.verify("acme").ok


def test_recorded_events_are_unchanged_and_new_ones_are_added(door):
    door.text("audit_log.csv", EVENTS)
    assert not door.text("audit_log.csv", EVENTS).has_changes
    result = door.text("audit_log.csv", EVENTS + "e3,2026-01-01T00:00:00Z,bot,backup.completed,,\n")
    assert door.counts(result) == {"audit_log": (3, 1, 0, 2)}
    assert door.store.verify("acme").ok


def test_a_recorded_event_with_other_content_is_a_bad_row(door):
    door.text("audit_log.csv", EVENTS)
    assert door.bad_cells("audit_log.csv", EVENTS.replace("backup-bot", "other-bot").replace("09:30", "09:31")) == [
        (3, "event_id", "the recorded event unchanged, which has another occurred_at, actor", "e1")
    ]


def test_an_event_recorded_between_check_and_write_is_not_added_again(door, monkeypatch):
    from engine.intake.imports import imports

    write, done = imports._write, []

    def late(*arguments):
        if not done:
            done.append(True)
            door.text("audit_log.csv", EVENTS)
        return write(*arguments)

    monkeypatch.setattr(imports, "_write", late)
    result = door.text("audit_log.csv", EVENTS)
    assert (door.counts(result), result.has_changes) == ({"audit_log": (2, 0, 0, 2)}, False)


def test_many_recorded_events_are_looked_up_by_name(door, monkeypatch):
    from engine.intake.imports import events

    door.text("audit_log.csv", EVENTS)
    monkeypatch.setattr(events, "FEW_FOR_EACH", 0)
    assert not door.text("audit_log.csv", EVENTS).has_changes


def test_frames_make_an_organization(door):
    result = door.frames(
        "nova",
        organizations=pl.DataFrame({"name": ["Nova"], "time_zone": ["Europe/Berlin"], "plan": ["team"]}),
        services=pl.DataFrame({"name": ["Shop"], "criticality": [5], "internet_facing": [True]}),
        posture_snapshots=pl.DataFrame(
            {"taken_on": [date(2026, 11, 1)], "score": [81.5], "components": [{"vendor": 0.5}]}
        ),
        incidents=pl.DataFrame(
            {
                "id": ["i"],
                "title": ["t"],
                "severity": ["low"],
                "status": ["open"],
                "service_id": ["shop"],
                "opened_at": [datetime(2026, 11, 1, 8, 30, 0, 5, tzinfo=UTC)],
            }
        ),
    )
    assert door.counts(result)["organizations"] == (1, 1, 0, 0)
    assert (result.before, result.after) == (0, 1)
    assert door.rows("organizations", "name", "time_zone", "plan", "deployment_tier", org_id="nova") == [
        ("Nova", "Europe/Berlin", "team", "shared")
    ]
    assert door.rows("services", "id", "internet_facing", org_id="nova") == [("shop", True)]
    assert door.rows("posture_snapshots", "score", "components", org_id="nova") == [(81.5, {"vendor": 0.5})]
    assert door.rows("incidents", "opened_at", org_id="nova") == [(datetime(2026, 11, 1, 8, 30, 0, 5, tzinfo=UTC),)]
    assert door.store.verify("nova").ok


def test_bad_frames_make_no_organization(door):
    organizations = pl.DataFrame({"name": ["Nova"], "time_zone": ["UTC"]})
    with pytest.raises(InvalidData, match="1 bad cell in services"):
        door.frames("nova", organizations=organizations, services=pl.DataFrame({"name": ["S"], "criticality": [9]}))
    assert not door.store.organization_exists("nova")


def test_an_unknown_organization_needs_its_row(door):
    with pytest.raises(Usage, match="There is no organization 'nova'"):
        door.frames("nova", services=pl.DataFrame({"name": ["Shop"], "criticality": [5]}))
    with pytest.raises(Usage, match="lower case letters, digits and hyphens; got 'No Va'"):
        door.frames("No Va", organizations=pl.DataFrame({"name": ["Nova"], "time_zone": ["UTC"]}))


def test_the_row_of_an_organization_is_updated(door):
    result = door.text("organizations.csv", "plan,created_at\nTeam,\n")
    assert door.counts(result) == {"organizations": (1, 0, 1, 0)}
    assert door.rows("organizations", "name", "plan") == [("Acme", "team")]


def test_a_frame_without_rows_changes_nothing(door):
    result = door.frames(services=pl.DataFrame(schema={"name": pl.String, "criticality": pl.Int64}))
    assert (door.counts(result), result.has_changes) == ({"services": (0, 0, 0, 0)}, False)


def test_progress_names_what_is_done(door):
    from engine.intake.imports import import_paths

    seen = []
    path = door.file("audit_log.csv", EVENTS)
    now = datetime(2026, 11, 20, tzinfo=UTC)
    import_paths(door.store, [path], org_id="acme", actor="a", now=now, progress=lambda *step: seen.append(step))
    assert seen == [("reading audit_log.csv", 2), ("checking audit_log.csv", 2), ("writing audit_log", 2)]


def test_more_rows_than_a_batch_are_one_import(door, monkeypatch):
    from engine.intake.imports.files import csv_files as delimited

    monkeypatch.setattr(delimited, "BATCH_ROWS", 3)
    lines = [f"e{n},2026-01-01T00:00:00Z,bot,backup.completed,{json.dumps(n)}\n" for n in range(10)]
    text = "event_id,occurred_at,actor,action,details\n" + "".join(lines)
    assert door.counts(door.text("audit_log.csv", text)) == {"audit_log": (10, 10, 0, 0)}
    assert door.bad_cells("audit_log.csv", text + lines[1]) == [
        (12, "event_id", "each event_id once; row 3 has it already", "e1")
    ]


def test_the_door_is_the_same_on_every_engine(any_store, tmp_path):
    door = Door(any_store, tmp_path)
    events, risks = door.file("audit_log.csv", EVENTS), door.file("risks.csv", RISKS)
    result = door.paths(events, risks)
    assert door.counts(result) == {"audit_log": (2, 2, 0, 0), "risks": (2, 2, 0, 0)}
    assert not door.paths(events, risks).has_changes
    assert door.counts(door.text("risks.csv", "id,impact\nR-1,5\n")) == {"risks": (1, 0, 1, 0)}
    assert any_store.verify("acme").ok


def test_a_rule_of_ones_own_has_its_star_at_the_end_alone(door):
    header = "pattern,framework,control_id,effect\n"
    good = door.text("organization_rules.csv", header + "acme.door.*,SOC 2,CC6.1,supports\nacme.x,soc2,CC6.1,records\n")
    assert door.counts(good) == {"organization_rules": (2, 2, 0, 0)}
    assert door.rows("organization_rules", "pattern", "outcome", "effect")[0] == ("acme.door.*", "any", "supports")
    bad = door.bad_cells(
        "organization_rules.csv", header + "acme.*.locked,soc2,CC6.1,supports\n*x,soc2,CC6.1,supports\n"
    )
    assert [(row, column, found) for row, column, _, found in bad] == [
        (2, "pattern", "acme.*.locked"),
        (3, "pattern", "*x"),
    ]
