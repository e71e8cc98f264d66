"""Whether somebody on duty took an incident in time is a row of its review; windows of maintenance are named."""

from datetime import UTC, datetime, timedelta

import pytest

from engine.incidents.review.duty import duty_rows, is_covered, window_rows

OPENED = datetime(2026, 11, 20, 2, tzinfo=UTC)
HOUR, MINUTE = timedelta(hours=1), timedelta(minutes=1)
INCIDENT = {
    **{"id": "i1", "service_id": "api", "labels": {"alertname": "HostDown"}, "opened_at": OPENED},
    **{"acknowledged_at": OPENED + 4 * MINUTE, "acknowledged_by": "ann@acme.example"},
}
SHIFT = {
    **{"id": "s1", "person": "Ann@acme.example", "service_id": None, "rota": None},
    **{"starts_at": OPENED - HOUR, "ends_at": OPENED + HOUR, "recorded_at": OPENED - 2 * HOUR},
}
WINDOW = {
    **{"id": "w1", "reason": "New switch", "service_id": "api", "matchers": None, "recorded_at": OPENED - 2 * HOUR},
    **{"starts_at": OPENED - HOUR, "ends_at": OPENED + HOUR},
}


@pytest.mark.parametrize(
    ("change", "shift", "verdict"),
    [
        ({}, {}, "yes: ann@acme.example, within 15 min"),
        ({}, {"recorded_at": OPENED + HOUR}, "yes: ann@acme.example, within 15 min; the shift was recorded afterwards"),
        ({}, {"service_id": "web"}, "no: ann@acme.example was not on duty"),
        ({"acknowledged_by": "eve@acme.example"}, {}, "no: eve@acme.example was not on duty"),
        ({"acknowledged_by": None}, {}, "no: who acknowledged it is not recorded"),
        ({"acknowledged_at": None}, {}, "no: not acknowledged"),
        (
            {"acknowledged_at": OPENED + 20 * MINUTE},
            {},
            "no: ann@acme.example was on duty and took it after 20 min; 15 min are allowed",
        ),
    ],
)
def test_the_row_says_whether_and_why(change, shift, verdict):
    rows = dict(duty_rows({**INCIDENT, **change}, [{**SHIFT, **shift}], 15))
    assert rows["Acknowledged by somebody on duty, in time"] == verdict


def test_who_was_on_duty_is_named_and_without_any_shift_nothing_is_said():
    assert dict(duty_rows(INCIDENT, [SHIFT], 15))["On duty when it was opened"] == "ann@acme.example"
    assert dict(duty_rows(INCIDENT, [], 15))["On duty when it was opened"] == "nobody on record"
    assert list(duty_rows(INCIDENT, None, 15)) == []


def test_a_window_is_about_a_service_or_labels_and_says_when_it_was_declared():
    assert is_covered(WINDOW, INCIDENT)
    assert not is_covered({**WINDOW, "service_id": None}, INCIDENT)
    late = {**WINDOW, "recorded_at": OPENED}
    assert [name for name, _ in window_rows([WINDOW, late])] == [
        "Planned maintenance",
        "Maintenance declared after the fact",
    ]
