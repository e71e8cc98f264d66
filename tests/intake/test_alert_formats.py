"""Which bodies are alerts at all, and what no body may do."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.intake.alerts import FORMATS, MOST, read_alerts
from engine.model.errors import BadRequest, TooLarge
from engine.model.vocabulary import SEVERITIES
from tests.intake import bodies
from tests.intake.bodies import RECEIVED
from tests.laws import examples

KNOWN = {
    "pagerduty": bodies.pagerduty("incident.triggered"),
    "aws_events": bodies.guardduty(),
    "cloudwatch": bodies.cloudwatch_alarm(),
    "sentry": bodies.sentry_rule(),
    "grafana": bodies.grafana(bodies.grafana_alert()),
    "alertmanager": bodies.alertmanager(bodies.alertmanager_alert()),
    "grafana_panel": bodies.grafana_panel(),
    "newrelic": bodies.newrelic(),
    "datadog": bodies.datadog(),
    "azure": bodies.azure_monitor(),
    "google": bodies.google_monitoring(),
    "opsgenie": bodies.opsgenie("Create"),
    "zabbix": bodies.zabbix(),
    "normalized": bodies.normalized_body(),
}
NAMES = sorted(
    {name for body in KNOWN.values() for name in body} | {"event_type", "data", "fingerprint", "resource_type"}
)
WORDS = [
    "firing",
    "resolved",
    "null",
    "",
    "incident.resolved",
    "critical",
    "0001-01-01T00:00:00Z",
    "1e400",
    "%%%",
    "OK",
]

SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.sampled_from(WORDS),
    st.text(st.characters(exclude_categories=()), max_size=20),
)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.sampled_from(NAMES) | st.text(), inner, max_size=6),
    max_leaves=20,
)


def read(body):
    return read_alerts(body, received_at=RECEIVED)


def test_every_format_recognises_its_body_and_no_other_comes_first():
    assert list(KNOWN) == [one.name for one in FORMATS]
    found = {name: next(one.name for one in FORMATS if one.matches(body)) for name, body in KNOWN.items()}
    assert found == {name: name for name in KNOWN}


@pytest.mark.parametrize(
    ("body", "got"),
    [
        ({}, "Got an object with no fields."),
        ({"message": "x"}, "Got an object with 'message'."),
        ({"action": "opened", "installation": {"id": 1}, "issue": {}}, "'action', 'installation', 'issue'."),
        ({"issueUrl": "u", "priority": "HIGH"}, "'issueUrl', 'priority'."),
        ([], "Got a list of 0."),
        ("text", "Got 'text'."),
        (None, "Got nothing."),
        (10**40, "Got a number out of range."),
        ({str(n): n for n in range(12)}, "'7' and 4 more."),
    ],
)
def test_an_unknown_shape_is_refused_with_the_shapes_known(body, got):
    with pytest.raises(BadRequest) as raised:
        read(body)
    assert raised.value.word == "unknown_alert_shape"
    assert raised.value.message.endswith(got)
    assert raised.value.details == [{"shape": one.name, "expected": one.shape} for one in FORMATS]


def test_a_body_holds_at_most_as_many_alerts_as_the_setting_says():
    assert MOST == 20_000
    assert len(read_alerts({"alerts": [bodies.normalized_body()] * 3}, received_at=bodies.RECEIVED, most=3)) == 3
    for body in ({"alerts": [bodies.normalized_body()] * 4}, bodies.alertmanager(*[None] * 4)):
        with pytest.raises(TooLarge, match=r"at most 3 alerts \(SVC_INGEST_MAX_ALERTS\); got 4") as raised:
            read_alerts(body, received_at=bodies.RECEIVED, most=3)
        assert raised.value.word == "too_many_alerts"


@pytest.mark.parametrize("body", [{"alerts": []}, bodies.alertmanager(), bodies.grafana()])
def test_a_known_shape_without_alerts_is_refused_with_the_place_where_they_belong(body):
    with pytest.raises(BadRequest, match="alerts must be a list of at least one alert; got a list of 0") as raised:
        read(body)
    expected = {"field": "alerts", "expected": "a list of at least one alert", "found": "a list of 0"}
    assert (raised.value.word, raised.value.details) == ("no_alerts", [expected])


@pytest.mark.parametrize("name", KNOWN)
def test_deep_nesting_anywhere_is_no_trouble(name):
    deep = []
    for _ in range(100_000):
        deep = [deep]
    for field in KNOWN[name]:
        with suppress(BadRequest):
            read({**KNOWN[name], field: deep})


@pytest.mark.parametrize("name", KNOWN)
def test_the_order_of_fields_and_labels_does_not_change_an_alert(name):
    assert read(KNOWN[name]) == read(_reverse(KNOWN[name]))


def _reverse(value):
    if isinstance(value, dict):
        return {name: _reverse(inner) for name, inner in reversed(value.items())}
    return [_reverse(inner) for inner in value] if isinstance(value, list) else value


@pytest.mark.real
@given(ANYTHING)
@settings(max_examples=examples(300), deadline=None)
def test_no_json_raises_anything_but_a_bad_request(body):
    _reads_or_refuses(body)


@pytest.mark.real
@given(st.sampled_from(sorted(KNOWN)), st.data())
@settings(max_examples=examples(400), deadline=None)
def test_no_change_of_a_known_body_raises_anything_but_a_bad_request(name, data):
    body = dict(KNOWN[name])
    for field in data.draw(st.lists(st.sampled_from(sorted(body)), max_size=3)):
        body[field] = data.draw(ANYTHING)
    for list_name, holder in (("alerts", body), ("event", body)):
        if isinstance(holder.get(list_name), dict):
            inner = dict(holder[list_name])
            inner[data.draw(st.sampled_from(sorted(map(str, inner)) or ["x"]))] = data.draw(ANYTHING)
            holder[list_name] = inner
        elif isinstance(holder.get(list_name), list) and holder[list_name] and isinstance(holder[list_name][0], dict):
            inner = dict(holder[list_name][0])
            inner[data.draw(st.sampled_from(sorted(map(str, inner)) or ["x"]))] = data.draw(ANYTHING)
            holder[list_name] = [inner]
    _reads_or_refuses(body)


def _reads_or_refuses(body):
    alerts, refusal = [], None
    try:
        alerts = read(body)
    except BadRequest as problem:
        refusal = problem
    assert refusal is None or (refusal.details and refusal.message.encode())
    for alert in alerts:
        assert repr(alert).encode()
        assert "\x00" not in f"{alert.title}{alert.dedupe_key}{alert.labels}{alert.description}"
        assert alert.state in ("firing", "resolved", "update", "ignored")
        assert alert.severity in SEVERITIES
        assert 0 < len(alert.title) <= 300
        assert 0 < len(alert.dedupe_key) <= 200
        assert alert.dedupe_key.startswith(f"{alert.source}:")
        assert (alert.ended_at is not None) == (alert.state == "resolved")
        assert not (alert.state == "resolved" and alert.severity_given)
        assert all(moment is None or moment <= RECEIVED for moment in (alert.started_at, alert.ended_at))


@given(st.dictionaries(st.text(), SCALARS, min_size=1), st.randoms())
def test_a_key_of_labels_does_not_depend_on_their_order(labels, random):
    shuffled = list(labels.items())
    random.shuffle(shuffled)
    first, second = (
        read(bodies.alertmanager({"labels": given, "status": "firing"})) for given in (labels, dict(shuffled))
    )
    assert first == second


@given(st.sampled_from(SEVERITIES))
def test_a_recovery_never_carries_a_severity(level):
    labels = {"alertname": "A", "severity": level}
    (alert,) = read(bodies.alertmanager(bodies.alertmanager_alert(status="resolved", labels=labels)))
    assert (alert.severity, alert.severity_given, alert.severity_text) == ("info", False, level)
