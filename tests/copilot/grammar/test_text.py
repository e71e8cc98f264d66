"""Words are the same however they are written, and a slip of the keyboard is told from another word."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.copilot.grammar.text import distance, nearest, plain, stem, stems, words
from tests.laws import examples

KNOWN = ("incident", "vendor", "exception", "execution", "poam", "high", "ready", "finding")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("What's open?", ("what", "is", "open")),
        ("vendors w/o report", ("vendor", "without", "report")),
        ("control-plane", ("control", "plane")),
        ("INC-2026-0071.", ("inc-2026-0071",)),
        ("POA&M items", ("poam", "item")),
        ("ＩＳＯ　27001", ("iso", "27001")),
        ("Tarnfield's policies", ("tarnfield", "policy")),
        ("", ()),
    ],
)
def test_the_words_of_a_text(text, found):
    assert stems(text) == found


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("incidnet", "incident"),
        ("vendro", "vendor"),
        ("execption", "exception"),
        ("hihg", "high"),
        ("redy", "ready"),
        ("poem", None),
        ("weather", None),
        ("unicorn", None),
        ("cc6.1", None),
        ("", None),
    ],
)
def test_a_slip_of_the_keyboard(word, meant):
    assert nearest(word, KNOWN) == meant


@settings(max_examples=examples(60), deadline=None)
@given(st.text("abcd", max_size=6), st.text("abcd", max_size=6))
def test_the_distance_is_the_same_both_ways_and_0_only_for_the_same_word(left, right):
    assert distance(left, right, 6) == distance(right, left, 6)
    assert (distance(left, right, 6) == 0) == (left == right)


@pytest.mark.real
@settings(max_examples=examples(60), deadline=None)
@given(st.text(max_size=60))
def test_any_text_has_words_without_space(text):
    assert all(word and not word.isspace() for word in words(plain(text)))


@pytest.mark.parametrize(
    ("word", "singular"), [("flows", "flow"), ("https", "https"), ("policies", "policy"), ("tls", "tls"), ("", "")]
)
def test_a_protocol_is_no_plural(word, singular):
    assert stem(word) == singular
