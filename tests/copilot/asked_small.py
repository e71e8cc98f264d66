"""Questions of dune, which has one owner, one vendor, one framework and three weeks of data."""

import polars as pl

from tests.copilot.truth import Demo, Nothing, count, says

c = pl.col


def gone(demo: Demo):
    """Controls that do not apply."""
    return demo.rows("control_profiles", ~c("applicable"))


SMALL = (
    ("how many vendors do we have", lambda d: count(d.vendors())),
    ("which vendors need a review", lambda d: says("Brackwater Cloud")),
    ("do we have a dpa with our vendor", lambda _: says("No")),
    ("how many incidents did we have", lambda _: Nothing()),
    ("open findings", lambda _: Nothing()),
    ("any deploys last week?", lambda _: Nothing()),
    ("next committee meeting", lambda _: Nothing()),
    ("who owns the loader", lambda d: says(d.rows("services")["owner"][0])),
    ("which controls did we exclude and why", lambda d: says(gone(d).height, gone(d)["justification"][0].rstrip("."))),
    ("did our score go up since we started?", lambda d: says("Yes",
        f"{d.rows('posture_snapshots').sort('taken_on')['score'][0]:g}")),
    ("posture in june", lambda _: says("no data")),
    ("how are we doing on soc2", lambda _: says("SOC 2", "39 open gaps")),
    ("are we ready for hipaa", lambda _: Nothing()),
    ("how many people work here", lambda d: says(d.frames["organizations"]["headcount"][0])),
    ("is our information security policy approved", lambda _: says("Yes", "POL-ISP-v1")),
    ("gaps without the low ones", lambda _: says("24")),
    ("attestations due this month", lambda d: count(d.rows(
        "attestations", c("outcome").is_null(), c("withdrawn_on").is_null(), c("due_on").dt.month() == 11,
        c("due_on").dt.year() == 2026))),
    ("legal holds", lambda _: Nothing()),
)  # fmt: skip
