-- The states of controls and the freshness of their evidence, over `status` and `applicable`.

-- controls_of_frameworks
SELECT count(*) FROM status;
-- controls_applicable
SELECT count(*) FROM applicable;
-- controls_not_applicable
SELECT count(*) FROM status WHERE NOT applicable;
-- controls_effective
SELECT count(*) FROM applicable WHERE state = 'effective';
-- controls_no_data
SELECT count(*) FROM applicable WHERE state = 'no_data';
-- coverage_pct
SELECT round(100 * avg((state <> 'no_data')::INT), 1) FROM applicable;
-- strict_pct
SELECT round(100 * avg((state = 'effective')::INT), 1) FROM applicable;
-- weighted_pct
SELECT round(100 * sum(weight * CASE state WHEN 'effective' THEN 1 WHEN 'partial' THEN 0.5 WHEN 'stale' THEN 0.25 ELSE 0 END) / sum(weight), 1)
FROM applicable;
-- iso_strict_pct
SELECT round(100 * avg((state = 'effective')::INT), 1) FROM applicable WHERE framework = 'iso27001';
-- iso_weighted_pct
SELECT round(100 * sum(weight * CASE state WHEN 'effective' THEN 1 WHEN 'partial' THEN 0.5 WHEN 'stale' THEN 0.25 ELSE 0 END) / sum(weight), 1)
FROM applicable WHERE framework = 'iso27001';
-- controls_changed_since_evidence
SELECT count(*) FROM applicable WHERE outdated;
-- controls_needing_test
SELECT count(*) FROM applicable WHERE needs_test;
-- controls_to_attest
SELECT count(*) FROM applicable WHERE needs_signature;
-- controls_unattested
SELECT count(*) FROM applicable WHERE needs_signature AND NOT attested;
-- attestation_control_pct
SELECT round(100 * avg(attested::INT), 1) FROM applicable WHERE needs_signature;
-- controls_without_evidence
SELECT count(*) FROM applicable a WHERE NOT contrary AND NOT signed
    AND NOT EXISTS (SELECT 1 FROM proofs p WHERE p.framework = a.framework AND p.control_id = a.control_id)
    AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.framework = a.framework AND r.control_id = a.control_id AND r.outcome IS NOT NULL);
-- evidence_fresh
SELECT count(*) FROM applicable WHERE NOT future AND NOT outdated AND age <= 0.8 * governing_days;
-- evidence_due_soon
SELECT count(*) FROM applicable WHERE NOT future AND NOT outdated AND age > 0.8 * governing_days AND age <= governing_days;
-- evidence_stale
SELECT count(*) FROM applicable WHERE NOT future AND (outdated OR age > governing_days);
-- evidence_missing
SELECT count(*) FROM applicable WHERE governing IS NULL AND NOT future;
-- evidence_future_dated
SELECT count(*) FROM applicable WHERE future;
-- evidence_in_window_pct
SELECT round(100 * avg(coalesce(NOT future AND NOT outdated AND age <= governing_days, false)::INT), 1) FROM applicable;
-- freshness_debt_days
SELECT coalesce(sum(greatest(coalesce(age - governing_days, CASE WHEN unaccepted AND needs_policy AND NOT needs_operation AND NOT needs_test
    THEN as_of - review_due_on END), 0)), 0) FROM applicable, asked;
-- ownership_complete
SELECT count(*) FROM applicable WHERE owned;
-- ownership_complete_pct
SELECT round(100 * avg(owned::INT), 1) FROM applicable;
-- gaps_open
SELECT count(*) FROM applicable WHERE state <> 'effective';
-- gap_concentration_hhi
SELECT round(sum((n / total) ** 2), 2) FROM (
    SELECT count(*) AS n, sum(count(*)) OVER () AS total FROM applicable WHERE state <> 'effective' GROUP BY framework);
-- control_families
SELECT count(DISTINCT (framework, group_id)) FROM applicable;
-- controls_without_attestation_duty
SELECT count(*) FROM applicable a
WHERE NOT EXISTS (SELECT 1 FROM signatures s WHERE s.framework = a.framework AND s.control_id = a.control_id);
-- controls_without_test_schedule
SELECT count(*) FROM applicable a WHERE needs_test
    AND NOT EXISTS (SELECT 1 FROM testing_schedules s WHERE s.framework = a.framework AND s.control_id = a.control_id);
-- activity_controls
SELECT count(*) FROM active_controls;
-- controls_active
SELECT count(*) FROM active_controls WHERE active;
-- controls_inactive
SELECT count(*) FROM active_controls WHERE NOT active;
-- activity_pct
SELECT round(100 * avg(active::INT), 1) FROM active_controls;
-- activity_newest_at
SELECT max(newest_at) FROM active_controls;
-- audit_events_in_period
SELECT count(*) FROM audit_log, day WHERE local_day(occurred_at) BETWEEN period_start AND as_of;
-- attestations_on_board
SELECT count(*) FROM signatures WHERE decides OR NOT done;
-- attestations_deciding
SELECT count(*) FROM signatures WHERE decides;
-- attestations_current
SELECT count(*) FROM signatures WHERE decides AND standing = 'attested';
-- attestations_rejected
SELECT count(*) FROM signatures WHERE decides AND standing = 'rejected';
-- attestation_duty_pct
SELECT round(100 * avg((standing = 'attested')::INT), 1) FROM signatures WHERE decides;
-- attestations_overdue
SELECT count(*) FROM signatures WHERE standing = 'overdue' AND (covered_until IS NULL OR due_on > covered_until);
-- attestations_due_soon
SELECT count(*) FROM signatures WHERE NOT done AND due_on BETWEEN as_of AND as_of + 7;
-- attestations_due_in_30_days
SELECT count(*) FROM signatures WHERE NOT done AND due_on BETWEEN as_of AND as_of + 30;
-- attestations_not_due
SELECT count(*) FROM signatures WHERE NOT done AND due_on > as_of + 30;
-- attestations_delegated
SELECT count(*) FROM signatures WHERE (decides OR NOT done) AND delegated_to IS NOT NULL;
