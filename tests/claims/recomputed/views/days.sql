-- What several figures look at, by name. `asked` has as_of and the time zone.
CREATE MACRO local_day(moment) AS CAST((moment AT TIME ZONE 'UTC') AT TIME ZONE (SELECT time_zone FROM asked) AS DATE);
CREATE VIEW day AS SELECT as_of, as_of - 29 AS period_start, 9 AS risk_appetite FROM asked;
CREATE VIEW approvers AS
SELECT lower(email) AS email, NULL::DATE AS since_on FROM users
UNION ALL SELECT lower(email), since_on FROM memberships;
CREATE VIEW open_requests AS
SELECT r.* FROM evidence_requests r, day
WHERE opened_on <= as_of AND NOT coalesce(closed_on <= as_of, false) AND NOT (status = 'closed' AND closed_on IS NULL);
CREATE VIEW finished_requests AS
SELECT r.* FROM evidence_requests r, day
WHERE opened_on <= as_of AND coalesce(closed_on, CASE WHEN status = 'closed' THEN as_of END) BETWEEN period_start AND as_of;
CREATE VIEW turnarounds AS
SELECT list_sort(list(closed_on - opened_on - coalesce(paused_minutes, 0) // 1440)) AS sorted
FROM finished_requests WHERE closed_on IS NOT NULL;
CREATE VIEW open_ages AS SELECT list_sort(list(as_of - opened_on)) AS sorted FROM open_requests, day;
CREATE VIEW present_vendors AS
SELECT v.* FROM vendors v, day
WHERE (offboarded_on IS NULL OR offboarded_on > as_of) AND (onboarded_on IS NULL OR onboarded_on <= as_of);
CREATE VIEW opened_incidents AS
SELECT i.* FROM incidents i, day WHERE local_day(opened_at) BETWEEN period_start AND as_of;
CREATE VIEW restored_incidents AS
SELECT i.*, date_diff('second', opened_at, resolved_at) / 3600 AS hours FROM incidents i, day
WHERE local_day(resolved_at) BETWEEN period_start AND as_of;
CREATE VIEW newest_snapshots AS
SELECT s.* FROM readiness_snapshots s JOIN organization_frameworks f USING (framework), day
WHERE f.in_scope AND taken_on <= as_of AND date_trunc('week', taken_on) = (
    SELECT max(date_trunc('week', taken_on)) FROM readiness_snapshots, day WHERE taken_on <= as_of)
QUALIFY row_number() OVER (PARTITION BY framework ORDER BY taken_on DESC) = 1;
CREATE VIEW completed_actions AS
SELECT a.* FROM staffing_actions a, day WHERE status = 'completed' AND (completed_on IS NULL OR completed_on <= as_of);
