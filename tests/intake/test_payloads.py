"""Bodies are kept without their secrets, and read again they say the same."""

import json

import pytest

from engine.intake.payloads import InboundBody, json_value, pack_body, redact_body, unpack_body
from engine.model.errors import BadRequest
from tests.conftest import NOW


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        (
            {"title": "Disk", "password": "hunter2", "labels": {"api_key": "x", "host": "db1"}, "n": [1, True, None]},
            {
                "title": "Disk",
                "password": "[redacted]",
                "labels": {"api_key": "[redacted]", "host": "db1"},
                "n": [1, True, None],
            },
        ),
        ({"tokens": ["a", "b"], "token": None}, {"tokens": "[redacted]", "token": None}),
        ({"alerts": [{"note": "password=hunter2 now"}]}, {"alerts": [{"note": "password=[redacted] now"}]}),
        ("see https://ann:pw@host/x", "see https://[redacted]@host/x"),
        ({}, {}),
        (7, 7),
    ],
)
def test_values_under_the_names_of_secrets_and_secrets_in_texts_go(body, kept):
    assert json.loads(redact_body(json.dumps(body).encode())) == kept


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        (b"\xff no json, password=hunter2 here", b"\xff no json, password=[redacted] here"),
        (b"{" + b"[" * 100_000, b"{" + b"[" * 100_000),
        (b"[" * 100_000 + b"]" * 100_000, b"[" * 100_000 + b"]" * 100_000),
        (b"", b""),
        (b"{not json", b"{not json"),
        (b"x of a small text", b"x of a small text"),
    ],
)
def test_what_is_no_json_is_kept_as_text_whose_other_bytes_stay(body, kept):
    assert unpack_body(pack_body(body)) == kept


def test_a_small_object_is_kept_as_it_stands_and_a_large_one_compressed():
    small, large = b'{"title":"Disk full"}', json.dumps({"note": "Disk full. " * 100}).encode()
    assert (pack_body(small), unpack_body(pack_body(large))) == (small, large.replace(b": ", b":", 1))
    assert len(pack_body(large)) < 100


@pytest.mark.parametrize(
    ("body", "value"),
    [(b'\xef\xbb\xbf{"title": "x"}', {"title": "x"}), ('{"title": "x"}'.encode("utf-16"), {"title": "x"})],
)
def test_json_is_read_with_a_mark_before_it(body, value):
    assert json_value(body) == value


@pytest.mark.parametrize("body", [b"", b"{broken", b'{"n": NaN}', b"[" * 100_000, b'{"title": "\xe4"}', b"9" * 5_000])
def test_what_is_no_json_is_refused(body):
    with pytest.raises(BadRequest) as refused:
        json_value(body)
    assert refused.value.word == "invalid_body"


def test_headers_are_written_down_without_what_a_terminal_would_obey():
    raw = InboundBody(
        "alerts", b"{", NOW, "token:am", content_type="text/\x9b31m" + "x" * 300, content_encoding="g\x9bz"
    )
    assert raw.encoding_problem == "It is declared with Content-Encoding g z; expected the body as it is."
    kept = raw.row("pay-1", "unread", 0, 0)["content_type"]
    assert (kept[:10], len(kept), kept.isprintable()) == ("text/ 31mx", 200, True)
