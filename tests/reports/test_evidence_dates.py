"""Reports that do without the dates of evidence: they say what they say with them, whatever is asked."""

import pytest

from engine.facts import FACTS
from engine.facts.controls.states import EVIDENCE_DATES
from engine.facts.schemas import SCHEMAS
from engine.model.declarations.ask import Ask
from engine.model.declarations.declaration import EXPLAIN
from engine.model.declarations.report import UNDATED
from reports import REPORTS
from tests.factories import DAY, ORG
from tests.reports.test_one_value import Answers

UNDATED_REPORTS = [report for report in REPORTS if not report.evidence_dates]


def questions(report):
    """The question without parameters, one with each choice of each, and the explanation of each figure."""
    chosen = [{each.name: choice} for each in report.parameters for choice in each.choices]
    return [{}, *chosen, *({EXPLAIN: figure} for figure in report.figure_ids)]


def content(report, facts, take, settings, query):
    parameters = report.parse(query)
    options = {name: value for name, value in parameters.items() if name != EXPLAIN}
    ask = Ask(DAY, report.period_days(parameters), settings, options)
    frames = {name: facts.of(ORG, take(name)) for name in report.facts}
    explained = parameters.get(EXPLAIN)
    document = report.document(frames, ask) if explained is None else report.explanation(frames, ask, explained)
    return document.headline, document.summary, [table.frame.to_dicts() for table in document.tables]


@pytest.mark.real
def test_a_report_without_dates_of_evidence_says_what_it_says_with_them(facts_with):
    answers = Answers(facts_with, {"events": []})
    different = [
        (report.name, query)
        for report in UNDATED_REPORTS
        for query in questions(report)
        if content(report, answers.facts, report.source_of, answers.settings, query)
        != content(report, answers.facts, str, answers.settings, query)
    ]
    assert different == []


def test_states_have_all_columns_but_the_dates():
    assert UNDATED.keys() <= FACTS.keys()
    assert set(UNDATED.values()) <= FACTS.keys()
    assert set(EVIDENCE_DATES) <= set(SCHEMAS["control_status"])
    assert {report.source_of("gaps") for report in REPORTS} == {"gaps"}


def test_some_reports_look_at_dates_of_evidence_and_some_do_not():
    assert 0 < len(UNDATED_REPORTS) < len(REPORTS)
    assert {report.source_of("control_status") for report in UNDATED_REPORTS} == {"control_states"}
