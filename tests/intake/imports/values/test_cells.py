"""Single cells, as tables of examples."""

from datetime import UTC, date, datetime

import pytest

from engine.intake.imports.values.cells import Notation, day, instant, number, whole_number

DAY = date(2026, 11, 20)


@pytest.mark.parametrize(
    "text",
    [
        "2026-11-20",
        "2026/11/20",
        "20.11.2026",
        "20. 11. 2026",
        "20261120",
        "46346",
        "46346.0",
        "20 Nov 2026",
        "20-Nov-2026",
        "20. November 2026",
        "Nov 20, 2026",
        "2026-11-20 00:00:00",
        "2026-11-20T00:00:00Z",
        "2026-11-20 00:00:00.000",
    ],
)
def test_a_day_is_read_as_spreadsheets_write_it(text):
    assert day(text, Notation()) == DAY


@pytest.mark.parametrize(
    "text",
    ["2026-02-31", "31.02.2026", "20.11.26", "tomorrow", "2026-11-20 08:30", "0026-11-20", "9999", "2026-13-01", ""],
)
def test_what_is_no_day_is_refused(text):
    assert day(text, Notation()) is None


@pytest.mark.parametrize(
    ("text", "order", "expected"),
    [
        ("20/11/2026", "dmy", DAY),
        ("11/20/2026", "mdy", DAY),
        ("20-11-2026", "dmy", DAY),
        ("20/11/2026", "mdy", None),
        ("3/4/2026", "dmy", date(2026, 4, 3)),
        ("3/4/2026", "mdy", date(2026, 3, 4)),
        ("3/4/2026", None, None),
        ("3/4/2026", "mixed", None),
        ("5/5/2026", None, date(2026, 5, 5)),
    ],
)
def test_the_column_decides_whether_the_day_or_the_month_comes_first(text, order, expected):
    assert day(text, Notation(dates=order)) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2026-11-20T08:30:00Z", (8, 30, 0, 0)),
        ("2026-11-20T08:30:15.25Z", (8, 30, 15, 250_000)),
        ("2026-11-20T08:30:15.1234567Z", (8, 30, 15, 123_456)),
        ("2026-11-20 08:30", (8, 30, 0, 0)),
        ("2026-11-20T10:30+02:00", (8, 30, 0, 0)),
        ("2026-11-20T03:30-0500", (8, 30, 0, 0)),
        ("2026-11-20 08:30 UTC", (8, 30, 0, 0)),
        ("20.11.2026 08:30:05", (8, 30, 5, 0)),
        ("20.11.2026, 08:30", (8, 30, 0, 0)),
        ("2026-11-20 8:30 PM", (20, 30, 0, 0)),
        ("2026-11-20 12:05 am", (0, 5, 0, 0)),
        ("2026-11-20", (0, 0, 0, 0)),
        ("46346.354166667", (8, 30, 0, 0)),
    ],
)
def test_a_moment_without_offset_is_utc(text, expected):
    hour, minute, second, part = expected
    assert instant(text, Notation()) == datetime(2026, 11, 20, hour, minute, second, part, tzinfo=UTC)


@pytest.mark.parametrize("text", ["2026-11-20T24:30:00Z", "2026-11-20 13:00 PM", "08:30", "2026-02-31T08:30:00Z", "x"])
def test_what_is_no_moment_is_refused(text):
    assert instant(text, Notation()) is None


@pytest.mark.parametrize(
    ("text", "decimal", "expected"),
    [
        ("1234.5", None, 1234.5),
        ("1,5", None, 1.5),
        ("1.234,5", None, 1234.5),
        ("1,234.5", None, 1234.5),
        ("1,234,567", None, 1234567.0),
        ("1 234,5", None, 1234.5),
        ("1'234.5", None, 1234.5),
        ("-0,5", None, -0.5),
        ("−3", None, -3.0),
        (".5", None, 0.5),
        ("0.125", None, 0.125),
        ("1e3", None, 1000.0),
        ("1.234", None, None),
        ("1.234", ".", 1.234),
        ("1.234", ",", 1234.0),
        ("1,234", ".", 1234.0),
        ("1,5", ".", None),
        ("nan", None, None),
        ("inf", None, None),
        ("1e999", None, None),
        ("12,34,5", None, None),
        ("", None, None),
        ("abc", None, None),
    ],
)
def test_a_number_that_can_be_read_in_two_ways_needs_its_column(text, decimal, expected):
    assert number(text, Notation(decimal=decimal)) == expected


@pytest.mark.parametrize(
    ("text", "decimal", "expected"),
    [
        ("7", None, 7),
        ("007", None, 7),
        ("3.0", None, 3),
        ("3,0", None, 3),
        ("3.5", None, None),
        ("1.234", None, 1234),
        ("1.234", ".", None),
        ("1.000", None, None),
        ("1.000", ",", 1000),
        ("12 500", None, 12500),
        ("9223372036854775807", None, 2**63 - 1),
        ("9223372036854775808", None, None),
    ],
)
def test_a_whole_number_has_no_fraction(text, decimal, expected):
    assert whole_number(text, Notation(decimal=decimal)) == expected
