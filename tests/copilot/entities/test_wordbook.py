"""Words of a thing are those of its file, and a file has none for what the thing is not."""

from dataclasses import replace

import pytest

from engine.copilot.entities.entity import RowState, flag, phrases
from engine.copilot.entities.operations import ACTION
from engine.copilot.entities.wordbook import shared_words, with_words


def test_a_list_that_is_named_is_written_out() -> None:
    assert ACTION.people == {"owner": shared_words("owner")}
    assert "looks after" in ACTION.people["owner"]


def test_a_state_keeps_the_words_that_it_was_declared_with() -> None:
    states = (*(one for one in ACTION.states if one.label != "done"), RowState("done", flag("x"), ("ticked off",)))
    spoken = with_words(replace(ACTION, states=states))
    assert spoken.state("done").words == (*phrases("finished, completed, closed"), "ticked off")


def test_words_for_a_state_that_is_not_there_are_refused() -> None:
    with pytest.raises(ValueError, match="^words for states that follow-ups do not have: done, unowned$"):
        with_words(replace(ACTION, states=tuple(one for one in ACTION.states if one.label in {"open", "overdue"})))
