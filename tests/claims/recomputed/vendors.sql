-- The vendor register and what vendors carry.

-- vendors_assured
SELECT count(*) FROM vendor_standing WHERE assurance IN ('assured', 'expiring');
-- vendors_assured_pct
SELECT round(100 * avg((assurance IN ('assured', 'expiring'))::INT), 1) FROM vendor_standing;
-- vendors_assurance_expiring
SELECT count(*) FROM vendor_standing WHERE assurance = 'expiring';
-- vendors_assurance_lapsed
SELECT count(*) FROM vendor_standing WHERE assurance = 'lapsed';
-- vendors_not_assessed
SELECT count(*) FROM vendor_standing WHERE assurance = 'not_assessed';
-- vendor_reviews_overdue
SELECT count(*) FROM vendor_reviews WHERE review_due_on < as_of;
-- vendor_reviews_due_soon
SELECT count(*) FROM vendor_reviews WHERE review_due_on BETWEEN as_of AND as_of + 30;
-- vendor_reviews_current
SELECT count(*) FROM vendor_reviews WHERE last_review_on IS NOT NULL AND review_due_on > as_of + 30;
-- vendor_findings_open
SELECT CASE WHEN count(vendor_id) > 0 THEN count(*) FILTER (
    status IN ('open', 'accepted') AND vendor_id IN (SELECT id FROM present_vendors)) END FROM findings;
-- vendor_evidence_reused
SELECT coalesce(sum(n - 1), 0)::INT FROM (SELECT count(*) AS n FROM inherited WHERE gap = 'none' GROUP BY vendor_id, held_id);
-- inherited_controls
SELECT count(*) FROM inherited;
-- inherited_evidenced
SELECT count(*) FROM inherited WHERE gap = 'none';
-- inherited_evidenced_pct
SELECT round(100 * avg((gap = 'none')::INT), 1) FROM inherited;
-- inherited_gaps
SELECT count(*) FROM inherited WHERE gap <> 'none';
-- inherited_gaps_missing
SELECT count(*) FROM inherited WHERE gap = 'missing';
-- inherited_gaps_expired
SELECT count(*) FROM inherited WHERE gap = 'expired';
-- inherited_gaps_wrong_scope
SELECT count(*) FROM inherited WHERE gap = 'wrong_scope';
-- inherited_gaps_qualified_opinion
SELECT count(*) FROM inherited WHERE gap = 'qualified_opinion';
-- inherited_gaps_cuec_unmapped
SELECT count(*) FROM inherited WHERE gap = 'cuec_unmapped';
-- vendors_with_inherited_gaps
SELECT count(DISTINCT vendor_id) FROM inherited WHERE gap <> 'none';
-- subprocessors
SELECT count(*) FROM present_vendors WHERE lower(trim(coalesce(data_classes, ''))) <> 'none';
-- hipaa_business_associates
SELECT count(*) FROM present_vendors WHERE coalesce(handles_phi, true) AND EXISTS (SELECT 1 FROM followed WHERE framework = 'hipaa');
-- graph_inherits_edges
SELECT count(*) FROM inherited JOIN applicable USING (framework, control_id);
