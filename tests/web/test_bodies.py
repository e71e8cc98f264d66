"""Bodies have one reader, and a route says once what it reads."""

from types import SimpleNamespace
from typing import Annotated

import msgspec
import pytest

from engine.intake.payloads import json_value
from engine.model.errors import BadRequest
from engine.web.bodies import JsonBody, JsonMembers, JsonOrForm, RawBody


class Order(msgspec.Struct, forbid_unknown_fields=True):
    what: Annotated[str, msgspec.Meta(max_length=5)] = "tea"
    agreed: bool = False
    cups: int | None = None


def request(body, content_type="application/json"):
    return SimpleNamespace(body=body, headers={"content-type": content_type})


def test_a_struct_is_read_from_json():
    assert JsonBody(Order).arguments(request(b'{"what": "milk", "cups": 2}')) == (Order("milk", False, 2),)


def test_a_body_that_may_be_left_out_has_its_defaults():
    assert JsonBody(Order, required=False).arguments(request(b"")) == (Order(),)
    with pytest.raises(BadRequest, match="it is empty"):
        JsonBody(Order).arguments(request(b""))


def test_members_reach_the_handler_as_they_came():
    assert JsonMembers(Order).arguments(request(b'{"other": 1}')) == ({"other": 1},)


def test_a_form_says_the_same_as_json():
    form = request(b"what=milk&agreed=on&cups=2&csrf=ignored", "application/x-www-form-urlencoded")
    assert JsonOrForm(Order).arguments(form) == JsonBody(Order).arguments(
        request(b'{"what": "milk", "agreed": true, "cups": 2}')
    )


def test_a_field_may_come_once():
    with pytest.raises(BadRequest, match="what came twice"):
        JsonOrForm(Order).arguments(request(b"what=a&what=b", "application/x-www-form-urlencoded"))


@pytest.mark.parametrize("kind", [JsonBody(Order), JsonOrForm(Order)])
@pytest.mark.parametrize(
    ("body", "said", "field"),
    [
        (b'{"what": "coffee"}', "length <= 5", "what"),
        (b'{"size": 1}', "its members are what, agreed, cups", "body"),
        (b"[]", "it is a JSON array", None),
        (b"null", "it is a JSON null", None),
        (b"{", "it is not JSON", None),
        (b'{"what": "a\\u0000"}', "U\\+0000", None),
    ],
)
def test_what_does_not_fit_is_named(kind, body, said, field):
    with pytest.raises(BadRequest, match=said) as refused:
        kind.arguments(request(body))
    assert (refused.value.word, [one["field"] for one in refused.value.details]) == (
        "invalid_body",
        [field] if field else [],
    )


def test_raw_bytes_are_left_to_the_handler():
    assert RawBody(object).arguments(request(b"\xff")) == ()
    with pytest.raises(BadRequest, match="The body must be JSON"):
        json_value(b"\xff")
