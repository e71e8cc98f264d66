"""A question is taken apart the same way however it is written."""

import pytest

from engine.copilot.question import read


@pytest.mark.parametrize(
    ("text", "frameworks"),
    [
        ("Are we ready for SOC 2?", ("soc2",)),
        ("soc2", ("soc2",)),
        ("SOC-2 and ISO 27001", ("soc2", "iso27001")),
        ("iso27001:A.8.15", ("iso27001",)),
        ("ＰＣＩ　ＤＳＳ", ("pci-dss",)),
        ("pci", ("pci-dss",)),
        ("the associated isolation", ()),
        ("", ()),
    ],
)
def test_frameworks_are_known_by_the_names_that_people_use(text, frameworks):
    assert read(text).frameworks == frameworks


def test_identifiers_are_words_with_a_digit_that_are_no_number_and_no_framework():
    assert read("What about CC6.1, A.8.15 and RSK-04 since 30 days for SOC2?").codes == ("cc6.1", "a.8.15", "rsk-04")


@pytest.mark.parametrize(
    ("text", "late", "mine"),
    [
        ("my overdue duties", True, True),
        ("What is LATE?", True, False),
        ("mine", False, True),
        ("latest army", False, False),
    ],
)
def test_late_and_mine_are_whole_words(text, late, mine):
    asked = read(text)
    assert (asked.late, asked.mine) == (late, mine)


def test_the_subject_is_the_question_without_fillers():
    assert read("What do you know about the <b>moon</b> landing?").subject == "know b moon b landing"
    assert read("?!").subject == ""
    assert len(read("word" * 1000).subject) == 80
