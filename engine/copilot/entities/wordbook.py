"""Which words mean which column of a thing: read from data/copilot/things, one file each, so that a word is no code."""

import configparser
import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path

from engine.copilot.entities.entity import Entity, Words, meanings, phrases

_THINGS = Path(__file__).resolve().parents[3] / "data" / "copilot" / "things"
_SHARED = re.compile(r"<(\w+)>")


def with_words(entity: Entity) -> Entity:
    """The thing with the words of its file: nouns, states by their label, choices, and columns by what they hold.

    A state keeps the words that it was declared with beside those of the file. ``ValueError`` where the file has words
    for a state that the thing does not have.
    """
    file = _file(f"{entity.name.replace(' ', '-')}.ini")
    states = _columns(file, "states")
    if unknown := states.keys() - {state.label for state in entity.states}:
        raise ValueError(f"words for states that {entity.plural} do not have: {', '.join(sorted(unknown))}")
    names = _columns(file, "names")
    return replace(
        entity,
        words=names["nouns"],
        hints=names.get("hints", ()),
        loose=names.get("loose", ()),
        unsure=names.get("unsure", ()),
        fillers=names.get("fillers", ()),
        states=tuple(
            replace(state, words=(*states.get(state.label, ()), *state.words)) if state.label in states else state
            for state in entity.states
        ),
        choices={column: meanings(said) if said else {} for column, said in _section(file, "choices")},
        dates=_columns(file, "dates"),
        people=_columns(file, "people"),
        attributes=_columns(file, "attributes"),
        measures=_columns(file, "measures"),
    )


def shared_words(name: str) -> Words:
    """A list of words that several things have in common."""
    return phrases(_lists()[name])


def possession(*data: str) -> Words:
    """The ways to say that data are held: by their name alone, and behind each verb of holding."""
    return tuple(f"{verb} {one}".strip() for verb in ("", *shared_words("hold")) for one in data)


def shared_columns(section: str) -> Mapping[str, Words]:
    """What columns are called, whatever thing they are of."""
    return _columns(_file("shared.ini"), section)


def _columns(file: configparser.ConfigParser, section: str) -> Mapping[str, Words]:
    return {name: phrases(said) for name, said in _section(file, section)}


def _section(file: configparser.ConfigParser, name: str) -> list[tuple[str, str]]:
    """What stands in a section, the lists that are named in it written out."""
    if not file.has_section(name):
        return []
    return [
        (key, _SHARED.sub(lambda found: _lists()[found[1]], said.replace("\n", " "))) for key, said in file.items(name)
    ]


@cache
def _lists() -> Mapping[str, str]:
    return {key: said.replace("\n", " ") for key, said in _file("shared.ini").items("lists")}


def _file(name: str) -> configparser.ConfigParser:
    read = configparser.ConfigParser(delimiters=("=",), comment_prefixes=("#",), interpolation=None)
    read.optionxform = str  # type: ignore[assignment,method-assign]
    read.read_string((_THINGS / name).read_text(encoding="utf-8"), name)
    return read
