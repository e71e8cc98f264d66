"""Bodies as the senders' documents describe them; every call gives a fresh copy."""

import json
from datetime import UTC, datetime
from pathlib import Path

RECEIVED = datetime(2026, 11, 20, 8, 30, tzinfo=UTC)
FINGERPRINT = "9f2c1b7a4d6e8035"


def at(hour, minute=0, second=0, *, day=20):
    return datetime(2026, 11, day, hour, minute, second, tzinfo=UTC)


def alertmanager_alert(**changes):
    return {
        "status": "firing",
        "labels": {
            "alertname": "HighErrorRate",
            "severity": "critical",
            "service": "checkout",
            "instance": "web1:9100",
        },
        "annotations": {"summary": "Checkout fails", "description": "5xx rate is 11 %"},
        "startsAt": "2026-11-20T08:12:00.123456789Z",
        "endsAt": "0001-01-01T00:00:00Z",
        "generatorURL": "http://prometheus.example:9090/graph?g0.expr=up",
        "fingerprint": FINGERPRINT,
        **changes,
    }


def alertmanager(*alerts, **changes):
    return {
        "receiver": "hq",
        "status": "firing",
        "alerts": list(alerts),
        "groupLabels": {"alertname": "HighErrorRate"},
        "commonLabels": {"alertname": "HighErrorRate", "severity": "critical"},
        "commonAnnotations": {},
        "externalURL": "http://alertmanager.example:9093",
        "version": "4",
        "groupKey": '{}:{alertname="HighErrorRate"}',
        "truncatedAlerts": 0,
        **changes,
    }


def grafana_alert(**changes):
    return {
        **alertmanager_alert(generatorURL="/alerting/grafana/d1/view"),
        "silenceURL": "https://grafana.example/alerting/silence/new",
        "dashboardURL": "",
        "panelURL": "https://grafana.example/d/abc?viewPanel=2",
        "values": None,
        "valueString": "[ var='A' labels={} value=11 ]",
        **changes,
    }


def grafana(*alerts, **changes):
    return {
        **alertmanager(*alerts),
        "version": "1",
        "orgId": 7,
        "title": "[FIRING:1] HighErrorRate",
        "state": "alerting",
        "message": "**Firing**",
        **changes,
    }


def grafana_panel(**changes):
    return {
        "dashboardId": 1,
        "evalMatches": [{"value": 100, "metric": "High value", "tags": None}],
        "message": "Someone is testing",
        "orgId": 1,
        "panelId": 2,
        "ruleId": 42,
        "ruleName": "Panel title alert",
        "ruleUrl": "https://grafana.example/d/hZ7?viewPanel=2",
        "state": "alerting",
        "tags": {"severity": "high", "service": "search"},
        "title": "[Alerting] Panel title alert",
        **changes,
    }


def datadog(**changes):
    return {
        "id": "7391827364",
        "title": "[P2] [Triggered on {host:db1,env:prod}] Disk is 93 % full on db1",
        "body": "%%%\nDisk is filling. @slack-ops\n%%%",
        "date": "1795162500000",
        "link": "https://app.datadoghq.com/event/event?id=7391827364",
        "tags": "env:prod,service:orders,team:a,team:b,monitor",
        "hostname": "db1",
        "alert_id": "8812",
        "alert_scope": "host:db1,env:prod",
        "alert_transition": "Triggered",
        "alert_type": "error",
        "alert_priority": "P2",
        "alert_cycle_key": "15620",
        **changes,
    }


def datadog_default(**changes):
    """The template that an account starts with."""
    return {
        "body": "%%%\nDisk is filling.\n\n[Monitor](https://app.datadoghq.com/monitors/8812?group=host%3Adb1)\n%%%",
        "last_updated": "1795162500000",
        "event_type": "query_alert_monitor",
        "title": "[Triggered on {host:db1}] Disk is 93 % full",
        "date": "1795162500000",
        "org": {"id": "12", "name": "Acme"},
        "id": "7391827364",
        **changes,
    }


def pagerduty_incident(**changes):
    return {
        "id": "PGR0VU2",
        "type": "incident",
        "self": "https://api.pagerduty.com/incidents/PGR0VU2",
        "html_url": "https://acme.pagerduty.com/incidents/PGR0VU2",
        "number": 2,
        "status": "triggered",
        "incident_key": "d3640fbd41094207a1c11e58e46b1662",
        "created_at": "2026-11-20T08:10:00Z",
        "title": "A little bump in the road",
        "service": {"id": "PF9KMXH", "summary": "API Service", "type": "service_reference"},
        "assignees": [{"id": "PTUXL6G", "summary": "User 123"}],
        "priority": {"id": "PSO75BM", "summary": "P1"},
        "urgency": "high",
        "conference_bridge": None,
        "resolve_reason": None,
        **changes,
    }


def pagerduty(kind, data=None, **changes):
    return {
        "event": {
            "id": "5ac64822-4adc-4fda-ade0-410becf0de4f",
            "event_type": kind,
            "resource_type": "incident",
            "occurred_at": "2026-11-20T08:20:00.512Z",
            "agent": {"id": "PLH1HKV", "summary": "Tenex Engineer", "type": "user_reference"},
            "client": None,
            "data": pagerduty_incident() if data is None else data,
            **changes,
        }
    }


def cloudwatch_alarm(**changes):
    return {
        "AlarmName": "QueueDepth",
        "AlarmDescription": "Orders wait",
        "AlarmArn": "arn:aws:cloudwatch:eu-west-1:123456789012:alarm:QueueDepth",
        "AWSAccountId": "123456789012",
        "Region": "EU (Ireland)",
        "NewStateValue": "ALARM",
        "OldStateValue": "OK",
        "NewStateReason": "Threshold crossed: 1 datapoint was greater than 100",
        "StateChangeTime": "2026-11-20T08:15:00.000+0000",
        "Trigger": {"MetricName": "Depth", "Dimensions": [{"name": "QueueName", "value": "orders"}]},
        **changes,
    }


def cloudwatch_event(**state):
    return {
        "version": "0",
        "id": "c4c1c1c9-6542-e61b-6ef0-8c4d36933a92",
        "detail-type": "CloudWatch Alarm State Change",
        "source": "aws.cloudwatch",
        "account": "123456789012",
        "time": "2026-11-20T08:15:00Z",
        "region": "eu-west-1",
        "resources": ["arn:aws:cloudwatch:eu-west-1:123456789012:alarm:QueueDepth"],
        "detail": {
            "alarmName": "QueueDepth",
            "state": {"value": "ALARM", "reason": "Threshold crossed", "timestamp": "2026-11-20T08:15:00.985+0000"}
            | state,
            "configuration": {
                "description": "Orders wait",
                "metrics": [{"metricStat": {"metric": {"name": "Depth", "dimensions": {"QueueName": "orders"}}}}],
            },
        },
    }


def sns(kind="Notification", **changes):
    return {
        "Type": kind,
        "MessageId": "22b80b92-fdea-4c2c-8f9d-bdfb0c7bf324",
        "TopicArn": "arn:aws:sns:eu-west-1:123456789012:alarms",
        "Message": "You have chosen to subscribe",
        "Timestamp": "2026-11-20T08:15:01.000Z",
        "SignatureVersion": "1",
        "Signature": "EXAMPLEw6JRN",
        "SigningCertURL": "https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-1.pem",
        **changes,
    }


def sns_subscription(**changes):
    token = "2336412f37fb687f5d51e6e241d09c80"
    topic = "arn:aws:sns:eu-west-1:123456789012:alarms"
    address = f"https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn={topic}&Token={token}"
    return sns("SubscriptionConfirmation", **{"Token": token, "SubscribeURL": address, **changes})


def newrelic(**changes):
    return {
        "id": "1ea9e2b8-cb6e-4b5a-9a4e-7f5a6b0f2a11",
        "issueUrl": "https://radar-api.service.newrelic.com/accounts/1/issues/1ea9e2b8",
        "title": "Apdex of 'checkout' is below 0.5 for at least 5 minutes",
        "priority": "CRITICAL",
        "impactedEntities": ["checkout"],
        "totalIncidents": 1,
        "state": "ACTIVATED",
        "trigger": "STATE_CHANGE",
        "isCorrelated": False,
        "createdAt": 1795162320000,
        "updatedAt": 1795162500000,
        "sources": ["newrelic"],
        "alertPolicyNames": ["Shop"],
        "alertConditionNames": ["Apdex low"],
        "workflowName": "Compliance console",
        **changes,
    }


def newrelic_channel(**changes):
    return {
        "account_id": 560357,
        "account_name": "Acme",
        "condition_id": 12,
        "condition_name": "Apdex low",
        "current_state": "open",
        "details": "Apdex < 0.5 for at least 5 minutes on 'checkout'",
        "event_type": "INCIDENT",
        "incident_id": 0,
        "incident_url": "https://alerts.newrelic.com/accounts/560357/incidents/0",
        "owner": "",
        "policy_name": "Shop",
        "runbook_url": "https://wiki.example.com/apdex",
        "severity": "WARNING",
        "targets": [{"id": "1", "name": "checkout", "labels": {}, "product": "APM", "type": "Application"}],
        "timestamp": 1795162500000,
        "version": "1.0",
        **changes,
    }


def sentry(action, data, **changes):
    return {
        "action": action,
        "installation": {"uuid": "a8e5d37a-696c-4c54-adb5-b3f28d64c7de"},
        "data": data,
        "actor": {"type": "application", "id": "sentry", "name": "Sentry"},
        **changes,
    }


def sentry_issue(action="created", **changes):
    issue = {
        "id": "1170820242",
        "shortId": "SHOP-3Q",
        "title": "ZeroDivisionError: division by zero",
        "culprit": "shop.cart in total",
        "level": "error",
        "status": "unresolved",
        "substatus": "new",
        "platform": "python",
        "project": {"id": "1", "name": "Shop", "slug": "shop", "platform": "python"},
        "firstSeen": "2026-11-20T08:15:00Z",
        "lastSeen": "2026-11-20T08:15:00Z",
        "web_url": "https://acme.sentry.io/issues/1170820242/",
        "permalink": None,
        **changes,
    }
    return sentry(action, {"issue": issue})


def sentry_rule(**changes):
    event = {
        "event_id": "e4874d664c3540c1a32eab185f12c5ab",
        "issue_id": "1170820242",
        "title": "ZeroDivisionError: division by zero",
        "culprit": "shop.cart in total",
        "level": "fatal",
        "datetime": "2026-11-20T08:15:00.000000Z",
        "environment": "production",
        "release": "shop@2.4.1",
        "project": 1,
        "tags": [["server_name", "web-3"], ["browser", "Chrome 75"]],
        "url": "https://sentry.io/api/0/projects/acme/shop/events/e4874d664c3540c1a32eab185f12c5ab/",
        "web_url": "https://acme.sentry.io/issues/1170820242/events/e4874d664c3540c1a32eab185f12c5ab/",
        **changes,
    }
    return sentry("triggered", {"event": event, "triggered_rule": "Fatal errors of the shop"})


def sentry_metric(action="critical", **changes):
    alert = {
        "id": "77",
        "identifier": "2",
        "title": "Too many errors",
        "projects": ["shop"],
        "alert_rule": {"id": "7", "name": "Too many errors", "aggregate": "count()", "query": "level:error"},
        "date_started": "2026-11-20T08:10:00Z",
        "date_detected": "2026-11-20T08:12:00Z",
        "date_closed": None,
        "status": 20,
        **changes,
    }
    data = {
        "metric_alert": alert,
        "description_text": "1000 events in the last 10 minutes",
        "description_title": f"{action.title()}: Too many errors",
        "web_url": "https://acme.sentry.io/alerts/rules/details/77/",
    }
    return sentry(action, data)


def normalized_body(**changes):
    return {"title": "Checkout fails for one user in ten", "status": "firing", **changes}


def qualys(**changes):
    return {
        "QID": 38170,
        "HOST": "10.0.0.5",
        "SEVERITY": "5",
        "TITLE": "SSL Certificate - Subject Common Name Does Not Match",
        "PORT": "443",
        "PROTOCOL": "TCP",
        "STATUS": "Active",
        "FIRST_FOUND_DATETIME": "2026-10-01T04:00:00Z",
        "LAST_FOUND_DATETIME": "2026-11-19T04:00:00Z",
        **changes,
    }


def qualys_output(*hosts, **response):
    return {"HOST_LIST_VM_DETECTION_OUTPUT": {"RESPONSE": {"HOST_LIST": {"HOST": list(hosts)}, **response}}}


def qualys_host(*detections, **changes):
    inside = detections[0] if len(detections) == 1 else list(detections)
    return {
        "ID": "6506432",
        "IP": "10.0.0.5",
        "TRACKING_METHOD": "AGENT",
        "OS": "Linux 5.15",
        "DNS_DATA": {"HOSTNAME": "web1", "DOMAIN": "example.com", "FQDN": "web1.example.com"},
        "DETECTION_LIST": {"DETECTION": inside},
        **changes,
    }


def qualys_detection(**changes):
    return {
        "UNIQUE_VULN_ID": "5707",
        "QID": "38170",
        "TYPE": "Confirmed",
        "SEVERITY": "4",
        "PORT": "443",
        "PROTOCOL": "tcp",
        "STATUS": "New",
        "FIRST_FOUND_DATETIME": "2026-10-01T04:00:00Z",
        "LAST_FOUND_DATETIME": "2026-11-19T04:00:00Z",
        **changes,
    }


def tenable(**changes):
    return {
        "asset": {
            "uuid": "cf165808-6a31-48e1-9cf3-c6c3174df51d",
            "hostname": "web1",
            "fqdn": ["web1.example.com"],
            "ipv4": "192.0.2.8",
            "operating_system": ["Linux Kernel 5.15"],
        },
        "plugin": {
            "id": 156032,
            "name": "Apache Log4j Remote Code Execution",
            "family": "Misc.",
            "cve": ["CVE-2021-45046", "CVE-2021-44228"],
            "cvss_base_score": 9.3,
            "cvss3_base_score": 10.0,
            "vpr": {"score": 9.9},
            "risk_factor": "High",
        },
        "port": {"port": 8443, "protocol": "TCP", "service": "www"},
        "output": "Path : /opt/app",
        "severity": "critical",
        "severity_id": 4,
        "severity_modification_type": "NONE",
        "state": "OPEN",
        "first_found": "2026-10-01T04:00:00.000Z",
        "last_found": "2026-11-19T04:00:00.000Z",
        **changes,
    }


def security_center(**changes):
    return {
        "pluginID": "156032",
        "pluginName": "Apache Log4j Remote Code Execution",
        "severity": {"id": "4", "name": "Critical", "description": "Critical Severity"},
        "ip": "192.0.2.8",
        "dnsName": "web1.example.com",
        "netbiosName": "",
        "port": "8443",
        "protocol": "TCP",
        "firstSeen": "1790827200",
        "lastSeen": "1795060800",
        "acceptRisk": "0",
        "cve": "CVE-2021-44228,CVE-2021-45046",
        "baseScore": "9.3",
        "cvssV3BaseScore": "10.0",
        "repository": {"id": "3", "name": "Prod"},
        "hostUniqueness": "repositoryID,ip,dnsName",
        "vulnUniqueness": "repositoryID,ip,port,protocol,pluginID",
        "pluginText": "<plugin_output>Path : /opt/app</plugin_output>",
        **changes,
    }


def finding(**changes):
    return {"finding_id": "trivy-1f0c", "host": "web1", "severity": "high", **changes}


def sample(name):
    """The body of ``samples/``, as the sender writes it."""
    return json.loads((Path(__file__).parent / "samples" / f"{name}.json").read_text())


def azure_monitor(condition="Fired", **changes):
    """The common alert schema, as Azure's documentation shows it."""
    return {
        "schemaId": "azureMonitorCommonAlertSchema",
        "data": {
            "essentials": {
                "alertId": "/subscriptions/s/providers/Microsoft.AlertsManagement/alerts/b9569717-bc32-442f-add5",
                "alertRule": "WCUS-R2-Gen2",
                "severity": "Sev1",
                "signalType": "Metric",
                "monitorCondition": condition,
                "monitoringService": "Platform",
                "alertTargetIDs": ["/subscriptions/s/resourcegroups/pipelines/providers/m/virtualmachines/web1"],
                "configurationItems": ["web1"],
                "originAlertId": "3f2d4487-b0fc-4125-8bd5-7ad17384221e",
                "firedDateTime": "2026-11-20T08:12:24.3713213Z",
                "resolvedDateTime": "2026-11-20T08:25:00Z" if condition == "Resolved" else None,
                "description": "CPU is high",
                "essentialsVersion": "1.0",
                "alertContextVersion": "1.0",
                **changes,
            },
            "alertContext": {},
            "customProperties": {"team": "platform"},
        },
    }


def google_monitoring(state="open", **changes):
    """Version 1.2 of what a webhook channel of Cloud Monitoring posts."""
    return {
        "incident": {
            "incident_id": "0.opqiw61fsv7p",
            "scoping_project_id": "internal-project",
            "url": "https://console.cloud.google.com/monitoring/alerting/incidents/0.opqiw61fsv7p",
            "started_at": 1795162320,
            "ended_at": 1795163100 if state == "closed" else None,
            "state": state,
            "summary": "CPU usage of web1 is above 0.8",
            "resource": {"type": "gce_instance", "labels": {"instance_id": "11223344", "zone": "europe-west1-b"}},
            "resource_type_display_name": "VM Instance",
            "metric": {"type": "compute.googleapis.com/instance/cpu/utilization", "labels": {}},
            "observed_value": "0.91",
            "threshold_value": "0.8",
            "policy_name": "CPU",
            "policy_user_labels": {"service": "checkout"},
            "condition_name": "CPU above 80 %",
            "documentation": {"content": "Look at the queue", "mime_type": "text/markdown"},
            "severity": "Critical",
            **changes,
        },
        "version": "1.2",
    }


def opsgenie(action, **changes):
    """The webhook integration of Opsgenie: times in milliseconds and in nanoseconds."""
    return {
        "source": {"name": "", "type": "web"},
        "alert": {
            "alertId": "052652ac-5d1c-464a-812a-7dd18bbfba8c",
            "message": "Orders wait",
            "alias": "orders",
            "tinyId": "23",
            "entity": "queue1",
            "tags": ["shop", "OverwriteQuietHours"],
            "createdAt": 1795162320000,
            "updatedAt": 1795163100000000000,
            "username": "ann@acme.example",
            "description": "Orders wait for ten minutes",
            "details": {"service": "checkout"},
            "priority": "P1",
            "source": "cron",
            **changes,
        },
        "action": action,
        "integrationName": "console",
        "integrationId": "37c8f316-17c6-49d7-899b-9c7e540c048d",
        "integrationType": "Webhook",
    }


def zabbix(value=1, **changes):
    """An event of the real-time export: a problem, or with 0 its recovery."""
    problem = {
        "name": "Disk is full on db1",
        "severity": 4,
        "hosts": [{"host": "db1", "name": "Database 1"}],
        "groups": ["Databases"],
        "tags": [{"tag": "service", "value": "orders"}],
    }
    event = {"clock": 1795162320, "ns": 123456789, "value": 1, "eventid": 42, **problem}
    recovery = {"clock": 1795163100, "ns": 987654321, "value": 0, "eventid": 43, "p_eventid": 42}
    return {**(event if value else recovery), **changes}


def guardduty(**changes):
    """A finding of GuardDuty, as EventBridge posts it."""
    return {
        "version": "0",
        "id": "c8c4daa7-a20c-2f03-0070-b7393dd542ad",
        "detail-type": "GuardDuty Finding",
        "source": "aws.guardduty",
        "account": "123456789012",
        "time": "2026-11-20T08:20:00Z",
        "region": "eu-west-1",
        "resources": [],
        "detail": {
            "schemaVersion": "2.0",
            "accountId": "123456789012",
            "region": "eu-west-1",
            "id": "16afba5c5c43e07c9e3e5e2e544e95df",
            "type": "CryptoCurrency:EC2/BitcoinTool.B!DNS",
            "resource": {"resourceType": "Instance", "instanceDetails": {"instanceId": "i-99999999"}},
            "service": {"count": 3, "eventFirstSeen": "2026-11-20T08:12:00Z", "archived": False},
            "severity": 8,
            "createdAt": "2026-11-20T08:14:00Z",
            "updatedAt": "2026-11-20T08:15:00Z",
            "title": "EC2 instance i-99999999 queries a name of a mining pool.",
            "description": "The instance asks for a domain of cryptocurrency activity.",
            **changes,
        },
    }


def aws_health(status="open", **changes):
    """An event of AWS Health, as EventBridge posts it."""
    return {
        "version": "0",
        "id": f"7bf73129-1428-4cd3-a780-{status}",
        "detail-type": "AWS Health Event",
        "source": "aws.health",
        "account": "123456789012",
        "time": "2026-11-20T08:16:00Z",
        "region": "eu-west-1",
        "resources": ["i-abcd1111"],
        "detail": {
            "eventArn": "arn:aws:health:eu-west-1::event/EC2/AWS_EC2_OPERATIONAL_ISSUE/AWS_EC2_OPERATIONAL_ISSUE_1",
            "service": "EC2",
            "eventTypeCode": "AWS_EC2_OPERATIONAL_ISSUE",
            "eventTypeCategory": "issue",
            "eventRegion": "eu-west-1",
            "startTime": "Fri, 20 Nov 2026 08:12:00 GMT",
            "endTime": "Fri, 20 Nov 2026 08:25:00 GMT" if status == "closed" else None,
            "statusCode": status,
            "eventDescription": [{"language": "en_US", "latestDescription": "Instances are unreachable"}],
            **changes,
        },
    }
