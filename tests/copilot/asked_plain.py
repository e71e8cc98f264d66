"""Questions in everyday words, with the verbs of what happened, superlatives of good and bad, and two things at once."""

import polars as pl

from tests.copilot.truth import NoData, Unsure, contains, count

c = pl.col

PLAIN = (
    # words that say nothing cost nothing
    ("any open incidents hanging around rn?", lambda d: count(d.live())),
    ("which open findings are we still sitting on", lambda d: count(d.findings())),
    ("open purple findings", lambda _: Unsure("purple")),
    ("how many llamas do we have", lambda _: NoData()),
    ("what is our staff turnover", lambda _: NoData()),
    ("how many incidents does brightline have", lambda _: NoData()),
    # what happened, in a span of time
    (
        "how many incidents did we open in october",
        lambda d: count(d.rows("incidents", c("opened_on").is_between(pl.date(2026, 10, 1), pl.date(2026, 10, 31)))),
    ),
    ("open incidents that nobody picked up", lambda d: count(d.live(c("owner").is_null()))),
    ("open findings instead of fixed ones", lambda d: count(d.findings())),
    # good and bad
    ("which framework are we worst at", lambda _: contains("NIST CSF", never=("GDPR",))),
    ("who is best at fixing incidents", lambda _: NoData()),
    # why is no number
    ("why did the posture score drop this month", lambda _: contains("with what did it", "Operational health")),
)
