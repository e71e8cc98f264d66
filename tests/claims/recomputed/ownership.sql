-- Who answers for controls, exceptions, and what the declared scope leaves open.

-- controls_no_accountable
SELECT count(*) FROM owned_controls WHERE accountable = 0;
-- controls_several_accountable
SELECT count(*) FROM owned_controls WHERE accountable > 1;
-- controls_accountable_without_authority
SELECT count(*) FROM owned_controls WHERE accountable > 0 AND NOT authority;
-- controls_no_responsible
SELECT count(*) FROM owned_controls WHERE responsible = 0;
-- controls_responsible_left
SELECT count(*) FROM owned_controls WHERE responsible > 0 AND NOT worker;
-- controls_same_person
SELECT count(*) FROM owned_controls WHERE responsible = 1 AND accountable = 1 AND responsible_email = accountable_email;
-- controls_too_many_consulted
SELECT count(*) FROM owned_controls WHERE consulted > 5;
-- people_with_roles
SELECT count(DISTINCT email) FROM control_owners JOIN applicable USING (framework, control_id);
-- key_people
SELECT count(*) FROM (
    SELECT count(*) AS n, sum(count(*)) OVER () AS total FROM control_owners JOIN applicable USING (framework, control_id)
    WHERE raci = 'A' GROUP BY email)
WHERE n > 0.4 * total;
-- exceptions_no_approver
SELECT count(*) FROM called_exceptions WHERE status = 'approved' AND expires_on >= as_of AND NOT holds;
-- exceptions_no_residual
SELECT count(*) FROM called_exceptions WHERE residual IS NULL;
-- exceptions_no_longer_needed
SELECT count(*) FROM called_exceptions JOIN status s USING (framework, control_id) WHERE standing = 'approved' AND s.state = 'effective';
-- exceptions_too_many_renewals
SELECT count(*) FROM called_exceptions WHERE renewals > 2;
-- exceptions_too_long
SELECT count(*) FROM called_exceptions WHERE expires_on > approved_on + INTERVAL 12 MONTH;
-- exceptions_own_approval
SELECT count(*) FROM called_exceptions e WHERE EXISTS (
    SELECT 1 FROM ownership o WHERE o.framework = e.framework AND o.control_id = e.control_id
        AND coalesce(o.responsible_email, o.accountable_email) = e.approver);
-- exceptions_evidence_missing
SELECT count(*) FROM called_exceptions e, asked a
WHERE coalesce(compensating, '') <> '' AND (compensating_evidence_on IS NULL OR compensating_evidence_on > a.as_of);
-- exceptions_evidence_stale
SELECT count(*) FROM called_exceptions e JOIN status s USING (framework, control_id), asked a
WHERE coalesce(compensating, '') <> '' AND compensating_evidence_on <= a.as_of AND a.as_of - compensating_evidence_on > s.days_allowed;
-- exceptions_expired_in_use
SELECT count(*) FROM called_exceptions e JOIN applicable s USING (framework, control_id)
WHERE standing = 'expired' AND s.state <> 'effective' AND NOT EXISTS (
    SELECT 1 FROM called_exceptions o
    WHERE o.framework = e.framework AND o.control_id = e.control_id AND o.standing = 'approved');
-- systems_observed
SELECT count(*) FROM seen_systems;
-- scope_excluded_without_reason
SELECT count(*) FROM systems WHERE boundary = 'outside' AND trim(coalesce(justification, '')) = '';
-- scope_flow_crosses_region
SELECT count(*) FROM data_flows f JOIN systems s ON s.id = f.from_system JOIN systems t ON t.id = f.to_system WHERE s.region <> t.region;
-- scope_flow_to_undeclared
SELECT count(*) FROM data_flows WHERE from_system NOT IN (SELECT id FROM systems) OR to_system NOT IN (SELECT id FROM systems);
-- scope_flow_unencrypted
SELECT count(*) FROM data_flows WHERE NOT coalesce(encrypted, false);
-- scope_flow_without_agreement
SELECT count(*) FROM data_flows f JOIN systems s ON s.id = f.from_system LEFT JOIN systems t ON t.id = f.to_system
WHERE s.boundary = 'inside' AND (t.boundary = 'outside' OR f.vendor_id IS NOT NULL) AND trim(coalesce(agreement_ref, '')) = '';
-- scope_no_owner
SELECT count(*) FROM systems WHERE boundary = 'inside' AND coalesce(owner, '') = '';
-- scope_review_overdue
SELECT count(*) FROM systems, asked
WHERE boundary = 'inside' AND NOT coalesce(last_reviewed_on BETWEEN as_of - INTERVAL 12 MONTH AND as_of, false);
-- scope_unclassified
SELECT count(*) FROM systems WHERE boundary = 'inside' AND list_contains(string_split(frameworks, '; '), 'pci-dss')
    AND EXISTS (SELECT 1 FROM followed WHERE framework = 'pci-dss') AND pci_class IS NULL;
-- scope_unknown_service
SELECT count(*) FROM systems WHERE service_id IS NOT NULL AND service_id NOT IN (SELECT id FROM services);
-- orphan_evidence
SELECT (SELECT count(*) FROM evidence_items, asked WHERE local_day(captured_at) <= as_of
        AND id NOT IN (SELECT evidence_id FROM evidence_links))
    + (SELECT count(*) FROM accepted_policies WHERE id NOT IN (SELECT policy_id FROM policy_controls));
