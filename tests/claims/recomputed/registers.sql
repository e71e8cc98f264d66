-- Figures recomputed from the raw tables, each written from its printed definition alone.
-- `day` has as_of and period_start (30 days, the last one included) of the organization; moments are in its own days.

-- remediations_opened_in_period
SELECT count(*) FROM remediations, day WHERE opened_on BETWEEN period_start AND as_of;
-- remediations_closed_in_period
SELECT count(*) FROM remediations, day WHERE opened_on <= as_of AND closed_on BETWEEN period_start AND as_of;
-- remediations_open
SELECT count(*) FROM remediations, day WHERE opened_on <= as_of AND NOT coalesce(closed_on <= as_of, false);
-- remediations_opened_in_weeks
SELECT count(*) FROM remediations, day WHERE opened_on BETWEEN date_trunc('week', as_of) - INTERVAL 84 DAY AND as_of;
-- remediations_closed_in_weeks
SELECT count(*) FROM remediations, day
WHERE opened_on <= as_of AND closed_on BETWEEN date_trunc('week', as_of) - INTERVAL 84 DAY AND as_of;
-- requests_recorded
SELECT count(*) FROM evidence_requests, day WHERE opened_on <= as_of;
-- requests_open
SELECT count(*) FROM open_requests;
-- requests_paused
SELECT count(*) FROM open_requests WHERE status = 'waiting_on_requester';
-- requests_overdue
SELECT count(*) FROM open_requests, day WHERE status <> 'waiting_on_requester' AND due_on < as_of;
-- requests_awaiting_auditor
SELECT count(*) FROM open_requests WHERE auditor_status = 'submitted';
-- requests_without_owner
SELECT count(*) FROM open_requests r WHERE owner IS NULL
    OR EXISTS (SELECT 1 FROM users u WHERE u.email = r.owner AND NOT u.active)
    OR lower(owner) NOT IN (SELECT lower(email) FROM users UNION SELECT lower(email) FROM memberships);
-- requests_owner_left
SELECT count(*) FROM open_requests r JOIN users u ON u.email = r.owner WHERE NOT u.active;
-- requests_without_control
SELECT count(*) FROM open_requests WHERE control_id IS NULL;
-- requests_without_evidence
SELECT count(*) FROM open_requests r, day WHERE NOT EXISTS (
    SELECT 1 FROM evidence_items e WHERE e.request_id = r.id AND CAST(e.captured_at AS DATE) <= as_of);
-- requests_open_paused_minutes
SELECT coalesce(sum(paused_minutes), 0) FROM open_requests;
-- requests_closed_in_period
SELECT count(*) FROM finished_requests;
-- requests_closed_on_time_in_period
SELECT count(*) FROM finished_requests WHERE closed_on <= due_on;
-- requests_closed_late_in_period
SELECT count(*) FROM finished_requests WHERE closed_on IS NULL OR closed_on > due_on;
-- request_turnaround_p50_days
SELECT sorted[greatest(ceil(0.5 * len(sorted)), 1)::INT] FROM turnarounds;
-- request_turnaround_p90_days
SELECT sorted[greatest(ceil(0.9 * len(sorted)), 1)::INT] FROM turnarounds;
-- request_turnaround_p95_days
SELECT sorted[greatest(ceil(0.95 * len(sorted)), 1)::INT] FROM turnarounds;
-- request_open_age_p50_days
SELECT sorted[greatest(ceil(0.5 * len(sorted)), 1)::INT] FROM open_ages;
-- request_open_age_p90_days
SELECT sorted[greatest(ceil(0.9 * len(sorted)), 1)::INT] FROM open_ages;
-- request_open_age_p95_days
SELECT sorted[greatest(ceil(0.95 * len(sorted)), 1)::INT] FROM open_ages;
-- vendors
SELECT count(*) FROM present_vendors;
-- vendor_ratings_unknown
SELECT count(*) FROM present_vendors
WHERE likelihood IS NULL OR impact IS NULL OR residual_likelihood IS NULL OR residual_impact IS NULL;
-- vendor_reviews_never
SELECT count(*) FROM present_vendors, day WHERE last_review_on IS NULL OR last_review_on > as_of;
-- risks
SELECT count(*) FROM risks WHERE status = 'open';
-- risks_over_appetite
SELECT count(*) FROM risks
WHERE status = 'open'
    AND coalesce(residual_likelihood, 5) * coalesce(residual_impact, 5) > coalesce(appetite, (SELECT risk_appetite FROM day));
-- risks_unrated
SELECT count(*) FROM risks
WHERE status = 'open'
    AND (likelihood IS NULL OR impact IS NULL OR residual_likelihood IS NULL OR residual_impact IS NULL);
-- risks_accepted_unapproved
SELECT count(*) FROM risks r, day
WHERE status = 'open' AND treatment = 'accept' AND NOT (
    coalesce(accepted_on <= as_of, false) AND EXISTS (
        SELECT 1 FROM approvers a WHERE a.email = lower(r.accepted_by) AND coalesce(a.since_on <= r.accepted_on, true)));
-- incidents_opened_in_period
SELECT count(*) FROM opened_incidents;
-- incidents_critical_in_period
SELECT count(*) FROM opened_incidents WHERE severity = 'critical';
-- incidents_high_in_period
SELECT count(*) FROM opened_incidents WHERE severity = 'high';
-- incidents_medium_in_period
SELECT count(*) FROM opened_incidents WHERE severity = 'medium';
-- incidents_low_in_period
SELECT count(*) FROM opened_incidents WHERE severity = 'low';
-- incidents_info_in_period
SELECT count(*) FROM opened_incidents WHERE severity = 'info';
-- incidents_resolved_in_period
SELECT count(*) FROM restored_incidents;
-- incident_median_hours_to_restore
SELECT round(list_sort(list(hours))[greatest(ceil(0.5 * count(*)), 1)::INT], 2) FROM restored_incidents;
-- packs_in_scope
SELECT count(*) FROM organization_frameworks WHERE in_scope;
-- organization_headcount
SELECT headcount FROM organizations;
-- organization_sector
SELECT sector FROM organizations;
-- deployment_tier
SELECT deployment_tier FROM organizations;
-- plan
SELECT plan FROM organizations;
-- systems_declared
SELECT count(*) FROM systems;
-- systems_in_scope
SELECT count(*) FROM systems WHERE boundary = 'inside';
-- systems_excluded
SELECT count(*) FROM systems WHERE boundary = 'outside';
-- flows_declared
SELECT count(*) FROM data_flows;
-- flows_leaving
SELECT count(*) FROM data_flows f JOIN systems s ON s.id = f.from_system LEFT JOIN systems t ON t.id = f.to_system
WHERE s.boundary = 'inside' AND (t.boundary = 'outside' OR f.vendor_id IS NOT NULL);
-- exceptions
SELECT count(*) FROM exceptions;
-- exceptions_expired
SELECT count(*) FROM exceptions, day WHERE status = 'approved' AND expires_on < as_of;
-- exceptions_approved
SELECT count(*) FROM exceptions e, day WHERE status = 'approved' AND expires_on >= as_of AND EXISTS (
    SELECT 1 FROM approvers a WHERE a.email = lower(e.approver) AND e.approved_on <= as_of AND coalesce(a.since_on <= e.approved_on, true));
-- exceptions_in_review
SELECT count(*) FROM exceptions e, day
WHERE status = 'in_review' OR (status = 'approved' AND expires_on >= as_of AND NOT EXISTS (
    SELECT 1 FROM approvers a WHERE a.email = lower(e.approver) AND e.approved_on <= as_of AND coalesce(a.since_on <= e.approved_on, true)));
-- exceptions_draft
SELECT count(*) FROM exceptions WHERE status = 'draft';
-- exceptions_rejected
SELECT count(*) FROM exceptions WHERE status = 'rejected';
-- exceptions_resolved
SELECT count(*) FROM exceptions WHERE status = 'resolved';
-- exceptions_expiring_in_30_days
SELECT count(*) FROM exceptions, day WHERE status = 'approved' AND expires_on BETWEEN as_of AND as_of + 30;
-- snapshot_strict_mean_pct
SELECT round(avg(strict_pct), 1) FROM newest_snapshots;
-- snapshot_weighted_mean_pct
SELECT round(avg(weighted_pct), 1) FROM newest_snapshots;
-- snapshot_fresh_mean_pct
SELECT round(avg(fresh_pct), 1) FROM newest_snapshots;
-- last_snapshot_on
SELECT max(taken_on) FROM readiness_snapshots, day WHERE taken_on < as_of;
-- staffing_actions_recorded
SELECT count(*) FROM staffing_actions, day WHERE proposed_on IS NULL OR proposed_on <= as_of;
-- staffing_actions_completed
SELECT count(*) FROM completed_actions;
-- staffing_relief_planned_hours
SELECT coalesce(sum(relief_hours), 0) FROM completed_actions WHERE relief_actual_hours IS NOT NULL;
-- staffing_relief_actual_hours
SELECT coalesce(round(sum(relief_actual_hours), 2), 0) FROM completed_actions;
-- staffing_relief_realised_pct
SELECT round(100 * sum(relief_actual_hours) / nullif(sum(relief_hours), 0), 1) FROM completed_actions
WHERE relief_actual_hours IS NOT NULL;
-- staffing_relief_unrecorded
SELECT count(*) FROM completed_actions WHERE relief_actual_hours IS NULL;
-- staffing_actions_undated
SELECT count(*) FROM completed_actions WHERE completed_on IS NULL;
-- staffing_actions_unproven
SELECT count(*) FROM completed_actions WHERE evidence IS NULL;
-- staffing_actions_completed_lately
SELECT count(*) FROM completed_actions, day WHERE completed_on BETWEEN as_of - 6 AND as_of;
-- staffing_completion_median_days
SELECT list_sort(list(completed_on - coalesce(tracked_on, proposed_on)))[greatest(ceil(0.5 * count(*)), 1)::INT]
FROM completed_actions WHERE completed_on IS NOT NULL;
-- legal_holds_in_period
SELECT count(*) FROM legal_holds, day
WHERE local_day(placed_at) <= as_of AND (released_at IS NULL OR local_day(released_at) >= as_of - 364);
-- holds_active
SELECT count(*) FROM legal_holds, day
WHERE local_day(placed_at) <= as_of AND (released_at IS NULL OR local_day(released_at) > as_of);
-- holds_released
SELECT count(*) FROM legal_holds, day WHERE local_day(placed_at) <= as_of AND local_day(released_at) <= as_of;
-- purges_blocked
SELECT coalesce(sum(purges_blocked), 0) FROM legal_holds, day
WHERE local_day(placed_at) <= as_of AND (released_at IS NULL OR local_day(released_at) > as_of);
-- audit_log_days
SELECT coalesce(max(CASE WHEN approved(o.approved_by, o.approved_on) THEN o.days ELSE greatest(o.days, d.days) END), any_value(d.days))
FROM (SELECT CASE deployment_tier WHEN 'dedicated' THEN 730 WHEN 'self-hosted' THEN 2555 ELSE 400 END AS days FROM organizations) d
LEFT JOIN retention_overrides o ON o.record_class = 'audit_log';
-- incidents_days
SELECT coalesce(max(CASE WHEN approved(o.approved_by, o.approved_on) THEN o.days ELSE greatest(o.days, d.days) END), any_value(d.days))
FROM (SELECT CASE deployment_tier WHEN 'dedicated' THEN 1095 WHEN 'self-hosted' THEN 2555 ELSE 730 END AS days FROM organizations) d
LEFT JOIN retention_overrides o ON o.record_class = 'incidents';
-- policy_blocks
SELECT count(*) FROM policy_blocks, day WHERE local_day(blocked_at) BETWEEN period_start AND as_of;
-- policy_blocks_playbooks
SELECT count(DISTINCT playbook) FROM policy_blocks, day WHERE local_day(blocked_at) BETWEEN period_start AND as_of;
-- policy_blocks_overridden
SELECT count(*) FROM policy_blocks, day WHERE local_day(blocked_at) BETWEEN period_start AND as_of AND overridden;
-- bundles_sealed_in_period
SELECT count(*) FROM bundles, day WHERE local_day(sealed_at) BETWEEN as_of - 364 AND as_of;
