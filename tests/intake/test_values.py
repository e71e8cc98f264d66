"""Plain values out of foreign JSON: absent, cleaned, bounded, redacted."""

import pytest

from engine.intake import values as v
from engine.intake.redaction import redact
from engine.intake.times import instant
from tests.intake.bodies import at


@pytest.mark.parametrize("value", [None, "", "  ", "null", "NULL", "'-", {}, [], {"a": 1}, float("nan"), 10**40])
def test_absent_values_are_none(value):
    assert v.plain(value) is None
    assert v.line(value) is None


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Disk\x00full", "Disk\ufffdfull"),
        ("lone \ud800 surrogate", "lone \ufffd surrogate"),
        ("two\r\n lines\tand\x1b[0m", "two lines and [0m"),
        ("right\u202eto left", "rightto left"),
        ("ünïcode 😀", "ünïcode 😀"),
        (True, "true"),
        (7, "7"),
        (7.0, "7"),
    ],
)
def test_a_line_is_clean_and_can_be_encoded(value, text):
    assert v.line(value) == text
    assert v.line(value).encode()


def test_long_texts_are_cut_with_an_ellipsis():
    assert v.line("x" * 1_000_000, 10) == "xxxxxxxxx…"
    assert len(v.block("y\n" * 100_000)) == v.BLOCK


@pytest.mark.parametrize(("value", "found"), [("443", 443), (443.0, 443), ("443.5", None), (-1, None), (True, None)])
def test_whole_numbers_may_come_as_text(value, found):
    assert v.whole_number(value, 0, 65535) == found


@pytest.mark.parametrize(("value", "found"), [("Yes", True), (0, False), (True, True), ("maybe", None), (None, None)])
def test_flags_come_in_many_spellings(value, found):
    assert v.flag(value) is found


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("https://a.example/x", "https://a.example/x"),
        ("/relative", None),
        ("javascript:alert(1)", None),
        ("https://", None),
        ("https://a.example/x y", None),
        ("https://ann:pw@a.example/?token=abc&b=1", "https://[redacted]@a.example/?token=[redacted]&b=1"),
    ],
)
def test_links_are_absolute_and_without_secrets(value, found):
    assert v.link(value) == found


def test_labels_are_sorted_flat_few_and_hide_secrets():
    raw = {"b": 1, "a": "x", "api-key": "k", "nested": {"c": 1}, "empty": "", "Password": "p"}
    assert v.labels(raw) == {"Password": "[redacted]", "a": "x", "api-key": "[redacted]", "b": "1"}
    assert len(v.labels({str(n): n for n in range(1000)})) == v.LABELS


def test_names_fold_and_the_first_that_holds_something_stays():
    assert v.fold({"First Found": "", "FIRST_FOUND": 1, "first.found": 2}) == {"first_found": 1}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("login with password=hunter2 failed", "login with password=[redacted] failed"),
        ('{"api_key": "abc", "a": 1}', '{"api_key": "[redacted]", "a": 1}'),
        ("Authorization: Basic dXNlcjpwdw==", "Authorization: Basic [redacted]"),
        ("sent Bearer abcdefghijklmnopqrst", "sent Bearer [redacted]"),
        ("The bearer of the token: expired", "The bearer of the token: expired"),
        ("passphrase='my secret words' x", "passphrase='[redacted]' x"),
        ("token=[redacted]", "token=[redacted]"),
        ("tokens=5", "tokens=5"),
    ],
)
def test_secrets_in_texts_are_replaced(text, found):
    assert redact(text) == found


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("2026-11-20T08:12:00.123456789Z", at(8, 12).replace(microsecond=123456)),
        ("2026-11-20T09:12:00+01:00", at(8, 12)),
        ("2026-11-20T08:12:00.000+0000", at(8, 12)),
        ("2026-11-20 08:12:00", at(8, 12)),
        ("20261120", at(0)),
        (1795162320, at(8, 12)),
        ("1795162320", at(8, 12)),
        (1795162320000, at(8, 12)),
        ("1795162320000000", at(8, 12)),
        (1795162320000000000, at(8, 12)),
        ("Nov 20, 2026 08:12 AM", at(8, 12)),
        ("Nov 20, 2026 08:12:00 UTC", at(8, 12)),
        ("11/20/2026 08:12:00", at(8, 12)),
        ("0001-01-01T00:00:00Z", None),
        ("0001-01-01T00:00:00+14:00", None),
        ("9999-12-31T23:59:59-14:00", None),
        ("2026-19-40T00:00:00Z", None),
        ("-1", None),
        (0, None),
        (1e300, None),
        (float("inf"), None),
        (True, None),
        ("soon", None),
        ("null", None),
        (None, None),
        ({}, None),
    ],
)
def test_instants_come_in_many_forms_and_impossible_ones_are_none(value, found):
    assert instant(value) == found
