"""Scans for ownership, scope, tests and lineage: who answers for controls, what is declared, what was observed."""

from collections.abc import Mapping

SCANS: Mapping[str, str] = {
    "systems_rows": """
        SELECT t.org_id, t.id, t.name, t.owner, t.service_id, t.data_classes, t.region, t.boundary, t.environment,
            t.frameworks, t.pci_class, t.justification, t.last_reviewed_on
        FROM systems t JOIN asked q USING (org_id)
    """,
    "data_flows_rows": """
        SELECT t.org_id, t.id, t.from_system, t.to_system, t.data_class, t.protocol, t.encrypted, t.vendor_id,
            t.agreement_ref
        FROM data_flows t JOIN asked q USING (org_id)
    """,
    "service_facts_rows": """
        SELECT t.org_id, t.id, t.name, t.owner, t.criticality, t.environment, t.internet_facing, t.holds_customer_data
        FROM services t JOIN asked q USING (org_id)
    """,
    # what was seen at work, by the service or, where none is known, by the name that it was seen under
    "sightings_rows": """
        SELECT t.org_id, t.id AS service_id, NULL AS name, 'services' AS source, 1 AS sightings,
            CAST(NULL AS TIMESTAMP) AS last_at
        FROM services t JOIN asked q USING (org_id)
        UNION ALL
        SELECT d.org_id, d.id, NULL, 'dependencies', count(*), NULL
        FROM (SELECT org_id, service_id AS id FROM service_dependencies
              UNION ALL SELECT org_id, depends_on_id FROM service_dependencies) d JOIN asked q USING (org_id)
        GROUP BY d.org_id, d.id
        UNION ALL
        SELECT t.org_id, t.service_id, NULL, 'alerts', sum(coalesce(t.alert_count, 1))::BIGINT, max(t.opened_at)
        FROM incidents t JOIN asked q USING (org_id)
        WHERE t.service_id IS NOT NULL AND t.opened_at < q.ends_at GROUP BY t.org_id, t.service_id
        UNION ALL
        SELECT t.org_id, t.service_id, CASE WHEN t.service_id IS NULL THEN t.asset END AS name, 'findings', count(*),
            max(least(t.last_seen_at, q.ends_at - INTERVAL 1 MICROSECOND))
        FROM findings t JOIN asked q USING (org_id)
        WHERE t.first_seen_at < q.ends_at AND coalesce(t.service_id, t.asset) IS NOT NULL
        GROUP BY t.org_id, t.service_id, name
    """,
    # alerts that named a service which nobody declared, by what the audit log says of them
    "strange_alerts_rows": """
        SELECT t.org_id, t.details, count(*) AS sightings, max(t.occurred_at) AS last_at
        FROM audit_log t JOIN asked q USING (org_id)
        WHERE t.action = 'alert.ingested' AND contains(t.details, '"unknown_service":') AND t.occurred_at < q.ends_at
        GROUP BY t.org_id, t.details
    """,
    "profile_systems_rows": """
        SELECT t.org_id, t.framework, t.control_id, t.systems FROM control_profiles t JOIN asked q USING (org_id)
        WHERE t.systems IS NOT NULL
    """,
    "rehearsals_rows": """
        SELECT t.org_id, t.id, t.playbook, t.policy_id, p.version AS policy_version, t.outcome, t.actor, t.ran_at
        FROM dry_runs t JOIN asked q USING (org_id)
        LEFT JOIN policies p ON p.org_id = t.org_id AND p.id = t.policy_id
        WHERE t.ran_at < q.ends_at
    """,
    "linked_tests_rows": """
        SELECT t.org_id, t.id, t.test_id, t.framework, t.control_id, t.bundle_id, t.status, t.supplement, t.linked_by,
            t.linked_at
        FROM test_links t JOIN asked q USING (org_id) WHERE t.linked_at < q.ends_at
    """,
    "sealed_bundles_rows": """
        SELECT t.org_id, t.id, t.window_start_on, t.window_end_on, t.sealed_at, t.first_seq, t.sealed_seq,
            t.head, t.before
        FROM bundles t JOIN asked q USING (org_id) WHERE t.sealed_at < q.ends_at
            AND t.archive_sha256 IS NOT NULL -- the record of one from elsewhere shows nobody what is in it
    """,
    "unlinked_items_rows": """
        SELECT t.org_id, t.id, t.title, t.owner, t.captured_at FROM evidence_items t JOIN asked q USING (org_id)
        WHERE t.captured_at < q.ends_at AND NOT EXISTS
            (SELECT 1 FROM evidence_links l WHERE l.org_id = t.org_id AND l.evidence_id = t.id)
    """,
    # the newest event of each record that claims rest on, and the events that they rest on themselves
    "claim_events_rows": """
        WITH wanted AS MATERIALIZED (
            SELECT DISTINCT s.org_id, s.evidence_id, q.ends_at FROM claim_evidence s JOIN asked q USING (org_id)
        )
        SELECT a.org_id, a.object_id AS evidence_id, TRUE AS is_of_record, max(a.seq) AS seq
        FROM audit_log a JOIN wanted w ON w.org_id = a.org_id AND w.evidence_id = a.object_id
        WHERE a.occurred_at < w.ends_at GROUP BY a.org_id, a.object_id
        UNION ALL
        SELECT a.org_id, a.event_id, FALSE, max(a.seq)
        FROM audit_log a JOIN wanted w ON w.org_id = a.org_id AND w.evidence_id = a.event_id
        GROUP BY a.org_id, a.event_id
    """,
    # Read once the claims are known, which are offered as the table ``claim_evidence``: the record or event that each
    # one names, and the audit event that put it on record with the hash before it. A record without an event of its
    # own came in with the write that its revision names. What is looked for in the log is made a small table first,
    # and whole events are fetched by their place in it: a join that reads every column of a million events takes five
    # times as long.
    "proofs_rows": """
        WITH records AS (
            SELECT org_id, 'item' AS source, id, 'evidence item' AS record, revision, NULL AS version, location, sha256
            FROM evidence_items
            UNION ALL SELECT org_id, 'attestation', id, 'attestation', revision, NULL, NULL, NULL FROM attestations
            UNION ALL SELECT org_id, 'policy', id, 'policy version', revision, version, NULL, NULL FROM policies
            UNION ALL SELECT org_id, 'test', id, 'test run', revision, NULL, NULL, NULL FROM test_runs
            UNION ALL SELECT org_id, 'test', id, 'dry-run', revision, NULL, NULL, NULL FROM dry_runs
        ),
        named AS MATERIALIZED (
            SELECT s.org_id, s.source, s.evidence_id, r.record, r.revision, r.version, r.location, r.sha256
            FROM claim_evidence s JOIN records r ON r.org_id = s.org_id AND r.source = s.source AND r.id = s.evidence_id
        ),
        others AS MATERIALIZED (
            SELECT s.org_id, s.source, s.evidence_id
            FROM claim_evidence s ANTI JOIN named n USING (org_id, source, evidence_id)
        ),
        placed AS MATERIALIZED (
            SELECT n.*, coalesce(o.seq, n.revision) AS seq
            FROM named n LEFT JOIN (SELECT * FROM claim_events_rows WHERE is_of_record) o USING (org_id, evidence_id)
            UNION ALL
            SELECT s.org_id, s.source, s.evidence_id, 'audit event', NULL, NULL, NULL, NULL, a.seq
            FROM others s JOIN claim_events_rows a USING (org_id, evidence_id) WHERE NOT a.is_of_record
        ),
        places AS MATERIALIZED (SELECT DISTINCT org_id, unnest([seq, seq - 1]) AS seq FROM placed),
        events AS MATERIALIZED (
            SELECT a.* FROM audit_log a
            WHERE a.rowid IN (SELECT b.rowid FROM audit_log b JOIN places USING (org_id, seq))
        )
        SELECT p.org_id, p.source, p.evidence_id, p.record, coalesce(p.version, v.version) AS policy_version,
            p.location, p.sha256,
            a.* EXCLUDE (org_id),
            coalesce(b.hash, c.hash, CASE WHEN a.seq = 1 THEN repeat('0', 64) END) AS previous
        FROM placed p
        LEFT JOIN events a ON a.org_id = p.org_id AND a.seq = p.seq
        LEFT JOIN events b ON b.org_id = p.org_id AND b.seq = p.seq - 1
        LEFT JOIN policies v ON v.org_id = a.org_id AND v.id = a.object_id
        LEFT JOIN chain_cuts c ON c.org_id = p.org_id AND c.seq = p.seq - 1
    """,
    # the hashes of the events in the bundles that claims are in, which are offered as the table ``bundled_events``
    "event_hashes_rows": """
        SELECT b.org_id, b.bundle_id, a.seq, unhex(a.hash) AS hash
        FROM bundled_events b JOIN audit_log a ON a.org_id = b.org_id AND a.seq BETWEEN b.first_seq AND b.sealed_seq
    """,
    # the events that evidence is quoted with: what they are called, and what happened. They are offered as the table
    # ``wanted_event_ids``
    "event_ids_rows": """
        SELECT a.org_id, a.seq, a.event_id, a.action
        FROM audit_log a WHERE a.rowid IN (SELECT b.rowid FROM audit_log b JOIN wanted_event_ids w USING (org_id, seq))
    """,
    # what happened when a control changed its state, and what speaks against one now, seen by a snapshot or not
    "trigger_events_rows": """
        WITH named AS (
            SELECT org_id, trigger_event AS event_id FROM state_changes
            UNION ALL
            SELECT org_id, contradicted_by FROM control_evidence
        )
        SELECT a.org_id, a.event_id, a.action FROM audit_log a SEMI JOIN named USING (org_id, event_id)
    """,
}

# facts and scans that a scan reads as a table of that name, besides ``asked``, which every scan may read
OVER: Mapping[str, tuple[str, ...]] = {
    "event_hashes_rows": ("bundled_events",),
    "event_ids_rows": ("wanted_event_ids",),
    "claim_events_rows": ("claim_evidence",),
    "proofs_rows": ("claim_evidence", "claim_events_rows"),
    "contradiction_starts_rows": ("wanted_contradictions",),
    "trigger_events_rows": ("state_changes", "control_evidence"),
    "legal_holds_rows": ("audit_spans_rows", "held_events_rows"),
    "audit_retention_rows": ("audit_spans_rows", "held_events_rows", "audit_ages_rows"),
}
