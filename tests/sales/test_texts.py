"""Texts from people: any script is kept, nothing invisible steers what is shown."""

import pytest

from engine.model.errors import BadRequest
from engine.sales import texts


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("Ana", "Ana"),
        ("👩🏽‍💻 Ana", "👩🏽‍💻 Ana"),
        ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏴󠁧󠁢󠁥󠁮󠁧󠁿"),
        ("محمد بن سلمان", "محمد بن سلمان"),
        ("אנה\u200f כהן", "אנה\u200f כהן"),
        ("می\u200cخواهم", "می\u200cخواهم"),
        ("Zoe\u0308", "Zoë"),
        ("\u202eevil\u202c  Ana", "evil Ana"),
        ("\ufeff Ana\u00a0 Muster ", "Ana Muster"),
        ("=HYPERLINK(1)", "=HYPERLINK(1)"),
    ],
)
def test_a_line_of_any_script_is_kept(given, kept):
    assert texts.line("name", given) == kept


@pytest.mark.parametrize("given", ["", "  ", "\u200b\u200d", "a\nb", "a\tb", "a\x00b", "a\x7fb", "a\u2028b", "x" * 201])
def test_a_line_that_does_not_hold_is_refused_and_not_repeated(given):
    with pytest.raises(BadRequest) as caught:
        texts.line("name", given)
    assert caught.value.details[0]["field"] == "name"
    assert "xxxx" not in caught.value.message


@pytest.mark.parametrize(
    ("given", "kept"),
    [("a\r\nb\rc\u2028d", "a\nb\nc\nd"), ("  a  \n\n  b\t\n\n", "a\n\n  b"), ("a\tb", "a\tb"), ("x" * 50, "x" * 50)],
)
def test_prose_keeps_its_lines(given, kept):
    assert texts.prose("message", given, 50) == kept


@pytest.mark.parametrize("given", ["", " \n ", "a\x00b", "x" * 51])
def test_prose_that_does_not_hold_is_refused(given):
    with pytest.raises(BadRequest, match="message"):
        texts.prose("message", given, 50)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (" Ana.Muster+x@Company.Example ", "ana.muster+x@company.example"),
        ("jörg@müller.example", "jörg@müller.example"),
        ("用户@例子.广告", "用户@例子.广告"),
        ("a_b@x-1.xn--p1ai", "a_b@x-1.xn--p1ai"),
        ("o'brien@a.b.example", "o'brien@a.b.example"),
    ],
)
def test_an_address_is_kept_in_lower_case(given, kept):
    assert texts.email("email", given) == kept


@pytest.mark.parametrize(
    "given",
    [
        "",
        "ana",
        "@b.example",
        "a@",
        "a@b",
        "a@b.1",
        "a@-b.example",
        "a@b-.example",
        "a@b..example",
        "a..b@c.example",
        "a b@c.example",
        "a@b.example,c@d.example",
        "a@b.example;c@d.example",
        "<a@b.example>",
        '"a"@b.example',
        "a@b.example\nx",
        "a@@b.example",
        "a\u202eb@c.example",
        "a" * 65 + "@b.example",
        "a@" + "b" * 250 + ".example",
    ],
)
def test_what_is_no_single_address_is_refused(given):
    with pytest.raises(BadRequest) as caught:
        texts.email("email", given)
    assert caught.value.message == (
        "The body does not fit: email must be an e-mail address of up to 254 characters, such as ana@company.example."
    )
