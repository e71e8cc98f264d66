"""What a word means is its definition, never a number of rows."""

import pytest

from engine.copilot.answers.offline import answer

DINA = "dina.abrams@cobalt.example"


@pytest.mark.parametrize(
    ("question", "said", "confidence"),
    [
        ("what does mttr mean", "MTTR stands for mean time to resolve.", "high"),
        ("wat is a poam", "POAM stands for plan of action and milestones. Ask for POA&M items to see them.", "high"),
        ("define posture score", "Posture score: ", "high"),
        ("what does mttr stand for?", "MTTR stands for mean time to resolve.", "high"),
        ("what does ransomware readiness mean", "I have no data on the meaning of 'ransomware readiness'", "none"),
    ],
)
def test_a_word_is_defined_and_nothing_is_counted(question, said, confidence, cobalt):
    found = answer(question, cobalt, asker=DINA)
    assert (found.text.startswith(said), found.confidence) == (True, confidence), found.text


def test_a_part_of_what_was_asked_before_is_no_other_thing(cobalt):
    found = answer("how many were caused by a vendor", cobalt, asker=DINA, before=("incidents this year",))
    assert found.text.startswith("7 incidents opened from 2026-01-01 to 2026-12-31 (this year), caused by a vendor."), (
        found.text
    )
