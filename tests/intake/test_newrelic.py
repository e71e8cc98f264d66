"""New Relic: workflows and the channels before them."""

import pytest

from engine.intake.alerts import Alert, read_alerts
from engine.model.errors import BadRequest
from tests.intake.bodies import RECEIVED, at, newrelic, newrelic_channel

KEY = "newrelic:1ea9e2b8-cb6e-4b5a-9a4e-7f5a6b0f2a11"


def read(body):
    (alert,) = read_alerts(body, received_at=RECEIVED)
    return alert


def test_the_default_template_of_a_workflow():
    assert read(newrelic()) == Alert(
        source="newrelic",
        dedupe_key=KEY,
        state="firing",
        title="Apdex of 'checkout' is below 0.5 for at least 5 minutes",
        severity="critical",
        severity_text="CRITICAL",
        severity_given=True,
        service="checkout",
        started_at=at(8, 12),
        occurred_at=at(8, 15),
        link="https://radar-api.service.newrelic.com/accounts/1/issues/1ea9e2b8",
        links={"source": "https://radar-api.service.newrelic.com/accounts/1/issues/1ea9e2b8"},
        labels={"condition": "Apdex low", "entities": "checkout", "policy": "Shop", "workflow": "Compliance console"},
        origin="newrelic",
        note="The issue is activated.",
    )


@pytest.mark.parametrize(
    ("word", "state", "acknowledged"),
    [
        ("CREATED", "firing", False),
        ("activated", "firing", False),
        ("ACKNOWLEDGED", "update", True),
        ("CLOSED", "resolved", False),
    ],
)
def test_states_of_an_issue(word, state, acknowledged):
    alert = read(newrelic(state=word))
    assert (alert.dedupe_key, alert.state, alert.acknowledged) == (KEY, state, acknowledged)


def test_a_closed_issue_ends_when_it_was_closed():
    alert = read(newrelic(state="CLOSED", closedAt=1795162560000, updatedAt=1795162620000))
    assert (alert.started_at, alert.ended_at, alert.occurred_at) == (at(8, 12), at(8, 16), at(8, 16))
    assert (alert.severity, alert.severity_given) == ("info", False)
    assert read(newrelic(state="CLOSED")).ended_at == at(8, 15)


def test_lists_may_be_texts_and_names_may_vary():
    alert = read(
        newrelic(
            id=None,
            issueId="i1",
            issueUrl=None,
            issuePageUrl="https://one.newrelic.com/i1",
            title=["First", "Second"],
            description=["One", "Two"],
            alertPolicyNames="Shop",
            alertConditionNames=["A", None, "B"],
            impactedEntities="web-3",
            entityTypes=["HOST"],
            runbookUrls=["https://wiki.example.com/apdex"],
            chartUrl="https://gorgon.nr-assets.net/image/1.png",
        )
    )
    assert (alert.dedupe_key, alert.title, alert.description) == ("newrelic:i1", "First", "One\nTwo")
    assert (alert.service, alert.host, alert.link) == (None, "web-3", "https://one.newrelic.com/i1")
    assert alert.runbook_url == "https://wiki.example.com/apdex"
    assert alert.image_url == "https://gorgon.nr-assets.net/image/1.png"
    assert (alert.labels["policy"], alert.labels["condition"]) == ("Shop", "A, B")


def test_an_issue_about_several_entities_is_about_no_single_service():
    alert = read(newrelic(impactedEntities=["checkout", "search"], title=None))
    assert (alert.service, alert.labels["entities"], alert.title) == (None, "checkout, search", "Apdex low")


def test_an_issue_with_nothing_but_what_tells_it():
    alert = read({"issueId": "i1", "state": "CREATED", "priority": None})
    assert alert == Alert(
        "newrelic", "newrelic:i1", "firing", "Issue i1", origin="newrelic", note="The issue is created."
    )


def test_the_channels_of_old_have_incidents_of_which_0_is_one():
    assert read(newrelic_channel()) == Alert(
        source="newrelic",
        dedupe_key="newrelic:0",
        state="firing",
        title="Apdex low",
        severity="medium",
        severity_text="WARNING",
        severity_given=True,
        description="Apdex < 0.5 for at least 5 minutes on 'checkout'",
        service="checkout",
        started_at=at(8, 15),
        occurred_at=at(8, 15),
        link="https://alerts.newrelic.com/accounts/560357/incidents/0",
        links={"source": "https://alerts.newrelic.com/accounts/560357/incidents/0"},
        runbook_url="https://wiki.example.com/apdex",
        labels={"condition": "Apdex low", "entities": "checkout", "policy": "Shop"},
        origin="newrelic",
        note="The incident is open.",
    )


def test_a_migrated_workflow_may_name_the_issue_alone():
    body = newrelic_channel(issue_id="1ea9e2b8")
    assert read(body).dedupe_key == "newrelic:0"
    del body["incident_id"]
    assert read(body).dedupe_key == "newrelic:1ea9e2b8"


@pytest.mark.parametrize(
    ("word", "state"), [("OPEN", "firing"), ("acknowledged", "update"), ("closed", "resolved"), ("test", "ignored")]
)
def test_states_of_an_incident(word, state):
    assert read(newrelic_channel(current_state=word)).state == state


@pytest.mark.parametrize(
    ("body", "message"),
    [
        (newrelic(id="", issueId=None), "id must be the identifier of the issue; got ''"),
        (newrelic(state="MERGED"), "state must be CREATED, ACTIVATED, ACKNOWLEDGED or CLOSED; got 'MERGED'"),
        (newrelic_channel(current_state=None), "current_state must be open, acknowledged or closed; got nothing"),
        (newrelic_channel(incident_id=None), "incident_id must be the number of the incident; got nothing"),
    ],
)
def test_a_broken_message_names_the_field(body, message):
    with pytest.raises(BadRequest, match=message):
        read(body)
