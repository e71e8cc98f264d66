"""Memory: the value of the very sources or none; frames that say the same are the same; a file has what it had."""

from datetime import date

import polars as pl
import pytest

from engine.facts.continuations import ScannedTo
from engine.facts.fact_file import facts_bytes, facts_from
from engine.facts.memory import DerivedMemory, FactCache, FactMemory, Stamp, same_content
from engine.model.documents.document import Position

ONE = pl.DataFrame({"a": [1, 2]})


def test_a_value_is_remembered_for_its_sources_alone():
    memory = FactCache[str](2)
    memory.put("fact", (ONE, 5), "said")
    assert memory.get("fact", (ONE, 5)) == "said"
    assert memory.get("fact", (ONE, 6)) is None
    assert memory.get("fact", (ONE.clone(), 5)) is None
    assert memory.get("fact", (ONE,)) is None
    assert memory.get("other", (ONE, 5)) is None


def test_the_keys_that_were_used_least_go():
    memory = FactCache[int](2)
    for number, key in enumerate("ab"):
        memory.put(key, (), number)
    assert memory.get("a", ()) == 0
    memory.put("c", (), 2)
    assert [memory.get(key, ()) for key in "abc"] == [0, None, 2]


def test_a_memory_of_nothing_remembers_nothing():
    memory = FactCache[int](0)
    memory.put("a", (), 1)
    assert memory.get("a", ()) is None


def test_a_frame_that_comes_out_equal_is_the_one_before():
    memory, again, other = FactMemory(), ONE.clone(), pl.DataFrame({"a": [1, 3]})
    assert memory.settle("fact", (1,), ONE) is ONE
    assert memory.settle("fact", (2,), again) is ONE
    assert memory.get("fact", (2,)) is ONE
    assert memory.settle("fact", (3,), other) is other


def test_what_is_made_of_other_sources_is_made_anew_and_stays_where_it_says_the_same():
    memory, again = DerivedMemory(9), ONE.clone()
    assert memory.recall("rows", (1,), lambda: ONE) is ONE
    assert memory.recall("rows", (1,), lambda: again) is ONE
    assert memory.recall("rows", (2,), lambda: again) is ONE
    assert memory.recall("rows", (3,), lambda: "no frame") == "no frame"
    assert memory.recall("rows", (4,), lambda: again) is again


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ({"a": [1.0, None]}, {"a": [1.0, None]}, True),
        ({"a": [0.0]}, {"a": [-0.0]}, False),
        ({"a": [float("nan")]}, {"a": [float("nan")]}, True),
        ({"a": [1]}, {"a": [1.0]}, False),
        ({"a": [1, 2]}, {"a": [2, 1]}, False),
        ({"a": [1], "b": [2]}, {"b": [2], "a": [1]}, False),
        ({"a": [[1], None]}, {"a": [[1], None]}, True),
        ({"a": []}, {"a": []}, True),
    ],
    ids=["nulls", "signed zero", "nan", "types", "order", "columns", "lists", "empty"],
)
def test_what_two_frames_say_is_compared_to_the_last_bit(one, other, same):
    assert same_content(pl.DataFrame(one), pl.DataFrame(other)) is same


def test_what_a_file_has_is_found_by_the_sources_that_it_was_made_of():
    memory, state = FactMemory(), pl.Enum(["open", "closed"])
    rows = pl.DataFrame({"day": [date(2026, 11, 29), None], "state": ["open", None], "kinds": [["a", "b"], []]})
    rows = rows.cast({"state": state})
    scan = memory.settle("scan", (Position(7, "seven"), (None, "all")), rows)
    memory.settle("fact", (scan, 30), ONE)
    memory.settle("of what is gone", (ONE.clone(),), ONE.head(1))
    memory.scanned.put("scan", (scan,), ScannedTo(Position(7, "seven"), scan))
    found = facts_from(facts_bytes({0: memory, 30: FactMemory()}))
    assert (sorted(found), len(found[0]), len(found[30]), found[0].news) == ([0, 30], 2, 0, 0)
    known = found[0].get("scan", (Position(7, "seven"), (None, "all")))
    assert same_content(known, rows)
    assert same_content(found[0].get("fact", (known, 30)), ONE)
    assert found[0].get("scan", (Position(8, "eight"), (None, "all"))) is None
    assert found[0].get("fact", (scan, 30)) is None
    assert found[0].get("fact", (known, 31)) is None
    assert found[0].scanned.get("scan", (known,)) == ScannedTo(Position(7, "seven"), known)


def test_a_file_of_a_file_has_the_same():
    memory = FactMemory()
    memory.settle("fact", (5, "five"), ONE)
    once = facts_bytes({0: memory})
    assert facts_bytes(facts_from(once)) == once
    assert facts_from(once)[0].items()[0][1] == (Stamp.of(5), Stamp.of("five"))


@pytest.mark.parametrize("data", [b"", b"other", b"\x92\x90\x91\x93\x00\x91\x93\xa1a\x90\x05\x90"])
def test_bytes_of_anything_else_are_said_not_to_be_facts(data):
    with pytest.raises(ValueError, match="not the bytes of facts"):
        facts_from(data)
