-- Vendors, what they hold, and what they carry for us (REPORTS 13).
CREATE TABLE papers AS
WITH here AS (
    SELECT d.*, as_of FROM vendor_documents d, asked
    WHERE greatest(coalesce(issued_on, period_end_on, as_of), coalesce(period_start_on, DATE '1900-01-01')) <= as_of
        AND NOT (kind IN ('soc2_type1', 'soc2_type2') AND coalesce(period_end_on > as_of, false))),
bridges AS (
    SELECT vendor_id, max(coalesce(period_end_on, expires_on, issued_on)) AS bridge FROM here WHERE kind = 'bridge_letter' GROUP BY ALL)
SELECT h.*, approved(assessed_by, assessed_on) AND trim(coalesce(assessment, '')) <> '' AS judged,
    CAST(CASE WHEN kind = 'soc2_type2' THEN greatest(period_end_on + INTERVAL 12 MONTH, CASE WHEN bridge IS NOT NULL THEN least(bridge, period_end_on + INTERVAL 15 MONTH) END)
        WHEN expires_on IS NOT NULL THEN expires_on
        WHEN kind = 'iso27001_certificate' THEN issued_on + INTERVAL 36 MONTH
        WHEN kind IN ('pci_aoc', 'pen_test', 'questionnaire', 'soc2_type1', 'training') THEN issued_on + INTERVAL 12 MONTH END AS DATE) AS good_until,
    kind IN ('baa', 'dpa', 'nda', 'screening') AS lasting, coalesce(period_end_on, issued_on, expires_on) AS dated
FROM here h LEFT JOIN bridges USING (vendor_id);
CREATE TABLE inherited AS
WITH pairs AS (
    SELECT v.id AS vendor_id, v.tier, i.framework, i.control_id, i.expected_evidence, i.customer_side
    FROM present_vendors v JOIN inheritance i ON i.category = v.category AND (i.tier = '*' OR i.tier = v.tier)
    JOIN controls c ON c.framework = i.framework AND c.control_id = i.control_id
    WHERE (i.framework <> 'hipaa' OR coalesce(v.handles_phi, false))
        AND (i.framework <> 'pci-dss' OR v.category = 'payments' OR contains(lower(coalesce(v.data_classes, '')), 'card'))
    QUALIFY row_number() OVER (PARTITION BY v.id, i.framework, i.control_id ORDER BY i.tier DESC) = 1),
newest AS (
    SELECT * FROM papers
    QUALIFY row_number() OVER (PARTITION BY vendor_id, kind ORDER BY in_scope DESC, dated DESC NULLS LAST, id DESC) = 1),
reaching AS (
    SELECT * FROM newest n WHERE kind = 'soc2_type2' AND good_until >= as_of
        AND NOT EXISTS (SELECT 1 FROM newest o WHERE o.vendor_id = n.vendor_id AND o.kind = 'bridge_letter' AND o.in_scope
            AND o.good_until >= o.as_of)),
answers AS (
    SELECT *, 'bridge_letter' AS answers FROM reaching
    UNION ALL SELECT *, kind FROM newest WHERE kind <> 'bridge_letter' OR vendor_id NOT IN (SELECT vendor_id FROM reaching))
SELECT p.*, a.id AS held_id, CASE WHEN a.id IS NULL THEN 'missing'
    WHEN (a.good_until IS NULL AND NOT a.lasting) OR coalesce(a.good_until < a.as_of, false) THEN 'expired'
    WHEN NOT a.in_scope THEN 'wrong_scope' WHEN a.opinion IN ('qualified', 'adverse', 'disclaimer')
        OR (a.opinion IS NULL AND a.kind LIKE 'soc2_type%') THEN 'qualified_opinion'
    WHEN p.expected_evidence LIKE 'soc2%' AND NOT coalesce(a.cuecs_mapped, false) THEN 'cuec_unmapped' ELSE 'none' END AS gap
FROM pairs p LEFT JOIN answers a ON a.vendor_id = p.vendor_id AND a.answers = p.expected_evidence;
CREATE TABLE vendor_standing AS
WITH assuring AS (
    SELECT p.vendor_id, bool_or(good_until IS NULL AND lasting) AS endless, max(good_until) AS until
    FROM papers p JOIN vendors v ON v.id = p.vendor_id
    WHERE in_scope AND coalesce(opinion, '') NOT IN ('adverse', 'disclaimer') AND ((opinion IS DISTINCT FROM 'qualified'
        AND NOT (opinion IS NULL AND kind LIKE 'soc2_type%')) OR judged)
        AND list_contains(CASE WHEN category IN ('people', 'consulting') THEN ['screening', 'nda']
            WHEN category = 'development' THEN ['screening', 'nda', 'soc2_type2', 'iso27001_certificate']
            ELSE ['soc2_type2', 'iso27001_certificate', 'pci_aoc'] END, p.kind)
    GROUP BY ALL)
SELECT v.* EXCLUDE (last_review_on), d.as_of, CASE WHEN v.last_review_on <= d.as_of THEN v.last_review_on END AS last_review_on,
    CASE WHEN a.vendor_id IS NULL THEN 'not_assessed' WHEN endless OR until - d.as_of > 60 THEN 'assured'
        WHEN until >= d.as_of THEN 'expiring' ELSE 'lapsed' END AS assurance
FROM present_vendors v LEFT JOIN assuring a ON a.vendor_id = v.id, day d;
CREATE TABLE vendor_reviews AS
SELECT *, CASE WHEN last_review_on IS NULL THEN least(next_review_on, coalesce(onboarded_on, begun_on) + 30)
    ELSE coalesce(CASE WHEN next_review_on > last_review_on THEN next_review_on END,
        CAST(last_review_on + INTERVAL (CASE tier WHEN 'medium' THEN 24 WHEN 'low' THEN 36 ELSE 12 END) MONTH AS DATE)) END AS review_due_on
FROM vendor_standing, (SELECT local_day(created_at) AS begun_on FROM organizations);
