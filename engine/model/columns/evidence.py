"""Columns about evidence, its age, its links and its way to the audit log."""

from collections.abc import Mapping

from engine.model.columns.column import Column

EVIDENCE: Mapping[str, Column] = {
    "adds": Column(
        "Test evidence would be", "word", "What linking the test would add: the first evidence, a renewal or support."
    ),
    "by_hand_on": Column(
        "Renew by", "date", "Day by which somebody has to renew the evidence; empty where it renews itself."
    ),
    "ends_on": Column("Ends", "date", "Last day on which the evidence that ends first is good."),
    "age_ratio": Column("Age ÷ window", "number", "Age of the newest evidence divided by its window; stale above 1."),
    "audit_events": Column("Audit events", "count", "Events of the audit log in the period that support the control."),
    "audit_events_before": Column(
        "Audit events before", "count", "Such events of the audit log in the period before, of the same length."
    ),
    "audit_last_at": Column(
        "Newest audit event (UTC)", "instant", "Moment of the newest event of the audit log that supports the control."
    ),
    "bookkeeping": Column("Bookkeeping", "flag", "Whether the action is the product's own record of its use."),
    "broken": Column("Broken", "count", "Claims whose chain to the audit log cannot be followed."),
    "bundle": Column("Bundle", "text", "First sealed bundle that holds the event of the evidence."),
    "bundle_id": Column("Bundle", "text", "Identifier of the sealed bundle."),
    "bundled": Column("Bundled", "count", "Claims whose event is in a sealed bundle."),
    "bundles": Column("Bundles", "texts", "Sealed bundles that the test's links name."),
    "change_invalidated": Column(
        "Changed since",
        "flag",
        "Whether the control, its system or its policy changed after the evidence was captured.",
    ),
    "claims": Column("Claims", "count", "Claims that a source of evidence stands behind a control."),
    "contradicted_at": Column(
        "Contradicted (UTC)", "instant", "Moment of the newest contradicting event that nothing outweighs."
    ),
    "contradicted_by": Column("Contradicted by", "text", "Audit event that contradicts the control."),
    "contradicted_on": Column("Contradicted", "date", "Day of the newest contradicting event that nothing outweighs."),
    "contradicted_rule": Column(
        "Contradicted by rule", "text", "Own rule of the organization by which the event contradicts the control."
    ),
    "contradicted_since": Column(
        "Contradicted since", "date", "Day of the first contradicting event that nothing outweighs."
    ),
    "currentness": Column("Currentness", "word", "Age of the newest evidence against its window."),
    "days_over": Column("Days over", "days", "Days by which the newest evidence is older than its window."),
    "days_with_evidence": Column(
        "Days with evidence", "days", "Days of the period on which evidence shows the criterion at work."
    ),
    "debt_days": Column("Debt (days)", "days", "Sum of the days by which evidence is older than its window."),
    "effect": Column("Effect", "word", "Whether the action supports or contradicts the control."),
    "event_hash": Column("Hash of the event", "text", "Hash of the audit event in the chain."),
    "event_id": Column("Audit event", "text", "Identifier of the audit event."),
    "events": Column("Events", "count", "Events of the audit log in the period."),
    "events_before": Column(
        "Events before", "count", "Events of the audit log in the period before, of the same length."
    ),
    "events_ever": Column("Events ever", "count", "Supporting events up to the day of the report."),
    "evidence": Column("Evidence", "text", "Evidence that stands behind the row."),
    "evidence_expected": Column("Evidence expected", "count", "Pieces of evidence that the test window asks for."),
    "evidence_freshness": Column("Evidence freshness", "word", "Age of the evidence against its window."),
    "evidence_id": Column("Evidence", "text", "Identifier of the piece of evidence."),
    "evidence_ids": Column("Evidence given", "texts", "Evidence that was given in answer."),
    "evidence_kinds": Column("Evidence kinds", "texts", "Kinds of evidence that the control must have."),
    "evidence_links": Column("Evidence linked", "count", "Pieces of evidence that the attestation links."),
    "evidence_note": Column(
        "On record", "text", "What there is of a control whose governing evidence was never given."
    ),
    "evidence_on": Column("Evidence date", "date", "Day of the evidence."),
    "evidence_bytes": Column("Bytes held", "bytes", "Bytes of the evidence that are in the evidence store."),
    "evidence_held": Column("Held", "count", "Pieces of evidence given whose bytes are held here, whole."),
    "evidence_place": Column(
        "Evidence is",
        "word",
        "Held (its bytes are here), told (a location or a hash alone) or linked (a record of the console).",
    ),
    "held_state": Column(
        "Last check",
        "word",
        "What the last check found of held bytes: whole, changed or missing; or that they were erased.",
    ),
    "evidence_received": Column("Evidence received", "count", "Pieces of evidence received for the test window."),
    "expected": Column("Expected", "count", "Criteria due at least once a month."),
    "failing_test": Column("Failing test", "text", "Test that fails and makes the control ineffective."),
    "file": Column("File", "text", "File of the bundle that holds the event."),
    "fresh": Column("Fresh", "count", "Controls whose newest evidence is well inside its window."),
    "freshness": Column(
        "Freshness", "word", "Age of the newest evidence against its window: fresh, due soon, stale, missing."
    ),
    "future_dated": Column("Future dated", "flag", "Whether some evidence is dated after the day of the report."),
    "happened_on": Column("Happened", "date", "Business day of the evidence."),
    "hash_mismatch": Column("Hash mismatch", "count", "Claims whose audit event is not the one that was hashed."),
    "in_window_pct": Column(
        "In window (%)", "percent", "Controls with fresh or soon due evidence, as a share of the applicable ones."
    ),
    "kinds_ending": Column("What ends", "texts", "Kinds of evidence that the control needs and that end soon."),
    "kinds_present": Column("Kinds present", "texts", "Kinds of evidence that the control has."),
    "kinds_required": Column("Kinds required", "texts", "Kinds of evidence that the control must have."),
    "kinds_stale": Column(
        "Kinds stale", "texts", "Kinds of evidence that are older than their window, and policies that nobody accepted."
    ),
    "unaccepted_days": Column(
        "Unaccepted for (days)",
        "days",
        "Days since the review of a governing policy that nobody accepted fell due, at least one.",
    ),
    "known_since": Column("On record since", "date", "Day from which the records speak; what lies before is unknown."),
    "last_at": Column("Newest (UTC)", "instant", "Moment of the newest event."),
    "last_evidence_at": Column("Newest evidence (UTC)", "instant", "Moment of the newest evidence."),
    "last_evidence_id": Column("Evidence", "text", "Identifier of the newest evidence."),
    "last_evidence_on": Column(
        "Evidence date",
        "date",
        "Day of the newest evidence of operation, else test, else policy, else signature, as is needed.",
    ),
    "last_id": Column("Last ID", "text", "Identifier of the newest event."),
    "last_source": Column("Source", "word", "Source of the newest evidence."),
    "last_test_on": Column("Last test", "date", "Day of the newest test of the control, passed or failed."),
    "leaf_index": Column("Leaf, from 0", "count", "Place of the event in the Merkle tree over the history, from 0."),
    "link_body": Column("Link body", "text", "Request that would link the test, as JSON."),
    "link_id": Column("Link ID", "text", "Identifier of the link."),
    "linked": Column("Linked", "count", "Tests linked to a control."),
    "linked_at": Column("Linked (UTC)", "instant", "Moment at which the test was linked."),
    "linked_by": Column("Linked by", "text", "Who linked the test."),
    "linked_controls": Column("Linked to", "texts", "Controls to which the test is linked."),
    "linked_on": Column("Linked", "date", "Day on which the test was linked."),
    "linked_pct": Column("Linked (%)", "percent", "Linked tests as a share of those passed."),
    "log": Column("File of the event", "text", "File of the bundle that holds the event."),
    "merkle_leaf": Column(
        "Merkle leaf", "text", "The event in the tree over the history: SHA-256 of a zero byte and its hash."
    ),
    "merkle_path": Column("Merkle path", "texts", "Hashes that lead from the leaf to the root, nearest first."),
    "merkle_root": Column("Merkle root", "text", "Root of the Merkle tree that the signed head in the bundle states."),
    "missing": Column("Missing", "count", "Those without what is needed, such as any evidence."),
    "newest_at": Column("Newest (UTC)", "instant", "Moment of the newest evidence of the criteria."),
    "newest_event_at": Column("Newest event (UTC)", "instant", "Moment of the newest event of the audit log."),
    "next_due_on": Column(
        "Next due", "date", "Day on which that evidence must be renewed; another kind may lapse before."
    ),
    "operated": Column("Operated", "count", "Criteria that have evidence of operation in the month."),
    "operated_pct": Column(
        "Operated (%)", "percent", "Criteria with evidence of operation, as a share of those expected."
    ),
    "orphan_controls": Column("Controls without evidence", "count", "Applicable controls without any evidence."),
    "own_rule": Column(
        "Own rule", "text", "Rule of the organization itself by which the event counts for or against the control."
    ),
    "part_roots": Column(
        "Roots of parts", "text", "Roots of whole parts of a Merkle tree, SHA-256 as hex, one after the other."
    ),
    "passed": Column("Passed", "count", "Tests that passed."),
    "performed": Column("Times performed", "count", "How often the test was performed."),
    "performed_at": Column("Performed (UTC)", "instant", "Moment at which the test was performed."),
    "done_since_on": Column("Done since", "date", "Day of the first performance after a missed window had ended."),
    "performed_on": Column("Performed", "date", "Day on which the test was performed."),
    "previous_id": Column("Previous ID", "text", "Identifier of the bundle before."),
    "previous_state": Column("Was", "word", "State of the control that was last seen before the period."),
    "record": Column("Record", "text", "Record that the claim rests on."),
    "regressed": Column("Regressed", "count", "Controls whose state has become worse."),
    "requested_window": Column("Requested window", "text", "Window for which the bundle was asked."),
    "sealed_on": Column("Sealed", "date", "Day on which the bundle was sealed."),
    "first_part": Column(
        "First part", "count", "Whole parts of the Merkle tree of the same height before those of the row."
    ),
    "first_seq": Column("First position", "count", "Place in the log of the first event of an archive."),
    "sealed_seq": Column("Sealed at", "count", "Place in the log of the last event of an archive."),
    "seq": Column("Position in the log", "count", "Place of the audit event in the log."),
    "sha256": Column("SHA-256", "text", "SHA-256 hash of the evidence."),
    "size_bytes": Column("Size (bytes)", "bytes", "Size of the bundle."),
    "state_since": Column("In this state since", "date", "Day of what makes the control's present state."),
    "suggested": Column("Controls suggested", "count", "Controls that the test fits."),
    "suggested_controls": Column("Suggested controls", "texts", "Controls that the test fits."),
    "supplement": Column("Supplement", "flag", "Whether the link adds to a bundle that was sealed before the test."),
    "tagged": Column("Tagged", "flag", "Whether the action maps to a control in scope."),
    "tagged_events": Column("Tagged events", "count", "Events that map to a control in scope."),
    "test": Column("What was tested", "text", "What was tested."),
    "test_id": Column("Test", "text", "Identifier of the test."),
    "tested": Column("Tested", "", "Whether it was tested, or how many items were.", cells="whole"),
    "tests": Column("Tests", "count", "Tests of the row."),
    "tests_passed": Column("Tests passed", "count", "Tests of the control that passed."),
    "tests_performed": Column("Tests performed", "count", "Tests of the control that were performed."),
    "tree_height": Column(
        "Height in the tree", "count", "Whole parts of a Merkle tree have two to the power of it leaves."
    ),
    "trigger": Column("Because of", "text", "Event that explains the change of state."),
    "trigger_event": Column("Trigger event", "text", "Audit event that explains the change of state."),
    "untagged": Column("Without a control", "count", "Events whose action maps to no control in scope."),
    "untagged_pct": Column(
        "Without a control (%)", "percent", "Events whose action maps to no control in scope, as a share of all."
    ),
    "unused": Column("Unused", "count", "Passed tests that are linked to no control."),
    "window_days": Column("Window (days)", "days", "Days for which evidence of the cadence counts."),
    "without_evidence": Column(
        "Nothing on record", "flag", "Whether nothing was ever recorded of the control, for or against."
    ),
}
