"""The HTTP interface: every route, who may call it, and what answers.

The table is the contract, chapter by chapter in the order in which the interface is documented: what a route is called
with, and what it answers. ``hq routes`` prints it, ``tests/golden/routes.txt`` pins it, ``hq openapi`` describes it.
"""

import os
import sys
from collections.abc import Mapping

from engine.exposure.attack_paths import Simulation
from engine.reporting.index import index
from engine.sales.billing import lemonsqueezy, paypal_events
from engine.web import lanes
from engine.web.admission.access import (
    ADMINS,
    ASR,
    CHAT_SIG,
    COPILOT,
    ING,
    KEY,
    LEMONSQUEEZY_SIG,
    NONE,
    OPERATORS,
    PADM,
    PAYPAL_SIG,
    S,
    cron,
)
from engine.web.admission.limits import CONTACT, COPILOT_TURNS, INGEST, INGEST_SIZE, SENSITIVE
from engine.web.answers.accounts import (
    ApiKeyMetadata,
    ApiKeys,
    ApiKeySecret,
    AssessorTokenMetadata,
    AssessorTokens,
    AssessorTokenSecret,
    DeletionReceipt,
    IngestTokenMetadata,
    IngestTokens,
    IngestTokenSecret,
    NotificationPreferences,
    PersonalExport,
)
from engine.web.answers.automations import DryRunReceipt, ExecutionReceipt, Policies
from engine.web.answers.bundles import BundleDetail, BundleReceipt, BundleRun, BundleRuns, Bundles
from engine.web.answers.compliance import EvidenceExport, LinkReceipt, VendorReceipt
from engine.web.answers.copilot import ChatCompletion, Conversation, ThreadReceipt, Threads, ThreadTurn
from engine.web.answers.dashboard import SalesDashboard
from engine.web.answers.health import ConnectorStatus, DatabaseReadiness, Liveness
from engine.web.answers.incidents import IncidentEvidence, RcaRun
from engine.web.answers.integrations import (
    AlertReceipt,
    ConnectionReceipt,
    Connections,
    DeployReceipt,
    EarlierDecision,
    FindingReceipt,
    PolicyVersion,
    PromotionReceipt,
)
from engine.web.answers.sales import (
    CheckoutReceipt,
    EnquiryReceipt,
    LeadDetail,
    LeadPage,
    LeadReceipt,
    Leads,
    LetterReceipt,
    PilotDetail,
    PilotPage,
    PilotProposal,
    PilotReceipt,
    WebhookOutcome,
)
from engine.web.answers.services import DependencyGraph, ErrorBudgetSummary, ServiceSlo
from engine.web.answers.shape import ReportEnvelope
from engine.web.bodies import AnyObject, JsonBody, JsonMembers, JsonOrForm, RawBody
from engine.web.handlers import (
    approvals,
    automations,
    connectors,
    copilot,
    health,
    incidents,
    ingest,
    integrations,
    services,
    users,
    vendors,
)
from engine.web.handlers.digests import chain_route, delivery_route, preview_route, scheduled_route
from engine.web.handlers.evidence import assessors, audit, bundles, evidence_links, evidence_pack
from engine.web.handlers.proxy import REASONING, ROBOT, proxy_route
from engine.web.handlers.reports import report_route
from engine.web.handlers.sales import billing, contact, leads, pilots
from engine.web.routes import CSV, EVENTS, HTML, ICS, MARKDOWN, PDF, PLAIN, XLSX, ZIP, Route

DIGEST = {digest.name: digest for digest in index().digests}
CHAPTERS: Mapping[str, tuple[Route, ...]] = {
    "Health": (
        Route("GET", "/api/health", NONE, health.alive, parameters=None, answer=Liveness, lane=lanes.HEALTH),
        Route("HEAD", "/api/health", NONE, health.alive, parameters=None, lane=lanes.HEALTH),
        Route("GET", "/api/health/db", NONE, health.database, parameters=None, answer=DatabaseReadiness, lane=lanes.HEALTH),
        Route("GET", "/api/connectors/status", S, connectors.status, answer=ConnectorStatus),
    ),
    "Incidents, services, overview": (
        Route("GET", "/api/incidents/{id}/export", S, incidents.export, answer=MARKDOWN),
        Route("GET", "/api/incidents/{id}/evidence", S, incidents.evidence, answer=IncidentEvidence),
        Route("GET", "/api/incidents/{id}/review", S, incidents.review, answer=MARKDOWN),
        Route("POST", "/api/incidents/{id}/rca/run", S, incidents.run_rca, SENSITIVE, body=JsonBody(AnyObject, required=False), answer=RcaRun, status=201),
        Route("GET", "/api/incidents/{id}/rca/latest", S, incidents.latest_rca, answer=RcaRun),
        Route("GET", "/api/services/{id}/slo", S, services.slo, answer=ServiceSlo, lane=lanes.REPORTS, in_worker=True),
        Route("GET", "/api/overview/error-budget-summary", S, services.error_budget_summary, answer=ErrorBudgetSummary, lane=lanes.REPORTS, in_worker=True),
        Route("GET", "/api/services/dependency-graph", S, services.dependency_graph, answer=DependencyGraph),
        Route("GET", "/api/attack-paths/simulate", S, services.attack_paths, SENSITIVE, parameters=(services.TARGET, services.DEPTH), answer=Simulation, errors=(404,), lane=lanes.REPORTS, in_worker=True),
    ),
    "Ingest and integrations": (
        Route("POST", "/api/integrations/alerts", ING, ingest.alerts, INGEST, parameters=None, headers=(ingest.SIGNATURE,), size=INGEST_SIZE, body=RawBody(ingest.ALERT_BODIES), answer=AlertReceipt, lane=lanes.INGEST, together=True),
        Route("POST", "/api/integrations/vulnerabilities", ING, ingest.vulnerabilities, INGEST, parameters=None, headers=(ingest.SOURCE, ingest.SCANNED_ALL, ingest.SCANNED), size=INGEST_SIZE, body=ingest.FINDING_BODIES, answer=FindingReceipt, lane=lanes.INGEST),
        Route("GET", "/api/integrations/connections", S, integrations.connections, answer=Connections, lane=lanes.REPORTS),
        Route("POST", "/api/integrations/connections", OPERATORS, integrations.create_connection, SENSITIVE, body=JsonBody(integrations.NewConnection), answer=ConnectionReceipt, status=(200, 201), errors=(409,)),
        Route("POST", "/api/integrations/deploy-events", S, integrations.deploy_event, body=JsonBody(integrations.NewDeploy), answer=DeployReceipt, status=(200, 201), errors=(404, 409)),
        Route("POST", "/api/integrations/slack/approvals", CHAT_SIG, approvals.decide, INGEST, parameters=None, body=approvals.Interaction(), answer=(PLAIN, EarlierDecision), errors=(404, 409), lane=lanes.INGEST),
        Route("POST", "/api/approvals/policy-suggestions/promote", S, approvals.promote, SENSITIVE, parameters=None, body=JsonBody(approvals.Promotion), answer=PromotionReceipt, status=201, errors=(404, 409)),
    ),
    "Automations": (
        Route("POST", "/api/automations/dry-run", S, automations.dry_run, SENSITIVE, parameters=None, body=JsonBody(automations.DryRun), answer=DryRunReceipt, status=201, errors=(404,)),
        Route("POST", "/api/automations/execute", S, automations.execute, SENSITIVE, parameters=None, body=JsonBody(automations.Execution), answer=ExecutionReceipt, status=201, errors=(404, 409)),
        Route("POST", "/api/automations/remediate", S, automations.remediate, SENSITIVE, parameters=None, body=JsonBody(automations.Execution), answer=ExecutionReceipt, status=201, errors=(404, 409)),
        Route("GET", "/api/automations/policies", S, automations.list_policies, parameters=automations.POLICY_FILTERS, answer=Policies),
        Route("POST", "/api/automations/policies", OPERATORS, automations.create_policy, SENSITIVE, parameters=None, body=JsonBody(automations.Policy), answer=PolicyVersion, status=201, errors=(404, 409)),
    ),
    "Copilot": (
        Route("POST", "/api/copilot/chat", COPILOT, copilot.chat, COPILOT_TURNS, body=JsonBody(copilot.Chat), answer=(ChatCompletion, EVENTS), errors=(404, 409), lane=lanes.STREAMS),
        Route("GET", "/api/copilot/threads", S, copilot.list_threads, parameters=(copilot.LIMIT,), answer=Threads),
        Route("POST", "/api/copilot/threads", S, copilot.create_thread, SENSITIVE, body=JsonBody(copilot.NewThread, required=False), answer=ThreadReceipt, status=201),
        Route("GET", "/api/copilot/threads/{id}/messages", S, copilot.list_messages, answer=Conversation),
        Route("POST", "/api/copilot/threads/{id}/messages", S, copilot.create_message, COPILOT_TURNS, body=JsonBody(copilot.NewMessage), answer=ThreadTurn, status=201, errors=(409,), lane=lanes.STREAMS),
    ),
    "User-scoped": (
        Route("GET", "/api/user/api-keys", S, users.api_keys, answer=ApiKeys),
        Route("POST", "/api/user/api-keys", S, users.create_api_key, SENSITIVE, parameters=None, body=JsonBody(users.NewKey), answer=ApiKeySecret, status=201, errors=(409,)),
        Route("DELETE", "/api/user/api-keys/{id}", S, users.revoke_api_key, parameters=None, answer=ApiKeyMetadata),
        Route("GET", "/api/user/alert-ingest-tokens", S, users.ingest_tokens, answer=IngestTokens),
        Route("POST", "/api/user/alert-ingest-tokens", S, users.create_ingest_token, SENSITIVE, parameters=None, body=JsonBody(users.NewIngestToken), answer=IngestTokenSecret, status=201, errors=(404, 409)),
        Route("DELETE", "/api/user/alert-ingest-tokens/{id}", S, users.revoke_ingest_token, parameters=None, answer=IngestTokenMetadata),
        Route("GET", "/api/user/export", S, users.export, SENSITIVE, answer=PersonalExport, lane=lanes.EXPORTS),
        Route("GET", "/api/user/notification-preferences", S, users.notification_preferences, answer=NotificationPreferences),
        Route("PUT", "/api/user/notification-preferences", S, users.change_notification_preferences, parameters=None, body=JsonMembers(users.PreferenceFlags), answer=NotificationPreferences),
        Route("POST", "/api/user/account/delete-request", S, users.request_deletion, SENSITIVE, body=JsonBody(AnyObject, required=False), answer=DeletionReceipt, status=202),
    ),
    "Connector proxies": (
        proxy_route("GET", "/api/reasoning/*", KEY, REASONING),
        proxy_route("POST", "/api/reasoning/*", KEY, REASONING),
        proxy_route("PUT", "/api/reasoning/*", KEY, REASONING),
        proxy_route("PATCH", "/api/reasoning/*", KEY, REASONING),
        proxy_route("DELETE", "/api/reasoning/*", KEY, REASONING),
        proxy_route("GET", "/api/robot/*", KEY, ROBOT),
        proxy_route("POST", "/api/robot/*", KEY, ROBOT),
        proxy_route("PUT", "/api/robot/*", KEY, ROBOT),
        proxy_route("PATCH", "/api/robot/*", KEY, ROBOT),
        proxy_route("DELETE", "/api/robot/*", KEY, ROBOT),
    ),
    "Audit": (
        Route("GET", "/api/audit/export", S, audit.own_export, parameters=(audit.WINDOW,), answer=CSV, lane=lanes.EXPORTS),
        Route("GET", "/api/audit/slack-events/export", S, audit.chat_export, parameters=(audit.WINDOW,), answer=CSV, lane=lanes.EXPORTS),
    ),
    "Governance and compliance": (
        report_route("GET", "/api/deployment/profile", S, "deployment-profile"),
        report_route("GET", "/api/deployment/retention", S, "deployment-retention"),
        report_route("GET", "/api/governance/legal-holds", S, "legal-holds"),
        report_route("GET", "/api/governance/policy-blocks/summary", S, "policy-blocks-summary", of_caller=True),
        report_route("GET", "/api/governance/compliance/summary", S, "summary"),
        report_route("GET", "/api/governance/compliance/program", S, "program"),
        report_route("GET", "/api/governance/compliance/gap-remediations", S, "gap-remediations"),
        report_route("GET", "/api/governance/compliance/risk-heatmap", S, "risk-heatmap"),
        report_route("GET", "/api/governance/compliance/executive-summary", S, "executive-summary"),
        report_route("GET", "/api/governance/compliance/calendar", S, "calendar"),
        report_route("GET", "/api/governance/compliance/benchmarking", S, "benchmarking"),
        report_route("GET", "/api/governance/compliance/policy-drift", S, "policy-drift"),
        report_route("GET", "/api/governance/compliance/control-graph", S, "control-graph"),
        report_route("GET", "/api/governance/compliance/regulatory-impact", S, "regulatory-impact"),
        report_route("GET", "/api/governance/compliance/evidence-lineage", S, "evidence-lineage"),
        report_route("GET", "/api/governance/compliance/testing-evidence-linker", S, "testing-evidence-linker"),
        Route("POST", "/api/governance/compliance/testing-evidence-linker", S, evidence_links.link_tests, SENSITIVE, parameters=(evidence_links.SUPPLEMENT,), body=JsonBody(evidence_links.NewLinks), answer=LinkReceipt, status=(200, 201)),
        report_route("GET", "/api/governance/compliance/testing-schedules", S, "testing-schedules"),
        report_route("GET", "/api/governance/compliance/scope-boundary", S, "scope-boundary"),
        report_route("GET", "/api/governance/compliance/kpi-trends", S, "kpi-trends"),
        report_route("GET", "/api/governance/compliance/posture-score", S, "posture-score"),
        report_route("GET", "/api/governance/compliance/control-ownership", S, "control-ownership"),
        report_route("GET", "/api/governance/compliance/exception-register", S, "exception-register"),
        report_route("GET", "/api/governance/compliance/evidence-requests", S, "evidence-requests"),
        preview_route("GET", "/api/governance/compliance/evidence-request-sla", S, DIGEST["evidence-request-sla"]),
        delivery_route("POST", "/api/governance/compliance/evidence-request-sla", S, DIGEST["evidence-request-sla"]),
        scheduled_route("POST", "/api/governance/compliance/evidence-request-sla/scheduled", cron("SVC_EVIDENCE_REQUEST_SLA_CRON_SECRET"), DIGEST["evidence-request-sla"]),
        report_route("GET", "/api/governance/compliance/obligation-ics", S, "obligation-ics"),
        preview_route("GET", "/api/governance/compliance/mapping-digest", S, DIGEST["mapping-digest"]),
        delivery_route("POST", "/api/governance/compliance/mapping-digest", S, DIGEST["mapping-digest"]),
        scheduled_route("POST", "/api/governance/compliance/mapping-digest/scheduled", cron("SVC_MAPPING_DIGEST_CRON_SECRET"), DIGEST["mapping-digest"]),
        report_route("GET", "/api/governance/compliance/inherited-control-gaps", S, "inherited-control-gaps"),
        report_route("GET", "/api/governance/compliance/control-health-scorecard", S, "control-health-scorecard"),
        report_route("GET", "/api/governance/compliance/obligation-heatmap", S, "obligation-heatmap"),
        report_route("GET", "/api/governance/compliance/obligation-crossover", S, "obligation-crossover"),
        report_route("GET", "/api/governance/compliance/obligation-consolidation", S, "obligation-consolidation"),
        report_route("GET", "/api/governance/compliance/obligation-forecast", S, "obligation-forecast"),
        report_route("GET", "/api/governance/compliance/obligation-whatif", S, "obligation-whatif"),
        report_route("GET", "/api/governance/compliance/committee-capacity-budget", S, "committee-capacity-budget"),
        report_route("GET", "/api/governance/compliance/obligation-load-balancing", S, "obligation-load-balancing"),
        preview_route("GET", "/api/governance/compliance/peak-week-staffing-digest", S, DIGEST["peak-week-staffing-digest"]),
        delivery_route("POST", "/api/governance/compliance/peak-week-staffing-digest", ADMINS, DIGEST["peak-week-staffing-digest"]),
        scheduled_route("POST", "/api/governance/compliance/peak-week-staffing-digest/scheduled", cron("SVC_PEAK_WEEK_STAFFING_CRON_SECRET"), DIGEST["peak-week-staffing-digest"]),
        report_route("GET", "/api/governance/compliance/staffing-actions", S, "staffing-actions"),
        preview_route("GET", "/api/governance/compliance/staffing-action-reminders", S, DIGEST["staffing-action-reminders"]),
        delivery_route("POST", "/api/governance/compliance/staffing-action-reminders", ADMINS, DIGEST["staffing-action-reminders"]),
        scheduled_route("POST", "/api/governance/compliance/staffing-action-reminders/scheduled", cron("SVC_STAFFING_REMINDER_CRON_SECRET"), DIGEST["staffing-action-reminders"]),
        preview_route("GET", "/api/governance/compliance/staffing-completion-rollup", S, DIGEST["staffing-completion-rollup"]),
        delivery_route("POST", "/api/governance/compliance/staffing-completion-rollup", ADMINS, DIGEST["staffing-completion-rollup"]),
        scheduled_route("POST", "/api/governance/compliance/staffing-completion-rollup/scheduled", cron("SVC_STAFFING_ROLLUP_CRON_SECRET"), DIGEST["staffing-completion-rollup"]),
        preview_route("GET", "/api/governance/compliance/staffing-sla-breach-digest", S, DIGEST["staffing-sla-breach-digest"]),
        delivery_route("POST", "/api/governance/compliance/staffing-sla-breach-digest", ADMINS, DIGEST["staffing-sla-breach-digest"]),
        scheduled_route("POST", "/api/governance/compliance/staffing-sla-breach-digest/scheduled", cron("SVC_STAFFING_SLA_CRON_SECRET"), DIGEST["staffing-sla-breach-digest"]),
        preview_route("GET", "/api/governance/compliance/cross-staffing-committee-escalation", S, DIGEST["cross-staffing-committee-escalation"]),
        delivery_route("POST", "/api/governance/compliance/cross-staffing-committee-escalation", ADMINS, DIGEST["cross-staffing-committee-escalation"]),
        scheduled_route("POST", "/api/governance/compliance/cross-staffing-committee-escalation/scheduled", cron("SVC_STAFFING_ESCALATION_CRON_SECRET"), DIGEST["cross-staffing-committee-escalation"]),
        chain_route("POST", "/api/governance/compliance/staffing-digest-auto-chain/scheduled", cron("SVC_STAFFING_CHAIN_CRON_SECRET"), index().chain),
        preview_route("GET", "/api/governance/compliance/committee-digest", S, DIGEST["committee-digest"]),
        delivery_route("POST", "/api/governance/compliance/committee-digest", ADMINS, DIGEST["committee-digest"]),
        scheduled_route("POST", "/api/governance/compliance/committee-digest/scheduled", cron("SVC_COMMITTEE_DIGEST_CRON_SECRET"), DIGEST["committee-digest"]),
        report_route("GET", "/api/governance/compliance/obligation-rollup", S, "obligation-rollup"),
        preview_route("GET", "/api/governance/compliance/obligation-density-alerts", S, DIGEST["obligation-density-alerts"]),
        delivery_route("POST", "/api/governance/compliance/obligation-density-alerts", ADMINS, DIGEST["obligation-density-alerts"]),
        scheduled_route("POST", "/api/governance/compliance/obligation-density-alerts/scheduled", cron("SVC_DENSITY_ALERT_CRON_SECRET"), DIGEST["obligation-density-alerts"]),
        report_route("GET", "/api/governance/compliance/obligation-density-trend-history", S, "obligation-density-trend-history"),
        Route("GET", "/api/governance/compliance/committee-meeting-pack", S, bundles.committee_meeting_pack, SENSITIVE, parameters=bundles.MEETING_PACK, answer=(ZIP, PDF), status=(200, 304), errors=(409,), lane=lanes.ARCHIVES),
        preview_route("GET", "/api/governance/compliance/attestation-renewal", S, DIGEST["attestation-renewal"]),
        delivery_route("POST", "/api/governance/compliance/attestation-renewal", ADMINS, DIGEST["attestation-renewal"]),
        scheduled_route("POST", "/api/governance/compliance/attestation-renewal/scheduled", cron("SVC_ATTESTATION_RENEWAL_CRON_SECRET"), DIGEST["attestation-renewal"]),
        Route("GET", "/api/governance/compliance/bundles", S, bundles.list_bundles, answer=Bundles),
        Route("POST", "/api/governance/compliance/bundles", ADMINS, bundles.create_bundle, SENSITIVE, parameters=None, body=JsonBody(bundles.BundleBody, required=False), answer=BundleReceipt, status=201, errors=(409,), lane=lanes.ARCHIVES, in_worker=True),
        Route("POST", "/api/governance/compliance/bundles/scheduled", cron("SVC_BUNDLE_CRON_SECRET"), bundles.scheduled_bundle, SENSITIVE, parameters=None, body=JsonBody(bundles.ScheduledBundle, required=False), answer=(BundleRun, BundleRuns), errors=(404, 409), lane=lanes.ARCHIVES, in_worker=True),
        Route("GET", "/api/governance/compliance/bundles/{id}", S, bundles.bundle, SENSITIVE, answer=BundleDetail, lane=lanes.ARCHIVES, in_worker=True),
        Route("GET", "/api/governance/compliance/bundles/{id}/download", S, bundles.download, answer=ZIP, status=(200, 304), lane=lanes.EXPORTS),
        report_route("GET", "/api/governance/compliance/crosswalk", S, "crosswalk"),
        Route("GET", "/api/governance/compliance/workbook", S, bundles.workbook, SENSITIVE, parameters=bundles.WORKBOOK, answer=(ZIP, XLSX), status=(200, 304), errors=(409,), lane=lanes.ARCHIVES),
        delivery_route("POST", "/api/governance/compliance/digest", ADMINS, DIGEST["compliance-digest"]),
        scheduled_route("POST", "/api/governance/compliance/digest/scheduled", cron("SVC_DIGEST_CRON_SECRET"), DIGEST["compliance-digest"]),
        preview_route("GET", "/api/governance/compliance/sla-reminders", S, DIGEST["sla-reminders"]),
        delivery_route("POST", "/api/governance/compliance/sla-reminders", ADMINS, DIGEST["sla-reminders"]),
        scheduled_route("POST", "/api/governance/compliance/sla-reminders/scheduled", cron("SVC_SLA_CRON_SECRET"), DIGEST["sla-reminders"]),
        report_route("GET", "/api/governance/compliance/fedramp-poam", S, "fedramp-poam"),
        report_route("GET", "/api/governance/compliance/evidence-freshness", S, "evidence-freshness"),
        report_route("GET", "/api/governance/compliance/baseline-comparison", S, "baseline-comparison"),
        Route("GET", "/api/governance/compliance/assessor-tokens", S, assessors.list_tokens, parameters=(assessors.WINDOW,), answer=AssessorTokens),
        Route("POST", "/api/governance/compliance/assessor-tokens", ADMINS, assessors.create_token, SENSITIVE, parameters=None, body=JsonBody(assessors.NewToken), answer=AssessorTokenSecret, status=201, errors=(409,)),
        Route("DELETE", "/api/governance/compliance/assessor-tokens/{id}", ADMINS, assessors.revoke_token, parameters=None, answer=AssessorTokenMetadata),
        Route("GET", "/api/governance/compliance/assessor/{id}", ASR, assessors.export, parameters=None, answer=(ReportEnvelope, EvidenceExport, CSV, HTML, MARKDOWN, ICS, ZIP, XLSX, PDF), status=(200, 304), errors=(429,), lane=lanes.ARCHIVES),
        Route("GET", "/api/governance/compliance/export", S, evidence_pack.export, SENSITIVE, parameters=evidence_pack.PARAMETERS, answer=(EvidenceExport, CSV, ZIP), status=(200, 304), errors=(409,), lane=lanes.EXPORTS),
        report_route("GET", "/api/governance/compliance/type-ii", S, "type-ii"),
        report_route("GET", "/api/governance/compliance/iso-assessment", S, "iso-assessment"),
        report_route("GET", "/api/governance/compliance/pci-dss", S, "pci-dss"),
        report_route("GET", "/api/governance/compliance/hipaa", S, "hipaa"),
        report_route("GET", "/api/governance/compliance/nist-csf", S, "nist-csf"),
        report_route("GET", "/api/governance/compliance/cis-v8", S, "cis-v8"),
        report_route("GET", "/api/governance/compliance/cmmc-l2", S, "cmmc-l2"),
        report_route("GET", "/api/governance/compliance/gdpr-art32", S, "gdpr-art32"),
        report_route("GET", "/api/governance/compliance/attestations", S, "attestations"),
        report_route("GET", "/api/governance/third-party/vendors", S, "third-party-vendors"),
        Route("POST", "/api/governance/third-party/vendors", ADMINS, vendors.create, SENSITIVE, body=JsonBody(vendors.NewVendorBody), answer=VendorReceipt, status=201, errors=(409,)),
    ),
    "Marketing and leads": (
        Route("POST", "/api/contact", NONE, contact.submit, CONTACT, body=JsonOrForm(contact.Form), answer=EnquiryReceipt, status=201),
        Route("GET", "/api/admin/leads", PADM, leads.list_leads, parameters=leads.LISTED, answer=LeadPage),
        Route("PATCH", "/api/admin/leads", PADM, leads.change_several, body=JsonBody(leads.Several), answer=Leads, errors=(404, 409)),
        Route("GET", "/api/admin/leads/{id}", PADM, leads.detail, answer=LeadDetail),
        Route("PATCH", "/api/admin/leads/{id}", PADM, leads.change, body=JsonBody(leads.LeadChanges), answer=LeadReceipt, errors=(409,)),
        Route("POST", "/api/admin/leads/{id}/convert-pilot", PADM, leads.convert, body=JsonBody(pilots.NewFields, required=False), answer=PilotReceipt, status=201, errors=(409,)),
        Route("POST", "/api/admin/leads/{id}/email", PADM, leads.email, SENSITIVE, body=JsonBody(leads.Letter), answer=LetterReceipt, status=(200, 202), errors=(409,)),
        Route("GET", "/api/admin/leads/export", PADM, leads.export, SENSITIVE, parameters=leads.FILTERS, answer=CSV, lane=lanes.EXPORTS),
        Route("GET", "/api/admin/dashboard", PADM, leads.dashboard, parameters=(leads.PERIOD,), answer=SalesDashboard),
        Route("GET", "/api/admin/pilots", PADM, pilots.list_pilots, parameters=pilots.LISTED, answer=PilotPage),
        Route("POST", "/api/admin/pilots", PADM, pilots.create, body=JsonBody(pilots.NewPilot), answer=PilotReceipt, status=201, errors=(404, 409)),
        Route("GET", "/api/admin/pilots/{id}", PADM, pilots.detail, answer=PilotDetail),
        Route("PATCH", "/api/admin/pilots/{id}", PADM, pilots.change, body=JsonBody(pilots.PilotChanges), answer=PilotReceipt, errors=(409,)),
        Route("GET", "/api/admin/pilots/{id}/proposal", PADM, pilots.get_proposal, parameters=pilots.PROPOSAL, answer=(PilotProposal, HTML, MARKDOWN, PDF)),
        Route("GET", "/api/admin/pilots/{id}/calendar", PADM, pilots.calendar, parameters=(pilots.MEETING,), answer=ICS, errors=(409,)),
        Route("GET", "/api/admin/pilots/export", PADM, pilots.export, SENSITIVE, parameters=pilots.FILTERS, answer=CSV, lane=lanes.EXPORTS),
    ),
    "Billing": (
        Route("GET", "/api/billing/checkout", S, billing.start_checkout, SENSITIVE, parameters=(billing.TIER,), status=303, errors=(409, 502, 504)),
        Route("POST", "/api/billing/checkout", S, billing.create_checkout, SENSITIVE, body=JsonBody(billing.Purchase), answer=CheckoutReceipt, status=201, errors=(409, 502, 504)),
        Route("POST", "/api/webhooks/paypal", PAYPAL_SIG, billing.paypal_webhook, INGEST, parameters=None, body=JsonBody(paypal_events.PayPalEvent), answer=WebhookOutcome, errors=(502, 504), lane=lanes.INGEST),
        Route("POST", "/api/webhooks/lemonsqueezy", LEMONSQUEEZY_SIG, billing.lemonsqueezy_webhook, INGEST, parameters=None, body=JsonBody(lemonsqueezy.LemonSqueezyEvent), answer=WebhookOutcome, lane=lanes.INGEST),
    ),
}  # fmt: skip
ROUTES: tuple[Route, ...] = tuple(route for chapter in CHAPTERS.values() for route in chapter)


def main() -> None:
    """Serve the interface: ``python api.py`` becomes the process ``hq serve``, with its options."""
    os.execv(sys.executable, [sys.executable, "-m", "engine.cli", "serve", *sys.argv[1:]])  # noqa: S606 - our own program


if __name__ == "__main__":
    main()
