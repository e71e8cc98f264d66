"""Questions of dune, which has one owner, one vendor, one framework and three weeks of data."""

import polars as pl

from tests.copilot.truth import Demo, NoData, contains, count

c = pl.col


def inapplicable(demo: Demo):
    """Controls that do not apply."""
    return demo.rows("control_profiles", ~c("applicable"))


SMALL = (
    ("how many vendors do we have", lambda d: count(d.vendors())),
    ("which vendors need a review", lambda d: contains("Brackwater Cloud")),
    ("do we have a dpa with our vendor", lambda _: contains("No")),
    ("how many incidents did we have", lambda _: NoData()),
    ("open findings", lambda _: NoData()),
    ("any deploys last week?", lambda _: NoData()),
    ("next committee meeting", lambda _: NoData()),
    ("who owns the loader", lambda d: contains(d.rows("services")["owner"][0])),
    (
        "which controls did we exclude and why",
        lambda d: contains(inapplicable(d).height, inapplicable(d)["justification"][0].rstrip(".")),
    ),
    (
        "did our score go up since we started?",
        lambda d: contains("Yes", f"{d.rows('posture_snapshots').sort('taken_on')['score'][0]:g}"),
    ),
    ("posture in june", lambda _: contains("no data")),
    ("how are we doing on soc2", lambda _: contains("SOC 2", "39 open gaps")),
    ("are we ready for hipaa", lambda _: NoData()),
    ("how many members do we have", lambda d: count(d.rows("memberships", c("status") == "active"))),
    ("how many people work here", lambda d: contains(d.frames["organizations"]["headcount"][0])),
    ("is our information security policy approved", lambda _: contains("Yes", "POL-ISP-v1")),
    ("gaps without the low ones", lambda _: contains("24")),
    (
        "attestations due this month",
        lambda d: count(
            d.rows(
                "attestations",
                c("outcome").is_null(),
                c("withdrawn_on").is_null(),
                c("due_on").dt.month() == 11,
                c("due_on").dt.year() == 2026,
            )
        ),
    ),
    ("legal holds", lambda _: NoData()),
)
