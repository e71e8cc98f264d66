"""Services, what they depend on, their objectives and what happens to them."""

from __future__ import annotations

from sqlalchemy import Index

from engine.model import records
from engine.store.schema.columns import (
    TypedTable,
    choice,
    day,
    flag,
    instant,
    json,
    key,
    number,
    person,
    reference,
    tenant_table,
    text,
    whole_number,
)

services: TypedTable[records.ServiceRow] = tenant_table(
    "services",
    "A service that is operated: incidents, findings and objectives hang on it.",
    key("id", "identifier"),
    text("name", "name"),
    person("owner", "e-mail address of the owner", null=True),
    whole_number("criticality", "1 (minor) to 5 (vital)", low=1, high=5),
    choice("environment", "where it runs", "Environment", default="production"),
    flag("internet_facing", "reachable from the internet", default=False),
    flag("holds_customer_data", "stores or processes customer data", default=False),
    natural=("name",),
)

service_dependencies: TypedTable[records.ServiceDependencyRow] = tenant_table(
    "service_dependencies",
    "A service needs another one.",
    reference("service_id", "the service that needs", "services"),
    reference("depends_on_id", "the service that is needed", "services"),
    text("kind", "such as api, database, queue", null=True),
    flag("segmented", "network segmentation or strong authentication between the two", default=False),
    reference(
        "vendor_id", "vendor that stands behind it: its outage reaches the service that needs", "vendors", null=True
    ),
    primary=("service_id", "depends_on_id"),
)

slo_profiles: TypedTable[records.SloProfileRow] = tenant_table(
    "slo_profiles",
    "The service level objective of a service.",
    reference("service_id", "service", "services"),
    number("objective_pct", "target, such as 99.9", low=0, high=100),
    text("indicator", "what is counted as good", null=True),
    choice("window_kind", "rolling days or calendar months", "SloWindow", default="rolling"),
    primary=("service_id",),
)

slo_buckets: TypedTable[records.SloBucketRow] = tenant_table(
    "slo_buckets",
    "Events of a service in five minutes: how many, and how many were bad.",
    reference("service_id", "service", "services"),
    instant("bucket_at", "start of the five minutes"),
    whole_number("total", "events", low=0),
    whole_number("bad", "bad events", low=0),
    primary=("service_id", "bucket_at"),
    clustered=True,
)

incidents: TypedTable[records.IncidentRow] = tenant_table(
    "incidents",
    "An incident from first sign to closure.",
    key("id", "identifier"),
    text("title", "title"),
    choice("severity", "severity; only rises by itself", "Severity"),
    choice("status", "state", "IncidentStatus"),
    reference("service_id", "service", "services", null=True),
    text("workspace_id", "workspace", null=True),
    text("source", "monitor or scanner that reported it", null=True),
    text("dedupe_key", "key that further alerts are matched by", null=True),
    whole_number("alert_count", "alerts received", low=0, null=True),
    instant("started_at", "when the trouble began", null=True),
    instant("opened_at", "when it was detected"),
    instant("acknowledged_at", "when somebody took it", null=True),
    instant("mitigated_at", "when the effect ended", null=True),
    instant("resolved_at", "when it was resolved", null=True),
    instant("closed_at", "when it was closed", null=True),
    instant("last_seen_at", "last alert", null=True),
    person("owner", "e-mail address of the owner", null=True),
    text("summary", "summary", null=True),
    text("root_cause", "established cause", null=True),
    whole_number("impact_users", "users affected", null=True, low=0),
    text("related_to", "earlier incident with the same key", null=True),
    text("host", "host or instance that the alert names", null=True),
    json("labels", "the alert's labels by name"),
    json("annotations", "the alert's texts for people by name"),
    text("runbook_url", "runbook that the alert names", null=True),
    json("links", "addresses in the monitor by what they lead to, such as source, panel, silence"),
    text("value", "what was measured, in the monitor's words", null=True),
    text("image_url", "graph of it", null=True),
    instant("sender_at", "the sender's own time of the last alert or recovery applied", null=True, internal=True),
    instant("opened_heard_at", "when the console heard of it", null=True),
    instant("acknowledged_heard_at", "when the console heard that somebody took it", null=True),
    instant("resolved_heard_at", "when the console heard that it was resolved", null=True),
    person("acknowledged_by", "who took it", null=True),
    person("closed_by", "who closed it by hand", null=True),
    text("parent_id", "incident of whose family it is", null=True),
    choice("parent_state", "whether a person confirmed the family", "FamilyState", null=True),
    text("parent_reason", "why it belongs to the family", null=True),
    Index("ix_incidents_dedupe", "org_id", "dedupe_key"),
    Index("ix_incidents_opened", "org_id", "opened_at"),
)

incident_timeline: TypedTable[records.IncidentTimelineRow] = tenant_table(
    "incident_timeline",
    "A line of an incident's history.",
    key("id", "identifier"),
    reference("incident_id", "incident", "incidents"),
    instant("happened_at", "when"),
    choice("kind", "kind of entry", "TimelineKind"),
    person("actor", "who"),
    text("body", "what"),
    text("payload_id", "what came from the monitor, as it is kept", null=True, internal=True),
    instant("heard_at", "when the console heard of it", null=True),
    json("payload", "what a person's step says: to, parent, law, aware_at, classified_at, why"),
    Index("ix_incident_timeline_incident", "org_id", "incident_id"),
)

incident_actions: TypedTable[records.IncidentActionRow] = tenant_table(
    "incident_actions",
    "A follow-up that a review decided on.",
    key("id", "identifier"),
    reference("incident_id", "incident", "incidents"),
    text("title", "what will be done"),
    person("owner", "e-mail address", null=True),
    day("due_on", "due", null=True),
    choice("kind", "type of action", "IncidentActionKind", default="prevent"),
    choice("status", "state", "IncidentActionStatus", default="open"),
    day("closed_on", "when it was done or dropped", null=True),
)

on_call_shifts: TypedTable[records.OnCallShiftRow] = tenant_table(
    "on_call_shifts",
    "Who is on call when: for a service, or for all of them.",
    key("id", "identifier"),
    person("person", "e-mail address of who is on duty"),
    reference("service_id", "service that the duty is about; every service without", "services", null=True),
    instant("starts_at", "begin"),
    instant("ends_at", "end"),
    text("rota", "schedule that the shift is from", null=True),
    instant("recorded_at", "when the console recorded it as it is", null=True, internal=True),
)

maintenance_windows: TypedTable[records.MaintenanceWindowRow] = tenant_table(
    "maintenance_windows",
    "A time in which alerts of a service, or with certain labels, are expected. Recorded before its start it takes "
    "their incidents out of figures; without a service and without matchers it takes out none.",
    key("id", "identifier"),
    text("reason", "why"),
    person("created_by", "who declared it", null=True),
    reference("service_id", "service that is worked on", "services", null=True),
    json("matchers", "labels of the alerts, as Alertmanager matches them: name, value, isRegex, isEqual"),
    instant("starts_at", "begin"),
    instant("ends_at", "end"),
    instant("recorded_at", "when the console recorded it as wide as it is", null=True, internal=True),
)

service_senders: TypedTable[records.ServiceSenderRow] = tenant_table(
    "service_senders",
    "Who watches a service: an ingest token and the monitor that sends with it.",
    reference("service_id", "service that is watched", "services"),
    key("token", "label of the ingest token"),
    key("source", "monitor that sends, as incidents name it, such as alertmanager"),
    primary=("service_id", "token", "source"),
)

rca_runs: TypedTable[records.RcaRunRow] = tenant_table(
    "rca_runs",
    "A persisted run of the root-cause analysis.",
    key("id", "identifier"),
    reference("incident_id", "incident", "incidents"),
    instant("run_at", "when"),
    person("actor", "who asked"),
    text("model_version", "version of the scoring"),
    text("hypothesis", "best candidate, or 'inconclusive'"),
    number("confidence", "0 to 1", high=1),
    json("candidates", "all candidates with features and evidence", null=False, holds="dict[str, Json]"),
    importable=False,
)

findings: TypedTable[records.FindingRow] = tenant_table(
    "findings",
    "A weakness that a scanner reported, one row as long as it lives.",
    key("id", "identifier"),
    text("source", "scanner"),
    text("finding_key", "key that later reports are matched by"),
    text("title", "title"),
    choice("severity", "severity", "Severity"),
    choice("status", "state", "FindingStatus"),
    reference("service_id", "service", "services", null=True),
    reference("vendor_id", "vendor that it is about", "vendors", null=True),
    text("asset", "host or asset", null=True),
    whole_number("port", "port", null=True, low=0, high=65535),
    text("cve", "CVE identifiers joined by '; '", null=True),
    number("cvss", "CVSS base score", null=True, high=10),
    number("epss", "exploit prediction score, 0 to 1", null=True, high=1),
    flag("known_exploited", "listed as known exploited"),
    flag("internet_reachable", "reachable from the internet"),
    instant("first_seen_at", "first report"),
    instant("last_seen_at", "last report"),
    instant("fixed_at", "when it was gone", null=True),
    day("due_on", "date by which it must be fixed", null=True),
    text("incident_id", "incident that it opened", null=True),
    json("details", "further facts from the scanner"),
    Index("ix_findings_key", "org_id", "finding_key"),
)

scanner_checks: TypedTable[records.ScannerCheckRow] = tenant_table(
    "scanner_checks",
    "What a scanner's own catalogue says about one of its checks, such as the KnowledgeBase of Qualys.",
    key("source", "scanner"),
    key("check_id", "the scanner's number of the check"),
    text("title", "title", null=True),
    choice("severity", "severity", "Severity", null=True),
    text("cve", "CVE identifiers joined by '; '", null=True),
    number("cvss", "CVSS base score", null=True, high=10),
    flag("known_exploited", "listed as known exploited", default=False),
    text("solution", "what to do about it", null=True),
    primary=("source", "check_id"),
    importable=False,
    replicated=False,
)

deploys: TypedTable[records.DeployRow] = tenant_table(
    "deploys",
    "A change that went live.",
    key("id", "identifier"),
    reference("service_id", "service", "services", null=True),
    text("version", "version or commit", null=True),
    text("environment", "environment", null=True),
    instant("deployed_at", "when"),
    person("actor", "who"),
    text("change_ref", "change ticket or pull request", null=True),
    choice("status", "how it ended", "DeployStatus", default="succeeded"),
    instant("rolled_back_at", "when it was taken back", null=True),
    Index("ix_deploys_deployed", "org_id", "deployed_at"),
)

connections: TypedTable[records.ConnectionRow] = tenant_table(
    "connections",
    "A placeholder for an integration: names a system, holds no credential.",
    key("id", "identifier"),
    choice("kind", "kind of system", "ConnectionKind"),
    text("name", "name"),
    choice("status", "state", "ConnectionStatus", default="placeholder"),
    json("settings", "settings without secrets", holds="dict[str, Json]"),
    person("created_by", "who created it"),
    instant("created_at", "when"),
    importable=False,
)
