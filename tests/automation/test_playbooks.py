"""Playbooks are data that holds together."""

import shutil

import pytest

from engine.automation.playbooks import fill, load, playbook, playbooks
from engine.catalogue import DATA, catalogue
from engine.model.errors import InvalidData, NotFound


def test_there_are_at_least_ten_and_every_playbook_of_the_runbooks_is_among_them():
    named = set(catalogue().runbooks["playbook"].drop_nulls())
    assert len(playbooks()) >= 10
    assert named
    assert named - set(playbooks()) == set()


@pytest.mark.parametrize("book", playbooks().values(), ids=lambda book: book.id)
def test_every_playbook_has_steps_a_check_that_must_hold_a_way_back_and_controls(book):
    assert len(book.steps) >= 3
    assert any(check.level == "must" for check in book.checks) or book.id == "remind-training"
    assert all(step.undo for step in book.steps)
    assert book.rollback
    assert all(catalogue().has_control(*control.split(":", 1)) for control in book.controls)


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        ('id = "rotate-key"', 'id = "other"', "id must be rotate-key"),
        ('targets = "service_and_callers"', 'targets = "everything"', "targets must be one of"),
        ('"soc2:CC6.1"', '"soc2:CC99"', "controls names soc2:CC99"),
        ('check = "within_limit"', 'check = "good_mood"', "checks must be of"),
        ("minutes = 60", "hours = 60", "settled does not take hours"),
        ("minutes = 60", "", "settled needs minutes"),
        ("{key}", "{lock}", "names {lock}, which is no input"),
        ('risk = "medium"', 'risk = "wild"', "Invalid enum value 'wild'"),
        ("limit = 50", "limit = 50\nspeed = 3", "unknown field `speed`"),
        ('type = "text"', 'type = "integer"', "needs low and high"),
        ('default = "scheduled"', 'default = "mood"', "has a default that is no choice"),
        ('id = "rotate-key"', "id = ", "playbooks/rotate-key.toml"),
    ],
)
def test_a_playbook_that_does_not_hold_is_named(old, new, told, tmp_path):
    text = (DATA / "playbooks/rotate-key.toml").read_text()
    assert old in text
    (tmp_path / "rotate-key.toml").write_text(text.replace(old, new, 1))
    with pytest.raises(InvalidData) as refused:
        load(tmp_path)
    assert told in refused.value.message
    assert "rotate-key.toml" in refused.value.message


def test_what_ships_loads_again_and_an_empty_folder_has_none(tmp_path):
    shutil.copytree(DATA / "playbooks", tmp_path / "copy")
    assert load(tmp_path / "copy") == dict(playbooks())
    assert load(tmp_path) == {}


def test_an_unknown_playbook_is_not_found():
    with pytest.raises(NotFound, match="there are apply-patch, "):
        playbook("make-coffee")


def test_values_are_inserted_as_they_are():
    assert fill("Rotate {key} of {service}.", {"key": "{service}", "service": "Web"}) == "Rotate {service} of Web."
