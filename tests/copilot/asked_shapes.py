"""Questions of two kinds of things, of how a score went, of shares and averages, and of what is kept beside the programme."""

import json
from datetime import date, timedelta

import polars as pl

from tests.copilot.asked_operations import due_before
from tests.copilot.asked_programme import signatures
from tests.copilot.truth import Contains, Count, Unsure, contains, count, rows_of

c = pl.col


def tally(rows, column):
    """How often each value occurs, the most frequent first."""
    return rows.drop_nulls(column)[column].value_counts(sort=True).sort("count", column, descending=[True, False])


def leading(rows, column, first=1):
    """The values that occur most, those that are equal to the last one, too, each with its number."""
    found = tally(rows, column)
    least = found["count"][min(first, found.height) - 1]
    return found.filter(c("count") >= least)


def most(rows, column, first=1):
    found = leading(rows, column, first)
    return contains(*found[column], found["count"][0])


def people(d, rows, column, first=1):
    """The people with the most rows, by their names."""
    names = dict(d.rows("users").select("email", "name").iter_rows())
    found = leading(rows, column, first)
    return contains(*(names[email] for email in found[column]), found["count"][0])


def services(d, rows):
    """The services of some rows."""
    return rows_of(rows.drop_nulls("service").unique("service"), "service")


def unlike(d, rows):
    """The services that have none of some rows."""
    return rows_of(d.rows("services", ~c("name").is_in(rows["service"].drop_nulls().to_list())), "name")


def scores(d):
    return d.rows("posture_snapshots").sort("taken_on")


def decisions(d):
    rows = [
        (meeting, each["decision"], each["owner"], date.fromisoformat(each["due_on"]), each["status"], at)
        for meeting, text, at in d.rows("committee_meetings").select("committee_id", "decisions", "held_on").iter_rows()
        for each in json.loads(text or "[]")
    ]
    return pl.DataFrame(rows, schema=["committee", "title", "owner", "due_on", "status", "held_on"], orient="row")


def share(part, of):
    return Count(round(100 * part.height / of.height, 1))


def this_year(d, column):
    return d.since(column, 2026, 1)


SHAPES = (
    # two kinds of things
    ("top 3 services by open findings", lambda d: most(d.findings(), "service", 3)),
    ("which service has the most open findings", lambda d: most(d.findings(), "service")),
    (
        "which service has more than 3 open findings",
        lambda d: Contains(tuple(tally(d.findings(), "service").filter(c("count") > 3)["service"])),
    ),
    (
        "services with the most incidents this year",
        lambda d: most(d.rows("incidents", this_year(d, "opened_on")), "service", 5),
    ),
    (
        "top 3 services by number of incidents since july",
        lambda d: most(d.rows("incidents", d.since("opened_on", 2026, 7)), "service", 3),
    ),
    ("services without incidents this year", lambda d: unlike(d, d.rows("incidents", this_year(d, "opened_on")))),
    (
        "services lena owns that have open incidents",
        lambda d: services(
            d, d.live(c("service").is_in(d.rows("services", c("owner") == d.mail("lena.fischer"))["name"].to_list()))
        ),
    ),
    (
        "how many services have open findings that are overdue",
        lambda d: Count(d.findings(due_before(d))["service"].n_unique()),
    ),
    (
        "internet-facing services with overdue findings",
        lambda d: services(
            d, d.findings(due_before(d), c("service").is_in(d.rows("services", c("internet_facing"))["name"].to_list()))
        ),
    ),
    ("who has the most overdue attestations", lambda d: people(d, signatures(d, due_before(d)), "owner")),
    (
        "who approved the most exceptions",
        lambda d: people(d, d.rows("exceptions", c("approver").is_not_null()), "approver"),  # whatever became of them
    ),
    ("which owner has the most open risks", lambda d: people(d, d.rows("risks", c("status") == "open"), "owner")),
    (
        "which vendor has the most documents",
        lambda d: most(
            d.rows("vendor_documents").join(
                d.rows("vendors").select("id", vendor="name"), left_on="vendor_id", right_on="id"
            ),
            "vendor",
        ),
    ),
    (
        "which committee has made the most decisions",
        lambda d: contains("Security Steering Committee", leading(decisions(d), "committee")["count"][0]),
    ),
    (
        "which incidents have overdue follow-ups",
        lambda d: rows_of(
            d.rows("incident_actions", c("status") == "open", due_before(d)).unique("incident_id"), "incident_id"
        ),
    ),
    (
        "which service has the oldest open finding",
        lambda d: contains(
            d.findings().sort("first_seen_at")["service"][0], d.findings().sort("first_seen_at")["id"][0]
        ),
    ),
    ("customers with the most incidents", lambda _: Unsure("most")),
    (
        "who owns services with critical findings",
        lambda d: contains(
            *d.rows("services", c("name").is_in(d.findings(c("severity") == "critical")["service"].to_list()))["owner"]
        ),
    ),
    # comparisons
    (
        "more incidents in october or november?",
        lambda d: contains(
            d.rows("incidents", d.within("opened_on", date(2026, 10, 1), date(2026, 10, 31))).height,
            d.rows("incidents", d.within("opened_on", date(2026, 11, 1), d.today)).height,
        ),
    ),
    (
        "does control-plane have more open findings than billing",
        lambda d: contains(*(d.findings(c("service") == name).height for name in ("control-plane", "billing"))),
    ),
    (
        "compare incidents of dns and backup",
        lambda d: contains(*(d.rows("incidents", c("service") == name).height for name in ("dns", "backup"))),
    ),
    # how a score went
    ("did our posture score ever go over 90?", lambda d: contains("No", scores(d)["score"].max(), 90)),
    (
        "has the posture score ever been above 70",
        lambda d: contains("Yes", scores(d).filter(c("score") > 70)["taken_on"][0]),
    ),
    ("what was our highest posture score", lambda d: contains(scores(d)["score"].max())),
    (
        "what was the posture score on 1 october",
        lambda d: contains(scores(d).filter(c("taken_on") <= date(2026, 10, 1))["score"][-1]),
    ),
    (
        "what score did we have two weeks ago",
        lambda d: contains(scores(d).filter(c("taken_on") <= d.today - timedelta(days=14))["score"][-1]),
    ),
    # one framework
    ("how are we doing on cmmc", lambda _: contains("CMMC Level 2", -67)),
    ("how bad is our cmmc score", lambda _: Count(-67)),
    # shares, averages, sums
    (
        "share of incidents that are critical",
        lambda d: share(d.rows("incidents", c("severity") == "critical"), d.rows("incidents")),
    ),
    (
        "what share of deploys failed this year",
        lambda d: share(
            d.rows("deploys", c("status") == "failed", this_year(d, "deployed_on")),
            d.rows("deploys", this_year(d, "deployed_on")),
        ),
    ),
    ("average cvss of open findings", lambda d: Count(round(d.findings()["cvss"].mean(), 1))),
    (
        "how many users were affected by incidents in november",
        lambda d: Count(d.rows("incidents", d.since("opened_on", 2026, 11))["impact_users"].sum()),
    ),
    (
        "worst case loss from ransomware?",
        lambda d: contains(d.rows("risks", c("id") == "RSK-01")["loss_high"].cast(pl.Int64)[0]),
    ),
    (
        "incidents by month",
        lambda d: contains(
            *tally(d.rows("incidents").with_columns(month=c("opened_on").dt.strftime("%Y-%m")), "month")["month"][:1]
        ),
    ),
    (
        "which month had the most incidents",
        lambda d: contains(
            tally(d.rows("incidents").with_columns(month=c("opened_on").dt.strftime("%Y-%m")), "month")["month"][0]
        ),
    ),
    # what is due, and two things of one record
    ("which findings have to be fixed in the next 30 days", lambda d: rows_of(d.findings(d.next_days("due_on", 30)))),
    (
        "which vendors need to be reviewed in the next 60 days",
        lambda d: rows_of(d.vendors(d.next_days("next_review_on", 60))),
    ),
    (
        "who approved the cryptography policy and when",
        lambda d: contains(
            *d.rows("policies", c("policy") == "POL-CRY", c("state") == "active")
            .select("accepted_by", "accepted_on")
            .row(0)
        ),
    ),
    # beside the programme
    ("any committee decisions still open?", lambda d: count(decisions(d).filter(c("status") == "open"))),
    ("which decisions are overdue", lambda d: count(decisions(d).filter(c("status") == "open", c("due_on") < d.today))),
    (
        "how many decisions did the steering committee make this year",
        lambda d: count(decisions(d).filter(c("committee") == "COM-steering", d.since("held_on", 2026, 1))),
    ),
    (
        "which controls changed state in november",
        lambda d: count(d.rows("control_state_changes", c("previous").is_not_null(), d.since("observed_on", 2026, 11))),
    ),
    (
        "which controls did we exclude and why",
        lambda d: contains(
            *d.rows(
                "control_profiles", ~c("applicable"), c("justification").is_not_null(), c("approved_on").is_not_null()
            )["control_id"]
        ),
    ),
    (
        "how long do we keep audit logs",
        lambda d: contains(d.rows("retention_overrides", c("record_class") == "audit_log")["days"][0]),
    ),
    (
        "audit events of tess this week",
        lambda d: count(
            d.rows(
                "audit_log",
                c("actor") == d.mail("tess.mcallister"),
                d.within("occurred_on", d.today - timedelta(days=d.today.weekday()), d.today),
            )
        ),
    ),
    ("what proves CC6.1", lambda _: contains("operation", "attestation")),
    ("who am i", lambda _: contains("Dina Abrams", "admin")),
    ("does anyone named lena work here", lambda _: contains("Lena Fischer")),
)
