import re
from datetime import date, timedelta

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model.errors import BadRequest
from reports.obligations.rollup import obligation_rollup
from reports.obligations.whatif import scenario, scenario_figures
from reports.obligations.whatif.obligation_whatif import REPORT
from reports.shared import ledger as pending_ledger
from reports.shared.duty_figures import TOTALS
from tests import factories
from tests.factories import DAY, ask, explained_rows, lead, rows
from tests.laws import examples
from tests.reports.explanations import values_follow
from tests.reports.obligations.ledgers import duty, ledger, ledgers, work

BASE = [figure.id for figure in scenario_figures.BASE]


def document(*duties, status=(), edges=(), **options):
    return build_document(ledger(*duties), status=status, edges=edges, **options)


def build_document(obligations, status=(), edges=(), **options):
    return factories.document(REPORT, ask(**options), **facts(obligations, status, edges))


def facts(obligations, status=(), edges=()):
    owner_weeks, load = work(obligations, ("ann", "default", 10.0))
    return {
        "obligations": obligations,
        "load": load,
        "owner_weeks": owner_weeks,
        "control_status": rows("control_status", *status),
        "crosswalk": rows("crosswalk", *edges),
        "frameworks": rows("frameworks", *({"framework": name} for name in ("soc2", "iso27001", "pci-dss", "hipaa"))),
    }


def sides(made):
    """The figures as they are and as the scenario leaves them, under the names of the former."""
    return {name: made.summary[name] for name in BASE}, {name: made.summary[f"scenario_{name}"] for name in BASE}


def frame(made, name):
    return next(table.frame for table in made.tables if table.name == name)


def control(framework, control_id, **given):
    return {"framework": framework, "control_id": control_id, "active": False, **given}


CHANGES = st.fixed_dictionaries(
    {"shiftWeeks": st.integers(-8, 8)},
    optional={
        "framework": st.sampled_from(["soc2", "pci-dss"]),
        "kind": st.sampled_from(pending_ledger.KINDS),
        "id": st.sampled_from(["d00", "d01"]),
        "descope": st.sampled_from(["soc2", "iso27001"]),
    },
)


def of_the_ledger(obligations, options):
    """A duty that is not there cannot be asked for."""
    there = options.get("id") in obligations["obligation_id"].to_list()
    return options if there else {name: value for name, value in options.items() if name != "id"}


@settings(max_examples=examples(15), deadline=None)
@given(ledgers(), st.sampled_from([{}, {"shiftWeeks": 0}, {"shiftWeeks": 0, "framework": "soc2"}]))
def test_a_scenario_that_changes_nothing_is_the_base(obligations, options):
    made = build_document(obligations, **options)
    base, then = sides(made)
    assert base == then
    weeks = frame(made, "weeks")
    for name in ("duties", "hours", "demand_hours", "utilisation_pct"):
        assert weeks[f"base_{name}"].to_list() == weeks[f"scenario_{name}"].to_list()
    assert all(frame(made, name).is_empty() for name in ("moved", "violations", "descoped", "stale", "without_path"))


@settings(max_examples=examples(15), deadline=None)
@given(ledgers(), CHANGES, st.sampled_from([None, 1, 26]))
def test_the_base_is_the_ledger_whatever_the_scenario(obligations, options, weeks):
    options = of_the_ledger(obligations, options)
    made = build_document(obligations, **options, weeks=weeks)
    rollup = factories.document(obligation_rollup.REPORT, ask(weeks=weeks), obligations=obligations)
    assert {name: made.summary[name] for name in TOTALS} == {name: rollup.summary[name] for name in TOTALS}


@settings(max_examples=examples(10), deadline=None)
@given(ledgers(), CHANGES)
def test_each_figure_is_what_its_rows_give(obligations, options):
    options = of_the_ledger(obligations, options)
    values_follow(REPORT, ask(**options), **facts(obligations, [control("soc2", "C1"), control("iso27001", "C2")]))


@settings(max_examples=examples(25), deadline=None)
@given(ledgers(), CHANGES)
def test_no_scenario_passes_a_hard_deadline_or_loses_a_duty(obligations, options):
    options = of_the_ledger(obligations, options)
    question = ask(**options)
    plan = scenario.scenario_duties(pending_ledger.pending(obligations, question), question)
    assert plan.filter(pl.col("hard"), pl.col("new_due_on") > pl.col("due_on")).is_empty()
    held = plan.filter(fate="held")
    assert held.filter(~pl.col("hard") | (pl.col("wanted_on") <= pl.col("due_on"))).is_empty()
    moved = plan.filter(fate="moved")
    assert (moved["new_due_on"] >= DAY).all()
    made = build_document(obligations, **options)
    base, then = sides(made)
    assert base["obligations_pending"] == then["obligations_pending"] + made.summary["scenario_descoped"]
    assert then["obligations_pending"] == sum(then[f"obligations_{place}"] for place in pending_ledger.PLACES)
    weeks = frame(made, "weeks")
    assert weeks["base_duties"].sum() == base["obligations_known"]
    assert weeks["scenario_duties"].sum() == then["obligations_known"]
    assert made.summary["scenario_violations"] == frame(made, "violations").height
    assert frame(made, "moved").height == made.summary["scenario_moved"]


@settings(max_examples=examples(12), deadline=None)
@given(ledgers(), CHANGES)
def test_equal_inputs_have_equal_documents_and_identifiers(obligations, options):
    options = of_the_ledger(obligations, options)
    one, two = build_document(obligations, **options), build_document(obligations.reverse(), **options)
    assert one.summary == two.summary
    assert all(a.frame.equals(b.frame) for a, b in zip(one.tables, two.tables, strict=True))


def test_other_inputs_have_another_identifier():
    duties = (duty("a", 10), duty("b", 20, hard=True))
    names = [
        document(*duties, **options).summary["scenario_id"]
        for options in (
            {},
            {"shiftWeeks": 1},
            {"shiftWeeks": 2},
            {"shiftWeeks": 1, "kind": "bundle"},
            {"descope": "soc2"},
        )
    ]
    names += [document(duty("a", 11), duties[1]).summary["scenario_id"]]
    assert len(set(names)) == len(names)
    assert document(*duties, shiftWeeks=0, kind="bundle").summary["scenario_id"] == names[0]


def test_a_shift_moves_what_it_names():
    duties = (
        duty("a", 10, frameworks=["soc2"]),
        duty("b", 10, kind="test_window", frameworks=["soc2"]),
        duty("c", 10, frameworks=["hipaa"]),
    )
    moved = {
        name: frame(document(*duties, shiftWeeks=2, **{name: value}), "moved")["obligation_id"].to_list()
        for name, value in (("framework", "soc2"), ("kind", "attestation"), ("id", "c"))
    }
    assert moved == {"framework": ["a", "b"], "kind": ["a", "c"], "id": ["c"]}
    row = frame(document(*duties, shiftWeeks=2, id="c"), "moved").row(0, named=True)
    assert (row["due_on"], row["new_due_on"]) == (date(2026, 11, 30), date(2026, 12, 14))


def test_hard_deadlines_are_held_and_listed_as_violations():
    made = document(duty("a", 10, hard=True), duty("b", 10), shiftWeeks=1)
    assert frame(made, "violations").select("obligation_id", "due_on", "wanted_on").rows() == [
        ("a", date(2026, 11, 30), date(2026, 12, 7))
    ]
    assert made.warnings == ["1 hard deadline would be passed: not allowed, held in place."]
    assert lead(made) == (
        "1 duty would move 1 week later; the peak falls from 25.0 % to 12.5 % of capacity.",
        "1 hard deadline would be passed: look at this first.",
    )


def test_a_hard_deadline_that_has_passed_cannot_be_planned_for_later():
    made = document(duty("a", -10, hard=True), shiftWeeks=1)
    assert frame(made, "violations").select("due_on", "wanted_on").rows() == [(date(2026, 11, 10), date(2026, 11, 27))]
    assert made.summary["scenario_obligations_overdue"] == 1


def test_a_duty_with_a_hard_deadline_may_be_done_earlier():
    made = document(duty("a", 10, hard=True), shiftWeeks=-1)
    assert frame(made, "violations").is_empty()
    assert frame(made, "moved").select("due_on", "new_due_on").rows() == [(date(2026, 11, 30), date(2026, 11, 23))]


def test_nothing_moves_before_today_and_overdue_work_is_planned_from_today():
    plan = {
        key: scenario.scenario_duties(pending_ledger.pending(ledger(duty("x", days)), ask()), ask(shiftWeeks=shift))
        .select("fate", "new_due_on")
        .row(0)
        for key, days, shift in (("early", 3, -2), ("late", -30, 2), ("stuck", -30, -2), ("now", 0, -1))
    }
    assert plan == {
        "early": ("moved", DAY),
        "late": ("moved", DAY + timedelta(14)),
        "stuck": ("unchanged", DAY - timedelta(30)),
        "now": ("unchanged", DAY),
    }


def test_descoping_drops_the_duties_of_that_framework_alone():
    made = document(
        duty("a", 3, frameworks=["soc2"]), duty("b", 3, frameworks=["soc2", "hipaa"]), duty("c", 3), descope="soc2"
    )
    assert frame(made, "descoped")["obligation_id"].to_list() == ["a"]
    weeks = frame(made, "weeks").filter(week="2026-W48")
    assert weeks.select("base_duties", "scenario_duties", "base_hours", "scenario_hours").row(0) == (3, 2, 3.0, 2.0)


@pytest.mark.parametrize("options", [{}, {"descope": "soc2"}])
def test_hours_and_utilisation_of_a_week_are_of_the_same_work(options):
    made = document(duty("a", 10, owner="ann", accountable="bob", effort_hours=8.0), **options)
    (table,) = (one for one in made.tables if one.name == "weeks")
    shown = set(table.frame.columns) - set(table.hidden)
    assert ("base_demand_hours" in shown, "base_hours" in shown) == (True, False)
    busy = table.frame.filter(pl.col("base_demand_hours") > 0)
    assert busy.select("base_demand_hours", "base_hours").rows() == [(10.0, 8.0)]
    drawn = made.charts[0].frame.filter(pl.col("line") == "now", pl.col("hours") > 0)
    assert drawn["hours"].to_list() == busy["base_demand_hours"].to_list()
    used = (100 * pl.col("base_demand_hours") / pl.col("available_hours")).round(1)
    assert busy.select(used).to_series().to_list() == busy["base_utilisation_pct"].to_list()


def test_evidence_turns_stale_when_its_renewal_moves_past_its_window():
    status = [
        control("soc2", "C1", next_due_on=DAY + timedelta(12)),
        control("soc2", "C2", freshness="stale", next_due_on=DAY + timedelta(12)),
    ]
    duties = (duty("a", 10, controls=["soc2:C1", "soc2:C2"], frameworks=["soc2"]),)
    made = document(*duties, status=status, shiftWeeks=1)
    assert frame(made, "stale").select("control_id", "base_on", "fresh_until", "renewed_on", "days_stale").rows() == [
        ("C1", date(2026, 11, 30), date(2026, 12, 2), date(2026, 12, 7), 5)
    ]
    assert frame(made, "readiness").select(
        "name", "affected", "base_strict_pct", "scenario_strict_pct", "base_weighted_pct", "scenario_weighted_pct"
    ).rows() == [("SOC 2", 1, 100.0, 50.0, 100.0, 62.5)]
    assert document(*duties, status=status, shiftWeeks=-1).summary["scenario_turned_stale"] == 0
    other = duty("b", 11, controls=["soc2:C1"])
    assert document(*duties, other, status=status, shiftWeeks=1, id="a").summary["scenario_turned_stale"] == 0


def test_a_control_that_lived_on_a_mapping_loses_its_path_with_the_framework():
    status = [control("soc2", "C1"), control("hipaa", "H1"), control("hipaa", "H2", active=True)]
    edge = {
        "source_framework": "soc2",
        "source_id": "C1",
        "target_framework": "hipaa",
        "relation": "superset",
        "strength": 0.9,
        "full": True,
    }
    edges = [{**edge, "target_id": "H1"}, {**edge, "target_id": "H2"}]
    duties = (duty("a", 3, controls=["soc2:C1"], frameworks=["soc2"]),)
    made = document(*duties, status=status, edges=edges, descope="soc2")
    assert frame(made, "without_path").select("framework", "control_id").rows() == [("hipaa", "H1")]
    ready = frame(made, "readiness").select("name", "descoped", "base_strict_pct", "scenario_strict_pct")
    assert ready.rows() == [("SOC 2", True, 100.0, None), ("HIPAA", False, 100.0, 50.0)]
    assert document(*duties, status=status, edges=edges, descope="hipaa").summary["scenario_without_path"] == 0


def test_filters_that_match_nothing_are_said():
    assert document(duty("a", 3), shiftWeeks=2, kind="vendor_review").warnings == [
        "No pending duty matches the filters of the shift and can move."
    ]
    assert document(duty("a", 3), descope="soc2").warnings == ["No pending duty belongs to SOC 2 alone."]


@pytest.mark.parametrize("query", [{"shiftWeeks": "9"}, {"shiftWeeks": "-9"}, {"kind": "x"}])
def test_parameters_out_of_range_are_refused(query):
    with pytest.raises(BadRequest):
        REPORT.parse(query)


def test_a_framework_that_the_organization_does_not_have_is_refused():
    with pytest.raises(
        BadRequest,
        match="descope must be the framework of one of the organization's frameworks as of 20 Nov 2026; got 'nope'",
    ):
        document(duty("a", 3), descope="nope")


@pytest.mark.parametrize("options", [{}, {"shiftWeeks": 2}])
def test_a_duty_that_is_not_there_is_refused(options):
    expected = "The parameter id must be the obligation_id of one of the organization's obligations as of 20 Nov 2026; got 'zz'."
    with pytest.raises(BadRequest, match=re.escape(expected)):
        document(duty("a", 3), id="zz", **options)
    with pytest.raises(BadRequest, match=re.escape(expected)):
        explained_rows(REPORT, "obligations_pending", ask(id="zz", **options), **facts(ledger(duty("a", 3))))


def test_an_empty_ledger_has_no_scenario():
    made = document(shiftWeeks=3)
    assert lead(made) == (
        "No duty is pending, so a scenario changes nothing.",
        "Import attestations.csv, evidence_requests.csv, testing_schedules.csv or vendors.csv with hq import to "
        "fill this report.",
    )
    given = {name: value for name, value in made.summary.items() if name not in ("scenario_id", "horizon_weeks")}
    fullest = {name for name in given if "fullest" in name}
    assert {name: given[name] for name in fullest} == dict.fromkeys(fullest)
    assert {given[name] for name in given if name not in fullest} == {0}
    assert frame(made, "weeks").select(pl.col("^.*_duties$").sum()).row(0) == (0, 0)


def test_a_scenario_explains_what_it_moves_and_what_it_may_not():
    held = facts(ledger(duty("a", 10, hard=True), duty("b", -10)))
    question = ask(shiftWeeks=1)
    assert {
        name: explained_rows(REPORT, name, question, **held).select("obligation_id", "reason").rows()
        for name in ("scenario_moved", "scenario_violations", "scenario_obligations_known")
    } == {
        "scenario_moved": [("b", "due 2026-11-27 instead of 2026-11-10")],
        "scenario_violations": [("a", "2026-12-07 is past the deadline of 2026-11-30")],
        "scenario_obligations_known": [("b", "open, due 2026-11-27"), ("a", "open, due 2026-11-30")],
    }


@pytest.mark.parametrize(("without", "fullest"), [(0, 10), (10, 10), (40, 0)])
def test_work_without_hours_is_fullest_but_not_in_a_week_whose_working_days_are_over(without, fullest):
    held = facts(ledger(duty("now", 0, effort_hours=9.0), duty("later", 10, effort_hours=2.0)))
    week, expected = ((DAY + timedelta(days=days)).strftime("%G-W%V") for days in (without, fullest))
    hours = pl.when(pl.col("week") == week).then(0.0).otherwise("available_hours")
    held["owner_weeks"] = held["owner_weeks"].with_columns(available_hours=hours)
    assert factories.document(REPORT, ask(), **held).summary["fullest_week"] == expected


@pytest.mark.parametrize(("days", "weeks"), [(0, 1), (1, 0)])
def test_a_week_whose_working_days_are_over_has_no_more_work_than_hours(days, weeks):
    """On Friday nobody has hours for the work of the week, which somebody can still find; on Saturday it is over."""
    as_of = DAY + timedelta(days=days)
    held = facts(ledger(duty("now", days, effort_hours=9.0)))
    held["owner_weeks"] = held["owner_weeks"].with_columns(available_hours=0.0)
    made = factories.document(REPORT, ask(as_of=as_of), **held)
    assert made.summary["weeks_over_capacity"] == weeks


def test_a_horizon_without_work_has_no_fullest_week():
    made = document(duty("far", 300), shiftWeeks=1)
    assert made.summary["fullest_week"] is None
    assert lead(made) == (
        "1 duty would move 1 week later; no week of the horizon holds any work.",
        "Agree the new dates with the owners: no deadline, evidence or other control is hurt.",
    )
    assert lead(document(duty("far", 300))) == (
        "As planned, no week holds any work.",
        "Ask with shiftWeeks, which moves duties that need not be done on their day.",
    )


def test_without_a_question_the_three_that_would_move_most_are_asked():
    own = [duty(f"a{n}", 10, owner="ann", frameworks=["soc2"], controls=["soc2:CC6.1"]) for n in range(3)]
    other = duty("b", 12, owner="bob", frameworks=["pci-dss"], controls=["pci-dss:1.1"])
    later = duty("c", 300, owner="ann", frameworks=["soc2"], controls=["soc2:CC6.1"])  # beyond the horizon
    made = document(*own, other, later)
    rows = frame(made, "questions").select("what", "obligations", "owner", "next_step").rows()
    merged = "Evidence is collected once for 3 duties that share it"
    assert [row[0] for row in rows] == ["Whoever has most work is away", merged, "SOC 2 leaves the scope"]
    assert rows[0][2] == "ann"
    assert not any("descope" in row[3] for row in rows)  # no step out of a scope is called for
    assert rows[2][1:] == (3, None, "See obligation density alerts for which of its duties can move.")
    assert (
        made.next_step
        == "Before 2026-W49, name somebody who can stand in for ann, who has most work: 3 hours, for 3 duties."
    )
    assert frame(document(*own, other, descope="soc2"), "questions").is_empty()


def test_hours_to_answer_for_are_said_beside_those_of_the_own_duties():
    made = document(duty("a", 10, owner="ann", accountable="bob"), duty("b", 10, owner="bob", effort_hours=8.0))
    assert made.next_step.endswith(
        "bob, who has most work: 8.25 hours, for 1 duty and those of others that they answer for."
    )


def test_a_scenario_leads_with_what_it_does_and_harms():
    own, other = duty("a", 10, frameworks=["soc2"]), duty("b", 12, frameworks=["pci-dss"])
    harm = ["scenario_violations", "scenario_turned_stale", "scenario_without_path"]
    gone, moved = document(own, other, descope="soc2"), document(own, other, shiftWeeks=1)
    assert list(gone.foremost) == ["scenario_descoped", "scenario_descoped_hours", *harm]
    assert list(moved.foremost) == ["scenario_moved", *harm]
    assert gone.headline.startswith("Without SOC 2, 1 duty (1 hour) falls away")


def test_without_duties_no_question_is_worth_asking():
    assert frame(document(), "questions").is_empty()
