-- Staffing actions by their peak week.

-- staffing_actions_proposed
SELECT count(*) FROM actions_of_staff WHERE standing IN ('awaiting', 'lapsed');
-- staffing_actions_awaiting
SELECT count(*) FROM actions_of_staff WHERE standing = 'awaiting';
-- staffing_actions_lapsed
SELECT count(*) FROM actions_of_staff WHERE standing = 'lapsed';
-- staffing_actions_taken_up
SELECT count(*) FROM actions_of_staff WHERE status IN ('tracked', 'open', 'completed');
-- staffing_actions_tracked
SELECT count(*) FROM actions_of_staff WHERE standing = 'tracked';
-- staffing_actions_open
SELECT count(*) FROM actions_of_staff WHERE standing IN ('open', 'past_peak', 'breached');
-- staffing_actions_past_peak
SELECT count(*) FROM actions_of_staff WHERE standing = 'past_peak';
-- staffing_actions_breached
SELECT count(*) FROM actions_of_staff WHERE standing = 'breached';
-- staffing_actions_after_peak
SELECT count(*) FROM actions_of_staff WHERE standing IN ('past_peak', 'breached');
-- staffing_actions_unfinished
SELECT count(*) FROM actions_of_staff WHERE standing IN ('tracked', 'open', 'past_peak', 'breached');
-- staffing_actions_judged
SELECT count(*) FROM actions_of_staff WHERE standing IN ('completed', 'breached');
-- staffing_actions_on_time
SELECT count(*) FROM actions_of_staff WHERE completed AND completed_on <= sunday + 5;
-- staffing_on_time_pct
SELECT round(100 * avg(coalesce(completed AND completed_on <= sunday + 5, false)::INT), 1) FROM actions_of_staff WHERE standing IN ('completed', 'breached');
-- staffing_completion_pct
SELECT round(100 * avg(completed::INT), 1) FROM actions_of_staff WHERE status IN ('tracked', 'open', 'completed');
-- staffing_awaiting_hours
SELECT coalesce(sum(relief_hours), 0) FROM actions_of_staff WHERE standing = 'awaiting';
-- staffing_relief_outstanding_hours
SELECT coalesce(sum(relief_hours), 0) FROM actions_of_staff WHERE standing = 'breached';
-- staffing_breaches_blocked
SELECT count(*) FROM actions_of_staff WHERE standing = 'breached' AND trim(coalesce(blocked_reason, '')) <> '';
-- staffing_breaches_critical
SELECT count(*) FROM actions_of_staff WHERE standing = 'breached' AND days_past - 5 > 10;
-- staffing_breaches_high
SELECT count(*) FROM actions_of_staff WHERE standing = 'breached' AND days_past - 5 BETWEEN 6 AND 10;
-- staffing_breaches_moderate
SELECT count(*) FROM actions_of_staff WHERE standing = 'breached' AND days_past - 5 BETWEEN 1 AND 5;
-- staffing_breaches_owner_left
SELECT count(*) FROM actions_of_staff s WHERE standing = 'breached' AND NOT EXISTS (SELECT 1 FROM users u WHERE u.email = s.owner AND u.active);
