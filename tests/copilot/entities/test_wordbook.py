"""Words of a thing are those of its file, and a file has none for what the thing is not."""

import pytest

from engine.copilot.entities.assurance import HOLD, POLICY
from engine.copilot.entities.duty import MAINTENANCE
from engine.copilot.entities.entity import RowState, flag, phrases
from engine.copilot.entities.operations import ACTION
from engine.copilot.entities.programme import GAP
from engine.copilot.entities.services import SERVICE
from engine.copilot.entities.wordbook import shared_words, thing


def test_a_list_that_is_named_is_written_out() -> None:
    assert ACTION.people == {"owner": shared_words("owner")}
    assert "looks after" in ACTION.people["owner"]


def test_words_in_braces_are_written_out_one_after_the_other() -> None:
    words = SERVICE.state("watched by a sender").words
    assert {"watched", "any sender monitors", "alerts on by a sender"} <= set(words)
    assert MAINTENANCE.state("declared after the fact").words[2:4] == ("declared after the fact", "declared late")


def test_what_a_thing_is_stands_in_its_file() -> None:
    assert (ACTION.plural, ACTION.due, ACTION.done, ACTION.presumed) == ("follow-ups", "due_on", "closed_on", "open")
    assert (ACTION.links, ACTION.dated, POLICY.dated) == ({"incident": "incident_id"}, True, False)
    assert HOLD.figures == {frozenset({"active"}): "holds_active", frozenset({"released"}): "holds_released"}
    assert GAP.figures[frozenset()] == GAP.figures[frozenset({"open"})] == "gaps_open"


def test_a_state_keeps_the_words_that_it_was_declared_with() -> None:
    states = (*(one for one in ACTION.states if one.label != "done"), RowState("done", flag("x"), ("ticked off",)))
    spoken = thing("follow-up", ACTION.source, *states)
    assert spoken.state("done").words == (*phrases("finished, completed, closed"), "ticked off")


def test_words_for_a_state_that_is_not_there_are_refused() -> None:
    with pytest.raises(ValueError, match="^words for states that follow-ups do not have: done, unowned$"):
        thing("follow-up", ACTION.source, *(one for one in ACTION.states if one.label in {"open", "overdue"}))
