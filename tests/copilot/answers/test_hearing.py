"""What was not understood is heard once more, and never sure then; what was understood is heard as it was said."""

import pytest

from engine.copilot.answers.hearing import aside, each_span, hearings
from engine.copilot.answers.library import Library
from engine.copilot.answers.offline import answer
from engine.copilot.grammar.planner import Planner
from tests.copilot.conftest import NOW

DINA = "dina.abrams@cobalt.example"
ASIDE = "what was said before the question is left aside"


@pytest.fixture(scope="module")
def cobalt(snapshots):
    return Library(snapshots, "cobalt", now=NOW)


@pytest.mark.parametrize(
    ("said", "meant", "reason"),
    [
        ("how many risks are abvoe appetite", "how many risks are above appetite", "'abvoe' read as 'above'"),
        (
            "Our auditor asked me on the phone and I had no answer: how many vendors are critical?",
            "how many vendors are critical?",
            ASIDE,
        ),
        ("I am new here. Which policies are overdue?", "Which policies are overdue?", ASIDE),
        ("For the board call I need the open findings", "show the open findings", ASIDE),
        ("For the SOC 2 call I need the open gaps", None, None),  # of which framework would be lost
        ("I have her on the line, so which findings are open?", "which findings are open?", ASIDE),
        ("We talked about billing with the board. Who owns it?", None, None),  # "it" was said before
        ("We only look at HIPAA this week, I think. How many gaps are open?", None, None),  # which would be lost
        ("HIPAA: how many gaps are open?", None, None),
        ("how many open incidents", None, None),
        ("", None, None),
    ],
)
def test_a_question_is_heard_without_slips_and_without_what_was_told(said, meant, reason, cobalt):
    heard = next(hearings(said, Planner(cobalt, DINA)), None)
    assert (heard and (heard.text, heard.reason)) == (meant and (meant, reason))


@pytest.mark.parametrize(
    ("said", "plain"),
    [
        ("I promised the board a number - how many vendors are critical?", "how many vendors are critical"),
        ("how mny vendors dance", None),
        ("how many vendors dance", None),
    ],
)
def test_what_was_heard_once_more_is_answered_alike_and_not_sure(said, plain, cobalt):
    found = answer(said, cobalt, asker=DINA)
    if plain is None:
        assert found.confidence == "none"
        return
    sure = answer(plain, cobalt, asker=DINA)
    assert (sure.confidence, found.confidence) == ("high", "medium")
    assert found.text.splitlines()[0] == sure.text.splitlines()[0]
    assert ASIDE in found.text


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (
            "Sorry to bother you on a Saturday - when was the last critical incident",
            "when was the last critical incident",
        ),
        ("I was in Berlin last week, sorry: how many incidents are open?", "how many incidents are open?"),
        ("We deployed billing on Friday - which incidents are open?", None),  # names what it may be about
        ("how many incidents were opened on a Saturday", None),
    ],
)
def test_a_day_that_is_named_before_the_question_chooses_no_rows(said, meant, cobalt):
    found = aside(said, Planner(cobalt, DINA))
    assert (None if found is None else found.text) == meant


@pytest.mark.parametrize(
    ("said", "parts"),
    [
        ("who is on call this week vs next", ("who is on call this week", "who is on call next week")),
        ("who is on call today and tomorrow?", ("who is on call today", "who is on call tomorrow")),
        ("how many incidents this week vs last week", ("how many incidents this week vs last week",)),
    ],
)
def test_two_spans_side_by_side_are_two_questions(said, parts):
    assert tuple(each_span((said,))) == parts


@pytest.mark.parametrize(
    ("said", "plain", "words"),
    [
        ("which service produced the most incidents", "which service the most incidents", "'produced' was"),
        ("which findings can be reached from the internet", "findings from the internet", "'reached' was"),
        ("which service archived the most incidents", None, None),  # a participle may choose rows
        ("how many llamas produced incidents", None, None),
        ("show produced incidents", None, None),  # nothing else is asked of them
    ],
)
def test_a_plain_verb_is_set_aside_where_all_else_is_understood_and_said(said, plain, words, cobalt):
    found = answer(said, cobalt, asker=DINA)
    if plain is None:
        assert found.confidence == "none"
        return
    assert found.confidence == "low"
    assert f"{words} not used" in found.text
    assert found.text.splitlines()[0] == answer(plain, cobalt, asker=DINA).text.splitlines()[0]
