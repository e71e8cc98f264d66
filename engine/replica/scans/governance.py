"""What is read from the replica about deployment, retention, legal holds and policy blocks."""

from collections.abc import Mapping

from engine.replica.scans.audit import local_day

# ruff: noqa: S608 -- every name below is a literal of this module

# Days for which records are kept, by deployment tier. An organization's own override takes their place.
RETENTION_DAYS: Mapping[str, Mapping[str, int]] = {
    # a year as PCI DSS 10.5.1 asks for, and a month to notice; two years of incidents for trends
    "shared": {"audit_log": 400, "incidents": 730},
    # two years, so that a Type II period and the one before are there together; three years of incidents
    "dedicated": {"audit_log": 730, "incidents": 1095},
    # whoever runs it pays for the disk: seven years outlast the six of HIPAA 164.316(b)(2)(i)
    "self-hosted": {"audit_log": 2555, "incidents": 2555},
}
_TIERS = ", ".join(
    f"('{tier}', '{record_class}', {days})"
    for tier, classes in RETENTION_DAYS.items()
    for record_class, days in classes.items()
)

# Who can approve: everybody with a profile, and members from the day of joining on. Of those who are not there any more
# only up to the day on which the record of them last changed, since it says so from then on at the latest; of a change
# whose event retention cut, up to the first one that is left. Who left by their profile did so as a member, too.
_APPROVERS = f"""
    firsts AS (SELECT org_id, min(recorded_at) AS first_at FROM audit_log GROUP BY org_id),
    persons AS (
        SELECT org_id, email, NULL::DATE AS since_on, active AS here, revision, true AS profile FROM users
        UNION ALL SELECT org_id, email, since_on, status = 'active', revision, false FROM memberships
    ),
    dated AS (
        SELECT t.org_id, lower(t.email) AS email, t.since_on, t.profile,
            CASE WHEN NOT t.here THEN {local_day("coalesce(a.recorded_at, f.first_at)")} END AS until_on
        FROM persons t JOIN asked q USING (org_id) LEFT JOIN firsts f ON f.org_id = t.org_id
        LEFT JOIN audit_log a ON a.org_id = t.org_id AND a.seq = t.revision
    ),
    approvers AS (
        SELECT DISTINCT org_id, email, since_on,
            least(until_on, min(until_on) FILTER (profile) OVER (PARTITION BY org_id, email)) AS until_on
        FROM dated
    )
"""

# A row that is ``days`` business days old is still kept: what is purged happened before ``purge_before``.
_POLICY = f"""
    {_APPROVERS},
    valid AS (  -- overrides that somebody of the organization approved on a day that has come
        SELECT DISTINCT o.org_id, o.record_class FROM retention_overrides o JOIN asked q USING (org_id)
        JOIN approvers a ON a.org_id = o.org_id
            AND list_contains(list_transform(string_split(lower(o.approved_by), ';'), lambda one: trim(one)), a.email)
        WHERE o.approved_on <= q.as_of AND (a.since_on IS NULL OR a.since_on <= o.approved_on)
            AND (a.until_on IS NULL OR a.until_on >= o.approved_on)
    ),
    tiers AS (SELECT * FROM (VALUES {_TIERS}) v(tier, record_class, default_days)),
    chosen AS (
        SELECT q.org_id, q.as_of, q.time_zone, d.tier, d.record_class, d.default_days, o.days AS override_days,
            o.reason, o.approved_by, o.approved_on, v.org_id IS NOT NULL AS override_approved,
            -- what nobody approved never shortens: records that are gone cannot be asked for again
            CASE WHEN v.org_id IS NULL THEN greatest(o.days, d.default_days) ELSE o.days END AS days,
            CASE WHEN v.org_id IS NULL THEN d.default_days ELSE o.days END AS approved_days
        FROM asked q JOIN organizations t ON t.id = q.org_id JOIN tiers d ON d.tier = t.deployment_tier
        LEFT JOIN retention_overrides o ON o.org_id = q.org_id AND o.record_class = d.record_class
        LEFT JOIN valid v ON v.org_id = q.org_id AND v.record_class = d.record_class
    ),
    policy AS (
        SELECT *, (CAST(as_of - CAST(days AS INTEGER) AS TIMESTAMP) AT TIME ZONE time_zone) AT TIME ZONE 'UTC'
            AS purge_before
        FROM chosen
    )
"""

# A hold that names neither an incident nor a prefix of actions cannot be narrowed, so it holds everything.
_HOLDS = """
    holds AS (
        SELECT h.*, (h.released_at IS NULL OR h.released_at >= q.ends_at) AS active,
            h.scope = 'all' OR (h.incident_id IS NULL AND coalesce(h.scope, 'incident') = 'incident') AS everything,
            CASE WHEN h.scope NOT IN ('all', 'incident') THEN rtrim(h.scope, '*') END AS prefix
        FROM legal_holds h JOIN asked q USING (org_id) WHERE h.placed_at < q.ends_at
    )
"""
# what each of them holds of the log, by ``audit_spans_rows`` and ``held_events_rows``
_HELD = f"""
    {_HOLDS},
    whole AS MATERIALIZED (
        SELECT h.org_id, h.id, h.active, a.action, a.events, a.first_seq, a.first_at, a.last_at
        FROM holds h
        JOIN audit_spans_rows a ON a.org_id = h.org_id AND (h.everything OR starts_with(a.action, h.prefix))
    ),
    held_rows AS (
        SELECT org_id, id, sum(events)::BIGINT AS flagged, min(first_seq) AS first_seq,
            min(first_at) AS first_flagged_at, max(last_at) AS last_flagged_at
        FROM (
            SELECT org_id, id, events, first_seq, first_at, last_at FROM whole
            UNION ALL
            SELECT org_id, id, 1, seq, occurred_at, occurred_at
            FROM held_events_rows ANTI JOIN whole USING (org_id, id, action)
        )
        GROUP BY org_id, id
    )
"""

SCANS: Mapping[str, str] = {
    "approvers_rows": f"WITH {_APPROVERS} SELECT org_id, email, since_on, until_on FROM approvers",
    "deployment_rows": """
        SELECT t.id AS org_id, t.deployment_tier AS tier, t.plan, t.data_region, t.boundary, t.key_custody, t.auth_mode,
            t.modules, t.revision AS version, t.created_at, a.recorded_at AS changed_at
        FROM organizations t JOIN asked q ON q.org_id = t.id
        LEFT JOIN audit_log a ON a.org_id = t.id AND a.seq = t.revision
    """,
    "connections_rows": """
        SELECT t.org_id, t.kind, t.name, t.settings, t.created_at FROM connections t JOIN asked q USING (org_id)
        WHERE t.status <> 'disabled' AND t.created_at < q.ends_at
    """,
    "recipients_rows": """
        SELECT t.org_id, t.channel, t.recipient, count(*) AS deliveries, max(t.created_at) AS last_at
        FROM deliveries t JOIN asked q USING (org_id) WHERE t.created_at < q.ends_at AND t.status <> 'skipped'
        GROUP BY t.org_id, t.channel, t.recipient
    """,
    # the log by action, whenever it happened
    "audit_spans_rows": """
        SELECT a.org_id, a.action, count(*) AS events, min(a.seq) AS first_seq, min(a.occurred_at) AS first_at,
            max(a.occurred_at) AS last_at
        FROM audit_log a JOIN asked q USING (org_id) GROUP BY a.org_id, a.action
    """,
    # events of what a hold names, and of what was done about it
    "held_events_rows": f"""
        WITH {_HOLDS},
        concerned AS MATERIALIZED (
            SELECT org_id, id, incident_id AS object_id FROM holds WHERE incident_id IS NOT NULL
            UNION SELECT h.org_id, h.id, r.id FROM holds h JOIN dry_runs r USING (org_id, incident_id)
            UNION SELECT h.org_id, h.id, r.id FROM holds h JOIN executions r USING (org_id, incident_id)
            UNION SELECT h.org_id, h.id, r.id FROM holds h JOIN rca_runs r USING (org_id, incident_id)
        )
        SELECT c.org_id, c.id, a.action, a.seq, a.occurred_at
        FROM audit_log a JOIN concerned c USING (org_id, object_id)
    """,
    "legal_holds_rows": f"""
        WITH {_HELD},
        active AS (SELECT DISTINCT org_id, action, events FROM whole WHERE active),
        any_hold AS (
            SELECT org_id, sum(events)::BIGINT AS flagged FROM (
                SELECT org_id, events FROM active
                UNION ALL
                SELECT s.org_id, count(DISTINCT s.seq)
                FROM held_events_rows s JOIN holds h USING (org_id, id) ANTI JOIN active a USING (org_id, action)
                WHERE h.active GROUP BY s.org_id
            )
            GROUP BY org_id
        )
        SELECT h.* EXCLUDE (revision, everything, prefix), coalesce(r.flagged, 0) AS flagged, r.first_flagged_at,
            r.last_flagged_at, coalesce(t.flagged, 0) AS flagged_by_any
        FROM holds h LEFT JOIN held_rows r USING (org_id, id) LEFT JOIN any_hold t USING (org_id)
    """,
    # how much of the log is so old that it may go, and where it begins
    "audit_ages_rows": f"""
        WITH {_POLICY}
        SELECT a.org_id, count(*) AS rows, min(a.occurred_at) AS oldest_at,
            count(*) FILTER (a.occurred_at < p.purge_before) AS eligible,
            min(a.seq) AS first_seq, arg_min(a.occurred_at, a.seq) AS first_at, max(a.seq) AS last_seq,
            min(a.seq) FILTER (a.occurred_at >= p.purge_before) AS first_young
        FROM audit_log a JOIN policy p USING (org_id) WHERE p.record_class = 'audit_log' GROUP BY a.org_id
    """,
    # only a prefix of the chain can go: up to the first event that is too young or held
    "audit_retention_rows": f"""
        WITH {_POLICY}, {_HELD},
        held AS (
            SELECT r.org_id, min(r.first_seq) AS first_held
            FROM held_rows r JOIN holds h USING (org_id, id) WHERE h.active GROUP BY r.org_id
        ),
        ends AS (SELECT * REPLACE (coalesce(first_young, last_seq + 1) AS first_young) FROM audit_ages_rows),
        counted AS (  -- a chain has no gaps, so positions count events
            SELECT e.*, e.first_young - e.first_seq AS before_young,
                greatest(least(e.first_young, coalesce(h.first_held, e.first_young)) - e.first_seq, 0) AS purgeable,
                CASE WHEN h.first_held <= e.first_seq THEN NULL ELSE e.first_at END AS next_at
            FROM ends e LEFT JOIN held h USING (org_id)
        )
        SELECT p.* EXCLUDE (time_zone), coalesce(c.rows, 0) AS rows, c.oldest_at, coalesce(c.eligible, 0) AS eligible,
            coalesce(c.purgeable, 0) AS purgeable, coalesce(c.before_young - c.purgeable, 0) AS held,
            coalesce(c.eligible - c.before_young, 0) AS waiting, c.next_at
        FROM policy p LEFT JOIN counted c USING (org_id) WHERE p.record_class = 'audit_log'
    """,
    "incident_retention_rows": f"""
        WITH {_POLICY}, {_HOLDS},
        closed AS (
            SELECT i.org_id, coalesce(i.closed_at, i.resolved_at) AS ended_at,
                EXISTS (SELECT 1 FROM holds h WHERE h.org_id = i.org_id AND h.active
                    AND (h.everything OR h.incident_id = i.id)) AS held
            FROM incidents i JOIN asked q USING (org_id) WHERE i.status = 'closed'
        ),
        counted AS (
            SELECT c.org_id, count(*) AS rows, min(c.ended_at) AS oldest_at,
                count(*) FILTER (c.ended_at < p.purge_before) AS eligible,
                count(*) FILTER (c.ended_at < p.purge_before AND NOT c.held) AS purgeable,
                min(c.ended_at) FILTER (NOT c.held) AS next_at
            FROM closed c JOIN policy p USING (org_id) WHERE p.record_class = 'incidents' GROUP BY c.org_id
        )
        SELECT p.* EXCLUDE (time_zone), coalesce(c.rows, 0) AS rows, c.oldest_at, coalesce(c.eligible, 0) AS eligible,
            coalesce(c.purgeable, 0) AS purgeable, coalesce(c.eligible - c.purgeable, 0) AS held, 0 AS waiting,
            c.next_at
        FROM policy p LEFT JOIN counted c USING (org_id) WHERE p.record_class = 'incidents'
    """,
    "policy_blocks_rows": """
        SELECT t.org_id, t.id, t.playbook, t.policy_id, p.title AS policy, t.reason, t.message, t.actor, t.blocked_at,
            t.overridden
        FROM policy_blocks t JOIN asked q USING (org_id)
        LEFT JOIN policies p ON p.org_id = t.org_id AND p.id = t.policy_id
        WHERE t.blocked_at < q.ends_at
    """,
    # what a policy let through: rehearsals that were not refused, and executions
    "automation_runs_rows": """
        SELECT t.org_id, t.id, 'dry_run' AS kind, t.playbook, t.actor, t.outcome, t.ran_at
        FROM dry_runs t JOIN asked q USING (org_id) WHERE t.outcome <> 'blocked' AND t.ran_at < q.ends_at
        UNION ALL
        SELECT t.org_id, t.id, 'execution', t.playbook, t.actor, t.status, t.executed_at
        FROM executions t JOIN asked q USING (org_id) WHERE t.executed_at < q.ends_at
    """,
}
