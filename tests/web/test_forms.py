"""Forms as browsers send them."""

import time

import pytest

from engine.model.errors import BadRequest
from engine.web.forms import MOST_FIELDS, pairs

TYPE = "multipart/form-data; boundary=----WebKitFormBoundary7MA4YWxkTrZu0gW"
EDGE = b"------WebKitFormBoundary7MA4YWxkTrZu0gW"


def part(name, value):
    return EDGE + b'\r\nContent-Disposition: form-data; name="' + name + b'"\r\n\r\n' + value + b"\r\n"


def test_fields_come_in_their_order():
    body = (
        part(b"name", "Zoë 👩🏽‍💻".encode())
        + part(b"message", b"a\r\n--b\r\n\r\nc")
        + part(b"empty", b"")
        + EDGE
        + b"--\r\n"
    )
    expected = [("name", "Zoë 👩🏽‍💻"), ("message", "a\r\n--b\r\n\r\nc"), ("empty", "")]
    assert pairs(TYPE, body) == expected
    assert pairs(TYPE.replace("=", '="') + '"; charset=utf-8', body) == expected
    assert pairs(TYPE, b"preamble\r\n" + body + b"epilogue") == expected
    assert pairs("application/x-www-form-urlencoded; charset=UTF-8", b"a=1+2&b=%C3%BC&b=") == [
        ("a", "1 2"),
        ("b", "ü"),
        ("b", ""),
    ]
    assert pairs("application/x-www-form-urlencoded", b"") == pairs(TYPE, EDGE + b"--") == []


def test_other_content_is_no_form():
    assert pairs("application/json", b"{}") is None
    assert pairs("", b"{}") is None


def test_as_many_fields_as_are_allowed_and_no_more():
    assert len(pairs(TYPE, part(b"a", b"1") * MOST_FIELDS + EDGE + b"--")) == MOST_FIELDS
    with pytest.raises(BadRequest, match="up to 50 parts"):
        pairs(TYPE, part(b"a", b"1") * (MOST_FIELDS + 1) + EDGE + b"--")


def test_a_body_made_to_be_slow_is_not():
    """A megabyte each of parts, blank lines, headers, folded parameters and boundaries."""
    began = time.process_time()
    for body in (
        (EDGE + b"\r\n\r\n\r\n") * 20_000,
        EDGE + b"\r\n" * 500_000,
        EDGE + b"\r\na: b" * 170_000,
        EDGE + b"\r\nContent-Disposition: " + b"a;" * 500_000,
        b"\r\n--" * 250_000,
    ):
        with pytest.raises(BadRequest):
            pairs(TYPE, body + EDGE + b"--")
        with pytest.raises(BadRequest):
            pairs(TYPE, body + b"\r\n" + b"x")
    assert time.process_time() - began < 10  # quadratic reading takes minutes
