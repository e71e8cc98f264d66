"""What people ask, and the right answer to each from the raw tables: 95 % right, and none wrong with confidence "high"."""

import re
from pathlib import Path

import pytest

from engine.copilot.answers.library import Library
from engine.copilot.answers.offline import answer
from engine.copilot.answers.sources import route_of
from tests.copilot.asked_later import LATER
from tests.copilot.asked_operations import OPERATIONS
from tests.copilot.asked_plain import PLAIN
from tests.copilot.asked_programme import ANSWERED, FIGURES, THREADS
from tests.copilot.asked_shapes import SHAPES
from tests.copilot.asked_small import SMALL
from tests.copilot.asked_turned import TURNED
from tests.copilot.conftest import NOW
from tests.copilot.truth import Count, Demo, contains
from tests.demo import demo as demo_frames

DINA = "dina.abrams@cobalt.example"
GOLDEN = Path(__file__).parents[1] / "golden" / "routes.txt"
PATHS = {line.split()[1] for line in GOLDEN.read_text().splitlines()}


@pytest.fixture(scope="module")
def library(snapshots):
    return Library(snapshots, "cobalt", now=NOW)


@pytest.fixture(scope="module")
def demo(frames):
    return Demo(frames, NOW.date(), "cobalt")


def conversations(demo, library):
    """Each question with those before it and the check of its answer."""
    for question, right in (*OPERATIONS, *ANSWERED):
        yield question, (), right(demo)
    for question, report, figure in FIGURES:
        value = library.edition(report).document.summary[figure]
        yield question, (), Count(value) if isinstance(value, int | float) else contains(value)
    for thread in THREADS:
        said = ()
        for question, right in thread:
            yield question, said, right(demo)
            said = (*said, question)


def wrong_answers(asked, library):
    """The questions whose answers are wrong, and those of them that were answered with confidence "high"."""
    wrong, sure, number = [], [], 0
    for question, before, right in asked:
        number += 1
        got = answer(question, library, asker=DINA, before=before)
        if not right.is_met(got):
            wrong.append(question)
            if got.confidence == "high":
                sure.append(question)
    return wrong, sure, number


@pytest.mark.real
def test_of_the_questions_at_least_95_percent_are_answered_right_and_none_wrong_with_high(demo, library):
    wrong, sure, number = wrong_answers(conversations(demo, library), library)
    assert number >= 160
    assert sure == []
    assert len(wrong) <= 0.05 * number, wrong


@pytest.mark.real
def test_questions_in_other_words_are_answered_as_well(demo, library):
    wrong, sure, number = wrong_answers(((question, (), right(demo)) for question, right in LATER), library)
    assert number >= 40
    assert sure == []
    assert len(wrong) <= 0.05 * number, wrong


def test_questions_that_turn_a_word_round_compare_sum_up_and_look_back(demo, library):
    assert wrong_answers(((question, (), right(demo)) for question, right in TURNED), library)[:2] == ([], [])


def test_questions_in_everyday_words_are_answered_and_those_of_no_record_are_not(demo, library):
    assert wrong_answers(((question, (), right(demo)) for question, right in PLAIN), library)[:2] == ([], [])


def test_a_follow_up_of_what_was_not_understood_is_never_answered_of_something_else(library):
    before = ("open incidents", "what is our churn rate")
    got = answer("who owns them?", library, asker=DINA, before=before)
    assert (got.text.startswith("I have no data on 'who owns them?'"), got.confidence) == (True, "none")


def test_a_question_of_which_one_half_is_not_answered_is_never_sure(library):
    got = answer("who chairs the audit committee and when do they meet", library, asker=DINA)
    assert got.confidence == "medium"
    assert "I have no data on meetings with 'they'" in got.text


def test_a_thread_whose_first_turn_left_something_out_stays_unsure(library):
    assert answer("which are critical?", library, asker=DINA, before=("open purple findings",)).confidence == "none"


@pytest.mark.real
def test_an_organization_with_little_data_is_answered_as_well(snapshots):
    few = Demo(demo_frames("dune", NOW.date()), NOW.date(), "dune")
    library = Library(snapshots, "dune", now=NOW)
    assert wrong_answers(((question, (), right(few)) for question, right in SMALL), library)[:2] == ([], [])


@pytest.mark.real
def test_questions_of_two_kinds_of_courses_and_of_shares_are_answered(demo, library):
    wrong, sure, number = wrong_answers(((question, (), right(demo)) for question, right in SHAPES), library)
    assert number >= 40
    assert (wrong, sure) == ([], [])


def test_what_is_right_is_told_from_what_is_wrong(demo, library):
    got = answer("how many incidents are open right now?", library, asker=DINA)
    assert [Count(number).is_met(got) for number in (5, 4, 90)] == [True, False, False]


@pytest.mark.parametrize(
    ("question", "figure", "route"),
    [
        ("critical gaps", "gaps_critical", "/api/governance/compliance/program?explain=gaps_critical"),
        ("posture score", "posture_score", "/api/governance/compliance/posture-score?explain=posture_score"),
        (
            "incidents opened in the last 10 days",
            "incidents_opened_in_period",
            "/api/governance/compliance/executive-summary?explain=incidents_opened_in_period&periodDays=10",
        ),
    ],
)
def test_a_number_that_is_a_figure_is_cited_with_the_route_that_answers_with_it(question, figure, route, library):
    got = answer(question, library, asker=DINA)
    assert (got.citations[0].route, got.citations[0].row, got.confidence) == (route, figure, "high")
    report = got.citations[0].report
    query = {"periodDays": "10"} if "periodDays" in route else {}
    assert Count(library.figures(report, query)[figure]).is_met(got)


@pytest.mark.parametrize("question", ["saas vendors", "open gaps in ISO", "overdue attestations", "biggest risk"])
def test_a_row_is_cited_with_a_route_only_where_that_route_lists_it(question, library):
    rows = [
        one for one in answer(question, library, asker=DINA).citations if one.row and "explain" not in str(one.route)
    ]
    assert rows
    for cited in rows:
        assert cited.route is None or cited.route.partition("?")[0] in PATHS
        assert (cited.route == route_of(cited.report)) == (cited.row.lower() in library.report_ids(cited.report))


def test_rows_that_no_route_lists_are_cited_by_their_identifiers(library):
    got = answer("which deploys failed this month", library, asker=DINA)
    assert [(one.report, one.route, one.row) for one in got.citations] == [("deploys", None, "DEP-2026-0167")]
    assert got.text.endswith("[1] deploys, row DEP-2026-0167")


@pytest.mark.parametrize(
    ("question", "word", "rest"),
    [
        ("open incidents in Frankfurt", "frankfurt", "open incidents"),
        ("show me phishing incidents", "phishing", "open incidents"),
        ("were any incidents security breaches?", "breaches", "incidents"),
        ("vendors in antarctica", "antarctica", "vendors"),
        ("how many incidents were contagious", "contagious", "incidents"),
        ("how many deploys went out in pyjamas", "pyjamas", "deploys"),
    ],
)
def test_a_word_that_was_not_understood_is_named_and_no_number_is_given(question, word, rest, library):
    """The number of the rest would be read as the number of what was asked."""
    got = answer(question, library, asker=DINA)
    assert (got.confidence, got.citations) == ("none", ())
    assert got.text.startswith(f"I have no data on {rest} with '{word}': no record of ")
    assert f"I can answer for {rest}, by " in got.text
    assert not re.search(r"\d", got.text.partition("\n")[0])


def test_when_something_was_acknowledged_is_another_matter_than_how_it_stands(library):
    got = answer("incidents acknowledged this year", library, asker=DINA)
    assert re.match(r"[1-9]\d* incidents acknowledged from 2026-01-01", got.text)


def test_a_first_question_that_refers_back_is_not_answered(library):
    got = answer("what about the certificate ones", library, asker=DINA)
    assert got.text.startswith("I have no data on 'what about the certificate ones': it follows up on a question")
    assert got.confidence == "none"


def test_a_misspelt_word_is_read_and_said(library):
    got = answer("opne incidnets", library, asker=DINA)
    assert got.text.startswith("5 open incidents.")
    assert "I read 'incidnets' as 'incident'." in got.text


def test_a_question_without_a_noun_is_answered_for_each_kind_that_it_fits_and_is_not_sure(library):
    got = answer("open criticals?", library, asker=DINA)
    assert ["No open critical incident." in got.text, "1 open critical finding." in got.text] == [True, True]
    assert got.confidence == "low"


@pytest.mark.parametrize(
    "question",
    ["incidents not caused by rain", "vendors without pets", "findings except purple ones", "gaps other than blue"],
)
def test_a_word_that_turns_the_question_round_and_cannot_be_applied_is_said_and_no_rows_are_listed(question, library):
    got = answer(question, library, asker=DINA)
    assert (got.text.startswith("I have no data on "), got.citations, got.confidence) == (True, (), "none")


@pytest.mark.parametrize(
    "question",
    [
        "both open and purple incidents",
        "more overdue findings",
        "incidents among vendors",
        "the same open findings",
        "open findings per moon",
        "vendors against risks",
    ],
)
def test_a_word_that_can_change_the_answer_and_was_not_used_never_leaves_it_sure(question, library):
    assert answer(question, library, asker=DINA).confidence != "high"
