"""What is said first or by the way is no question of its own, and what people write out is read as what it means."""

import pytest

from engine.copilot.answers.offline import answer
from engine.copilot.grammar.wording import clauses, write_out

DINA = "dina.abrams@cobalt.example"


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Of the incidents since May, which one took longest?", 1),
        ("After billing, who is closest to running out of budget?", 1),
        ("Do any suppliers sit outside the US? Which?", 1),
        ("can an attacker get to dns? how", 1),
        ("how many are open, and who owns them?", 2),
    ],
)
def test_what_is_asked_about_or_left_aside_may_come_first(text, asked):
    assert len(clauses(text)) == asked


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("on a saturday or sunday", "on saturdays or sundays"),
        ("on which day of the week", "on which weekday"),
        ("findings past their fix deadline", "findings overdue"),
        ("a customer asks: which vendors", "which vendors"),
        ("on which services does nothing else depend", "which services nothing else depend on"),
        ("do we need to do this on sunday", "do we need to do this on sunday"),
    ],
)
def test_what_people_write_out_is_read_as_what_it_means(text, written):
    assert write_out(text) == written


@pytest.mark.parametrize(
    "question",
    [
        "who was on call when INC-2026-0071 started",  # cobalt has no shifts: an owner is not who was on call
        "who was on duty when INC-2026-0071 was resolved",
        "which day of the month do we deploy most",
        "on which phase of the moon do we deploy most",
        "which services have the longest deploys",
        "is there any engineer whose deploys smell of fish",
        "which controls will fail next month",  # a verb of what is to come is no word of a title
        "how many remediations need an owner",  # what needs a thing lacks it
    ],
)
def test_what_was_not_understood_is_answered_by_nothing_else(question, cobalt):
    assert answer(question, cobalt, asker=DINA).confidence == "none"


def test_what_will_lapse_is_what_lapses(cobalt):
    first, second = (answer(f"what {said} until 15 december", cobalt, asker=DINA) for said in ("lapses", "will lapse"))
    assert (first.text, first.confidence) == (second.text, second.confidence)
    assert "pieces of evidence lapse" in first.text


def test_rows_whose_text_lacks_a_word_are_no_proof_that_they_lack_the_thing(cobalt):
    found = answer("risks without outage", cobalt, asker=DINA)
    assert (found.confidence, "except with 'outage' in its text" in found.text) == ("low", True)


def test_the_newest_vendor_is_the_one_that_came_last(cobalt):
    last = cobalt.table("vendors").sort("onboarded_on", descending=True)["id"][0]
    assert last in answer("newest vendor", cobalt, asker=DINA).text


@pytest.mark.parametrize(
    ("joined", "numbers"), [("critical incidents, and for high ones", 2), ("critical or high incidents", 1)]
)
def test_a_number_for_each_of_what_and_joins_is_one_for_each(joined, numbers, cobalt):
    text = answer(f"average time to acknowledge for {joined}", cobalt, asker=DINA).text
    assert text.count("average time to acknowledge") == numbers


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("controls left out of scope without anyone approving it", "controls out of scope not approved"),
        ("a risk accepted without somebody signing for it", "a risk accepted not signed"),
        ("without anybody agreeing", "not agreed"),
        ("controls nobody is accountable for", "controls without accountable"),
        ("requests assigned to somebody who is no longer here", "requests with departed owner"),
        ("risks of people who left the company", "risks with departed owner"),
        ("vendors whose owner has left", "vendors with departed owner"),
        ("risks owned by former employees", "risks with departed owner"),
        ("how many of those left", "how many of those left"),
        ("decisions still open after their due date", "decisions overdue"),
        ("attestations falling due in december", "attestations due in december"),
        ("whose pile is biggest", "who has the most"),
        ("which risks should we fix first", "which risks fix first"),
        ("exceptions that wait for a decision", "exceptions waiting for a decision"),
    ],
)
def test_a_way_to_say_it_is_written_in_the_words_of_the_record(text, written):
    assert write_out(text) == written


@pytest.mark.parametrize(
    ("text", "parts"),
    [
        ("decisions that are open, and on whom", ["decisions that are open", "on whom"]),
        ("how long do we keep logs, and is it enough", ["how long do we keep logs, and is it enough"]),
        ("how long do we keep logs, and is it approved", ["how long do we keep logs", "is it approved"]),
        ("which vendor and which risk are late", ["which vendor and which risk are late"]),
        ("readiness went down since May, why?", ["readiness went down since May, why"]),
        ("open incidents on dns, and why?", ["open incidents on dns", "why"]),
    ],
)
def test_a_message_is_cut_where_a_new_question_begins(text, parts):
    assert list(clauses(text)) == parts
