"""What people write out or leave out, said in the words that all else reads; several questions in one message."""

import pytest

from engine.copilot.grammar.wording import clauses, write_out


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
