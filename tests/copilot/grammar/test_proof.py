"""High is a proof: what keeps an answer from being sure is named in it."""

import pytest

from engine.copilot.answers.offline import answer

DINA = "dina.abrams@cobalt.example"


@pytest.mark.parametrize(
    "question",
    [
        "how many open incidents do we have",
        "incidents on dns this year",
        "which vendors have privileged access",
        "who owns EXC-005",
        "when does EXC-005 expire",
        "deploys that were not rolled back since march",
        "average time to resolve this year",
        "what needs dns",
    ],
)
def test_a_question_whose_words_are_all_accounted_for_is_answered_with_high(question, cobalt):
    assert answer(question, cobalt, asker=DINA).confidence == "high"


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("how many incidents landed this year", "'landed' taken to say nothing"),
        ("evidence requests waiting on us", "'waiting on us' taken by the clock of the request"),
        ("opne incidents", "'opne' read as 'open'"),
        ("findings not patched", "'not patched' is no word of the record"),
        ("testing schedules of marcus", "taken as owned by marcus.bell@cobalt.example"),
        ("risks not reviewed since august", "'since august' taken as after its last day"),
        ("deploys neither failed nor rolled back", "several words are turned round"),
        ("worst incident of september", "ordered by"),
        ("vendors whose review ran out in december", "the year of 'in december' was not said"),
        ("critical findings fixed in february", "nothing of that state is in that span"),
    ],
)
def test_what_was_taken_for_granted_is_named_and_the_answer_is_not_sure(question, reason, cobalt):
    got = answer(question, cobalt, asker=DINA)
    assert (got.confidence in ("low", "medium"), reason in got.text) == (True, True), got.text


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("what does SOC 2 CC6.1 map to?", "19 mappings"),
        ("preventive follow-ups that are open", "I read 'preventive' as 'prevent'"),
        ("exceptions in any status", "12 exceptions"),
        ("incidents acknowledged after more than an hour since june", "15 incidents"),
        ("incidents where password spraying was the cause", "in its text"),
    ],
)
def test_words_in_other_forms_and_columns_by_the_words_in_them_are_understood(question, said, cobalt):
    got = answer(question, cobalt, asker=DINA)
    assert (said in got.text, got.confidence != "none") == (True, True), got.text


def test_a_pair_that_the_crosswalk_does_not_have_is_not_said_to_be_none(cobalt):
    got = answer("what does CMMC AC.L2-3.1.1 map to?", cobalt, asker=DINA)
    assert (got.text.startswith("I have no data on mappings"), got.confidence) == (True, "none")


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("disk almost full incidents on dns", "2 Disk almost full incidents on dns, none of them open"),
        ("vendors not reviewed in a year", "not last review from 2025-11-2"),
        ("evidence requests opened this month and not submitted", "not submitted, opened from 2026-11-01"),
        ("exceptions expiring before christmas", "expires from 2026-11-20 to 2026-12-24"),
        ("monday deploys that failed", "monday failed deploy"),
        ("are high or medium findings older than 2 weeks reachable from internet", "reachable from the internet"),
        ("share of attestations that were rejected", "those that are pending among them"),
        ("who chairs the audit commitee", "Audit Committee of the Board"),
        ("which incidents hit nobody", "that hit nobody"),
    ],
)
def test_what_is_said_by_the_way_still_chooses_the_rows(question, told, cobalt):
    assert told in answer(question, cobalt, asker=DINA).text, answer(question, cobalt, asker=DINA).text
