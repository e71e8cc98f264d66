"""The copilot's table over a part of its questions; ``python -m tests.copilot.score`` prints that of all."""

from collections import Counter
from functools import cache

import pytest

from engine.copilot.answers.answers import OfflineAnswer
from tests.copilot.conftest import NOW
from tests.copilot.score import HERE, KINDS, MARKS, NIGHTS, OWN, Question, Truths, mark, questions_of, score, table
from tests.copilot.truth import Contains, Count, Demo, NoData
from tests.demo import demo


def answer_of(text, confidence):
    return OfflineAnswer(text, (), confidence)


@pytest.fixture(scope="module")
def truths():
    return Truths(cache(lambda org: Demo(demo(org, NOW.date()), NOW.date(), org)))


@pytest.mark.real
def test_high_is_earned_and_what_is_on_record_is_answered(truths, cobalt):
    """Of questions with drawn words: none wrong and sure, at least 85 % right or honestly declined."""
    asked = [one for one in questions_of(HERE / "asked_families.txt", 2) if one.org == "cobalt"]
    counts, told = score(asked, truths, lambda _: cobalt)
    marks = Counter(given for given, _, _ in told)
    wrong = [one.questions for given, one, _ in told if given == "wrong high"]
    assert (wrong, len(asked) > 20) == ([], True)
    assert marks["right"] + marks["honestly declined"] >= 0.85 * len(asked)
    assert marks["refused though on record"] < 0.1 * len(asked)
    assert sum(counts.values()) == len(asked)


@pytest.mark.real
def test_of_every_set_at_most_one_of_a_hundred_is_wrong_and_sure(truths, cobalt):
    asked = [one for path in NIGHTS for one in questions_of(path, 1) if one.org == "cobalt"]
    _, told = score(asked, truths, lambda _: cobalt)
    marks = Counter(given for given, _, _ in told)
    assert len(asked) > 250
    assert marks["wrong high"] <= 0.01 * len(asked)
    assert marks["right"] + marks["honestly declined"] >= 0.85 * len(asked)
    assert marks["refused though on record"] < 0.1 * len(asked)


@pytest.mark.real
def test_each_kind_of_thing_that_a_question_says_is_understood(truths, cobalt):
    asked = [one for path in KINDS for one in questions_of(path) if one.org == "cobalt"]
    _, told = score(asked, truths, lambda _: cobalt)
    assert [(given, one.questions) for given, one, _ in told if given not in MARKS[:2]] == []


def test_every_line_of_the_sets_has_a_truth(truths):
    for path in OWN:
        for one in questions_of(path, 1):
            if one.org != "aurora":  # what is large to prepare is asked by the script
                assert truths.of(one) is not None


@pytest.mark.parametrize(
    ("truth", "text", "confidence", "given"),
    [
        (Count(3), "3 incidents.", "high", "right"),
        (Count(3), "4 incidents.", "high", "wrong high"),
        (Count(3), "4 incidents.", "medium", "wrong low"),
        (Count(3), "I have no data on incidents.", "none", "refused though on record"),
        (Count(0), "I have no data on incidents.", "none", "honestly declined"),
        (Contains(("dns",)), "dns: 51.7 %", "medium", "right"),
    ],
)
def test_an_answer_is_worth_what_it_says_and_how_sure_it_is(truth, text, confidence, given):
    one = Question("cobalt", ("how many",), "number", "")
    assert mark(one, truth, answer_of(text, confidence)) == given


@pytest.mark.parametrize(
    ("confidence", "given"), [("none", "honestly declined"), ("low", "wrong low"), ("high", "wrong high")]
)
def test_what_is_not_on_record_is_to_be_declined(confidence, given):
    one = Question("cobalt", ("is the ceo happy",), "nothing", "")
    assert mark(one, NoData(), answer_of("I have no data on it.", confidence)) == given


def test_the_table_has_a_row_for_each_kind_and_one_for_all():
    lines = table({"own": Counter({("number", "right"): 3, ("nothing", "wrong high"): 1})}).splitlines()
    assert [line.split()[:2] for line in lines[1:]] == [["own", "nothing"], ["own", "number"], ["own", "all"]]
    assert "3 (75.0 %)" in lines[-1]
