"""What the console answers elsewhere is asked there: doors, and what they leave to others."""

from datetime import date
from types import SimpleNamespace

import polars as pl
import pytest

from engine.copilot.answers.offline import answer
from engine.planning.horizons import project

DINA = "dina.abrams@cobalt.example"


def first(question, library):
    found = answer(question, library, asker=DINA)
    return found.text.splitlines()[0], found.confidence


def test_what_fails_with_a_service_is_what_the_graph_has(cobalt):
    hit = cobalt.graph().dependents("svc-dns")
    said, confidence = first("if dns goes down what else breaks?", cobalt)
    assert (said.split(" need")[0], confidence) == (f"{len(hit)} services", "high")


def test_what_deciding_document_a_vendor_is_told_with_the_control_graph(cobalt):
    found = answer("what happens if harrowgate goes down", cobalt, asker=DINA)
    assert "At risk with it in the control graph: 27 controls, 34 requirements." in found.text
    assert "/api/governance/compliance/control-graph?view=findings" in [one.route for one in found.citations]


def test_the_budget_that_is_nearest_its_end_is_not_one_that_is_spent(cobalt):
    found = answer("which service is closest to blowing its error budget", cobalt, asker=DINA)
    assert found.text.startswith("block-storage: ")
    assert "Spent already: control-plane" in found.text


def test_an_established_cause_is_told_with_what_speaks_for_it(cobalt):
    found = answer("why did the control plane go down on monday?", cobalt, asker=DINA)
    assert found.confidence == "high"
    assert found.text.startswith("INC-2026-0071 Error rate above objective (opened on 2026-11-16): release DEP-2026-")
    assert "- for it: It went live 9 min before the onset." in found.text


def test_without_an_incident_in_the_span_there_is_none_and_the_one_before_is_named(cobalt):
    found = answer("why did dns fail on wednesday?", cobalt, asker=DINA)
    assert found.text.startswith("None: no incident on dns was opened on 2026-11-18 (on wednesday).")
    assert "The last one before was INC-2026-0068" in found.text


def test_an_analysis_that_is_inconclusive_is_not_told_as_a_cause(cobalt):
    found = answer("why did the control plane go down on thursday?", cobalt, asker=DINA)
    assert "no cause is established, and the analysis is inconclusive" in found.text
    assert found.confidence == "medium"


def test_what_becomes_stale_in_a_month_ahead_is_projected_as_the_plans_do(cobalt):
    horizons, last = cobalt.fact("control_horizons"), date(2026, 12, 31)
    stale = 0
    for key in horizons["framework"].unique():
        plan = project(horizons, key, cobalt.today, last)
        good = set(plan.on(date(2026, 11, 30)).filter(state="effective")["control_id"])
        stale += len(good & set(plan.on(last).filter(state="stale")["control_id"]))
    said, confidence = first("what becomes stale in december", cobalt)
    assert (said.split()[0], confidence) == (str(stale), "high")
    assert "from 2026-12-01 to 2026-12-31" in said


@pytest.mark.parametrize(
    "question",
    ["if dns goes purple what else breaks?", "why did the control plane go down in frankfurt", "baas with pets"],
)
def test_a_word_that_no_door_knows_is_never_answered_with_a_figure(question, cobalt):
    said, confidence = first(question, cobalt)
    assert (said.startswith("I have no data"), confidence) == (True, "none")


def test_the_steps_that_raise_the_score_are_those_of_the_report(cobalt):
    steps = next(t.frame for t in cobalt.edition("posture-score").document.tables if t.name == "next_steps")
    assert steps["action"][0] in answer("cheapest way to raise the score", cobalt, asker=DINA).text


def test_a_pack_that_is_out_of_scope_has_no_agreements(cobalt):
    assert first("vendors with a baa", cobalt) == (
        "I have no data on business associates: HIPAA is not in scope, or no vendor handles health data.",
        "none",
    )


def test_whether_records_are_kept_long_enough_is_what_the_retention_report_says(cobalt):
    rules = next(t.frame for t in cobalt.edition("deployment-retention").document.tables if t.name == "rules")
    said, confidence = first("do we keep our logs long enough?", cobalt)
    if rules.is_empty():
        assert (said[:47], confidence) == ("I have no data on how long records must be kept", "none")
    else:
        short = rules.filter(record_class="audit_log", status="too_short").height
        assert (said.split(":")[0], confidence) == ("No" if short else "Yes", "high")
    assert first("are incidents kept long enough for hipaa", cobalt)[1] == "none"


def test_whether_a_framework_is_met_is_said_first_and_of_others_nothing(cobalt):
    said, confidence = first("are we iso 27001 compliant?", cobalt)
    assert (said.startswith("No, by open gaps. ISO 27001: "), confidence) == (True, "high")
    said, confidence = first("are we hipaa compliant?", cobalt)
    assert (said.startswith("I have no data on HIPAA: it is not among your frameworks ("), confidence) == (True, "none")


def test_that_a_framework_is_done_by_a_day_is_asked_of_its_plan(cobalt):
    assert first("will soc 2 be done by 2027-02-01", cobalt) == first(
        "will we be ready for soc 2 by 2027-02-01", cobalt
    )


def test_of_an_empty_organization_nothing_is_said(acme):
    for question in ("what becomes stale in december", "single points of failure", "which budget is closest to spent"):
        assert "traceback" not in answer(question, acme, asker=DINA).text.lower()


def test_whether_monitoring_worked_is_what_the_scope_report_says(cobalt):
    summary = cobalt.edition("scope-boundary").document.summary
    said, confidence = first("how do we know that monitoring worked?", cobalt)
    share, heard, silent = (summary[one] for one in ("monitoring_coverage_pct", "senders_live", "senders_silent"))
    if share is None:
        assert (said[:44], confidence) == ("I have no data on whether monitoring worked:", "none")
    else:
        assert said.startswith(f"{share} % monitoring coverage: ")
        assert f"senders heard: {heard}, silent: {silent};" in said


@pytest.mark.parametrize("question", ["which quick wins should we do first", "which vendors should we review first"])
def test_what_has_a_name_of_its_own_is_not_answered_by_what_comes_next(question, cobalt):
    assert "What to decide" not in answer(question, cobalt, asker=DINA).text


@pytest.mark.parametrize(
    "said", ["new critical SOC 2 gaps", "new critical gaps of SOC 2", "critical gaps of SOC 2 that are new"]
)
def test_new_gaps_are_those_of_the_gate_wherever_the_framework_stands(said, cobalt):
    found = first(f"any {said} since november 20?", cobalt)
    assert found == ("No: no new critical gap since november 20, by the gate's condition. [1]", "high")


def test_his_is_whoever_was_named_before(cobalt):
    said = answer("Wade Thornton left. Which vendor and which risk are still in his name?", cobalt, asker=DINA).text
    assert said.count("owned by wade.thornton@cobalt.example") == 2


def test_why_a_readiness_changed_is_what_the_comparison_of_its_report_says(cobalt, monkeypatch):
    moved = pl.DataFrame({"what": ["2 controls went stale"], "things": [["SOC 2 A1.1", "SOC 2 PI1.2"]]})
    figures = SimpleNamespace(name="figures", frame=pl.DataFrame({"why": ["2 controls went stale"]}))
    tables = [figures, SimpleNamespace(name="movements", frame=moved)]
    compared = SimpleNamespace(document=SimpleNamespace(headline="It went down.", tables=tables))
    asked = []
    monkeypatch.setattr(cobalt, "edition", lambda *of, **at: asked.append(of) or compared)
    said = answer("SOC 2 readiness went down since November 1, what is the reason", cobalt, asker=DINA).text
    assert asked == [("type-ii", {"since": "2026-11-01"})]
    assert said.startswith(
        "It went down. [1]\n- 2 controls went stale: SOC 2 A1.1, SOC 2 PI1.2 [1]\n\nConfidence: high."
    )
