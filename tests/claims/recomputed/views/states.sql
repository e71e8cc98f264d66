-- The state of each control by REPORTS F1 and F2, from events, records, tests, policies and signatures.
CREATE MACRO approved(who, day_of) AS coalesce(day_of <= (SELECT as_of FROM asked), false) AND EXISTS (
    SELECT 1 FROM approvers a
    WHERE list_contains(list_transform(string_split(lower(who), ';'), lambda name: trim(name)), a.email)
        AND coalesce(a.since_on <= day_of, true));
CREATE MACRO window_of(cadence) AS CASE cadence
    WHEN 'continuous' THEN 7 WHEN 'daily' THEN 3 WHEN 'weekly' THEN 9 WHEN 'monthly' THEN 35
    WHEN 'quarterly' THEN 100 WHEN 'semi-annual' THEN 200 WHEN 'annual' THEN 380 END;
CREATE TABLE followed AS SELECT framework, adopted_on, target_on FROM organization_frameworks WHERE in_scope;
CREATE TABLE controls AS
SELECT c.*, window_of(coalesce(p.cadence, c.catalogue_cadence)) AS days_allowed, p.changed_on, NOT coalesce(
    NOT p.applicable AND trim(coalesce(p.justification, '')) <> '' AND approved(p.approved_by, p.approved_on), false) AS applicable
FROM catalogue c JOIN followed USING (framework) LEFT JOIN control_profiles p USING (framework, control_id)
WHERE c.assessable;
CREATE TABLE control_events AS
SELECT DISTINCT c.framework, c.control_id, a.seq, a.occurred_at, local_day(a.occurred_at) AS day_of, k.kind, k.family, a.action,
    CASE WHEN k.effect = 'records' OR (k.effect = 'supports' AND a.outcome = 'success') THEN 'supports' ELSE 'contradicts' END AS effect
FROM audit_log a JOIN actions k ON k.action = a.action AND k.effect <> 'neutral'
JOIN (
    SELECT l.seq, m.framework, m.control_id FROM audit_log l JOIN action_controls m USING (action)
    UNION SELECT seq, split_part(tag, ':', 1), split_part(tag, ':', 2)
    FROM (SELECT seq, unnest(string_split(controls, '; ')) AS tag FROM audit_log)) n USING (seq)
JOIN controls c ON c.framework = n.framework AND c.control_id = n.control_id;
CREATE TABLE opposed AS
SELECT DISTINCT framework, control_id FROM (
    SELECT * FROM control_events, asked WHERE day_of <= as_of
    QUALIFY row_number() OVER (PARTITION BY framework, control_id, family ORDER BY occurred_at DESC, seq DESC) = 1)
WHERE effect = 'contradicts';
CREATE TABLE runs AS
SELECT r.id, r.schedule_id, s.framework, s.control_id, r.window_open_on, r.window_close_on, r.deviations, r.tested, r.response,
    CASE WHEN performed_on <= as_of THEN performed_on END AS performed_on, CASE WHEN performed_on <= as_of THEN outcome END AS outcome,
    coalesce(r.performer, s.performer) AS performer, s.owner, r.evidence_expected, r.evidence_received
FROM test_runs r JOIN testing_schedules s ON s.id = r.schedule_id, asked WHERE outcome IS DISTINCT FROM 'not_tested';
CREATE TABLE failing AS
SELECT DISTINCT framework, control_id FROM (
    SELECT * FROM runs WHERE performed_on IS NOT NULL AND outcome IS NOT NULL
    QUALIFY row_number() OVER (PARTITION BY schedule_id ORDER BY performed_on DESC, id DESC) = 1)
WHERE outcome = 'failed';
CREATE TABLE accepted_policies AS
SELECT p.id, p.policy, p.version, p.kind, p.playbook, p.review_due_on, local_day(p.accepted_at) AS accepted_on
FROM policies p WHERE state = 'active' AND approved(accepted_by, local_day(accepted_at));
CREATE TABLE unaccepted AS
SELECT c.framework, c.control_id, least(max(coalesce(p.review_due_on,
    CASE WHEN local_day(p.accepted_at) <= as_of THEN local_day(p.accepted_at) + 380 END)), as_of - 1) AS owed_on
FROM policies p JOIN policy_controls c ON c.policy_id = p.id, asked WHERE p.state = 'active' AND NOT EXISTS (
    SELECT 1 FROM policy_controls o JOIN accepted_policies a ON a.id = o.policy_id
    WHERE o.framework = c.framework AND o.control_id = c.control_id)
GROUP BY c.framework, c.control_id, as_of;
CREATE TABLE duties_to_sign AS
SELECT t.id, t.framework, t.control_id, t.owner, t.delegated_to, t.due_on, local_day(t.attested_at) AS attested_on,
    t.outcome IS NOT NULL AND coalesce(local_day(t.attested_at) <= as_of, false) AS done, t.attested_at, t.outcome
FROM attestations t JOIN controls USING (framework, control_id), asked WHERE NOT coalesce(t.withdrawn_on <= as_of, false);
CREATE TABLE signatures AS
WITH written AS (
    SELECT id, framework, control_id, owner, delegated_to, due_on, done, CASE WHEN done THEN attested_on END AS attested_on,
        CASE WHEN done THEN attested_at END AS attested_at, CASE WHEN done THEN outcome END AS outcome
    FROM duties_to_sign),
following AS (
    SELECT id || '-next' AS id, framework, control_id, owner, delegated_to, attested_on + 380 AS due_on, false AS done,
        NULL::DATE AS attested_on, NULL::TIMESTAMP AS attested_at, NULL::VARCHAR AS outcome
    FROM written w WHERE outcome = 'attested'
        AND NOT EXISTS (SELECT 1 FROM written o WHERE NOT o.done AND o.framework = w.framework AND o.control_id = w.control_id)
    QUALIFY row_number() OVER (PARTITION BY framework, control_id ORDER BY attested_at DESC, id DESC) = 1),
every AS (SELECT * FROM written UNION ALL SELECT * FROM following),
ranked AS (
    SELECT e.*, max(CASE WHEN done THEN due_on END) OVER (PARTITION BY framework, control_id) AS covered_until, as_of FROM every e, asked)
SELECT *, CASE WHEN done THEN outcome WHEN due_on < as_of THEN 'overdue' ELSE 'open' END AS standing, row_number() OVER (
    PARTITION BY framework, control_id ORDER BY CASE
        WHEN NOT done AND due_on < as_of AND (covered_until IS NULL OR due_on > covered_until) THEN 0
        WHEN done AND NOT (outcome = 'attested' AND as_of - attested_on > 380) THEN 1
        WHEN NOT done AND due_on >= as_of THEN 2 WHEN NOT done THEN 3 ELSE 4 END,
    CASE WHEN done THEN -epoch_us(attested_at) ELSE due_on - DATE '1970-01-01' END, id) = 1 AS decides
FROM ranked;
CREATE TABLE proofs AS
SELECT * FROM (
    SELECT framework, control_id, CASE kind WHEN 'incident' THEN 'operation' ELSE kind END AS kind, day_of, 'event' AS source
    FROM control_events WHERE effect = 'supports' AND kind IN ('operation', 'incident', 'test', 'policy')
    UNION ALL SELECT l.framework, l.control_id, 'operation', local_day(e.captured_at), 'item'
    FROM evidence_items e JOIN evidence_links l ON l.evidence_id = e.id
    UNION ALL SELECT framework, control_id, 'test', performed_on, 'test' FROM runs WHERE outcome = 'passed'
    UNION ALL SELECT DISTINCT l.framework, l.control_id, 'test', local_day(d.ran_at), 'test'
    FROM test_links l JOIN dry_runs d ON d.id = l.test_id WHERE l.status = 'linked' AND d.outcome = 'succeeded'
    UNION ALL SELECT c.framework, c.control_id, 'policy', p.accepted_on, 'policy'
    FROM accepted_policies p JOIN policy_controls c ON c.policy_id = p.id), asked
WHERE day_of <= as_of;
CREATE TABLE newest_proofs AS
SELECT framework, control_id, max(day_of) FILTER (kind = 'operation') AS operation, max(day_of) FILTER (kind = 'test') AS test,
    max(day_of) FILTER (kind = 'policy') AS policy FROM proofs GROUP BY ALL;
CREATE TABLE signed AS
SELECT framework, control_id, bool_or(decides AND standing = 'attested') AS attested,
    bool_or(attested_at IS NOT NULL AND outcome = 'attested') AS ever FROM signatures GROUP BY ALL;
CREATE TABLE policy_reviews AS
SELECT framework, control_id, max(coalesce(review_due_on, accepted_on + 380)) AS review_due_on
FROM accepted_policies p JOIN policy_controls c ON c.policy_id = p.id GROUP BY ALL;
CREATE TABLE ownership AS
SELECT o.framework, o.control_id, count(*) FILTER (raci = 'R') AS responsible, count(*) FILTER (raci = 'A') AS accountable,
    count(*) FILTER (raci = 'C') AS consulted, coalesce(bool_or(u.active) FILTER (raci = 'A'), false) AS authority,
    coalesce(bool_or(u.active) FILTER (raci = 'R'), false) AS worker, min(email) FILTER (raci = 'R') AS responsible_email,
    min(email) FILTER (raci = 'A') AS accountable_email
FROM control_owners o LEFT JOIN users u USING (email) GROUP BY ALL;
CREATE TABLE future_dated AS
SELECT framework, control_id FROM control_events, asked WHERE day_of > as_of AND effect = 'supports'
UNION SELECT framework, control_id FROM evidence_items e JOIN evidence_links l ON l.evidence_id = e.id, asked
WHERE local_day(e.captured_at) > as_of;
CREATE TABLE status AS
WITH facts AS (
    SELECT c.*, p.* EXCLUDE (framework, control_id), as_of, coalesce(s.attested, false) AS attested, coalesce(s.ever, false) AS signed,
        coalesce(u.owed_on, r.review_due_on, p.policy + 380) AS review_due_on, u.control_id IS NOT NULL AS unaccepted, f.control_id IS NOT NULL AS future,
        (o.control_id IS NOT NULL OR t.control_id IS NOT NULL) AS contrary, coalesce(changed_on <= as_of, false) AS has_changed,
        list_contains(kinds, 'operation') AS needs_operation, list_contains(kinds, 'test') AS needs_test,
        list_contains(kinds, 'policy') AS needs_policy, list_contains(kinds, 'attestation') AS needs_signature,
        coalesce(w.responsible >= 1 AND w.accountable = 1 AND w.authority, false) AS owned
    FROM controls c LEFT JOIN newest_proofs p USING (framework, control_id) LEFT JOIN signed s USING (framework, control_id)
    LEFT JOIN policy_reviews r USING (framework, control_id) LEFT JOIN unaccepted u USING (framework, control_id)
    LEFT JOIN future_dated f USING (framework, control_id)
    LEFT JOIN opposed o USING (framework, control_id) LEFT JOIN failing t USING (framework, control_id)
    LEFT JOIN ownership w USING (framework, control_id), asked),
judged AS (
    SELECT *, CASE WHEN needs_operation THEN operation WHEN needs_test THEN test ELSE policy END AS governing,
        CASE WHEN needs_operation OR needs_test THEN days_allowed ELSE coalesce(review_due_on - policy, 380) END AS governing_days,
        (needs_operation AND operation IS NOT NULL)::INT + (needs_test AND test IS NOT NULL)::INT
        + (needs_policy AND (policy IS NOT NULL OR (unaccepted AND ((needs_operation AND operation IS NOT NULL)
            OR (needs_test AND test IS NOT NULL) OR (needs_signature AND signed)))))::INT + (needs_signature AND signed)::INT AS given,
        (needs_operation AND coalesce(as_of - operation > days_allowed OR (has_changed AND changed_on > operation), false))
        OR (needs_test AND coalesce(as_of - test > days_allowed OR (has_changed AND changed_on > test), false))
        OR (needs_policy AND unaccepted)
        OR (needs_policy AND policy IS NOT NULL AND (review_due_on < as_of
            OR (NOT needs_operation AND NOT needs_test AND has_changed AND changed_on > policy)))
        OR (needs_signature AND signed AND NOT attested) AS lapsed
    FROM facts)
SELECT * EXCLUDE (as_of), as_of - governing AS age, coalesce(has_changed AND changed_on > governing, false) AS outdated,
    CASE WHEN NOT applicable THEN 'not_applicable' WHEN contrary THEN 'ineffective' WHEN given = 0 THEN 'no_data' WHEN lapsed THEN 'stale'
        WHEN given < len(kinds) THEN 'partial' ELSE 'effective' END AS state
FROM judged;
CREATE VIEW applicable AS SELECT * FROM status WHERE applicable;
CREATE TABLE active_controls AS
SELECT a.framework, a.control_id, EXISTS (
        SELECT 1 FROM control_events e, day WHERE e.framework = a.framework AND e.control_id = a.control_id AND effect = 'supports'
            AND kind <> 'admin' AND day_of BETWEEN period_start AND as_of)
    OR EXISTS (SELECT 1 FROM signatures s, day WHERE s.framework = a.framework AND s.control_id = a.control_id
        AND standing = 'attested' AND attested_on BETWEEN period_start AND day.as_of)
    OR EXISTS (SELECT 1 FROM policy_reviews p WHERE p.framework = a.framework AND p.control_id = a.control_id) AS active,
    (SELECT max(occurred_at) FROM control_events e, day WHERE e.framework = a.framework AND e.control_id = a.control_id
        AND effect = 'supports' AND kind <> 'admin' AND day_of <= as_of) AS newest_at
FROM applicable a WHERE a.framework IN ('soc2', 'iso27001');
