"""Events are read however their bytes were cut."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.model import event_stream

STREAM = ': keep-alive\n\ndata: {"a": "é\u2028x"}\n\ndata:one\r\ndata: two\r\n\r\nevent: x\nid: 7\ndata: [DONE]\n\n'
EVENTS = ['{"a": "é\u2028x"}', "one\ntwo", "[DONE]"]


@given(st.lists(st.integers(0, len(STREAM.encode())), max_size=12))
def test_a_cut_anywhere_changes_nothing(cuts):
    raw = STREAM.encode()
    places = [0, *sorted(cuts), len(raw)]
    chunks = [raw[a:b] for a, b in pairwise(places)]
    assert list(event_stream.data(chunks)) == EVENTS


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_end_is_one(end):
    raw = f"data: a{end}{end}data: b{end}{end}".encode()
    assert list(event_stream.data([raw])) == ["a", "b"]
    assert list(event_stream.data(raw[i : i + 1] for i in range(len(raw)))) == ["a", "b"]


@pytest.mark.parametrize(
    ("raw", "events"),
    [
        (b"", []),
        (b"\n\n\n", []),
        (b"data: last", ["last"]),
        (b"data:\n\n", [""]),
        (b": only a comment\n\n", []),
        (b"data: \xff\n\n", ["\ufffd"]),
    ],
)
def test_the_ends_of_a_stream(raw, events):
    assert list(event_stream.data([raw])) == events


@pytest.mark.parametrize(
    "raw", [b"x" * (event_stream.LONGEST + 1), b"data: " + b"y" * 600_000 + b"\n"], ids=["line", "event"]
)
def test_what_never_ends_is_refused(raw):
    with pytest.raises(ValueError, match="may have 1,048,576"):
        list(event_stream.data([raw, raw]))


def test_what_is_written_can_be_read():
    assert list(event_stream.data([event_stream.event({"text": "a\nb\u2028"}), event_stream.end_event()])) == [
        '{"text":"a\\nb\u2028"}',
        event_stream.END,
    ]
