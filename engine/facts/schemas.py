"""The facts and their columns: what one row is, and which columns it has.

Every report is written against these frames, every fact function returns them exactly (a test holds that), and
test factories fill in what a test does not care about. Facts without ``org_id`` come from the catalogue alone.
``position`` is the place of a control in its standard, which an identifier does not sort into.
A column's type is declared with its heading and meaning in ``engine/model/columns/``; a fact gives a type
(``name:type``) only where its own differs. Days are in the organization's time zone, instants in UTC without zone.
"""

from collections.abc import Mapping

import polars as pl

from engine.model.columns import COLUMNS

TEXT, DAY, INSTANT = pl.String, pl.Date, pl.Datetime("us")
WHOLE, REAL, FLAG, TEXTS = pl.Int64, pl.Float64, pl.Boolean, pl.List(pl.String)

DataType = pl.DataType | type[pl.DataType]
Schema = Mapping[str, DataType]

TYPES: Mapping[str, DataType] = {
    "text": TEXT,
    "texts": TEXTS,
    "whole": WHOLE,
    "real": REAL,
    "flag": FLAG,
    "date": DAY,
    "instant": INSTANT,
}


def columns(names: str) -> Schema:
    """The columns that ``names`` lists, in its order; ``name:type`` where the fact's type is not the declared one.

    TypeError names a column that has no type.
    """
    return {name: _type_of(name, cells) for name, _, cells in (listed.partition(":") for listed in names.split())}


def _type_of(name: str, cells: str) -> DataType:
    cells = cells or (COLUMNS[name].type if name in COLUMNS else "")
    if cells not in TYPES:
        raise TypeError(
            f"The column {name!r} of a fact needs a type of {', '.join(TYPES)}, here or in engine/model/columns/; "
            f"found {cells!r}."
        )
    return TYPES[cells]


_CONTROL = "org_id framework control_id"
_STATUS = f"""
    {_CONTROL} parent_id group_id group_title title weight cadence applicable justification approved_by approved_on
    state previous_state state_since detected_on kinds_required kinds_present kinds_stale last_evidence_on
    last_source window_days age_days unaccepted_days age_ratio freshness next_due_on without_evidence active
    evidence_note change_invalidated future_dated owner accountable ownership_complete attested attested_on tests_passed
    tests_performed failing_test last_test_on own_rule exception_id exception_expires_on leverage position
"""

SCHEMAS: Mapping[str, Schema] = {
    # the organization itself; frameworks are those in scope, in catalogue order (fedramp-poam may be among them)
    "organization": columns("org_id name time_zone sector headcount plan deployment_tier data_region frameworks"),
    # a framework in scope, in catalogue order, with the day for which it is to be ready
    "framework_targets": columns("org_id framework name target_on audit_from audit_until"),
    # a control of a framework in scope; cadence is the organization's override or the catalogue's
    "controls": columns(f"""
        {_CONTROL} parent_id group_id group_title title assessable weight cadence evidence_kinds position
    """),
    # a row of a framework in scope, headings included; flags are the framework's own marks, such as
    # service_provider_only, future_dated, annex_a, clause, required, addressable, ig1, ig2, ig3, core
    "requirements": columns(f"{_CONTROL} parent_id level group_id group_title title assessable flags position"),
    # a framework that may be named: of the program, or of one's own
    "frameworks": columns("org_id framework name"),
    # a framework that the organization brought along
    "own_frameworks": columns("org_id framework name title version:text publisher:text in_posture:flag"),
    # a row of one, as ``controls`` has it, whatever is in scope
    "own_controls": columns(f"""
        {_CONTROL} parent_id group_id group_title title assessable weight cadence evidence_kinds position
    """),
    # a control that a proposed version of a framework of one's own would change
    "framework_proposals": columns(
        "org_id framework version:text proposed_on:date change:text control_id title target_id"
    ),
    # what a control of one's own asks for, in full
    "own_texts": columns(f"{_CONTROL} requirement"),
    # the runbook of a control of one's own
    "own_runbooks": columns(f"{_CONTROL} runbook runbook_title playbook effort_hours"),
    # a pair that the organization brought along; unreviewed: nobody has signed it off
    "own_pairs": columns("""
        org_id source_framework source_id source_title target_framework target_id target_title relation strength full
        rationale reviewer reviewed_on unreviewed:flag
    """),
    # a user, or a member from a day on; of who left, up to the day on which that was on record at the latest
    "approvers": columns("org_id email since_on until_on"),
    # a typed pair of controls (F9); no organization where it came with the program
    "crosswalk": columns("""
        org_id source_framework source_id source_title target_framework target_id target_title relation strength full
        rationale reviewer reviewed_on
    """),
    # a control and one of NIST SP 800-53 that it is paired with, in the order of that publication; no organization
    # where the pair came with the program
    "nist_pairs": columns(f"{_CONTROL} nist_control nist_position"),
    # the day of the organization's first event; null where nothing was recorded up to the day
    "records_since": columns("org_id known_since"),
    # framework in scope: the day from which its records speak, the earliest event, signature or snapshot. What lies
    # before is unknown: deltas are null there, ages and detection dates are clipped to it. Retention does not move it.
    "known_since": columns("org_id framework known_since"),
    # control x source of evidence (operation, policy, test, attestation, item): events in the period and in the one
    # before of the same length, all up to the day, the last one ever;
    # audit_* are those of them that are events of the audit log. Contradicting events are not counted as evidence;
    # contradicted_at is the newest one that no later supporting event of the same control and family outweighs,
    # contradicted_since the day of the first one.
    "control_evidence": columns(f"""
        {_CONTROL} source events events_before events_ever audit_events audit_events_before audit_last_at
        last_at last_on last_id evidence_place own_rule
        contradicted_rule contradicted_at contradicted_by contradicted_on contradicted_since
    """),
    # an assessable control: state (F2), freshness (F1), scope, owner. previous_state is the last one seen
    # before the period. freshness: fresh, due_soon, stale, missing. leverage counts the requirements
    # of other frameworks in scope that full crosswalk edges unlock, plus itself. other_events counts all supporting
    # evidence up to the day (events, items, tests, policies, attestations) of kinds that are not mandatory;
    # without_evidence: nothing at all was ever recorded, for or against. evidence_note says what there is where the
    # governing kind was never given ("none of the evidence that it needs, 1 event of another kind"), and is null
    # elsewhere. state_since is the day of what makes the present state (null for an effective control that no snapshot
    # saw), detected_on the earliest day of all that is wrong with a control that is not effective; last_test_on is that
    # of the newest test, passed or failed. Neither state_since nor detected_on is before known_since or moves with
    # time.
    "control_status": columns(_STATUS),
    # with what each event moves, and few look at: evidence of mandatory kinds in the period, and the newest
    "control_assessments": columns(f"{_STATUS} events last_evidence_id evidence_place"),
    # until when the evidence of a control is good if nothing is done; see facts/horizons.py
    "control_horizons": columns(f"""
        {_CONTROL} title group_id weight cadence cadence_window kinds_required operation_until operation_recurs
        test_until test_recurs policy_until attestation_until opposed_by excluded_on owner accountable position
    """),
    # an applicable control of which evidence that it needs ends within 30 days: kinds_ending, the first of them on
    # ends_on; by_hand_on is the first by which somebody has to renew it, null where all of it renews itself
    "evidence_endings": columns(f"{_CONTROL} title owner kinds_ending ends_on by_hand_on position"),
    # what the organization says of a control beyond its state: columns of the framework packs
    "control_profiles": columns(f"""
        {_CONTROL} exclusion implementation justification method tested:flag decision rationale decided_on
        decision_approved target target_pct policy_pct implemented_pct automated_pct reported_pct sprs_partial
        risk_ref systems note
    """),
    # an applicable control that is not effective; gap_id is stable: framework:control. severity critical, high,
    # medium, low with score 5, 4, 3, 2. requirements lists framework:control unlocked by closing it (itself first).
    # priority is F14. status is that of the remediation, 'unplanned' without one.
    # compensating_approved: whether somebody approved the compensating control that it names; null without one.
    # milestone_on: when its weakness on the plan of action is due, which is a duty on record; null without one.
    # poam_due_on: that, and of a weakness without a number what detection and rating allow; null where no plan of
    # action is in scope, or where the gap is no item of it: its control is paired with none of SP 800-53.
    # detected_on: since when anything was wrong, state_since: what makes the present state; weakness_since is that as
    # well, but since when there is no evidence at all where that is so. kinds_to_renew: the evidence whose renewal
    # closes it, none where it takes more; usual_hours: what it takes then;
    # action: what to do, the renewal or the runbook.
    "gaps": columns(f"""
        {_CONTROL} gap_id title group_id group_title state evidence_note kinds_required kinds_present kinds_stale
        change_invalidated failing_test severity severity_score:whole weight
        detected_on state_since weakness_since:date age_days runbook runbook_title playbook dry_run owner
        effort_hours due_on leverage requirements priority:real quick_win status blocked_by compensating
        compensating_approved remediation_id own_rule milestone_on poam_due_on kinds_to_renew:texts
        usual_hours:real action
        estimate_hours:real low_hours:real high_hours:real lead_days:whole
    """),
    # remediations as people track them: the flow of gaps (F12)
    "remediations": columns(f"{_CONTROL} id title owner opened_on due_on closed_on status severity on_time days_open"),
    # work of a plan that was accepted, with what the plan asked for
    "accepted_plans": columns(f"""
        {_CONTROL} id title plan_id plan_framework by_on made_on target_pct owner planned_owner
        opened_on due_on planned_due_on closed_on standing effort_hours planned_strict_pct part:whole way:text
        planned_kinds:texts duty_ids:texts planned_weeks:texts planned_away:texts
        work_hours:real done_hours:real left_hours:real
    """),
    # a duty to sign that was not withdrawn; one that follows by itself ends in -next
    "signature_duties": columns(f"{_CONTROL} id owner due_on done"),
    # a remediation that is open, as what others wait for
    "awaited_work": columns(f"{_CONTROL} id title owner blocked_by estimate_hours left_hours"),
    # hours that accepted work still takes, as rows of ``load``
    "planned_load": columns("""
        org_id obligation_id kind title frameworks owner accountable role due_on week week_start_on hours hard
        state
    """),
    # framework in scope: counts of states, readiness (F3), freshness, and the same at the end of the period before.
    # coverage: assessed = applicable controls whose state is not no_data, of the applicable controls (F2).
    "readiness": columns("""
        org_id framework name total applicable:whole effective partial stale ineffective no_data not_applicable
        assessed strict_pct weighted_pct fresh_pct coverage_pct prior_on prior_strict_pct prior_weighted_pct
        prior_formula_change
    """),
    # framework x day of a snapshot; formula_change: the change that made its formulas others than today's
    "readiness_days": columns("org_id framework taken_on strict_pct weighted_pct gaps_open formula_change"),
    # when a digest was last decided on, whatever became of its deliveries
    "digest_days": columns("org_id kind last_on"),
    # framework x ISO week, from snapshots; formula_change as above
    "readiness_weeks": columns("""
        org_id framework week taken_on strict_pct weighted_pct fresh_pct attested_pct gaps_open gaps_opened
        gaps_closed formula_change
    """),
    # component of the posture score (F4). value is null when absent; share is its weight after renormalisation,
    # contribution sums exactly to the score; prior_* from the last snapshot before the period.
    "posture": columns("""
        org_id component title weight:real share value contribution measured population explanation prior_value
        prior_on prior_score prior_formula_change
    """),
    # day of a snapshot x component of the posture score with the score of that day, as computed then; a component
    # without a value was absent
    "posture_days": columns("org_id taken_on score component value formula_change"),
    # a thing that is in another state than before the period, or that ended in it. kind: control (against the state
    # last seen before the period), attestation, third_party; framework is null for the last. moved_on: where it is in
    # the period; because: what the facts say of the reason, empty where they say none.
    "movements": columns("org_id kind framework thing state moved_on because"),
    # an attestation duty, and the next one of a control (<id>-next, due when the newest signature lapses) where none is
    # planned. status: not_due, due_30, due_7, overdue, attested, rejected; a signed duty stays attested. current marks
    # the duty of a control that decides whether it is attested now, a lapsed signature never does; unsupported: signed
    # while the evidence was stale or missing.
    "attestations": columns(f"""
        {_CONTROL} id title group_id owner attestor statement due_on status days_left attested_at attested_on
        evidence_links evidence_freshness delegated_to unsupported current
    """),
    # a vendor that is not offboarded. inherent, residual: likelihood x impact with unknown as 5 (rating_unknown).
    # review: current, due_soon, overdue, never (next_review_on is the first one's day). assurance follows documents
    # alone: assured and expiring (one that assures is in force, to assured_until, null where it has no end), lapsed
    # (there was one), not_assessed (there never was). assured_by is the kind of the document that decides it,
    # assured_dated_on its day or the end of its period; unfit_kind one in force until unfit_until that would assure,
    # were it not for unfit: wrong_scope, qualified_opinion.
    # status: not_assessed and in_progress as people say; expired where
    # an assessment was made and its review is overdue or its assurance lapsed; assessed where neither is.
    # open_findings: findings about it that are open or accepted, null while none of the organization names a vendor
    "vendors": columns("""
        org_id vendor_id name service owner category tier data_classes inherent residual rating_unknown
        inherent_unknown residual_unknown soc2_kind soc2_period_end_on soc2_opinion soc2_valid_until iso_expires_on
        dpa_on baa_on pci_aoc_on handles_phi region last_review_on next_review_on review status assurance assured_until
        assured_by assured_dated_on unfit_kind unfit_until unfit
        inherited inherited_evidenced inherited_gaps reused_evidence open_findings
    """),
    # vendor x inherited control of a framework in scope. gap: none, missing, expired, wrong_scope,
    # qualified_opinion, cuec_unmapped. severity_score = tier weight x requirements.
    "vendor_controls": columns("""
        org_id vendor_id vendor tier category framework control_id title reason expected_evidence model
        customer_side held held_id held_period_end_on held_until gap severity_score
    """),
    # a dated duty (F6). state: open, overdue, done, late, cancelled. sequence rises each time that its date moves.
    # hard: a legal or contractual deadline that nothing may move. paused: the clock stands still while somebody else is
    # to answer; such a duty stays open past its date (days_left is negative) and is never overdue.
    "obligations": columns("""
        org_id obligation_id kind title frameworks controls vendor_id vendor_tier owner accountable due_on week
        effort_hours state done_on days_left recurrence hard paused source_ref sequence changed_on due_at
    """),
    # a working day on which somebody is not there, or everybody where owner is null: the share of it, and what auditors
    # take of a week of which it is a day
    "days_away": columns("org_id owner on week_start_on away_share:real auditor_hours:real"),
    # owner x ISO week (F7): hours due by RACI factor, hours available, utilisation in percent (null: no capacity).
    # staffed: the owner is there; what is due of nobody and of those who have left is unowned and nobody's shortfall
    "owner_weeks": columns("""
        org_id owner staffed week week_start_on obligations demand_hours budget_hours absence_hours
        available_hours utilisation_pct shortfall_hours unowned_hours
    """),
    # a risk with inherent and residual cells (F11); unknown ratings count as 5 and set unknown.
    # level: of the residual, in which 5 counts for a rating that is missing (residual_unknown).
    # acceptance_approved: whether the acceptance of a risk that is accepted holds
    "risks": columns("""
        org_id id title category owner likelihood impact inherent residual_likelihood residual_impact residual
        previous level appetite over_appetite unknown inherent_unknown residual_unknown treatment
        loss_low loss_high reviewed_on status acceptance_approved accepted_by accepted_on
    """),
    # an exception. standing: draft, in_review, approved, rejected, resolved, expired. evidence_freshness is that of the
    # compensating measure (fresh, due_soon, stale, missing), null without a measure. unapproved: called approved and
    # not over, but in review, because the approval does not hold. replaced: expired, and another on the control is
    # approved and in force
    "exceptions": columns(f"""
        {_CONTROL} id kind title reason compensating compensating_evidence_on evidence_freshness residual:text
        approver approved_on expires_on days_left renewals standing unapproved replaced worksheet
    """),
    # an incident with its durations in minutes (null where a step is missing). on_call: in_time, late, not_on_duty,
    # not_acknowledged, nobody_on_duty, null without a rota. maintenance_state: planned, declared_late, null outside
    "incidents": columns("""
        org_id id title severity status service_id owner opened_at resolved_at minutes_to_acknowledge
        minutes_to_mitigate minutes_to_resolve minutes_in_transit parent_id parent_state family_id acknowledged_by
        on_call on_call_recorded_late maintenance_id maintenance_state maintenance_reason source has_cause
    """),
    # an ingest token and the monitor that sends with it. sender_state: live (heard in the period), silent (heard on
    # five of seven days, then nothing for 24 hours), not_heard in the period, retired (its token was revoked since),
    # never_heard. days_of_seven: days with a message, of the seven up to its last
    "senders": columns("""
        org_id token source sender_state first_on last_message_at messages days_of_seven silent_hours services
    """),
    # a service of a system in scope with its senders as "token / monitor"; watch: the state of the best of them, or
    # not_declared. is_monitored: the organization has a sender at all
    "service_watch": columns("org_id service_id service owner criticality frameworks senders watch is_monitored"),
    # messages of the period that nobody could read, and that were not read later
    "dead_letters": columns("org_id token reason messages last_at last_id"),
    # service with an objective: error budget over 7 and 30 days (REPORTS 14); level ok, warning, critical,
    # insufficient_history
    "service_health": columns("""
        org_id service_id name criticality objective_pct total_30d bad_30d used_30d_pct burn_30d total_7d bad_7d
        used_7d_pct burn_7d buckets_share level
    """),
    # an evidence request with its clock (F5). clock: on_track, at_risk, overdue, closed_on_time, closed_late, paused.
    # finished_on: when the clock stopped for good, today where no day is recorded; null while it runs
    "requests": columns(f"""
        {_CONTROL} id title requester owner backup priority opened_on due_on status auditor_status submitted_on
        accepted_on closed_on finished_on returns paused_minutes age_days days_left clock evidence_ids evidence_held
    """),
    # a window of a recurring test. standing: upcoming, open, done, late, missed. done_since_on: first performance after
    # a missed window had ended
    "test_windows": columns(f"""
        {_CONTROL} schedule_id run_id procedure cadence owner performer window_open_on window_close_on
        performed_on done_since_on outcome standing population tested deviations evidence_expected
        evidence_received cause response check_id superseded_on sequence since_on until_on
    """),
    # the same by control, for tests that are about several; counts: a pass of a query that is no longer asked does not
    "control_tests": columns(f"""
        {_CONTROL} schedule_id run_id procedure window_open_on window_close_on performed_on outcome check_id sequence
        since_on until_on counts
    """),
    # a check without an answer the last time, and why
    "idle_checks": columns("org_id schedule_id check_id procedure result reason noted_at run_id controls"),
    # a check with what breaking its rows came to
    "check_sights": columns(
        "org_id schedule_id check_id procedure sight tried noticed noticed_pct failures unseen proved_at"
    ),
    # an accepted policy version that is active, one row for each control that it supports (control null: none)
    "policies": columns(f"""
        {_CONTROL} policy_id policy version kind title playbook owner accepted_by accepted_on review_due_on
    """),
    # an active policy version that nobody of the organization accepted on a day that has come
    "unaccepted_policies": columns("org_id policy_id policy version title owner accepted_by accepted_on review_due_on"),
    # an action of the audit log: events in the period and the one before, the newest; tagged: mapped to a control
    # of a framework in scope, by the action map or by the event itself
    "audit_actions": columns(
        "org_id action title tagged bookkeeping events events_before tagged_events last_at last_id"
    ),
    # a sealed bundle
    "bundles": columns("""
        org_id id requested_window window_start_on window_end_on sealed_on created_by previous_id size_bytes
    """),
    # a share of a pending duty (F7): all of its hours for who is responsible (role R), a quarter for who is accountable
    # (A); week is when the work falls, null for overdue duties. Summed up it is ``owner_weeks``.
    "load": columns("""
        org_id obligation_id kind title frameworks owner accountable role due_on week week_start_on hours hard
        state
    """),
    # a past week as recorded: planned at its start, what became of it, and what was forecast four weeks before
    "obligation_weeks": columns("org_id week week_start_on planned planned_hours completed slipped forecast"),
    # a consolidation play x its steps (number from 1; null for a play without steps)
    "plays": columns("""
        org_id play_id status owner hours_saved started_on closed_on number step:text step_status step_by step_on
        step_evidence
    """),
    # a density alert in a delivery: about which week, how bad; sent_on is when the other side accepted it
    "density_alerts": columns("""
        org_id delivery_id alert_id week level channel recipient status created_at created_on sent_on
    """),
    # an evidence item x a control in scope that it supports
    "linked_evidence": columns(f"{_CONTROL} evidence_id"),
    # a committee with its members, the chair among them
    "committees": columns("org_id committee_id name chair members cadence"),
    # a person with a profile; not active: has left
    "people": columns("org_id email name active"),
    # what pages call a person
    "names": columns("org_id email name"),
    # a thing that a digest reminded somebody of; reminder_id names the thing (and, for steps, the step)
    "reminders": columns("org_id kind reminder_id delivery_id channel recipient status created_at created_on"),
    # a requirement of the catalogue that ships with the program, in scope or not; no organization
    # a meeting that was held and what was decided in it, as JSON; the last meeting first
    "committee_decisions": columns("org_id id held_on name decisions"),
    "catalogue_entries": columns("org_id version:text framework control_id title assessable position"),
    # the last stored snapshot of the catalogue, its requirements and its crosswalk edges
    "catalogue_seen": columns("org_id taken_on version:text"),
    "requirements_seen": columns(f"{_CONTROL} title assessable"),
    "edges_seen": columns("org_id source_framework source_id target_framework target_id relation strength"),
    # who may act for an organization: owner, admin, operator or member
    "members": columns("org_id email role"),
    # a staffing action in a delivery that carried it; step counts its reminders; told_on: when sent, else decided
    "staffing_notices": columns("org_id delivery_id kind action_id step channel recipient status told_on sent_on"),
    # a proposal to relieve a peak week. status: proposed, tracked, open, completed. standing: proposed, lapsed (never
    # taken up), under_way, past_peak, breached (past the committee's SLA), done_on_time, done_late, done_undated.
    # breach_told_on: the first rollup mail that named the breach, from which the escalation counts
    "staffing_actions": columns("""
        org_id action_id week week_start_on week_end_on kind owner owner_left assignee obligation_id duties hard
        accountable committee chair meets_on relief_hours relief_actual_hours status standing proposed_on
        tracked_on completed_on days_past business_days_past sla_due_on breach_days blocked_reason evidence
        reminder_step last_reminder_on rollups last_rollup_on breach_told_on escalations last_escalation_on
    """),
    # how the console runs for an organization; version is the revision of the last change to its profile
    "deployment": columns("""
        org_id tier plan data_region boundary key_custody auth_mode modules version created_on changed_on
    """),
    # a mail domain, host, chat channel or connected system that data goes to; region null: not declared
    "destinations": columns("org_id channel destination region deliveries last_on"),
    # a legal hold with the audit events that it keeps; age to its release where it was released;
    # flagged_by_any counts the events under any active hold of the organization once
    "legal_holds": columns("""
        org_id id matter incident_id scope reason custodian placed_by placed_at placed_on active released_by
        released_on age_days flagged first_flagged_at last_flagged_at flagged_by_any purges_blocked
    """),
    # a class of records (audit_log, incidents: closed ones) with its retention. eligible: older than that;
    # = purgeable + held (by a legal hold, or behind one in the chain) + waiting (behind a younger event in the chain).
    # approved_days: what it is kept for by default or by an override that somebody approved
    "retention": columns("""
        org_id record_class tier default_days override_days reason approved_by approved_on override_approved days
        approved_days source rows
        oldest_on eligible purgeable held:whole waiting next_purge_on
    """),
    # a refusal by a policy or a guard; policy is the title of the version that refused
    "policy_blocks": columns("""
        org_id id playbook policy_id policy reason message actor blocked_at blocked_on overridden
    """),
    # a rehearsal (dry_run) or execution that was let through
    "automation_runs": columns("org_id id kind playbook actor outcome ran_at ran_on"),
    # a business day on which there is evidence that a SOC 2 criterion operated: event, evidence item or passed test
    "criteria_days": columns(f"{_CONTROL} happened_on"),
    # SOC 2 criterion x action: events in the period; effect supports or contradicts
    "criteria_events": columns(f"{_CONTROL} action title effect events"),
    # a control that was seen in another state than before; trigger_event is the audit event that explains it
    "state_changes": columns(f"{_CONTROL} observed_on state previous:text trigger_event"),
    # the newest agreement of a vendor by kind (baa, dpa); valid_until is null for one that lasts
    "agreements": columns("org_id vendor_id kind document_id issued_on valid_until in_scope flows_down"),
    # a weakness that a scanner reported. status: open, fixed, accepted, false_positive
    "findings": columns("""
        org_id id source finding_key title severity status service vendor_id owner asset port cve cvss epss
        known_exploited internet_reachable first_seen_on last_seen_on fixed_on due_on
    """),
    # a numbered weakness; weakness_key is a gap_id or a finding's id, details what people filled in, as JSON. owner:
    # who works on the gap, else whom the ledger names, else of the control or service. scheduled_on: the day by which
    # it must be closed (engine/model/poam.py); due_on is the ledger's. listed_on: when it got
    # its number, null where that was not written down. title: of the control or finding, if known
    "poam": columns("""
        org_id id weakness_key detected_on due_on status closed_on details listed_on title control owner
        scheduled_on
    """),
    # a role (R, A, C, I) of somebody for an assessable control; active is null for an address that no user has
    "raci": columns(f"{_CONTROL} email name role active position"),
    # a declared system; in_scope: inside the boundary. frameworks: those in scope that it belongs to;
    # controls_named: controls whose profile names it
    "systems": columns("""
        org_id id name owner service_id service data_classes:texts region boundary environment frameworks pci_class
        justification last_reviewed_on in_scope controls_named
    """),
    # a declared flow of data; names are null for a system that is not declared
    "data_flows": columns("""
        org_id id from_system from_name from_boundary from_region to_system to_name to_boundary to_region
        data_class protocol encrypted vendor_id vendor agreement_ref leaves
    """),
    # something that was seen at work: in the service register, alerts, findings or dependencies (counts of each);
    # system_id is the declared system that it is, null for an undocumented one
    "observations": columns("""
        org_id name service_id owner criticality environment internet_facing holds_customer_data seen_in alerts
        findings dependencies last_seen_on last_alert_at system_id
    """),
    # a test that was performed: kind dry_run (a rehearsed playbook) or test_run (a recurring test of its own control);
    # outcome: passed, failed, blocked
    "tests": columns(f"""
        {_CONTROL} id kind title playbook policy_id policy_version actor performed_at performed_on outcome
    """),
    # a passed test x a control that it may show. basis: runbook (the control's runbook has the playbook), policy (the
    # guardrail supports the control), schedule (the control's own recurring test); freshness by the control's cadence
    "test_matches": columns(f"{_CONTROL} title test_id basis performed_on age_days window_days freshness position"),
    # a test x control that somebody linked or rejected; supplement: to a bundle that was sealed before the test.
    # age_days is the test's, null for a test that is not on record
    "test_links": columns(f"""
        {_CONTROL} id test_id bundle_id status supplement linked_by linked_at linked_on outcome age_days
        window_days freshness
    """),
    # what is claimed of an applicable control by a source of evidence, with the audit event behind the newest evidence.
    # state: complete, broken, hash_mismatch (problem says why); bundle_id null: not in any sealed bundle
    "claims": columns(f"""
        {_CONTROL} title control_state source evidence_id evidence_place evidence_on record policy_version sha256
        event_id action seq event_hash bundle_id merkle_leaf state problem position
    """),
    # a bundle that claims are in: the stretch of the chain that it holds
    "bundled_events": columns("org_id bundle_id first_seq sealed_seq"),
    # roots of whole parts of 2^tree_height leaves in the tree over a bundle's events, from the part ``first_part`` on
    "bundle_trees": columns("org_id bundle_id tree_height:whole first_part:whole part_roots"),
    # an event that claims rest on in the tree of a bundle's signed head: its leaf, the way to the root, the root.
    # merkle_root null: a bundle without a signed head; merkle_path null: no way can be told
    "bundle_proofs": columns("""
        org_id bundle_id seq file leaf_index leaves:whole merkle_leaf merkle_path merkle_root
    """),
    # an evidence item that is linked to a control: held (bytes here) or told (location or hash alone); held_state is
    # what the last check found of held bytes (whole, changed, missing), or erased where the bytes were removed
    "evidence_files": columns(
        "org_id id title source owner evidence_on linked_controls evidence_place held_state evidence_bytes sha256"
    ),
    # evidence that supports no control
    "orphan_evidence": columns("org_id kind id title owner dated_on"),
    # a change of requirements that is proposed or final; effective_on null: no date; status_as_of: last looked up
    "scenarios": columns("""
        scenario title authority framework status published_on effective_on status_as_of timing summary source
        position
    """),
    # a requirement that a scenario changes: mandatory (no alternative any more), new, extended, clarified, merged
    # (into), withdrawn, in_force. control_id is the control that it changes; weight and effort of new ones
    "scenario_requirements": columns("""
        scenario framework requirement title change control_id into weight effort_hours position
    """),
    # a control that meets a new requirement: coverage full or part
    "scenario_answers": columns("scenario requirement framework control_id coverage position"),
    # a model programme of a reference cohort x framework with its readiness; no organization is behind it
    "benchmark_members": columns("""
        size title headcount_from headcount_to cohort_kind dated_on provenance framework programme
        programme_title strict_pct weighted_pct
    """),
    # a figure of a published study; sector all: not of one sector
    "benchmark_studies": columns("study title framework sector measure value_pct n measured_in published_in source"),
    # an accepted policy version x a control that it is about (control null: none); in_scope: its framework is followed.
    # newest_*: the highest version on file, draft or not; review_due_on: 380 days after acceptance where none is given
    "guardrails": columns(f"""
        {_CONTROL} policy_id policy version kind title playbook owner accepted_by accepted_on review_due_on
        newest_version newest_state newest_on requirements in_scope
    """),
    # a node of the graph of controls: kind control, requirement, system, vendor, policy, evidence_source
    "graph_nodes": columns("org_id node kind label framework state"),
    # source implements, evidences, depends_on or inherits target
    "graph_edges": columns("org_id source relation target"),
}
