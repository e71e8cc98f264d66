-- Recurring tests, dry-runs and their links.

-- test_schedules
SELECT count(*) FROM testing_schedules;
-- test_windows_in_12_months
SELECT count(*) FROM year_windows;
-- test_windows_done_in_12_months
SELECT count(*) FROM year_windows WHERE performed_on BETWEEN window_open_on AND window_close_on;
-- test_windows_late_in_12_months
SELECT count(*) FROM year_windows WHERE performed_on > window_close_on;
-- test_windows_missed_in_12_months
SELECT count(*) FROM year_windows WHERE performed_on IS NULL OR performed_on < window_open_on;
-- test_windows_done_since_in_12_months
SELECT count(*) FROM year_windows w WHERE (performed_on IS NULL OR performed_on < window_open_on) AND EXISTS (
    SELECT 1 FROM runs r WHERE r.schedule_id = w.schedule_id AND r.performed_on > w.window_close_on);
-- test_windows_on_time_pct
SELECT round(100 * avg(coalesce(performed_on BETWEEN window_open_on AND window_close_on, false)::INT), 1) FROM year_windows;
-- test_windows_open
SELECT count(*) FROM test_windows, asked WHERE performed_on IS NULL AND as_of BETWEEN window_open_on AND window_close_on;
-- tests_failed_last
SELECT count(*) FROM last_windows WHERE outcome = 'failed';
-- tests_short_of_evidence
SELECT count(*) FROM last_windows WHERE evidence_received < evidence_expected;
-- tests_by_owner
SELECT count(*) FROM testing_schedules s WHERE check_id IS NULL AND (performer <> owner) IS NOT TRUE
    OR check_id IS NULL AND EXISTS (SELECT 1 FROM users u WHERE u.email IN (s.owner, s.performer) AND NOT u.active);
-- tests_in_period
SELECT count(*) FROM performed_tests;
-- tests_passed_in_period
SELECT count(*) FROM performed_tests WHERE passed;
-- tests_linked
SELECT count(*) FROM performed_tests WHERE linked;
-- tests_linked_pct
SELECT round(100 * avg(linked::INT), 1) FROM performed_tests WHERE passed;
-- tests_unused
SELECT count(*) FROM performed_tests WHERE passed AND NOT linked;
-- test_links
SELECT count(*) FROM test_links l JOIN performed_tests t ON t.id = l.test_id WHERE status = 'linked';
-- test_links_in_bundles
SELECT count(*) FROM test_links l JOIN performed_tests t ON t.id = l.test_id WHERE status = 'linked' AND bundle_id IS NOT NULL;
-- test_links_supplement
SELECT count(*) FROM test_links l JOIN performed_tests t ON t.id = l.test_id WHERE status = 'linked' AND supplement;
-- type_ii_tests_missed
SELECT count(*) FROM test_windows, day
WHERE framework = 'soc2' AND performed_on IS NULL AND window_close_on BETWEEN as_of - 364 AND as_of - 1
    AND EXISTS (SELECT 1 FROM followed f WHERE f.framework = 'soc2');
-- policy_runs_allowed
SELECT count(*) FROM allowed_runs;
-- policy_block_rate_pct
SELECT round(100 * blocks / nullif(blocks + runs, 0), 1) FROM
    (SELECT count(*) AS blocks FROM policy_blocks, day WHERE local_day(blocked_at) BETWEEN period_start AND as_of),
    (SELECT count(*) AS runs FROM allowed_runs);
-- policies_unaccepted
SELECT count(*) FROM policies p WHERE state = 'active' AND NOT EXISTS (SELECT 1 FROM accepted_policies a WHERE a.id = p.id);
-- guardrails
SELECT count(*) FROM accepted_policies;
-- guardrails_review_expired
SELECT count(*) FROM accepted_policies, asked WHERE coalesce(review_due_on, accepted_on + 380) < as_of;
-- guardrails_version_lag
SELECT count(*) FROM accepted_policies a WHERE EXISTS (SELECT 1 FROM policies p WHERE p.policy = a.policy AND p.version > a.version);
