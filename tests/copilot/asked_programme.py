"""Questions of people who answer for the programme: managers, auditors, sales, those who are new."""

from datetime import date, timedelta

import polars as pl

from tests.copilot.asked_operations import due_before, on
from tests.copilot.truth import Count, Demo, NoData, Unsure, contains, count, rows_of

c = pl.col
RUNNING = ("open", "in_progress", "submitted")


def requests(demo: Demo, *where):
    return demo.rows("evidence_requests", c("status") != "closed", *where)


def with_documents(demo: Demo, *kinds):
    """Vendors with a document of one of these kinds."""
    return demo.frames["vendor_documents"].filter(c("kind").is_in(kinds))["vendor_id"].unique().to_list()


def exceptions(demo: Demo, *where):
    return demo.rows("exceptions", c("status") == "approved", *where)


def poam(demo: Demo, *where):
    return demo.rows("poam_items", c("status") == "open", *where)


def policies(demo: Demo, *where):
    return demo.rows("policies", c("state") == "active", *where)


def meeting(demo: Demo, committee, status):
    return demo.rows("committee_meetings", c("committee_id") == committee, c("status") == status).sort("held_on")


def signatures(demo: Demo, *where):
    """Attestations that nobody decided on; a later one for the same control and owner replaces nothing."""
    return demo.rows("attestations", c("outcome").is_null(), c("withdrawn_on").is_null(), *where)


VENDORS = (
    ("how many vendors do we have", lambda d: count(d.vendors())),
    ("critical vendors", lambda d: rows_of(d.vendors(c("tier") == "critical"))),
    ("which vendors have an overdue review", lambda d: rows_of(d.vendors(c("next_review_on") < d.today))),
    (
        "vendors w/o a SOC 2 report",
        lambda d: rows_of(d.vendors(~c("id").is_in(with_documents(d, "soc2_type1", "soc2_type2")))),
    ),
    ("which third parties sit in ap-south", lambda d: rows_of(d.vendors(c("region") == "ap-south"))),
    ("who looks after Tarnfield Cloud", lambda d: contains(on(d, "vendors", "VEN-tarnfield-cloud")["owner"])),
    (
        "when is the next review of Pallidus Pay",
        lambda d: contains(on(d, "vendors", "VEN-pallidus-pay")["next_review_on"]),
    ),
    ("suppliers with no DPA", lambda d: rows_of(d.vendors(~c("id").is_in(with_documents(d, "dpa"))))),
    ("saas vendors", lambda d: rows_of(d.vendors(c("category") == "saas"))),
    ("vendor reviews due in the next 60 days", lambda d: rows_of(d.vendors(d.next_days("next_review_on", 60)))),
    ("wich vendros does Lena own", lambda d: rows_of(d.vendors(c("owner") == d.mail("lena.fischer")))),
    ("what do we use Hollowbrook Voice for?", lambda d: contains("telephony")),
    ("what tier is Thistlewick Backup", lambda d: contains("high")),
    ("how many high tier suppliers", lambda d: count(d.vendors(c("tier") == "high"))),
    ("when did we last review kestrelmoor", lambda d: contains("2024-11-12")),
    ("how much do we pay Tarnfield Cloud", lambda _: NoData()),
)

REQUESTS = (
    ("overdue evidence requests", lambda d: rows_of(requests(d, c("status").is_in(RUNNING), due_before(d)))),
    ("P1 requests still open", lambda d: rows_of(requests(d, c("priority") == "P1"))),
    (
        "what did the auditor ask for this month",
        lambda d: rows_of(d.rows("evidence_requests", d.since("opened_on", 2026, 11))),
    ),
    ("requests waiting on the requester", lambda d: rows_of(requests(d, c("status") == "waiting_on_requester"))),
    (
        "open evidence requests assigned to Tess",
        lambda d: rows_of(requests(d, c("owner") == d.mail("tess.mcallister"))),
    ),
    ("which evidence request has been open longest", lambda d: contains(requests(d).sort("opened_on")["id"][0])),
    ("how many auditor requests are open", lambda d: count(requests(d))),
    ("evidnce requests closed this year", lambda d: count(d.rows("evidence_requests", d.since("closed_on", 2026, 1)))),
    ("who is working on REQ-2026-0021", lambda d: contains(on(d, "evidence_requests", "REQ-2026-0021")["owner"])),
    ("open requests for CIS", lambda d: rows_of(requests(d, c("framework") == "cis-v8"))),
)

RISKS = (
    ("how many risks are on the register", lambda d: count(d.rows("risks", c("status") == "open"))),
    ("which risks do we accept", lambda d: rows_of(d.rows("risks", c("treatment") == "accept"))),
    ("risks owned by Jorge", lambda d: rows_of(d.rows("risks", c("owner") == d.mail("jorge.salinas")))),
    ("who owns the ransomware risk", lambda d: contains(on(d, "risks", "RSK-01")["owner"])),
    ("residual rating of RSK-04", lambda _: contains("16")),
    ("how do we treat RSK-02?", lambda _: contains("transfer")),
    ("exceptions expiring in the next 90 days", lambda d: rows_of(exceptions(d, d.next_days("expires_on", 90)))),
    ("expired exceptions", lambda d: rows_of(exceptions(d, c("expires_on") < d.today))),
    ("who approved EXC-005", lambda d: contains(on(d, "exceptions", "EXC-005")["approver"])),
    ("which execptions are in draft", lambda d: rows_of(d.rows("exceptions", c("status") == "draft"))),
    ("active legal holds", lambda d: rows_of(d.rows("legal_holds", c("released_at").is_null()))),
    ("who is the custodian of HOLD-1", lambda d: contains(on(d, "legal_holds", "HOLD-1")["custodian"])),
    ("which incidents are under legal hold", lambda _: contains("INC-2025-0008")),
    ("POA&M items due this year", lambda d: count(poam(d, d.within("due_on", date(2026, 1, 1), date(2026, 12, 31))))),
    ("when is V-10 due", lambda d: contains(on(d, "poam_items", "V-10")["due_on"])),
)

PEOPLE = (
    (
        "when is the next steering committee meeting",
        lambda d: contains(meeting(d, "COM-steering", "planned")["held_on"][0]),
    ),
    ("who chairs the audit committee", lambda d: contains(d.mail("dina.abrams"))),
    ("when did the risk committee last meet", lambda d: contains(meeting(d, "COM-risk", "held")["held_on"][-1])),
    ("was any meeting cancelled this year", lambda _: contains("COM-steering-11")),
    ("next board meeting?", lambda d: contains(meeting(d, "COM-audit", "planned")["held_on"][0])),
    ("policies up for review in the next 240 days", lambda d: rows_of(policies(d, d.next_days("review_due_on", 240)))),
    ("who owns the privacy policy", lambda d: contains(on(d, "policies", "POL-PRI-v2")["owner"])),
    ("how many active policies are there", lambda d: count(policies(d))),
    ("draft policies", lambda d: rows_of(d.rows("policies", c("state") == "draft"))),
    (
        "who are the admins",
        lambda d: rows_of(d.rows("memberships", c("role") == "admin", c("status") == "active"), "email"),
    ),
    ("how many people can sign in", lambda d: count(d.rows("memberships", c("status") == "active"))),
    ("what is ruth engel's role", lambda _: contains("member")),
    ("who approved the supplier security policy", lambda d: contains(on(d, "policies", "POL-SUP-v2")["accepted_by"])),
    (
        "failed tests this year",
        lambda d: count(d.rows("test_runs", c("outcome") == "failed", d.since("performed_on", 2026, 1))),
    ),
    ("open staffing actions", lambda d: rows_of(d.rows("staffing_actions", c("status") == "open"), "id")),
    ("how many people work here", lambda d: contains(d.frames["organizations"]["headcount"][0])),
    ("where is our data kept", lambda d: contains(d.frames["organizations"]["data_region"][0])),
    ("what plan are we on?", lambda d: contains(d.frames["organizations"]["plan"][0])),
)

PROGRAMME = (
    ("which frameworks are we doing", lambda d: Count(d.frames["organization_frameworks"].filter("in_scope").height)),
    ("target date for ISO 27001", lambda _: contains("2027-02-23")),
    ("when is our soc2 audit", lambda _: contains("2027-01-19")),
    ("overdue attestations", lambda d: count(signatures(d, due_before(d)))),
    ("my overdue attestations", lambda d: count(signatures(d, due_before(d), c("owner") == d.mail("dina.abrams")))),
    (
        "how many sign-offs does Lena owe us",
        lambda d: count(signatures(d, c("owner") == d.mail("lena.fischer"), due_before(d))),
    ),
    ("attestations due in the next 14 days", lambda d: count(signatures(d, d.next_days("due_on", 14)))),
    (
        "how many SOC 2 attestations are overdue",
        lambda d: count(signatures(d, due_before(d), c("framework") == "soc2")),
    ),
    ("are we HIPAA compliant?", lambda _: NoData()),
    (
        "who is responsible for CC6.1",
        lambda d: contains(
            *d.frames["control_owners"].filter(c("framework") == "soc2", c("control_id") == "CC6.1", c("raci") == "R")[
                "email"
            ]
        ),
    ),
    (
        "who's accountable for A.5.15",
        lambda d: contains(
            *d.frames["control_owners"].filter(
                c("framework") == "iso27001", c("control_id") == "A.5.15", c("raci") == "A"
            )["email"]
        ),
    ),
    ("open incidents in Frankfurt", lambda _: Unsure("frankfurt")),
    ("what is the posture score of brightline", lambda _: NoData()),
    ("what was our revenue last year", lambda _: NoData()),
    ("critical vendors that use kubernetes", lambda _: Unsure("kubernetes")),
    ("who won the game yesterday", lambda _: NoData()),
    (
        "remediations closed last month",
        lambda d: count(d.rows("remediations", d.within("closed_on", date(2026, 10, 1), date(2026, 10, 31)))),
    ),
    ("blocked remediations", lambda d: count(d.rows("remediations", c("status") == "blocked"))),
)

# figures: the value that the report's own route shows
FIGURES = (
    ("posture score?", "posture-score", "posture_score"),
    ("what grade are we", "posture-score", "posture_grade"),
    ("open gaps", "gap-remediations", "gaps_open"),
    ("how many critical gaps", "gap-remediations", "gaps_critical"),
    ("gaps without an owner", "gap-remediations", "gaps_without_owner"),
    ("how many hours to close all gaps", "gap-remediations", "gaps_effort_hours"),
    ("quick wins?", "gap-remediations", "quick_wins"),
    ("risks above appetite", "risk-heatmap", "risks_over_appetite"),
    ("how many duties are overdue", "calendar", "obligations_overdue"),
    ("whats our MTTR", "executive-summary", "incident_median_hours_to_restore"),
    ("what is our MTTA", "executive-summary", "incident_median_minutes_to_acknowledge"),
    ("sprs score", "cmmc-l2", "sprs_score"),
    ("how many controls are effective", "baseline-comparison", "controls_effective"),
    ("open poam items", "fedramp-poam", "poam_items_open"),
    ("late poam items", "fedramp-poam", "poam_items_late"),
    ("what share of vendors is assured", "third-party-vendors", "vendors_assured_pct"),
    ("sub-processors", "deployment-profile", "subprocessors"),
    ("control health", "control-health-scorecard", "control_health"),
    ("how many legal holds are in force", "legal-holds", "holds_active"),
)

# conversations: each question with the right answer to it after those before
THREADS = (
    (
        ("which incidents are open?", lambda d: rows_of(d.live())),
        ("and of those, which are low?", lambda d: rows_of(d.live(c("severity") == "low"))),
        ("who owns them?", lambda d: contains(*d.live(c("severity") == "low")["owner"].drop_nulls())),
    ),
    (
        ("open findings on control-plane", lambda d: rows_of(d.findings(c("service") == "control-plane"))),
        ("what about billing?", lambda d: rows_of(d.findings(c("service") == "billing"))),
    ),
    (
        (
            "deploys last month",
            lambda d: count(d.rows("deploys", d.within("deployed_on", date(2026, 10, 1), date(2026, 10, 31)))),
        ),
        (
            "how many of them failed?",
            lambda d: count(
                d.rows(
                    "deploys", c("status") == "failed", d.within("deployed_on", date(2026, 10, 1), date(2026, 10, 31))
                )
            ),
        ),
    ),
    (
        ("critical vendors", lambda d: rows_of(d.vendors(c("tier") == "critical"))),
        ("only those in ap-south", lambda d: rows_of(d.vendors(c("tier") == "critical", c("region") == "ap-south"))),
    ),
    (
        ("how many evidence requests are open", lambda d: count(requests(d))),
        ("and overdue?", lambda d: rows_of(requests(d, c("status").is_in(RUNNING), due_before(d)))),
    ),
)

ANSWERED = (*VENDORS, *REQUESTS, *RISKS, *PEOPLE, *PROGRAMME)
WEEK = timedelta(days=7)
