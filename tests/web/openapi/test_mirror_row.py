"""Answers mirror rows of the store: a member that is a column has the type of the column."""

from datetime import date
from typing import TypedDict

import msgspec
import pytest
from msgspec import NODEFAULT, UNSET, UnsetType

from engine.web.answers.shape import Shape, mirror_row


class PlayRow(TypedDict):
    org_id: str
    id: str
    due_on: date | None
    hours: float


class Item(Shape):
    audit: int


def members(struct):
    return [(one.name, one.type, one.default) for one in msgspec.structs.fields(struct)]


def test_members_are_columns_in_the_order_that_is_asked_for():
    @mirror_row(PlayRow, "hours id due_on")
    class Play(Shape):
        """A play."""

    assert members(Play) == [("hours", float, NODEFAULT), ("id", str, NODEFAULT), ("due_on", date | None, NODEFAULT)]
    assert (Play.__name__, Play.__module__, Play.__doc__) == ("Play", __name__, "A play.")
    with pytest.raises(msgspec.ValidationError, match=r"^Object contains unknown field `org_id`$"):
        msgspec.convert({"hours": 1.5, "id": "p", "due_on": None, "org_id": "aurora"}, Play)


def test_what_the_class_declares_comes_in_place_of_a_column_and_the_rest_last():
    @mirror_row(PlayRow, "id due_on title hours")
    class Play(Item):
        due_on: str
        title: str
        note: str | UnsetType = UNSET

    assert members(Play) == [
        ("audit", int, NODEFAULT),
        ("id", str, NODEFAULT),
        ("due_on", str, NODEFAULT),
        ("title", str, NODEFAULT),
        ("hours", float, NODEFAULT),
        ("note", str | UnsetType, UNSET),
    ]


def test_without_columns_a_struct_is_what_it_declares():
    @mirror_row(PlayRow, "")
    class Play(Item):
        note: str

    assert members(Play) == [("audit", int, NODEFAULT), ("note", str, NODEFAULT)]


def test_a_member_that_is_neither_a_column_nor_declared_is_refused():
    with pytest.raises(TypeError, match=r"^Play lists hour; PlayRow has no such column\.$"):

        @mirror_row(PlayRow, "id hour")
        class Play(Shape):
            """A play."""
