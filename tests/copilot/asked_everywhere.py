"""Questions that name nothing of one organization, for any of the demo, with the right answer from the raw tables."""

from datetime import timedelta

import polars as pl

from tests.copilot.asked_operations import due_before, last_week, month, most
from tests.copilot.asked_programme import RUNNING, exceptions, policies, requests, signatures, with_documents
from tests.copilot.truth import NoData, Unsure, contains, count

c = pl.col

EVERYWHERE = (
    ("how many incidents are open?", lambda d: count(d.live())),
    ("open high severity incidents", lambda d: count(d.live(c("severity") == "high"))),
    ("incidents opened last week", lambda d: count(d.rows("incidents", last_week(d, "opened_on")))),
    ("how many incidents were resolved last month", lambda d: count(d.rows("incidents", month(d, "resolved_on", 10)))),
    ("incidents without an owner", lambda d: count(d.live(c("owner").is_null()))),
    ("the latest incident", lambda d: contains(d.rows("incidents").sort("opened_at")["id"][-1])),
    (
        "failed deploys this year",
        lambda d: count(d.rows("deploys", c("status") == "failed", d.since("deployed_on", 2026, 1))),
    ),
    (
        "deploys in the last 30 days",
        lambda d: count(d.rows("deploys", d.within("deployed_on", d.today - timedelta(days=29), d.today))),
    ),
    (
        "rollbacks this quarter",
        lambda d: count(d.rows("deploys", c("status") == "rolled_back", d.since("deployed_on", 2026, 10))),
    ),
    ("open critical findings", lambda d: count(d.findings(c("severity") == "critical"))),
    ("known exploited findings still open", lambda d: count(d.findings(c("known_exploited")))),
    ("overdue findings", lambda d: count(d.findings(due_before(d)))),
    (
        "findings fixed in october",
        lambda d: count(d.rows("findings", c("status") == "fixed", month(d, "fixed_on", 10))),
    ),
    ("which service has the most open findings", lambda d: contains(most(d.findings(), "service")[1])),
    ("internet facing services", lambda d: count(d.rows("services", c("internet_facing")))),
    ("tier 5 services", lambda d: count(d.rows("services", c("criticality") == 5))),
    (
        "services without an SLO",
        lambda d: count(
            d.rows("services").join(d.frames["slo_profiles"], left_on="id", right_on="service_id", how="anti")
        ),
    ),
    ("how many vendors do we have", lambda d: count(d.vendors())),
    ("critical vendors", lambda d: count(d.vendors(c("tier") == "critical"))),
    ("vendors without a DPA", lambda d: count(d.vendors(~c("id").is_in(with_documents(d, "dpa"))))),
    ("open evidence requests", lambda d: count(requests(d))),
    ("evidence requests past due", lambda d: count(requests(d, c("status").is_in(RUNNING), due_before(d)))),
    ("open risks", lambda d: count(d.rows("risks", c("status") == "open"))),
    ("risks that we accept", lambda d: count(d.rows("risks", c("treatment") == "accept", c("status") == "open"))),
    ("exceptions that expire in the next 180 days", lambda d: count(exceptions(d, d.next_days("expires_on", 180)))),
    ("active policies", lambda d: count(policies(d))),
    ("overdue attestations", lambda d: count(signatures(d, due_before(d)))),
    ("legal holds in force", lambda d: count(d.rows("legal_holds", c("released_at").is_null()))),
    (
        "how many admins are there",
        lambda d: count(d.rows("memberships", c("role") == "admin", c("status") == "active")),
    ),
    ("incidents in Antarctica", lambda _: Unsure("antarctica")),
    ("what's for lunch?", lambda _: NoData()),
)
