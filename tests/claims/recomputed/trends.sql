-- What was counted week by week.

-- density_weeks_recorded
SELECT count(*) FROM recorded_weeks;
-- obligations_planned_in_13_weeks
SELECT coalesce(sum(planned), 0)::INT FROM recorded_weeks;
-- obligations_completed_in_13_weeks
SELECT coalesce(sum(completed), 0)::INT FROM recorded_weeks;
-- obligations_slipped_in_13_weeks
SELECT coalesce(sum(slipped), 0)::INT FROM recorded_weeks;
-- obligations_slipped_in_13_weeks_pct
SELECT round(100 * sum(slipped) / sum(planned), 1) FROM recorded_weeks;
-- forecast_weeks_checked
SELECT count(*) FROM checked_forecasts;
-- forecast_mape_pct
SELECT CASE WHEN count(*) >= 8 THEN round(100 * avg(abs(planned - forecast) / planned) FILTER (planned > 0), 1) END FROM checked_forecasts;
-- forecast_backtest
SELECT CASE WHEN count(*) >= 8 AND bool_or(planned > 0) THEN 'sufficient' ELSE 'insufficient_history' END FROM checked_forecasts;
-- trend_weeks
SELECT 13;
-- trend_weeks_recorded
SELECT count(DISTINCT date_trunc('week', taken_on)) FROM readiness_snapshots JOIN followed USING (framework), asked
WHERE taken_on <= as_of AND taken_on >= date_trunc('week', as_of) - INTERVAL 84 DAY;
-- remediations_net_in_weeks
SELECT count(*) FILTER (opened_on >= since) - count(*) FILTER (closed_on BETWEEN since AND as_of)
FROM remediations, (SELECT as_of, CAST(date_trunc('week', as_of) - INTERVAL 84 DAY AS DATE) AS since FROM asked) WHERE opened_on <= as_of;
-- plays_completed
SELECT count(*) FROM plays WHERE status = 'completed';
-- plays_abandoned
SELECT count(*) FROM plays WHERE status = 'abandoned';
-- plays_active
SELECT count(*) FROM plays WHERE status = 'active';
-- plays_tracked
SELECT count(*) FROM plays;
-- plays_saved_hours
SELECT coalesce(sum(hours_saved), 0) FROM plays WHERE status = 'completed';
-- requests_accepted_in_period
SELECT count(*) FROM accepted_requests;
-- requests_accepted_first_pass_in_period
SELECT count(*) FROM accepted_requests WHERE returns = 0;
-- requests_first_pass_pct
SELECT round(100 * avg(coalesce(returns = 0 AND closed_on IS NOT NULL AND id IN (SELECT id FROM accepted_requests), false)::INT), 1)
FROM finished_requests;
-- requests_on_time_pct
SELECT round(100 * sum(in_time) / count(*), 1) FROM (
    SELECT coalesce(closed_on <= due_on, false)::INT AS in_time FROM finished_requests
    UNION ALL SELECT 0 FROM open_requests, day WHERE status <> 'waiting_on_requester' AND due_on < as_of);
-- gaps_blocked
SELECT count(*) FROM open_work WHERE trim(coalesce(blocked_by, '')) <> '';
-- remediations_overdue
SELECT count(*) FROM open_work, asked WHERE due_on < as_of;
-- measures_undeclared
SELECT count(*) FROM open_work w WHERE trim(coalesce(compensating, '')) <> '' AND NOT EXISTS (
    SELECT 1 FROM called_exceptions e WHERE e.framework = w.framework AND e.control_id = w.control_id AND e.standing = 'approved');
-- snapshot_before_on
SELECT max(taken_on) FROM posture_snapshots, day WHERE taken_on < period_start;
-- controls_newly_evidenced
SELECT count(*) FROM (
    SELECT framework, control_id FROM test_links l JOIN (
        SELECT id FROM dry_runs WHERE outcome = 'succeeded' UNION ALL SELECT id FROM runs WHERE outcome = 'passed') t ON t.id = l.test_id, day
    WHERE l.status = 'linked' GROUP BY framework, control_id, period_start, as_of
    HAVING min(local_day(linked_at)) BETWEEN period_start AND as_of);
