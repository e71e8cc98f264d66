"""Our own alert payload."""

import json
import re
from datetime import timedelta

import pytest

from engine.intake.alerts import Alert, read_alerts
from engine.intake.alerts import normalized as module
from engine.model.errors import BadRequest
from tests.intake.bodies import RECEIVED, at, normalized_body


def read(body):
    return read_alerts(body, received_at=RECEIVED)


@pytest.mark.parametrize(
    "body", [normalized_body(), normalized_body(status=None), {"title": normalized_body()["title"]}]
)
def test_a_title_is_enough(body):
    assert read(body) == [
        Alert(
            "normalized",
            "normalized:hash-adb93b593d79f186a615ec572390b459",
            "firing",
            "Checkout fails for one user in ten",
            origin="normalized",
        )
    ]


def test_a_title_closes_what_a_title_opened():
    opened, closed = read({"alerts": [{"title": "Disk full"}, {"title": "Disk full", "status": "resolved"}]})
    assert (opened.state, closed.state, closed.ended_at) == ("firing", "resolved", RECEIVED)
    assert opened.dedupe_key == closed.dedupe_key


@pytest.mark.parametrize(
    ("word", "state"),
    [
        *((word, "firing") for word in ("alerting", "Triggered", "OPEN", "problem", "active", "firing")),
        *((word, "resolved") for word in ("ok", "OK", "closed", "Recovered", "cleared", "resolved")),
    ],
)
def test_ordinary_words_say_whether_it_is_over(word, state):
    assert [alert.state for alert in read(normalized_body(status=word))] == [state]


@pytest.mark.parametrize(
    ("word", "level"),
    [
        *((word, "critical") for word in ("P0", "p1", "1", 1, "urgent", "page", "SEV-1", "sev0")),
        *((word, "high") for word in ("P2", 2, "sev2")),
        *((word, "medium") for word in ("P3", "3", "warn", "Warning")),
        *((word, "low") for word in ("p4", 4)),
        *((word, "info") for word in ("P5", "5")),
    ],
)
def test_ordinary_words_say_how_bad_it_is(word, level):
    (alert,) = read(normalized_body(severity=word))
    assert (alert.severity, alert.severity_given, alert.severity_text) == (level, True, str(word))


@pytest.mark.parametrize("fields", [{"severity": 0}, {"severity": 6}, {"severity": "awful"}, {"status": "maybe"}])
def test_words_that_nobody_knows_are_refused(fields):
    with pytest.raises(BadRequest) as raised:
        read(normalized_body(**fields))
    assert raised.value.word == "invalid_alert"


def test_fields_that_nobody_knows_are_no_trouble():
    assert read({"title": "Disk full", "team": "storage", "state": None}) == read({"title": "Disk full"})


@pytest.mark.parametrize("name", module.ELSEWHERE)
def test_a_state_under_another_name_is_refused_rather_than_taken_for_a_problem(name):
    with pytest.raises(BadRequest) as raised:
        read({"title": "Disk full", name: "ok"})
    assert raised.value.word == "invalid_alert"
    assert raised.value.message.endswith(f"status must be {module.STATED}, which {name} is not read for; got nothing.")


def test_the_documented_example_is_read_whole():
    text = module.__doc__.split("::", 1)[1].split("Without ``dedupe_key``")[0]
    body = json.loads(re.sub(r'(?m)^(\s+"\w+": (?:"[^"]*"|null|{.*?}),?).*$', r"\1", text))
    assert read(body) == [
        Alert(
            source="normalized",
            dedupe_key="normalized:checkout-5xx",
            state="firing",
            title="Checkout fails for one user in ten",
            severity="high",
            severity_text="high",
            severity_given=True,
            description="5xx rate 11 % for ten minutes",
            service="checkout",
            host="web-3",
            started_at=at(8, 12),
            occurred_at=at(8, 14),
            sent_at=at(8, 14) + timedelta(seconds=3),
            link="https://status.example.com/1",
            labels={"region": "eu-west-1"},
            annotations={"team_note": "Payments are first"},
            links={"source": "https://status.example.com/1"},
            runbook_url="https://wiki.example.com/checkout",
            value="11 %",
            image_url="https://grafana.example.com/render/1.png",
            event_id="normalized:7c1f",
            origin="synthetic-checks",
        )
    ]


def test_several_alerts_come_in_the_order_of_the_body():
    alerts = read(
        {
            "alerts": [
                normalized_body(dedupe_key="a"),
                normalized_body(dedupe_key="b", status="Resolved"),
                normalized_body(),
            ]
        }
    )
    assert [(alert.dedupe_key[:12], alert.state) for alert in alerts] == [
        ("normalized:a", "firing"),
        ("normalized:b", "resolved"),
        ("normalized:h", "firing"),
    ]


def test_the_key_without_a_dedupe_key_is_of_source_service_and_normalised_title():
    def key(**changes):
        return read(normalized_body(**changes))[0].dedupe_key

    assert key() == key(title="  CHECKOUT fails\tfor one user in ten", severity="high", host="x", status="resolved")
    assert len({key(), key(service="a"), key(source="a"), key(source="a", service="a"), key(title="Other")}) == 5
    assert key(source="ab", service="c") != key(source="a", service="bc")


def test_long_titles_are_cut_but_told_apart():
    first, second = read({"alerts": [normalized_body(title="x" * 5000 + "1"), normalized_body(title="x" * 5000 + "2")]})
    assert len(first.title) == 300
    assert first.dedupe_key != second.dedupe_key


def test_a_long_dedupe_key_is_hashed():
    (alert,) = read(normalized_body(dedupe_key="k" * 5000))
    assert len(alert.dedupe_key) < 100
    assert alert.dedupe_key != read(normalized_body(dedupe_key="k" * 5001))[0].dedupe_key


def test_titles_with_nul_bytes_and_lone_surrogates_are_cleaned_everywhere():
    dirty = "a\x00b\udfffc"
    (alert,) = read(normalized_body(title=dirty, dedupe_key=dirty, labels={dirty: dirty}, event_id=dirty, source=dirty))
    assert alert.title == "a\ufffdb\ufffdc"
    assert repr(alert).encode()
    assert "\x00" not in f"{alert.dedupe_key}{alert.labels}{alert.event_id}{alert.origin}"


@pytest.mark.parametrize("absent", [None, "", "null"])
def test_absent_null_and_empty_mean_the_same(absent):
    optional = dict.fromkeys(("severity", "dedupe_key", "service", "host", "started_at", "labels", "link"), absent)
    assert read(normalized_body(**optional)) == read(normalized_body())


@pytest.mark.parametrize(
    ("changes", "field", "expected", "found"),
    [
        (
            {"severity": "purple"},
            "severity",
            "one of critical, high, medium, low, info, or a usual word for one",
            "'purple'",
        ),
        ({"status": "half open"}, "status", module.STATED, "'half open'"),
        ({"status": ["firing"]}, "status", module.STATED, "a list of 1"),
        ({"title": ["a"]}, "title", "a text", "a list of 1"),
        ({"title": " "}, "title", "a text", "''"),
        ({"service": {"id": 1}}, "service", "a text", "an object"),
        ({"started_at": "soon"}, "started_at", "an ISO 8601 instant or an epoch time", "'soon'"),
        (
            {"started_at": "0001-01-01T00:00:00Z"},
            "started_at",
            "an ISO 8601 instant or an epoch time",
            "'0001-01-01T00:00:00Z'",
        ),
        ({"labels": [1]}, "labels", "an object of plain values", "a list of 1"),
        ({"labels": {"a": {"b": 1}}}, "labels", "an object of plain values", "an object"),
        ({"link": "javascript:alert(1)"}, "link", "an http or https address", "'javascript:alert(1)'"),
    ],
)
def test_a_wrong_value_is_refused_by_name(changes, field, expected, found):
    with pytest.raises(BadRequest) as raised:
        read(normalized_body(**changes))
    assert raised.value.details == [{"index": 0, "field": field, "expected": expected, "found": found}]
    assert raised.value.message == (
        f"The alert cannot be read, so nothing was taken: {field} must be {expected}; got {found}."
    )


def test_all_bad_alerts_are_listed_up_to_a_hundred():
    with pytest.raises(BadRequest) as raised:
        read({"alerts": [normalized_body(), *[normalized_body(severity="purple")] * 150]})
    assert len(raised.value.details) == 100
    assert raised.value.details[0]["field"] == "alerts[1].severity"
    assert raised.value.message.startswith("150 of 151 alerts cannot be read")
