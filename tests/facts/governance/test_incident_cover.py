"""Maintenance takes an incident out of figures where it was recorded first; on duty is who a shift names."""

import json

import pytest

INCIDENT = {
    **{"id": "i1", "title": "Down", "severity": "high", "status": "resolved", "service_id": "api"},
    **{"opened_at": "2026-11-20 02:00", "acknowledged_at": "2026-11-20 02:10", "acknowledged_by": "Ann@acme.example"},
    "labels": json.dumps({"alertname": "HostDown", "instance": "db1:9100"}),
}
WINDOW = {
    **{"id": "w1", "reason": "New switch", "service_id": "api", "recorded_at": "2026-11-19 12:00"},
    **{"starts_at": "2026-11-20 01:00", "ends_at": "2026-11-20 04:00"},
}
SHIFT = {
    **{"id": "s1", "person": "bob@acme.example; ann@acme.example"},
    **{"starts_at": "2026-11-19 20:00", "ends_at": "2026-11-20 08:00"},
}


@pytest.fixture
def incident(facts_with):
    def row(*columns, windows=(), shifts=(), **more):
        found = facts_with(incidents=[{**INCIDENT, **more}], maintenance_windows=windows, on_call_shifts=shifts)
        return found["incidents"].select(columns).row(0)

    return row


def matchers(*rules):
    return json.dumps([dict(zip(("name", "value", "isRegex", "isEqual"), rule, strict=True)) for rule in rules])


@pytest.mark.parametrize(
    ("change", "state"),
    [
        ({}, "planned"),
        ({"recorded_at": "2026-11-20 01:00"}, "planned"),
        ({"recorded_at": "2026-11-20 01:01"}, "declared_late"),
        ({"recorded_at": None}, "declared_late"),
        ({"ends_at": "2026-11-20 02:00"}, None),
        ({"starts_at": "2026-11-20 02:01"}, None),
        ({"service_id": "web"}, None),
        ({"service_id": None}, None),
        ({"service_id": None, "matchers": matchers(("alertname", "HostDown", False, True))}, "planned"),
        ({"service_id": None, "matchers": matchers(("instance", "db.*", True, True))}, "planned"),
        ({"service_id": None, "matchers": matchers(("instance", "db", True, True))}, None),
        ({"service_id": None, "matchers": matchers(("alertname", "HostDown", False, False))}, None),
        ({"service_id": None, "matchers": matchers(("team", "a", False, False))}, None),
        ({"service_id": None, "matchers": matchers(("team", "", False, True))}, None),
        ({"service_id": None, "matchers": matchers(("team", ".*", True, True))}, None),
        ({"matchers": matchers(("team", "a", False, False))}, "planned"),
        ({"service_id": None, "matchers": matchers(("alertname", "Host", True, True))}, None),
        ({"service_id": None, "matchers": matchers(("alertname", "(?=H).*", True, True))}, None),
        ({"service_id": None, "matchers": "[]"}, None),
        ({"matchers": matchers(("alertname", "DiskFull", False, True))}, None),
    ],
)
def test_a_window_covers_what_it_names_and_counts_as_planned_if_it_was_recorded_first(change, state, incident):
    expected = (state, "w1" if state else None, "New switch" if state else None)
    columns = "maintenance_state", "maintenance_id", "maintenance_reason"
    assert incident(*columns, windows=[{**WINDOW, **change}]) == expected


def test_a_pattern_takes_time_in_proportion_to_the_label_whatever_it_is(incident):
    """Where patterns are tried backwards, this one takes longer than anybody waits."""
    labels = json.dumps({"alertname": "a" * 5_000 + "b"})
    window = {**WINDOW, "service_id": None, "matchers": matchers(("alertname", "(a+)+$", True, True))}
    assert incident("maintenance_state", windows=[window], labels=labels) == (None,)
    window["matchers"] = matchers(("alertname", "(a+)+b", True, True))
    assert incident("maintenance_state", windows=[window], labels=labels) == ("planned",)


def test_of_two_windows_the_planned_one_counts(incident):
    late = {**WINDOW, "id": "w0", "recorded_at": "2026-11-20 03:00"}
    assert incident("maintenance_id", windows=[late, WINDOW]) == ("w1",)


@pytest.mark.parametrize(
    ("change", "state"),
    [
        ({}, "in_time"),
        ({"acknowledged_at": "2026-11-20 02:15"}, "in_time"),
        ({"acknowledged_at": "2026-11-20 02:16"}, "late"),
        ({"acknowledged_by": "eve@acme.example"}, "not_on_duty"),
        ({"acknowledged_by": None}, "not_on_duty"),
        ({"acknowledged_at": None, "acknowledged_by": None}, "not_acknowledged"),
        ({"opened_at": "2026-11-20 09:00", "acknowledged_at": "2026-11-20 09:01"}, "nobody_on_duty"),
    ],
)
def test_whether_somebody_on_duty_took_it_in_time(change, state, incident):
    assert incident("on_call", shifts=[SHIFT], **change) == (state,)


@pytest.mark.parametrize(
    ("recorded", "late"),
    [
        ((None,), True),
        (("2026-11-20 02:11",), True),
        (("2026-11-20 02:10",), False),
        (("2026-11-20 03:00", "2026-11-19"), False),
    ],
)
def test_a_shift_that_was_recorded_afterwards_counts_and_is_told_apart(recorded, late, incident):
    shifts = [{**SHIFT, "id": f"s{number}", "recorded_at": at} for number, at in enumerate(recorded)]
    assert incident("on_call", "on_call_recorded_late", shifts=shifts) == ("in_time", late)
    assert incident("on_call", "on_call_recorded_late", shifts=shifts, acknowledged_at="2026-11-20 02:40") == (
        *("late", False),
    )


def test_a_shift_for_another_service_is_nobody_on_duty_and_without_any_shift_nothing_is_known(incident):
    assert incident("on_call", shifts=[{**SHIFT, "service_id": "web"}]) == ("nobody_on_duty",)
    assert incident("on_call") == (None,)
