"""What is read from the replica about what arrived from monitors and scanners, and what did not.

A sender is an ingest token and the monitor that sends with it; a job notes in the audit log when each was heard.
"""

from collections.abc import Mapping

from engine.model.arrivals import ARRIVALS, CREATED, MESSAGE, READ_LATER, REVOKED, TICK, TOKEN, UNREAD
from engine.replica.scans.audit import local_day

# ruff: noqa: S608 -- every name below is a literal of this module


def _detail(name: str) -> str:
    """A text in the details of an event; null where they are none of ours."""
    return f"CASE WHEN json_valid(a.details) THEN json_extract_string(a.details, '$.{name}') END"


_BY_TOKEN = f"starts_with(a.actor, '{TOKEN}')"
_MOST = 1_000_000_000  # messages that one event may tell of: a note says of one at least, whatever stands in it

SCANS: Mapping[str, str] = {
    # by sender and day. An alert is of the monitor of its incident; one that was read again later than it came says
    # nothing of the day. Messages are counted by the job that notes them; since its last note each body with an alert
    # is one
    "arrivals_rows": f"""
        WITH replays AS (
            SELECT a.org_id, a.revision FROM audit_log a JOIN asked q USING (org_id) WHERE a.action = '{READ_LATER}'
        ),
        heard AS (
            SELECT a.org_id, substr(a.actor, {len(TOKEN) + 1}) AS token, a.occurred_at, a.revision,
                CASE a.action WHEN '{MESSAGE}' THEN {_detail("source")} ELSE i.source END AS source,
                CASE a.action WHEN '{MESSAGE}'
                    THEN greatest(1, least({_MOST}, coalesce(TRY_CAST({_detail("messages")} AS BIGINT), 1))) END
                    AS messages
            FROM audit_log a JOIN asked q USING (org_id)
            LEFT JOIN incidents i ON i.org_id = a.org_id AND i.id = a.object_id AND a.object_type = 'incident'
            ANTI JOIN replays r ON r.org_id = a.org_id AND r.revision = a.revision
            WHERE a.action IN ({", ".join(map(repr, ARRIVALS))}) AND {_BY_TOKEN} AND a.occurred_at < q.ends_at
        ),
        notes AS (
            SELECT org_id, token, source, max(occurred_at) AS noted_at FROM heard WHERE messages IS NOT NULL
            GROUP BY ALL
        )
        SELECT h.org_id, h.token, h.source, {local_day("h.occurred_at")} AS day,
            coalesce(sum(h.messages) FILTER (h.occurred_at >= q.starts_at), 0)::BIGINT + count(DISTINCT h.revision)
                FILTER (h.messages IS NULL AND h.occurred_at >= q.starts_at
                    AND (n.noted_at IS NULL OR h.occurred_at > n.noted_at)) AS messages,
            count(*) FILTER (h.occurred_at >= q.starts_at) AS events_in_period, max(h.occurred_at) AS last_at
        FROM heard h JOIN asked q USING (org_id) LEFT JOIN notes n USING (org_id, token, source)
        WHERE h.source IS NOT NULL GROUP BY ALL
    """,
    # when it was last known that time goes on without a message
    "arrival_ticks_rows": f"""
        SELECT a.org_id, max(a.occurred_at) AS last_at FROM audit_log a JOIN asked q USING (org_id)
        WHERE a.action IN ('{TICK}', '{UNREAD}') AND a.occurred_at < q.ends_at GROUP BY a.org_id
    """,
    # labels of which every token was revoked, and when the last was: a new token with the same label takes over
    "revoked_tokens_rows": f"""
        WITH tokens AS (
            SELECT a.org_id, max({_detail("label")}) AS token,
                max(a.occurred_at) FILTER (a.action = '{REVOKED}') AS revoked_at
            FROM audit_log a JOIN asked q USING (org_id)
            WHERE a.action IN ('{CREATED}', '{REVOKED}') AND a.occurred_at < q.ends_at
            GROUP BY a.org_id, coalesce(a.object_id, a.event_id)
        )
        SELECT org_id, token, max(revoked_at) AS revoked_at FROM tokens
        WHERE token IS NOT NULL GROUP BY org_id, token HAVING bool_and(revoked_at IS NOT NULL)
    """,
    # messages of the period that nobody could read, and that were not read later
    "dead_letters_rows": f"""
        SELECT a.org_id, substr(a.actor, {len(TOKEN) + 1}) AS token, {_detail("reason")} AS reason,
            count(*) AS messages, max(a.occurred_at) AS last_at, max(a.object_id) AS last_id
        FROM audit_log a JOIN asked q USING (org_id)
        WHERE a.action = '{UNREAD}' AND a.occurred_at >= q.starts_at AND a.occurred_at < q.ends_at AND NOT EXISTS (
            SELECT 1 FROM audit_log r WHERE r.org_id = a.org_id AND r.action = '{READ_LATER}'
                AND r.object_id = a.object_id AND r.occurred_at < q.ends_at
        )
        GROUP BY ALL
    """,
    "service_senders_rows": """
        SELECT t.org_id, t.service_id, t.token, t.source FROM service_senders t JOIN asked q USING (org_id)
    """,
}
