"""A condition of another kind of thing is joined by what belongs together, and never sure."""

import pytest

from engine.copilot.answers.offline import answer

DINA = "dina.abrams@cobalt.example"


def ask(question, library):
    return answer(question, library, asker=DINA)


def test_a_condition_of_another_kind_of_thing_is_never_sure(cobalt):
    got = ask("open critical findings on services with an open incident", cobalt)
    assert " of services with at least one open incident." in got.text
    assert got.confidence in ("medium", "low")


@pytest.mark.parametrize(
    "question",
    [
        "open findings on services with a purple incident",
        "legal holds on vendors with a failed deploy",
        "gaps on controls with pets",
    ],
)
def test_a_condition_that_is_not_understood_or_belongs_to_nothing_gives_no_rows(question, cobalt):
    got = ask(question, cobalt)
    assert (got.text.startswith("I have no data on "), got.confidence, got.citations) == (True, "none", ())


def test_a_second_question_about_each_row_is_answered_of_all_of_them(cobalt):
    got = ask("which incidents are open, and who owns each", cobalt)
    assert "Owner of 5 open incidents: " in got.text


def test_a_day_says_how_far_away_it_is(cobalt):
    got = ask("how long ago was RSK-11 reviewed", cobalt)
    assert got.text.split(" days ago: reviewed, RSK-11")[0].count(",") == 1
