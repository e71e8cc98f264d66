"""Memory: the value of the very sources or none; frames that say the same are the same."""

import polars as pl
import pytest

from engine.facts.memory import DerivedMemory, FactCache, FactMemory, same_content

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
