"""SOC 2 Type II: tests, deviations, gaps in operation, trend."""

from datetime import date, timedelta

import pytest

from reports.frameworks.soc2.type_ii import REPORT
from tests.factories import lead, moment
from tests.reports.frameworks.packs import one, pack, report, table

CRITERION, OTHER = "CC6.1", "CC7.2"
SOC2 = {"framework": "soc2", "control_id": CRITERION}
RUN = {
    **SOC2,
    "schedule_id": "T-1",
    "procedure": "Inspect a sample of access",
    "window_open_on": date(2026, 11, 1),
    "window_close_on": date(2026, 11, 7),
    "performed_on": date(2026, 11, 5),
    "outcome": "passed",
    "population": 200,
    "tested": 25,
    "deviations": 0,
    "run_id": "R-1",
}
FAILED = {**RUN, "outcome": "failed", "deviations": 2, "cause": "Leaver kept access"}


def period(but=None, default="effective", only=None, options=None, known=date(2026, 1, 1), **facts):
    requirements, statuses = pack("soc2", default=default, but=but or {})
    if only:
        requirements, statuses = (
            [row for row in rows if row["control_id"] in only] for rows in (requirements, statuses)
        )
    facts.setdefault("known_since", [{"framework": "soc2", "known_since": known}])
    return report(REPORT, requirements, statuses, options, **facts)


def days(control, *dates):
    return [{"framework": "soc2", "control_id": control, "happened_on": date.fromisoformat(day)} for day in dates]


def test_a_deviation_is_an_exception_however_many_passed():
    more = {**RUN, "run_id": "R-2", "population": 300, "tested": 75}
    document = period(only=[CRITERION], test_windows=[FAILED, more])
    columns = ("population", "tested", "deviations", "deviation_rate_pct", "result")
    assert one(document, "criteria", CRITERION, *columns) == (500, 100, 2, 2.0, "exceptions noted")
    assert table(document, "causes").rows() == [("Leaver kept access", 1, [CRITERION], 1)]
    assert document.warnings[-1] == (
        f"Deviations without a management response or a plan: SOC 2 {CRITERION}. Their owners (ann@acme.example) write one."
    )
    assert document.headline.startswith("1 of 1 applicable criterion has exceptions noted over 30 days")


def test_a_failed_test_without_a_count_has_one_deviation_at_least():
    document = period(only=[CRITERION], test_windows=[{**FAILED, "deviations": None, "cause": None}])
    assert one(document, "tests", CRITERION, "deviations", "result") == (1, "exceptions noted")
    assert table(document, "causes")["cause"].to_list() == ["cause not recorded"]


def test_machine_records_are_tested_every_one():
    events = [
        {**SOC2, "action": "access.review.completed", "title": "Review done", "effect": "supports", "events": 98},
        {
            **SOC2,
            "action": "mfa.disabled",
            "title": "Multi-factor authentication switched off",
            "effect": "contradicts",
            "events": 2,
        },
    ]
    document = period(only=[CRITERION], criteria_events=events)
    columns = ("method", "population", "tested", "deviations", "deviation_rate_pct", "cause")
    assert one(document, "tests", CRITERION, *columns) == (
        "all machine records",
        100,
        100,
        2,
        2.0,
        ["Multi-factor authentication switched off"],
    )


@pytest.mark.parametrize(
    ("runs", "result", "missed"),
    [
        ([RUN], "no exceptions noted", 0),
        ([], "not tested", 0),
        ([{**RUN, "performed_on": None, "outcome": None}], "not tested", 1),
        ([{**RUN, "performed_on": date(2026, 10, 21)}], "not tested", 0),
        ([{**RUN, "performed_on": date(2026, 10, 22)}], "no exceptions noted", 0),
    ],
)
def test_only_what_was_performed_in_the_period_is_tested(runs, result, missed):
    document = period(only=[CRITERION], test_windows=runs)
    assert one(document, "criteria", CRITERION, "result") == (result,)
    assert document.summary["type_ii_tests_missed"] == missed


@pytest.mark.parametrize(
    ("evidence", "longest", "gap"),
    [
        (["2026-10-01", "2026-11-05", "2026-11-19"], 35, False),
        (["2026-10-01", "2026-11-06", "2026-11-19"], 36, True),
        (["2026-10-10"], 41, True),
        (["2026-10-21"], 30, False),
        ([], None, True),
    ],
)
def test_a_gap_in_operation_is_longer_than_the_window_of_the_cadence(evidence, longest, gap):
    monthly = {"state": "effective", "cadence": "monthly", "window_days": 35}
    document = period({CRITERION: monthly}, only=[CRITERION], criteria_days=days(CRITERION, *evidence))
    assert one(document, "criteria", CRITERION, "longest_gap_days", "gap_in_operation") == (longest, gap)
    assert document.summary["type_ii_gaps_in_operation"] == gap


def test_a_gap_in_operation_says_how_long_it_is_or_that_there_never_was_evidence():
    both = {name: {"state": "effective", "cadence": "annual", "window_days": 20} for name in (CRITERION, OTHER)}
    document = period(both, only=[CRITERION, OTHER], criteria_days=days(CRITERION, "2026-10-10"))
    assert table(document, "deviations").select("control_id", "why").rows() == [
        (CRITERION, "41 days without evidence, 20 allowed"),
        (OTHER, "no evidence that it ever operated"),
    ]


@pytest.mark.parametrize(
    ("known", "gaps"),
    [
        (date(2026, 10, 1), [(CRITERION, 30, True), (OTHER, None, True)]),
        (date(2026, 10, 31), [(CRITERION, 21, True), (OTHER, None, True)]),  # the period begins on 22 October
        (date(2026, 11, 1), [(CRITERION, 20, False), (OTHER, None, False)]),
        (None, [(CRITERION, 1, False), (OTHER, None, False)]),
    ],
)
def test_a_gap_in_operation_begins_where_the_records_do(known, gaps):
    both = {name: {"state": "effective", "cadence": "annual", "window_days": 20} for name in (CRITERION, OTHER)}
    held = period(both, only=[CRITERION, OTHER], known=known, criteria_days=days(CRITERION, "2026-11-20"))
    frame = table(held, "criteria").select("control_id", "longest_gap_days", "gap_in_operation")
    assert frame.rows() == gaps
    said = [f"Records of SOC 2 begin on {known}: gaps in operation are measured from then on."]
    assert [text for text in held.warnings if "begin on" in text] == (
        said if known and known > date(2026, 10, 22) else []
    )


def test_it_is_asked_over_a_year_and_the_warning_about_short_periods_names_that():
    assert REPORT.period_days({}) == 365
    assert REPORT.period_days({"periodDays": 90}) == 90
    assert "ask for periodDays of 90 to 365." in period(only=[CRITERION]).warnings[0]


def test_a_criterion_shown_by_policy_alone_has_no_gap_in_operation():
    policy = {"state": "effective", "kinds_required": ["policy", "attestation"]}
    document = period({CRITERION: policy}, only=[CRITERION])
    assert one(document, "criteria", CRITERION, "longest_gap_days", "gap_in_operation") == (None, False)


def test_a_response_or_a_plan_answers_a_deviation():
    answered = {**FAILED, "response": "Removal is automatic now"}
    assert period(only=[CRITERION], test_windows=[answered]).summary["type_ii_without_response"] == 0
    work = {**SOC2, "status": "in_progress", "due_on": date(2026, 12, 1)}
    assert period(only=[CRITERION], test_windows=[FAILED], gaps=[work]).summary["type_ii_without_response"] == 0
    assert (
        period(only=[CRITERION], test_windows=[FAILED, {**answered, "run_id": "R-2"}]).summary[
            "type_ii_without_response"
        ]
        == 1
    )


def test_a_response_to_a_test_does_not_answer_what_machines_recorded():
    disabled = {**SOC2, "action": "mfa.disabled", "title": "MFA off", "effect": "contradicts", "events": 1}
    given = {"test_windows": [{**FAILED, "response": "Removal is automatic now"}], "criteria_events": [disabled]}
    assert period(only=[CRITERION], **given).summary["type_ii_without_response"] == 1
    work = {**SOC2, "status": "in_progress", "due_on": date(2026, 12, 1)}
    assert period(only=[CRITERION], gaps=[work], **given).summary["type_ii_without_response"] == 0


def test_the_trend_has_twelve_months_and_counts_what_is_due_monthly():
    monthly = {"state": "effective", "cadence": "monthly"}
    trend = table(
        period(
            {CRITERION: monthly, OTHER: monthly},
            only=[CRITERION, OTHER, "CC1.1"],
            criteria_days=[*days(CRITERION, "2026-10-03", "2026-10-30"), *days("CC1.1", "2026-10-04")],
            test_windows=[FAILED],
            known=date(2025, 12, 1),
        ),
        "trend",
    )
    assert (trend.height, trend["month"][0], trend["month"][-1]) == (12, "2025-12", "2026-11")
    assert trend.tail(2).rows() == [("2026-10", 2, 1, 50.0, 0, 0, 0), ("2026-11", 2, 0, 0.0, 1, 1, 2)]


def test_the_months_say_which_of_all_deviations_they_have():
    """Those of people's tests; what machines recorded is in no month."""
    against = {**SOC2, "action": "mfa.disabled", "title": "MFA off", "effect": "contradicts", "events": 3}
    uncounted = {**FAILED, "deviations": None}
    document = period(only=[CRITERION], test_windows=[uncounted], criteria_events=[against])
    note = next(part.note for part in document.tables if part.name == "trend")
    assert note.startswith("Tests and their deviations are those of people: 1 of 4 deviations in the period;")
    assert (document.summary["type_ii_deviations"], table(document, "trend")["deviations"].sum()) == (4, 1)
    alone = period(only=[CRITERION], test_windows=[uncounted])
    assert next(part.note for part in alone.tables if part.name == "trend") == ""


def test_the_trend_begins_with_the_month_from_which_anything_is_known():
    held = period(
        {CRITERION: {"state": "effective", "cadence": "monthly"}},
        only=[CRITERION],
        known_since=[{"framework": "soc2", "known_since": date(2026, 10, 9)}],
    )
    assert table(held, "trend")["month"].to_list() == ["2026-10", "2026-11"]


def test_the_same_seed_draws_the_same_days():
    every = [(date(2026, 11, 1) + timedelta(days=i)).isoformat() for i in range(20)]
    daily = {"state": "effective", "cadence": "daily"}

    def sample_days(seed):
        document = period(
            {CRITERION: daily}, only=[CRITERION], criteria_days=days(CRITERION, *every), options={"seed": seed}
        )
        return table(document, "sample")["sampled_on"].to_list()

    assert len(sample_days(1)) == 15
    assert sample_days(1) == sample_days(1) != sample_days(2)


def test_bundles_holds_cuecs_and_changes_of_the_period_are_counted():
    part = {"framework": "soc2", "control_id": CRITERION, "customer_side": "Remove leavers", "model": "carve-out"}
    document = period(
        only=[CRITERION],
        bundles=[{"id": "B-1", "sealed_on": date(2026, 11, 2)}, {"id": "B-0", "sealed_on": date(2026, 10, 1)}],
        legal_holds=[
            {"id": "H-1", "placed_on": date(2026, 1, 1)},
            {"id": "H-2", "placed_on": date(2026, 1, 1), "released_on": date(2026, 10, 21)},
        ],
        vendor_controls=[{**part, "vendor_id": "a", "gap": "none"}, {**part, "vendor_id": "b", "gap": "cuec_unmapped"}],
        state_changes=[
            {**SOC2, "observed_on": date(2026, 11, 2), "state": "stale", "previous": "effective"},
            {**SOC2, "observed_on": date(2026, 9, 2), "state": "effective", "previous": "stale"},
        ],
        policies=[
            {**SOC2, "policy_id": "P-2", "title": "Access policy", "version": 2, "accepted_on": date(2026, 11, 3)}
        ],
    )
    assert {
        name: document.summary[name] for name in ("bundles_sealed_in_period", "legal_holds_in_period", "type_ii_cuecs")
    } == {"bundles_sealed_in_period": 1, "legal_holds_in_period": 1, "type_ii_cuecs": 1}
    assert table(document, "cuecs").select("customer_side", "vendors", "unmapped").rows() == [("Remove leavers", 2, 1)]
    assert table(document, "changes").drop("control_id").rows() == [
        (date(2026, 11, 2), "state", "state of evidence", "effective", "stale"),
        (date(2026, 11, 3), "policy", "Access policy version 2 accepted", None, None),
    ]


def test_a_short_period_is_said():
    assert period(only=[CRITERION]).warnings[0].startswith("30 days is shorter than the three to twelve months")


def test_how_much_of_a_long_period_is_on_record_is_said_first():
    document = period(only=[CRITERION], known=date(2026, 10, 24), options={"period_days": 365})
    assert document.headline.startswith("28 of 365 days are on record: ")
    assert document.warnings[0] == "Records of SOC 2 begin on 2026-10-24: gaps in operation are measured from then on."


def test_a_result_says_what_population_it_deciding_document():
    one_run = {**RUN, "population": 1, "tested": 1}
    document = period(only=[CRITERION], test_windows=[one_run])
    columns = ("result", "result_basis")
    assert one(document, "criteria", CRITERION, *columns) == (
        "no exceptions noted",
        "a population of 1, 1 of it tested",
    )


def test_without_tests_nothing_is_known():
    document = period(default="no_data")
    assert lead(document) == (
        "No criterion was tested in 30 days, so nothing is known about operation.",
        "Import test_runs.csv with hq import to fill this report.",
    )
    assert (
        document.summary["type_ii_not_tested"],
        document.summary["type_ii_gaps_in_operation"],
        document.coverage.assessed,
    ) == (61, 61, 0)


@pytest.mark.parametrize(
    ("state", "windows", "result", "basis"),
    [
        ("no_data", [], "not tested", "6 records of other kinds than the evidence that it needs"),
        ("no_data", [RUN], "no exceptions noted", "a population of 206, 31 of it tested"),
        ("partial", [], "no exceptions noted", "a population of 6, 6 of it tested"),
    ],
)
def test_records_of_other_kinds_are_no_test(state, windows, result, basis):
    """What the plan of action calls without any of the evidence that it needs has not been tested."""
    seen = {**SOC2, "action": "access.review.completed", "title": "Review done", "effect": "supports", "events": 6}
    document = period(default=state, only=[CRITERION], test_windows=windows, criteria_events=[seen])
    assert one(document, "criteria", CRITERION, "result", "result_basis") == (result, basis)
    silent = result == "not tested"
    assert document.summary["type_ii_not_tested"] == (1 if silent else 0)
    assert document.coverage.assessed == (0 if silent else 1)
    machine = next(each for each in document.table("tests").frame.to_dicts() if each["test_id"] == "machine")
    assert machine["result"] == result  # its line says no more than the criterion


def test_out_of_scope_is_said():
    document = report(REPORT, legal_holds=[{"id": "H-1", "placed_at": moment("2026-01-01")}])
    assert lead(document) == (
        "SOC 2 is not in scope, so there is no period to report on.",
        "Put a framework in scope: import organization_frameworks.csv with hq import.",
    )
    assert all(table.frame.is_empty() for table in document.tables)
    assert document.charts == []


def test_without_months_to_compare_the_picture_is_of_causes():
    (chart,) = period(only=[CRITERION], test_windows=[FAILED]).charts
    assert (chart.title, chart.frame["tests"].to_list()) == ("Deviations by cause", [1])
