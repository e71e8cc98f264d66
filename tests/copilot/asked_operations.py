"""Questions of people who operate services, with the right answer to each from the raw tables."""

from datetime import date, timedelta

import polars as pl

from tests.copilot.truth import Count, Demo, NoData, contains, count, rows_of

c = pl.col


def most(frame, column):
    return frame.drop_nulls(column)[column].value_counts().sort("count", descending=True).row(0)


def on(demo: Demo, table, row_id):
    return demo.rows(table, c("id") == row_id).row(0, named=True)


def last_week(demo: Demo, column):
    monday = demo.today - timedelta(days=demo.today.weekday() + 7)
    return demo.within(column, monday, monday + timedelta(days=6))


def month(demo: Demo, column, number, year=2026):
    return (c(column).dt.month() == number) & (c(column).dt.year() == year) & (c(column) <= demo.today)


INCIDENTS = (
    ("how many incidents are open right now?", lambda d: count(d.live())),
    ("show me the open incidents", lambda d: rows_of(d.live())),
    ("which incidents have nobody on them", lambda d: rows_of(d.live(c("owner").is_null()))),
    ("any critical outages going on?", lambda d: count(d.live(c("severity") == "critical"))),
    ("incidents opened last week", lambda d: rows_of(d.rows("incidents", last_week(d, "opened_on")))),
    ("how many incidents since october", lambda d: count(d.rows("incidents", d.since("opened_on", 2026, 10)))),
    (
        "how many critical incidents did we have this year",
        lambda d: count(d.rows("incidents", c("severity") == "critical", d.since("opened_on", 2026, 1))),
    ),
    (
        "list high severity incidents from this quarter",
        lambda d: rows_of(d.rows("incidents", c("severity") == "high", d.since("opened_on", 2026, 10))),
    ),
    (
        "incidnets on control-plane in november",
        lambda d: rows_of(d.rows("incidents", c("service") == "control-plane", d.since("opened_on", 2026, 11))),
    ),
    ("who owns INC-2026-0071", lambda d: contains(on(d, "incidents", "INC-2026-0071")["owner"])),
    ("when was INC-2026-0071 resolved?", lambda d: contains(on(d, "incidents", "INC-2026-0071")["resolved_on"])),
    ("what caused INC-2026-0063?", lambda d: contains(on(d, "incidents", "INC-2026-0063")["root_cause"])),
    ("why did INC-2026-0062 happen", lambda d: contains(on(d, "incidents", "INC-2026-0062")["root_cause"])),
    ("whats the latest incident", lambda d: contains(d.rows("incidents").sort("opened_at")["id"][-1])),
    (
        "which service had the most incidents this year?",
        lambda d: contains(*most(d.rows("incidents", d.since("opened_on", 2026, 1)), "service")),
    ),
    (
        "incidents by severity this year",
        lambda d: contains(
            *(
                f"{row[0]}: {row[1]}"
                for row in d.rows("incidents", d.since("opened_on", 2026, 1))["severity"].value_counts().iter_rows()
            )
        ),
    ),
    ("unresolved tickets older than a week", lambda d: rows_of(d.live(c("opened_on") < d.today - timedelta(days=7)))),
    ("how many incidents did we resolve last month", lambda d: count(d.rows("incidents", month(d, "resolved_on", 10)))),
    ("is anything still open on dns?", lambda d: contains(*d.live(c("service") == "dns")["id"])),
    (
        "mean time to resolve high incidents this year",
        lambda d: contains(
            format(
                d.rows(
                    "incidents", c("severity") == "high", d.since("opened_on", 2026, 1), c("resolved_at").is_not_null()
                )
                .select((c("resolved_at") - c("opened_at")).dt.total_seconds().mean() / 3600)
                .item(),
                ".1f",
            )
        ),
    ),
    (
        "incidents assigned to tess mcallister that are still open",
        lambda d: count(d.live(c("owner") == d.mail("tess.mcallister"))),
    ),
    (
        "open follow-ups from incidents that are late",
        lambda d: rows_of(d.rows("incident_actions", c("status") == "open", c("due_on") < d.today)),
    ),
    (
        "how many users did INC-2026-0063 hit",
        lambda d: contains(on(d, "incidents", "INC-2026-0063")["impact_users"] or "no"),
    ),
)

DEPLOYS = (
    ("deploys last week", lambda d: rows_of(d.rows("deploys", last_week(d, "deployed_on")))),
    (
        "which deploys failed this month",
        lambda d: rows_of(d.rows("deploys", c("status") == "failed", d.since("deployed_on", 2026, 11))),
    ),
    (
        "when did we last deploy to billing?",
        lambda d: contains(d.rows("deploys", c("service") == "billing").sort("deployed_at")["deployed_on"][-1]),
    ),
    (
        "who shipped the last deploy to control-plane",
        lambda d: contains(d.rows("deploys", c("service") == "control-plane").sort("deployed_at")["actor"][-1]),
    ),
    (
        "how many rollbacks since september",
        lambda d: count(d.rows("deploys", c("status") == "rolled_back", d.since("deployed_on", 2026, 9))),
    ),
    ("what changed on control-plane before INC-2026-0071?", lambda d: contains("DEP-2026-0171")),
    (
        "deploys by Lena in october",
        lambda d: rows_of(d.rows("deploys", c("actor") == d.mail("lena.fischer"), month(d, "deployed_on", 10))),
    ),
    (
        "how many releases did we ship in Q3",
        lambda d: count(d.rows("deploys", d.within("deployed_on", date(2026, 7, 1), date(2026, 9, 30)))),
    ),
    (
        "number of deployments per service this quarter",
        lambda d: contains(
            *(
                f"{row[0]}: {row[1]}"
                for row in d.rows("deploys", d.since("deployed_on", 2026, 10))["service"]
                .value_counts()
                .sort("count", "service", descending=[True, False])
                .head(5)
                .iter_rows()
            )
        ),
    ),
)


def due_before(demo: Demo):
    return c("due_on") < demo.today


FINDINGS = (
    ("known exploited vulns still open", lambda d: rows_of(d.findings(c("known_exploited")))),
    ("how many KEV findings do we have open?", lambda d: count(d.findings(c("known_exploited")))),
    ("open critical or high findings", lambda d: rows_of(d.findings(c("severity").is_in(["critical", "high"])))),
    ("vulns past due", lambda d: rows_of(d.findings(due_before(d)))),
    ("open findings on billing", lambda d: rows_of(d.findings(c("service") == "billing"))),
    (
        "hihg findings that are reachable from the internet",
        lambda d: rows_of(d.findings(c("severity") == "high", c("internet_reachable"))),
    ),
    (
        "how many vulnerabilities did we fix last month",
        lambda d: count(d.rows("findings", c("status") == "fixed", month(d, "fixed_on", 10))),
    ),
    ("when is FND-0133 due", lambda d: contains(on(d, "findings", "FND-0133")["due_on"])),
    ("is CVE-2026-90999 fixed?", lambda d: contains("FND-0186", "open")),
    ("how many findings from scanner-net are open", lambda d: count(d.findings(c("source") == "scanner-net"))),
    ("findings due in the next 30 days", lambda d: rows_of(d.findings(d.next_days("due_on", 30)))),
    ("which service has the most open findings", lambda d: contains(most(d.findings(), "service")[1])),
    ("medium findings", lambda d: count(d.findings(c("severity") == "medium"))),
    ("what is the severity of FND-0128", lambda d: contains(on(d, "findings", "FND-0128")["severity"])),
    ("oldest open finding", lambda d: contains(d.findings().sort("first_seen_at", "id")["id"][0])),
)

SERVICES = (
    ("who's on the hook for dns", lambda d: contains(on(d, "services", "svc-dns")["owner"])),
    ("which services face the internet", lambda d: rows_of(d.rows("services", c("internet_facing")), "name")),
    (
        "what depends on message-bus",
        lambda d: contains(
            *(
                d.frames["service_dependencies"]
                .filter(c("depends_on_id") == "svc-message-bus")
                .join(d.rows("services"), left_on="service_id", right_on="id")["name"]
            )
        ),
    ),
    ("how many tier 5 services", lambda d: count(d.rows("services", c("criticality") == 5))),
    (
        "services without an SLO",
        lambda d: Count(
            d.rows("services").join(d.frames["slo_profiles"], left_on="id", right_on="service_id", how="anti").height
        ),
    ),
    ("what is the slo of control-plane", lambda d: contains("99.9")),
    ("services that hold customer data", lambda d: rows_of(d.rows("services", c("holds_customer_data")), "name")),
    (
        "what does Marcus Bell own in terms of services",
        lambda d: rows_of(d.rows("services", c("owner") == d.mail("marcus.bell")), "name"),
    ),
    ("how critical is metering", lambda d: contains("3")),
    ("how much error budget is left on object-storage", lambda d: contains(remaining_budget(d, "svc-object-storage"))),
    (
        "which services burned more than their error budget",
        lambda d: Count(sum(used_budget(d, one) >= 100 for one in d.frames["slo_profiles"]["service_id"])),
    ),
)


def used_budget(demo: Demo, service):
    """Percent of the error budget of 30 days that is used, up to the last full five minutes."""
    end = pl.datetime(2026, 11, 20, 8, 30, time_zone="UTC")
    held = demo.frames["slo_buckets"].filter(
        c("service_id") == service, c("bucket_at") < end, c("bucket_at") >= end - timedelta(days=30)
    )
    objective = demo.frames["slo_profiles"].filter(c("service_id") == service)["objective_pct"].item()
    return 100 * held["bad"].sum() / (held["total"].sum() * (1 - objective / 100))


def remaining_budget(demo: Demo, service):
    return f"{100 - used_budget(demo, service):.1f}"


OUTSIDE = (
    ("what's the weather like?", lambda _: NoData()),
    ("how many unicorns are open", lambda _: NoData()),
    ("write me a poem about audits", lambda _: NoData()),
    ("INC-1999-4711", lambda _: NoData()),
)
OPERATIONS = (*INCIDENTS, *DEPLOYS, *FINDINGS, *SERVICES, *OUTSIDE)
