-- What the registers say: owners, exceptions, tests, vendors, staffing.
CREATE VIEW owned_controls AS
SELECT a.framework, a.control_id, coalesce(o.responsible, 0) AS responsible, coalesce(o.accountable, 0) AS accountable,
    coalesce(o.consulted, 0) AS consulted, coalesce(o.authority, false) AS authority, coalesce(o.worker, false) AS worker,
    o.responsible_email, o.accountable_email
FROM applicable a LEFT JOIN ownership o USING (framework, control_id);
CREATE TABLE called_exceptions AS
SELECT e.*, as_of, approved(approver, approved_on) AS holds, CASE WHEN status = 'approved' AND expires_on < as_of THEN 'expired'
    WHEN status = 'approved' AND NOT approved(approver, approved_on) THEN 'in_review' ELSE status END AS standing
FROM exceptions e, asked WHERE status = 'approved';
CREATE VIEW seen_systems AS SELECT id FROM services;
CREATE TABLE test_windows AS
WITH series AS (
    SELECT s.*, as_of, unnest(range(0, 1500)) AS n,
        CASE cadence WHEN 'weekly' THEN 7 WHEN 'monthly' THEN 30 WHEN 'quarterly' THEN 91 WHEN 'semi-annual' THEN 182 WHEN 'annual' THEN 365 END AS step
    FROM testing_schedules s, asked WHERE cadence IN ('weekly', 'monthly', 'quarterly', 'semi-annual', 'annual')),
dated AS (
    SELECT *, CAST(CASE cadence WHEN 'weekly' THEN starts_on + 7 * n::INT WHEN 'monthly' THEN starts_on + INTERVAL (n) MONTH
        WHEN 'quarterly' THEN starts_on + INTERVAL (3 * n) MONTH WHEN 'semi-annual' THEN starts_on + INTERVAL (6 * n) MONTH
        ELSE starts_on + INTERVAL (12 * n) MONTH END AS DATE) AS opens
    FROM series),
planned AS (
    SELECT d.* FROM dated d WHERE opens + coalesce(window_days, 7)::INT - 1 >= as_of - 371 AND opens <= as_of + 371 AND (ends_on IS NULL OR opens <= ends_on)
        AND NOT EXISTS (SELECT 1 FROM runs r WHERE r.schedule_id = d.id AND 2 * abs(opens - r.window_open_on) < step))
SELECT id AS run_id, schedule_id, framework, control_id, window_open_on, window_close_on, performed_on, outcome, evidence_expected, evidence_received
FROM runs
UNION ALL SELECT NULL, id, framework, control_id, opens, opens + coalesce(window_days, 7)::INT - 1, NULL, NULL, NULL, NULL FROM planned;
CREATE TABLE past_windows AS  -- each window once: what was run twice in it counts by the first run
SELECT w.* FROM test_windows w, asked WHERE performed_on IS NOT NULL OR window_close_on < as_of
QUALIFY row_number() OVER (PARTITION BY schedule_id, window_open_on ORDER BY performed_on NULLS LAST, run_id) = 1;
CREATE VIEW year_windows AS SELECT w.* FROM past_windows w, asked WHERE window_close_on > as_of - INTERVAL 12 MONTH;
CREATE VIEW last_windows AS
SELECT * FROM past_windows QUALIFY row_number() OVER (PARTITION BY schedule_id ORDER BY window_open_on DESC) = 1;
CREATE TABLE performed_tests AS
SELECT *, counts OR EXISTS (SELECT 1 FROM test_links l WHERE l.test_id = t.id AND l.status = 'linked') AS linked FROM (
    SELECT d.id, outcome = 'succeeded' AS passed, false AS counts FROM dry_runs d, day
    WHERE local_day(ran_at) BETWEEN period_start AND as_of
    UNION ALL SELECT r.id, outcome = 'passed', outcome = 'passed' FROM runs r, day WHERE performed_on BETWEEN period_start AND as_of) t;
CREATE VIEW allowed_runs AS
SELECT d.id FROM dry_runs d, day WHERE outcome <> 'blocked' AND local_day(ran_at) BETWEEN period_start AND as_of
UNION ALL SELECT e.id FROM executions e, day WHERE local_day(executed_at) BETWEEN period_start AND as_of;
CREATE MACRO business_days(after, until) AS (  -- Monday to Friday, the first day left out
    SELECT count(*) FROM range(after + INTERVAL 1 DAY, until + INTERVAL 1 DAY, INTERVAL 1 DAY) d(each_day) WHERE isodow(each_day) < 6);
CREATE TABLE actions_of_staff AS
SELECT *, CASE WHEN completed THEN 'completed' WHEN status = 'proposed' THEN CASE WHEN as_of > sunday THEN 'lapsed' ELSE 'awaiting' END
    WHEN as_of < monday THEN 'tracked' WHEN as_of <= sunday THEN 'open' WHEN days_past <= 5 THEN 'past_peak' ELSE 'breached' END AS standing
FROM (
    SELECT a.*, as_of, a.status = 'completed' AND (completed_on IS NULL OR completed_on <= as_of) AS completed,
        CAST(strptime(week || '-1', '%G-W%V-%u') AS DATE) AS monday, CAST(strptime(week || '-7', '%G-W%V-%u') AS DATE) AS sunday,
        business_days(CAST(strptime(week || '-7', '%G-W%V-%u') AS DATE), as_of) AS days_past
    FROM staffing_actions a, asked WHERE proposed_on IS NULL OR proposed_on <= as_of);
CREATE VIEW recorded_weeks AS
SELECT s.* FROM obligation_snapshots s, asked
WHERE CAST(strptime(week || '-1', '%G-W%V-%u') AS DATE) BETWEEN date_trunc('week', as_of) - INTERVAL 91 DAY AND date_trunc('week', as_of) - INTERVAL 7 DAY
    AND completed IS NOT NULL;
CREATE VIEW checked_forecasts AS
SELECT s.* FROM obligation_snapshots s, asked
WHERE forecast IS NOT NULL AND CAST(strptime(week || '-1', '%G-W%V-%u') AS DATE) < date_trunc('week', as_of) ORDER BY week DESC LIMIT 8;
CREATE VIEW accepted_requests AS SELECT r.* FROM finished_requests r, asked
WHERE accepted_on <= as_of OR auditor_status = 'accepted';
CREATE VIEW open_work AS
SELECT r.* FROM remediations r JOIN applicable a USING (framework, control_id), asked
WHERE a.state <> 'effective' AND opened_on <= as_of AND NOT coalesce(closed_on <= as_of, false)
QUALIFY row_number() OVER (PARTITION BY framework, control_id ORDER BY opened_on DESC, id DESC) = 1;
