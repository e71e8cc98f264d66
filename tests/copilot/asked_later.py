"""Questions that were written when the planner was done, in other words than those before, to measure it honestly."""

from datetime import date, timedelta

import polars as pl

from tests.copilot.asked_operations import due_before, last_week, month, most, on, remaining_budget
from tests.copilot.asked_programme import RUNNING, exceptions, meeting, policies, requests, signatures, with_documents
from tests.copilot.truth import NoData, Unsure, contains, count, rows_of

c = pl.col

LATER = (
    # an engineer on call
    ("anything burning right now?", lambda d: count(d.live())),
    (
        "give me all sev2 incidents of the past 60 days",
        lambda d: rows_of(
            d.rows("incidents", c("severity") == "high", d.within("opened_on", d.today - timedelta(days=59), d.today))
        ),
    ),
    ("tickets without an assignee", lambda d: rows_of(d.live(c("owner").is_null()))),
    ("who took INC-2026-0074?", lambda d: contains(on(d, "incidents", "INC-2026-0074")["owner"])),
    ("how long did it take to fix INC-2026-0063", lambda _: contains("13.9")),
    (
        "releases to load-balancer since july",
        lambda d: rows_of(d.rows("deploys", c("service") == "load-balancer", d.since("deployed_on", 2026, 7))),
    ),
    (
        "did anything get rolled back in november",
        lambda d: count(d.rows("deploys", c("status") == "rolled_back", d.since("deployed_on", 2026, 11))),
    ),
    (
        "what did tess deploy last week",
        lambda d: rows_of(d.rows("deploys", c("actor") == d.mail("tess.mcallister"), last_week(d, "deployed_on"))),
    ),
    ("remaining error budget for block-storage", lambda d: contains(remaining_budget(d, "svc-block-storage"))),
    ("owner of the key-service", lambda d: contains(d.mail("marcus.bell"))),
    (
        "public services holding customer data",
        lambda d: rows_of(d.rows("services", c("internet_facing"), c("holds_customer_data")), "name"),
    ),
    ("which service fails over and over this year", lambda _: Unsure("over")),
    (
        "which services would break if identity goes down",
        lambda d: contains(
            *(
                d.frames["service_dependencies"]
                .filter(c("depends_on_id") == "svc-identity")
                .join(d.rows("services"), left_on="service_id", right_on="id")["name"]
            )
        ),
    ),
    # security
    ("unpatched vulnerabilites on log-pipeline", lambda d: rows_of(d.findings(c("service") == "log-pipeline"))),
    ("how many vulns are past their due date", lambda d: count(d.findings(due_before(d)))),
    ("which findings did we get in november", lambda d: count(d.rows("findings", d.since("first_seen_on", 2026, 11)))),
    ("is there a CVE being exploited in the wild on our estate", lambda d: contains("FND-0186")),
    ("what is the CVSS of FND-0133", lambda d: contains(on(d, "findings", "FND-0133")["cvss"])),
    (
        "low severity findings exposed to the internet",
        lambda d: rows_of(d.findings(c("severity") == "low", c("internet_reachable"))),
    ),
    # an auditor
    (
        "list requests from the auditor that are late",
        lambda d: rows_of(requests(d, c("status").is_in(RUNNING), due_before(d))),
    ),
    (
        "which requests came in during october",
        lambda d: rows_of(d.rows("evidence_requests", month(d, "opened_on", 10))),
    ),
    ("P3 requests that are not closed", lambda d: rows_of(requests(d, c("priority") == "P3"))),
    ("exceptions on CIS controls", lambda d: rows_of(exceptions(d, c("framework") == "cis-v8"))),
    ("when does EXC-004 run out", lambda d: contains(on(d, "exceptions", "EXC-004")["expires_on"])),
    ("who signed off EXC-007?", lambda d: contains(on(d, "exceptions", "EXC-007")["approver"])),
    ("policies owned by dina that are in force", lambda d: count(policies(d, c("owner") == d.mail("dina.abrams")))),
    (
        "number of attestations overdue for ISO",
        lambda d: count(signatures(d, due_before(d), c("framework") == "iso27001")),
    ),
    ("when did the audit committee meet last", lambda d: contains(meeting(d, "COM-audit", "held")["held_on"][-1])),
    ("what legal holds are on and who put them in place", lambda _: contains("HOLD-1", "wade.thornton@cobalt.example")),
    # a manager, sales, somebody new
    ("suppliers we rate as critical", lambda d: rows_of(d.vendors(c("tier") == "critical"))),
    ("do all vendors have a DPA?", lambda d: contains(d.vendors(~c("id").is_in(with_documents(d, "dpa"))).height)),
    (
        "vendors whose review is coming up in the next 3 months",
        lambda d: rows_of(d.vendors(d.within("next_review_on", d.today, date(2027, 2, 20)))),
    ),
    ("what's the biggest threat on our risk register", lambda _: contains("RSK-07", "RSK-11")),
    ("which risks is dina on the hook for", lambda d: rows_of(d.rows("risks", c("owner") == d.mail("dina.abrams")))),
    (
        "risk nobody rated",
        lambda d: rows_of(
            d.rows(
                "risks",
                pl.any_horizontal(
                    c(one).is_null() for one in ("likelihood", "impact", "residual_likelihood", "residual_impact")
                ),
            )
        ),
    ),
    ("soc2 redy?", lambda _: contains("60.5")),
    (
        "who has admin rights",
        lambda d: rows_of(d.rows("memberships", c("role") == "admin", c("status") == "active"), "email"),
    ),
    ("did we ever have a breach at the Berlin office", lambda _: Unsure("berlin")),
    ("how much did the last audit cost", lambda _: NoData()),
    ("what is the share price", lambda _: NoData()),
    ("aurora's open incidents", lambda _: Unsure("aurora")),
    ("when is the director on holiday", lambda _: NoData()),
)

__all__ = ["LATER", "most"]
