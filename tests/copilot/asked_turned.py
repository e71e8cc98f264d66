"""Questions that turn a word round, compare, sum up, look back or ask two things, for any large organization."""

from datetime import date, timedelta

import polars as pl

from tests.copilot.asked_operations import due_before, last_week, month, most
from tests.copilot.asked_programme import policies, requests, signatures, with_documents
from tests.copilot.truth import Demo, NoData, Unsure, contains, count, rows_of

c = pl.col
LOW = ("info", "low")


def groups(frame, column, least):
    """The values that occur so often."""
    value_counts = frame.drop_nulls(column)[column].value_counts()
    return value_counts.filter(c("count") >= least)


def share(part, whole):
    return contains(f"{100 * part.height / whole.height:.1f}", part.height, whole.height)


def posture(demo: Demo, first, last):
    return demo.rows("posture_snapshots", c("taken_on").is_between(first, last)).sort("taken_on")


def this_month(demo: Demo, column):
    return month(demo, column, demo.today.month)


def hours(incidents):
    took = (c("resolved_at") - c("opened_at")).dt.total_seconds() / 3600
    return f"{incidents.select(took.mean()).item():.1f}"


def readiness(demo: Demo, framework, day):
    held = demo.rows("readiness_snapshots", c("framework") == framework, c("taken_on") <= day).sort("taken_on")
    return held["weighted_pct"][-1]


NEGATED = (
    ("open incidents that aren't critical", lambda d: count(d.live(c("severity") != "critical"))),
    ("open incidents except the low ones", lambda d: count(d.live(c("severity") != "low"))),
    (
        "findings that are neither critical nor high",
        lambda d: count(d.findings(~c("severity").is_in(["critical", "high"]))),
    ),
    ("open vulns which are not reachable from the internet", lambda d: count(d.findings(~c("internet_reachable")))),
    ("open findings not known to be exploited", lambda d: count(d.findings(~c("known_exploited")))),
    ("non critical vendors", lambda d: count(d.vendors(c("tier") != "critical"))),
    ("vendors other than critical ones", lambda d: count(d.vendors(c("tier") != "critical"))),
    ("vendors nobody has ever reviewed", lambda d: count(d.vendors(c("last_review_on").is_null()))),
    (
        "vendors not reviewed since july",
        lambda d: count(d.vendors(c("last_review_on").is_null() | (c("last_review_on") < date(2026, 7, 1)))),
    ),
    (
        "open risks that we don't accept",
        lambda d: count(d.rows("risks", c("status") == "open", c("treatment") != "accept")),
    ),
    (
        "deploys this year that were neither failed nor rolled back",
        lambda d: count(
            d.rows("deploys", ~c("status").is_in(["failed", "rolled_back"]), d.since("deployed_on", 2026, 1))
        ),
    ),
    ("policies that are not active", lambda d: count(d.rows("policies", c("state") != "active"))),
    (
        "evidence requests that arent overdue",
        lambda d: count(
            d.rows(
                "evidence_requests",
                ~((c("due_on") < d.today) & c("status").is_in(["open", "in_progress", "submitted"])),
            )
        ),
    ),
    ("which open incidents are not assigned to anyone", lambda d: rows_of(d.live(c("owner").is_null()))),
    (
        "findings older than 60 days but not the low ones",
        lambda d: count(d.findings(c("first_seen_on") < d.today - timedelta(days=60), c("severity") != "low")),
    ),
    (
        "meetings that were not cancelled this year",
        lambda d: count(
            d.rows(
                "committee_meetings",
                c("status") != "cancelled",
                d.within("held_on", date(2026, 1, 1), date(2026, 12, 31)),
            )
        ),
    ),
    ("how many pets do we have", lambda _: NoData()),
    ("how many days until our soc 2 audit", lambda _: NoData()),
    ("how many findings were open in june", lambda _: Unsure("in june")),
    ("controls effective in both soc 2 and iso", lambda _: Unsure("both")),
    ("incidents nobody complained about", lambda _: NoData()),
)

COMPARED = (
    (
        "more incidents this month than last?",
        lambda d: contains(
            d.rows("incidents", this_month(d, "opened_on")).height,
            d.rows("incidents", month(d, "opened_on", 10)).height,
        ),
    ),
    (
        "compare incidents in september with october",
        lambda d: contains(*(d.rows("incidents", month(d, "opened_on", number)).height for number in (9, 10))),
    ),
    ("medium or higher open findings", lambda d: count(d.findings(~c("severity").is_in(LOW)))),
    ("open findings of at least high severity", lambda d: count(d.findings(c("severity").is_in(["critical", "high"])))),
    ("open findings with a cvss of at least 7", lambda d: count(d.findings(c("cvss") >= 7))),
    ("open findings with cvss between 4 and 7", lambda d: count(d.findings(c("cvss").is_between(4, 7)))),
    ("services with more than 3 open findings", lambda d: count(groups(d.findings(), "service", 4))),
    ("how many services have open incidents", lambda d: count(groups(d.live(), "service", 1))),
    (
        "which services had incidents last week",
        lambda d: count(groups(d.rows("incidents", last_week(d, "opened_on")), "service", 1)),
    ),
    (
        "services without any open findings",
        lambda d: count(d.rows("services", ~c("name").is_in(d.findings()["service"].drop_nulls().to_list()))),
    ),
    ("top service by open findings", lambda d: contains(most(d.findings(), "service")[1])),
    ("who has the most overdue attestations", lambda d: contains(most(signatures(d, due_before(d)), "owner")[1])),
    ("open critical or overdue findings", lambda d: count(d.findings((c("severity") == "critical") | due_before(d)))),
    ("the 3 newest incidents", lambda d: contains(*d.rows("incidents").sort("opened_at")["id"].tail(3))),
)

SUMMED = (
    ("what percentage of open findings are overdue", lambda d: share(d.findings(due_before(d)), d.findings())),
    ("share of vendors that are critical", lambda d: share(d.vendors(c("tier") == "critical"), d.vendors())),
    (
        "how many of our vendors in percent have a dpa",
        lambda d: share(d.vendors(c("id").is_in(with_documents(d, "dpa"))), d.vendors()),
    ),
    (
        "what share of deploys failed this year",
        lambda d: share(
            d.rows("deploys", c("status") == "failed", d.since("deployed_on", 2026, 1)),
            d.rows("deploys", d.since("deployed_on", 2026, 1)),
        ),
    ),
    ("avg cvss of open findings", lambda d: contains(f"{d.findings()['cvss'].mean():.1f}")),
    (
        "median age of open findings in days",
        lambda d: contains(f"{float((d.today - d.findings()['first_seen_on']).dt.total_days().median()):.1f}"),
    ),
    (
        "average time to resolve of high incidents this year",
        lambda d: contains(hours(d.rows("incidents", c("severity") == "high", d.since("opened_on", 2026, 1)))),
    ),
)

LOOKED_BACK = (
    (
        "what was our posture score in june",
        lambda d: contains(f"{posture(d, date(2026, 6, 1), date(2026, 6, 30))['score'][-1]:g}"),
    ),
    (
        "highest posture score this year",
        lambda d: contains(f"{posture(d, date(2026, 1, 1), d.today)['score'].max():g}"),
    ),
    (
        "did posture ever go over 99",
        lambda d: contains("No", f"{posture(d, date(2025, 1, 1), d.today)['score'].max():g}"),
    ),
    (
        "how has posture changed since august",
        lambda d: contains(f"{posture(d, date(2025, 1, 1), date(2026, 8, 1))['score'][-1]:g}"),
    ),
    ("soc 2 readiness at the end of september", lambda d: contains(f"{readiness(d, 'soc2', date(2026, 9, 30)):g}")),
    ("posture five years ago", lambda _: NoData()),
)

TWO_AT_ONCE = (
    (
        "how many vendors do we have and how many of them are critical",
        lambda d: contains(d.vendors().height, d.vendors(c("tier") == "critical").height),
    ),
    (
        "open incidents and open findings",
        lambda d: contains(f"{d.live().height} open incidents", f"{d.findings().height} open findings"),
    ),
    (
        "how many active policies are there, and how many evidence requests are open",
        lambda d: contains(policies(d).height, requests(d).height),
    ),
    (
        "how many deploys failed this month and how many were rolled back",
        lambda d: contains(
            *(
                d.rows("deploys", c("status") == one, this_month(d, "deployed_on")).height or "No"
                for one in ("failed", "rolled_back")
            )
        ),
    ),
    ("aren't there any critical incidents open?", lambda d: count(d.live(c("severity") == "critical"))),
)

TURNED = (*NEGATED, *COMPARED, *SUMMED, *LOOKED_BACK, *TWO_AT_ONCE)
