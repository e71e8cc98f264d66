"""The pages about monitors and scanners say what works: their configurations and bodies are used as they stand."""

import base64
import json
import re
from urllib.parse import urlsplit

import pytest
import yaml

from engine.runtime.settings import Settings
from engine.store.rows import many
from engine.store.schema.services import findings, incidents
from tests.web.handlers.ingest.test_ingest import ALERTS, SNS, VULNERABILITIES, outcomes, token  # noqa: F401 - a fixture
from tests.web.pages import ADDRESS, FOLDER, TOKEN, block, data, text_of

INDEX = "README.md"
PAGES = sorted(path.name for path in FOLDER.glob("*.md") if path.name != INDEX)
SCANNERS = ("tenable.md", "qualys.md", "inspector.md", "trivy.md", "grype.md", "other-scanners.md")
HEADINGS = ["Configure", "What is shown", "Limits and retries", "Try it"]


def authorization(page, token):  # noqa: F811 - the fixture's value
    """The header that the page's configuration makes its program send."""
    return {
        "grafana.md": _of_grafana,
        "datadog.md": lambda **here: data("datadog.md", "headers", **here)["Authorization"],
        "pagerduty.md": _of_pagerduty,
        "cloudwatch.md": _of_eventbridge,
        "new-relic.md": lambda **here: data("new-relic.md", "headers", **here)["Authorization"],
        "sentry.md": lambda **here: data("sentry.md", "config", **here)["webhookHeaders"].partition(": ")[2],
    }[page](token=token)


def _of_grafana(**here):
    (point,) = yaml.safe_load(block("grafana.md", "yaml config", **here))["contactPoints"]
    (receiver,) = point["receivers"]
    settings = receiver["settings"]
    assert (receiver["type"], settings["url"], settings["maxAlerts"]) == ("webhook", ADDRESS + ALERTS, "0")
    return f"{settings['authorization_scheme']} {settings['authorization_credentials']}"


def _of_pagerduty(**here):
    method = data("pagerduty.md", "config", **here)["webhook_subscription"]["delivery_method"]
    assert method["url"] == ADDRESS + ALERTS
    (header,) = method["custom_headers"]
    assert header["name"] == "Authorization"
    return header["value"]


def _of_eventbridge(**here):
    template = data("cloudwatch.md", "config", **here)
    resources = template["Resources"]
    assert resources["Console"]["Properties"]["InvocationEndpoint"] == ADDRESS + ALERTS
    key = resources["Connection"]["Properties"]["AuthParameters"]["ApiKeyAuthParameters"]
    assert key["ApiKeyName"] == "Authorization"
    return key["ApiKeyValue"]["Fn::Sub"].replace("${IngestToken}", template["Parameters"]["IngestToken"]["Default"])


def grafana_ends(body):
    body["alerts"][0] |= {"status": "resolved", "endsAt": "2026-11-20T08:25:00Z"}


def datadog_ends(body):
    title = "[P2] [Recovered on {host:db1,env:prod}] Disk is filling"
    body |= {"id": "7391827399", "alert_transition": "Recovered", "alert_type": "success", "title": title}
    body["date"] = "1795162800000"


def pagerduty_ends(body):
    body["event"] |= {"id": "01CGE", "event_type": "incident.resolved", "occurred_at": "2026-11-20T08:25:00Z"}


def cloudwatch_ends(body):
    body["id"] = "d5"
    body["detail"]["state"] |= {"value": "OK", "timestamp": "2026-11-20T08:25:00.000+0000"}


def new_relic_ends(body):
    body |= {"state": "CLOSED", "updatedAt": 1795162800000}


def sentry_ends(body):
    body["action"] = "resolved"


@pytest.fixture
def stored_rows(with_people):
    """The rows of a table in acme."""

    def rows(table):
        with with_people.reader() as connection:
            return many(connection, table, "acme")

    return rows


@pytest.mark.parametrize(
    ("page", "end", "title", "severity"),
    [
        ("grafana.md", grafana_ends, "High memory usage", "critical"),
        ("datadog.md", datadog_ends, "Disk is filling", "high"),
        ("pagerduty.md", pagerduty_ends, "Payments are declined", "critical"),
        ("cloudwatch.md", cloudwatch_ends, "OrdersWait", "high"),
        ("new-relic.md", new_relic_ends, "Apdex of 'checkout' is below 0.5 for at least 5 minutes", "critical"),
        ("sentry.md", sentry_ends, "ZeroDivisionError: division by zero", "high"),
    ],
)
def test_the_documented_body_with_the_configured_header_opens_an_incident_and_its_recovery_resolves_it(
    page,
    end,
    title,
    severity,
    token,  # noqa: F811 - the fixture of that name
    sign_in,
    clock,
    stored_rows,
):
    client, header = sign_in(None), authorization(page, token)
    body = data(page, "body")
    assert outcomes(client.post(ALERTS, body, authorization=header)) == ["created"]
    assert [(row["title"], row["severity"], row["status"]) for row in stored_rows(incidents)] == [
        (title, severity, "open")
    ]
    clock.tick(600)
    end(body)
    assert outcomes(client.post(ALERTS, body, authorization=header)) == ["resolved"]
    assert [row["status"] for row in stored_rows(incidents)] == ["resolved"]


def azure_ends(body):
    body["data"]["essentials"] |= {"monitorCondition": "Resolved", "resolvedDateTime": "2026-11-20T08:25:00Z"}


def google_ends(body):
    body["incident"] |= {"state": "closed", "ended_at": 1795163100}


def opsgenie_ends(body):
    body["action"] = "Close"


def zabbix_ends(body):
    body |= {"value": 0, "eventid": 43, "p_eventid": 42, "clock": 1795163100}


@pytest.mark.parametrize(
    ("page", "end", "title"),
    [
        ("azure-monitor.md", azure_ends, "WCUS-R2-Gen2"),
        ("google-cloud-monitoring.md", google_ends, "CPU above 80 %"),
        ("opsgenie.md", opsgenie_ends, "Orders wait"),
        ("zabbix.md", zabbix_ends, "Disk is full on db1"),
    ],
)
def test_the_documented_body_opens_an_incident_with_the_token_as_password_and_its_recovery_resolves_it(
    page,
    end,
    title,
    token,  # noqa: F811 - the fixture of that name
    sign_in,
    stored_rows,
):
    client = sign_in(None)
    password = f"Basic {base64.b64encode(f'console:{token}'.encode()).decode()}"
    body = data(page, "body")
    assert outcomes(client.post(ALERTS, body, authorization=password)) == ["created"]
    end(body)
    assert outcomes(client.post(ALERTS, body, authorization=password)) == ["resolved"]
    (row,) = stored_rows(incidents)
    assert (row["title"], row["status"]) == (title, "resolved")
    assert 12 <= (row["resolved_at"] - row["opened_at"]).total_seconds() / 60 <= 13


# -- templates -----------------------------------------------------------------------------------------------------

# variables that Datadog documents, with what it says that they hold
VARIABLES = {
    "$ID": "1234567", "$EVENT_TITLE": "[Triggered on {host:a}] Load", "$EVENT_MSG": "%%%\nLoad is high\n%%%",
    "$DATE": "1795162500000", "$LINK": "https://app.datadoghq.com/event/jump_to?event_id=123456",
    "$TAGS": "monitor, service:checkout", "$HOSTNAME": "a", "$ALERT_ID": "1234", "$ALERT_SCOPE": "host:a",
    "$ALERT_TRANSITION": "Triggered", "$ALERT_TYPE": "error", "$ALERT_PRIORITY": "P1", "$ALERT_STATUS": "load > 8",
    "$ALERT_CYCLE_KEY": "6", "$AGGREG_KEY": "9bd4ac313a4d1e8fae2482df7b77628", "$SNAPSHOT": "null",
}  # fmt: skip


def of_datadog(**changes):
    """What Datadog makes of the page's template: every variable that it knows is replaced."""
    values = VARIABLES | {f"${name}": value for name, value in changes.items()}

    def value(found):
        return json.dumps(values[found[0]])[1:-1]

    return json.loads(re.sub(r"\$[A-Z_]+", value, block("datadog.md", "json template")))


def test_datadog_s_template_keeps_the_groups_of_a_monitor_apart(token, sign_in, stored_rows):  # noqa: F811 - the fixture of that name
    client, header = sign_in(None), authorization("datadog.md", token)
    assert set(of_datadog()) == set(data("datadog.md", "body"))

    def send(**changes):
        return outcomes(client.post(ALERTS, of_datadog(**changes), authorization=header))

    assert send() == ["created"]
    assert send(ID="2", ALERT_SCOPE="host:b", EVENT_TITLE="[Triggered on {host:b}] Load") == ["created"]
    recovered = {
        "ALERT_TRANSITION": "Recovered",
        "EVENT_TITLE": "[Recovered on {host:b}] Load",
        "DATE": "1795162501000",
    }
    assert send(ID="3", ALERT_SCOPE="host:b", **recovered) == ["resolved"]
    assert sorted((row["title"], row["severity"], row["status"]) for row in stored_rows(incidents)) == [
        ("Load", "critical", "open"),
        ("Load", "critical", "resolved"),
    ]


# variables that New Relic documents for workflows
ISSUE = {
    "issueId": "i-1",
    "issuePageUrl": "https://radar-api.service.newrelic.com/accounts/1/issues/i-1",
    "annotations": {"title": ["Errors above 5 %"], "description": ["Customers cannot pay"]},
    "priority": "HIGH",
    "state": "ACTIVATED",
    "triggerEvent": "STATE_CHANGE",
    "totalIncidents": 1,
    "createdAt": 1795162320000,
    "entitiesData": {"names": ["payments"], "types": ["APPLICATION"]},
    "updatedAt": 1795162500000,
    "accumulations": {"policyName": ["Shop"], "conditionName": ["Errors"], "runbookUrl": None},
    "workflowName": "Compliance console",
}


def of_new_relic(**changes):
    """What New Relic makes of the page's template."""

    def value(found):
        held = ISSUE | changes
        for name in found[1].split("."):
            held = held[int(name[1:-1])] if name.startswith("[") else held[name]
        return json.dumps(held)

    return json.loads(re.sub(r"\{\{ json (\S+) \}\}", value, block("new-relic.md", "handlebars template")))


def test_new_relic_s_template_opens_acknowledges_and_resolves(token, sign_in, stored_rows):  # noqa: F811 - the fixture of that name
    client, header = sign_in(None), authorization("new-relic.md", token)
    assert set(of_new_relic()) == set(data("new-relic.md", "body"))

    def send(state, at):
        body = of_new_relic(state=state, updatedAt=at)
        return [*outcomes(client.post(ALERTS, body, authorization=header)), stored_rows(incidents)[0]["status"]]

    assert send("ACTIVATED", 1795162500000) == ["created", "open"]
    assert send("ACKNOWLEDGED", 1795162501000) == ["updated", "acknowledged"]
    assert send("CLOSED", 1795162502000) == ["resolved", "resolved"]
    assert [(row["title"], row["severity"]) for row in stored_rows(incidents)] == [("Errors above 5 %", "high")]


# -- AWS -----------------------------------------------------------------------------------------------------------


def test_the_rule_of_eventbridge_lets_through_what_the_page_shows_and_no_other_event():
    pattern = data("cloudwatch.md", "config")["Resources"]["Alarms"]["Properties"]["EventPattern"]

    def passes(event):
        return all(event[name] in allowed for name, allowed in pattern.items())

    body = data("cloudwatch.md", "body")
    assert passes(body)
    assert not passes({**body, "detail-type": "CloudWatch Alarm Configuration Change"})
    assert not passes({**body, "source": "aws.ec2"})


def test_everything_that_the_template_for_aws_refers_to_is_in_it():
    template = data("cloudwatch.md", "config")
    referred = re.findall(r'"(?:Ref|Fn::GetAtt)": (?:\[)?"(\w+)"', json.dumps(template))
    assert set(referred) <= set(template["Resources"]) | set(template["Parameters"])
    assert set(template["Resources"]) - set(referred) == {"UndeliveredPolicy"}, "nothing is left over"


def test_sns_is_asked_for_its_password_confirmed_by_hand_and_then_posts_alarms(token, sign_in, stored_rows, caplog):  # noqa: F811 - the fixture of that name
    (endpoint,) = re.findall(r"--notification-endpoint (\S+)", block("cloudwatch.md", "bash sns", token=token))
    parts = urlsplit(endpoint)
    assert (parts.scheme, parts.hostname, parts.path) == ("https", urlsplit(ADDRESS).hostname, ALERTS)
    password = f"Basic {base64.b64encode(f'{parts.username}:{parts.password}'.encode()).decode()}"
    topic = "arn:aws:sns:eu-west-1:123456789012:alarms"
    confirm = {
        "Type": "SubscriptionConfirmation",
        "MessageId": "m1",
        "TopicArn": topic,
        "Token": "2336412f37fb687f",
        "Message": "You have chosen to subscribe to the topic",
        "Timestamp": "2026-11-20T08:00:00.000Z",
        "SubscribeURL": f"https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn={topic}",
    }
    alarm = json.dumps(
        {
            "AlarmName": "OrdersWait",
            "NewStateValue": "ALARM",
            "StateChangeTime": "2026-11-20T08:15:00.000+0000",
            "AlarmArn": "arn:aws:cloudwatch:eu-west-1:123456789012:alarm:OrdersWait",
        }
    )
    notify = {"Type": "Notification", "MessageId": "m2", "TopicArn": topic, "Message": alarm}
    client = sign_in(None)
    asked = client.post(ALERTS, confirm, **SNS)
    assert (asked.status, asked.headers["www-authenticate"].startswith("Basic realm=")) == (401, True)
    with caplog.at_level("INFO", logger="hq"):
        assert outcomes(client.post(ALERTS, confirm, authorization=password, **SNS)) == ["ignored"]
    assert (
        f"aws sns confirm-subscription --region eu-west-1 --topic-arn {topic} --token 2336412f37fb687f" in caplog.text
    )
    assert outcomes(client.post(ALERTS, notify, authorization=password, **SNS)) == ["created"]
    assert [row["title"] for row in stored_rows(incidents)] == ["OrdersWait"]


# -- our own forms -------------------------------------------------------------------------------------------------


def test_the_documented_bodies_of_our_own_are_taken(token, sign_in, stored_rows):  # noqa: F811 - the fixture of that name
    client, header = sign_in(None), f"Bearer {token}"
    assert outcomes(client.post(ALERTS, data("anything-else.md", "body"), authorization=header)) == ["created"]
    scan = data("other-scanners.md", "body")
    assert client.post(VULNERABILITIES, scan, authorization=header).json["created"] == 1
    clean = client.post(VULNERABILITIES, {**scan, "findings": []}, authorization=header)
    assert (clean.status, clean.json["closed_as_missing"]) == (200, 1)
    assert [row["status"] for row in stored_rows(findings)] == ["fixed"]


@pytest.mark.parametrize("page", ["inspector.md", "trivy.md", "grype.md"])
def test_the_documented_report_is_taken(page, token, sign_in, stored_rows):  # noqa: F811 - the fixture of that name
    answer = sign_in(None).post(VULNERABILITIES, data(page, "body"), authorization=f"Bearer {token}")
    assert (answer.status, answer.json["created"]) == (200, 1)
    assert [row["source"] for row in stored_rows(findings)] == [page.removesuffix(".md")]


@pytest.mark.parametrize("page", ["aws-health.md", "guardduty.md"])
def test_the_documented_event_of_aws_opens_an_incident(page, token, sign_in, stored_rows):  # noqa: F811 - the fixture of that name
    assert outcomes(sign_in(None).post(ALERTS, data(page, "body"), authorization=f"Bearer {token}")) == ["created"]
    assert [row["severity"] for row in stored_rows(incidents)] == ["high"]


# -- the pages themselves ------------------------------------------------------------------------------------------


def test_the_index_lists_every_page_and_none_other():
    rows = re.findall(r"^\| \[(.+?)\]\((.+?)\) \|", text_of(INDEX), re.MULTILINE)
    assert sorted(name for _, name in rows) == PAGES
    assert {name: title for title, name in rows if title != "Anything else"} == {
        page: text_of(page).partition("\n")[0].removeprefix("# ") for page in PAGES if page != "anything-else.md"
    }


@pytest.mark.parametrize("page", PAGES)
def test_a_page_says_how_to_configure_what_is_shown_which_limits_there_are_and_how_to_try_it(page):
    headings = re.findall(r"^## (.+)$", text_of(page), re.MULTILINE)
    assert [heading for heading in headings if heading != "SNS"] == HEADINGS


@pytest.mark.parametrize("page", PAGES)
def test_a_page_names_the_route_and_the_token_that_belong_to_it(page):
    scanner = page in SCANNERS
    routes = set(re.findall(r"/api/integrations/\w+", text_of(page)))
    assert routes == {VULNERABILITIES if scanner else ALERTS}
    assert TOKEN in text_of(page)
    assert ADDRESS in text_of(page)


def test_every_setting_that_is_named_exists_with_the_limit_that_is_named():
    known = {name: value for name, value, _ in Settings().listing()}
    named = {name for page in (INDEX, *PAGES) for name in re.findall(r"\bSVC_[A-Z_]+[A-Z]", text_of(page))}
    assert named - set(known) == set()
    said = dict(re.findall(r"^\| .+ \| ([\d,]+)(?: MiB)?, `(SVC_\w+)` \|", text_of(INDEX), re.MULTILINE))
    assert {name: int(value.replace(",", "")) for value, name in said.items()} == {
        "SVC_INGEST_MAX_BYTES": int(known["SVC_INGEST_MAX_BYTES"]) // 2**20,
        "SVC_INGEST_MAX_ALERTS": int(known["SVC_INGEST_MAX_ALERTS"]),
        "SVC_INGEST_PER_MINUTE": int(known["SVC_INGEST_PER_MINUTE"]),
    }


@pytest.mark.parametrize("page", [INDEX, *PAGES])
def test_every_page_that_is_linked_exists(page):
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", text_of(page))
    assert [link for link in links if not (FOLDER / link).exists()] == []
