"""Scans for the graph of controls: where evidence items come from, and what services need each other."""

from collections.abc import Mapping

SCANS: Mapping[str, str] = {
    # what was decided in meetings that were held, the last first
    "committee_decisions_rows": """
        SELECT m.org_id, m.id, m.held_on, c.name, m.decisions
        FROM committee_meetings m JOIN committees c ON c.org_id = m.org_id AND c.id = m.committee_id
        JOIN asked q ON q.org_id = m.org_id
        WHERE m.status = 'held' AND m.held_on <= q.as_of AND m.decisions IS NOT NULL
    """,
    "evidence_stores_rows": """
        SELECT DISTINCT l.org_id, l.framework, l.control_id, i.source
        FROM evidence_links l JOIN evidence_items i ON i.org_id = l.org_id AND i.id = l.evidence_id
        JOIN asked q ON q.org_id = l.org_id
        WHERE i.source IS NOT NULL AND i.captured_at < q.ends_at
    """,
    "service_links_rows": """
        SELECT t.org_id, t.service_id, t.depends_on_id FROM service_dependencies t JOIN asked q USING (org_id)
    """,
}
