-- Requirements in the words of their frameworks.
CREATE TABLE said AS
SELECT s.*, p.* EXCLUDE (framework, control_id, org_id, revision, applicable, cadence, changed_on), p.applicable AS declared_applicable,
    trim(coalesce(p.justification, '')) <> '' AS justified,
    approved(p.approved_by, greatest(p.approved_on, p.decided_on)) AND p.decided_on IS NOT NULL
        AND trim(coalesce(p.rationale, '')) <> '' AS decided
FROM status s LEFT JOIN control_profiles p USING (framework, control_id);
CREATE VIEW iso AS SELECT * FROM said WHERE framework = 'iso27001';
CREATE VIEW safeguards AS SELECT * FROM said WHERE framework = 'cis-v8' AND applicable;
CREATE VIEW measures AS
WITH known AS (
    SELECT s.*, risk_ref IS NULL OR risk_ref NOT IN (SELECT id FROM risks) AS unassessed, NOT EXISTS (
        SELECT 1 FROM runs r WHERE r.framework = s.framework AND r.control_id = s.control_id AND performed_on IS NOT NULL) AS untested
    FROM said s WHERE framework = 'gdpr-art32' AND applicable)
SELECT *, control_id = 'Art.32(2)' AND bool_or(unassessed) OVER () OR control_id = 'Art.32(1)(d)' AND bool_or(untested) OVER () AS of_unknown
FROM known;
CREATE VIEW outcomes AS
SELECT *, coalesce(target_pct, CASE target WHEN 'effective' THEN 100 WHEN 'partial' THEN 50 WHEN 'none' THEN 0 ELSE 100 END) AS wanted,
    CASE state WHEN 'effective' THEN 100 WHEN 'partial' THEN 50 WHEN 'stale' THEN 25 ELSE 0 END AS reached
FROM said WHERE framework = 'nist-csf' AND applicable;
CREATE TABLE hipaa AS
SELECT *, CASE WHEN required_or_addressable = 'required' THEN CASE WHEN state = 'effective' THEN 'met' ELSE 'open' END
    WHEN decision IS NULL THEN CASE WHEN state = 'effective' THEN 'met' ELSE 'violation' END
    WHEN decision <> 'implemented' AND NOT decided THEN 'violation'
    WHEN decision = 'not_implemented' THEN 'reasoned' WHEN state = 'effective' THEN 'met' ELSE 'open' END AS finding
FROM said WHERE framework = 'hipaa' AND applicable;
CREATE TABLE pci AS
SELECT *, split_part(control_id, '.', 1) AS principal, CASE WHEN NOT coalesce(tested, true) THEN 'not_tested' WHEN NOT applicable THEN 'not_applicable'
    WHEN state <> 'effective' THEN 'not_in_place'
    WHEN method = 'compensating' AND NOT EXISTS (SELECT 1 FROM called_exceptions e WHERE e.framework = 'pci-dss' AND e.control_id = s.control_id
        AND e.standing = 'approved' AND e.kind = 'compensating' AND e.worksheet IS NOT NULL) THEN 'not_in_place'
    WHEN method = 'customised' AND risk_ref IS NULL THEN 'not_in_place' ELSE 'in_place' END AS finding
FROM said s WHERE framework = 'pci-dss';
CREATE TABLE cmmc AS
WITH basis AS (
    SELECT s.*, CASE WHEN state = 'effective' THEN 'evidence'
        WHEN state = 'no_data' THEN NULL
        WHEN s.control_id <> 'SC.L2-3.13.11' AND EXISTS (SELECT 1 FROM called_exceptions e WHERE e.framework = s.framework
            AND e.control_id = s.control_id AND e.standing = 'approved' AND e.kind IN ('accepted_risk', 'compensating')
            AND trim(coalesce(e.compensating, '')) <> '') THEN 'enduring'
        WHEN EXISTS (SELECT 1 FROM called_exceptions e WHERE e.framework = s.framework
            AND e.control_id = s.control_id AND e.standing = 'approved' AND e.kind NOT IN ('accepted_risk', 'compensating'))
            AND (SELECT arg_max(state, observed_on) FROM control_state_changes c, day WHERE c.framework = s.framework
                AND c.control_id = s.control_id AND observed_on < period_start) = 'effective'
            AND EXISTS (SELECT 1 FROM remediations r, asked WHERE r.framework = s.framework AND r.control_id = s.control_id
                AND r.due_on IS NOT NULL AND NOT coalesce(r.closed_on <= as_of, false)) THEN 'temporary' END AS basis
    FROM said s WHERE framework = 'cmmc-l2')
SELECT *, CASE WHEN NOT applicable THEN 'N/A' WHEN basis IS NOT NULL THEN 'MET' ELSE 'NOT MET' END AS result,
    CASE WHEN applicable AND basis IS NULL THEN CASE WHEN coalesce(sprs_partial, false) AND state <> 'no_data'
        AND sprs_points_partial IS NOT NULL THEN sprs_points_partial::INT ELSE sprs_points::INT END ELSE 0 END AS lost
FROM basis;
CREATE VIEW sprs AS
SELECT CASE WHEN (SELECT count(*) FROM cmmc WHERE control_id = 'CA.L2-3.12.4' AND applicable AND state <> 'no_data') > 0
    THEN 110 - (SELECT sum(lost)::INT FROM cmmc) END AS score;
CREATE VIEW barred AS
SELECT * FROM cmmc WHERE result = 'NOT MET' AND NOT (
    poam_eligible = 'yes' OR (poam_eligible = 'conditional' AND lost = coalesce(sprs_points_partial, -1)));
