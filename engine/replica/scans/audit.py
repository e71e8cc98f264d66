"""Scans of the audit log: by action, by the control that an event names, by day.

The newest event of a group is the one with the largest ``recency``: instant first, position in the chain second, so
that ties have one answer.
"""

from collections.abc import Mapping

# ruff: noqa: S608 -- every name below is a literal of this module

RECENCY_BASE = 1 << 40  # positions in a chain stay below
_RECENCY = f"epoch_us(a.occurred_at)::HUGEINT * {RECENCY_BASE} + a.seq"
PAST = "a.occurred_at < q.ends_at"
_PERIOD = """
    CASE WHEN a.occurred_at >= q.ends_at THEN 'future' WHEN a.occurred_at >= q.starts_at THEN 'now'
        WHEN a.occurred_at >= q.before_at THEN 'before' ELSE 'past' END
"""
# actions whose being there is the control at work: a failed login that was logged, a block. Their outcome is that of
# what they report; data/rules/actions.csv has them as "records"
RECORDING = (
    "alert.ingested",
    "consent.recorded",
    "deploy.recorded",
    "disclosure.recorded",
    "incident.opened",
    "login.failed",
    "login.locked_out",
    "malware.blocked",
    "policy.blocked",
    "privileged.session.recorded",
    "session.timed_out",
    "visitor.logged",
)
_GOOD = f"(a.outcome = 'success' OR a.action IN ({', '.join(map(repr, RECORDING))}))"
_TAGS = "list_distinct(string_split(a.controls, '; '))"


def local_day(column: str) -> str:
    """The organization's business date of an instant."""
    return f"CAST(({column} AT TIME ZONE 'UTC') AT TIME ZONE q.time_zone AS DATE)"


def midnight(day: str) -> str:
    """The instant, UTC without zone, at which a business date begins: the first of two where clocks go back over it."""
    wall = f"CAST({day} AS TIMESTAMP)"
    last = f"({wall} AT TIME ZONE q.time_zone)"
    first = f"({last} - INTERVAL 1 HOUR)"
    begins = f"CASE WHEN ({first} AT TIME ZONE q.time_zone) = {wall} THEN {first} ELSE {last} END"
    return f"(({begins}) AT TIME ZONE 'UTC')"


def _counts(groups: str, *key: str, more: tuple[str, ...] = ()) -> str:
    """How many events there are in each of ``groups``, their first instant and their newest one."""
    columns = ", ".join(("org_id", *key, *more, "good", "tagged", "period"))
    return f"""
        SELECT {columns}, events, first_at, make_timestamp((recency // {RECENCY_BASE})::BIGINT) AS last_at,
            (recency % {RECENCY_BASE})::BIGINT AS last_seq
        FROM ({groups})
    """


SCANS: Mapping[str, str] = {
    "audit_action_counts_rows": _counts(
        f"""
        SELECT a.org_id, a.action, a.outcome, {_GOOD} AS good, a.controls IS NOT NULL AS tagged, {_PERIOD} AS period,
            COUNT(*) AS events, MAX({_RECENCY}) AS recency,
            MIN(a.occurred_at) AS first_at
        FROM audit_log a JOIN asked q USING (org_id)
        GROUP BY ALL
        """,
        "action",
        more=("outcome",),
    ),
    # by the controls that an event itself names
    "audit_tag_counts_rows": _counts(
        f"""
        SELECT t.org_id, t.action, t.tag, t.good, TRUE AS tagged, t.period, COUNT(*) AS events,
            MAX(t.recency) AS recency, MIN(t.occurred_at) AS first_at
        FROM (
            SELECT a.org_id, a.action, {_GOOD} AS good, {_PERIOD} AS period, {_RECENCY} AS recency,
                a.occurred_at, unnest({_TAGS}) AS tag
            FROM audit_log a JOIN asked q USING (org_id) WHERE a.controls IS NOT NULL
        ) t
        GROUP BY ALL
        """,
        "action",
        "tag",
    ),
    # the first event of each ``wanted_contradictions``: what came after the support that it outweighs
    "contradiction_starts_rows": f"""
        SELECT w.org_id, w.action, w.outcome, w.tag, w.since_at, w.since_seq, MIN(a.occurred_at) AS first_at
        FROM audit_log a JOIN asked q USING (org_id)
        JOIN wanted_contradictions w ON w.org_id = a.org_id AND w.action = a.action
        WHERE {PAST} AND (w.any_outcome OR NOT {_GOOD}) AND (w.outcome IS NULL OR a.outcome = w.outcome)
            AND (w.tag IS NULL OR list_contains({_TAGS}, w.tag))
            AND (w.since_at IS NULL OR (a.occurred_at, a.seq) > (w.since_at, w.since_seq))
        GROUP BY ALL
    """,
    # when an action succeeded, to tell what evidence there was when an attestation was signed: its first and last
    # instant in each day of UTC. That day holds one local midnight at most, so the two name every local day in it.
    "audit_days_rows": f"""
        SELECT a.org_id, a.action, MIN(a.occurred_at) AS first_at, MAX(a.occurred_at) AS last_at
        FROM audit_log a JOIN asked q USING (org_id) WHERE {PAST} AND {_GOOD}
        GROUP BY a.org_id, a.action, CAST(a.occurred_at AS DATE)
    """,
    # for each signed attestation the last success of each action that names its control, up to the day of signing
    "named_when_signed_rows": f"""
        WITH signed AS (
            SELECT t.org_id, t.id, t.framework || ':' || t.control_id AS tag,
                {midnight(local_day("t.attested_at") + " + 1")} AS until
            FROM attestations t JOIN asked q USING (org_id)
            WHERE t.outcome = 'attested' AND t.attested_at < q.ends_at
        ),
        tagged AS (
            SELECT a.org_id, a.action, a.occurred_at, unnest(string_split(a.controls, '; ')) AS tag
            FROM audit_log a JOIN asked q USING (org_id) WHERE a.controls IS NOT NULL AND {_GOOD} AND {PAST}
        )
        SELECT s.org_id, s.id, a.action, MAX(a.occurred_at) AS happened_at
        FROM signed s JOIN tagged a ON a.org_id = s.org_id AND a.tag = s.tag AND a.occurred_at < s.until
        GROUP BY s.org_id, s.id, a.action
    """,
    # as audit_days, for events that name a SOC 2 criterion themselves
    "criteria_tag_days_rows": f"""
        WITH tagged AS (
            SELECT a.org_id, a.action, a.occurred_at, unnest({_TAGS}) AS tag
            FROM audit_log a JOIN asked q USING (org_id)
            WHERE contains(a.controls, 'soc2:') AND {_GOOD} AND {PAST}
        )
        SELECT org_id, action, tag, MIN(occurred_at) AS first_at, MAX(occurred_at) AS last_at
        FROM tagged WHERE starts_with(tag, 'soc2:') GROUP BY org_id, action, tag, CAST(occurred_at AS DATE)
    """,
    # what the page of an incident says of it beyond what is counted
    "incident_details_rows": """
        SELECT t.org_id, t.id, t.root_cause, t.impact_users, t.summary, t.parent_reason
        FROM incidents t JOIN asked q USING (org_id) WHERE t.opened_at < q.ends_at
    """,
    # the newest events of each thing that has a page of its own
    "object_events_rows": """
        SELECT a.org_id, a.object_type, a.object_id, a.occurred_at, a.action, a.actor, a.outcome
        FROM audit_log a JOIN asked q USING (org_id)
        WHERE a.object_type IN ('incident', 'vendor', 'service', 'evidence_request') AND a.occurred_at < q.ends_at
        QUALIFY row_number() OVER (
            PARTITION BY a.org_id, a.object_type, a.object_id ORDER BY a.occurred_at DESC, a.seq DESC
        ) <= 12
        ORDER BY a.org_id, a.object_type, a.object_id, a.occurred_at DESC, a.seq DESC
    """,
}
