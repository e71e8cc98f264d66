"""Whatever stands in the place of a part of a document is read or refused in a sentence, and never a failure."""

import copy
import json

import pytest

from engine.frameworks.completion import complete
from engine.frameworks.files import read_frameworks
from engine.model.errors import Usage
from tests.frameworks.test_oscal import BASE, EVERYTHING, profile, select

PROFILE = profile(
    {**EVERYTHING, "exclude-controls": [{"with-ids": ["ac-1"]}]},
    {"href": "#77", "include-controls": [{"matching": [{"pattern": "a*"}]}]},
    merge={"custom": {"groups": [{"id": "g", "title": "G", "insert-controls": [{"order": "ascending"}]}]}},
    modify={
        "set-parameters": [{"param-id": "ac-2_prm_1", "constraints": [{"description": "d"}]}],
        "alters": [{"control-id": "au-1", "removes": [{"by-id": "x"}], "adds": [{"parts": [{"name": "x"}]}]}],
    },
    **{"back-matter": {"resources": [{"uuid": "77", "rlinks": [{"href": "base.json"}]}]}},
)
ODD = (None, 5, "x", [], {}, [5], [[1]])


def places(value, way=()):
    yield way
    members = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, member in members:
        yield from places(member, (*way, key))


def put(value, way, odd):
    if not way:
        return odd
    changed = copy.copy(value)
    changed[way[0]] = put(value[way[0]], way[1:], odd)
    return changed


@pytest.mark.parametrize("odd", ODD, ids=str)
def test_an_odd_part_anywhere_is_read_or_refused(tmp_path, odd):
    tried = refused = 0
    for name, document in (("profile.json", PROFILE), ("base.json", BASE)):
        (tmp_path / "profile.json").write_text(json.dumps(PROFILE))
        (tmp_path / "base.json").write_text(json.dumps(BASE))
        for way in places(document):
            (tmp_path / name).write_text(json.dumps(put(document, way, odd)))
            tried += 1
            try:
                complete(read_frameworks(tmp_path / "profile.json", "mine"))
            except Usage:
                refused += 1
    assert 0 < refused < tried


def test_the_place_is_named(door):
    door.file("set/base.json", json.dumps(BASE))
    wrong = profile(select("ac-1"), modify={"alters": [{"control-id": "ac-1", "adds": [{"props": "x"}]}]})
    said = door.refusal("set/profile.json", json.dumps(wrong))
    assert said == "profile.json, profile.modify.alters[1].adds[1].props: expected a list of objects, got 'x'."
