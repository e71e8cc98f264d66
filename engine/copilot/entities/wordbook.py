"""What a thing is and which words mean which column of it: read from data/copilot/things, one file each."""

import configparser
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import product
from pathlib import Path
from typing import Any

import polars as pl

from engine.copilot.entities.entity import Entity, Records, RowState, Words, meanings, phrases

_THINGS = Path(__file__).resolve().parents[3] / "data" / "copilot" / "things"
_SHARED, _BRACES = re.compile(r"<(\w+)>"), re.compile(r"\{.*?\}")


def thing(
    name: str,
    source: Callable[[Records], pl.DataFrame],
    *states: RowState,
    turned: Mapping[str, Mapping[str, str]] | None = None,
) -> Entity:
    """The kind of thing of that name, as its file declares it, with rows from ``source``.

    A state keeps the words that it was declared with beside those of the file. ``ValueError`` where the file has words
    for a state that the thing does not have.
    """
    file = _file(f"{name.replace(' ', '-')}.ini")
    declared: dict[str, Any] = dict(_section(file, "thing"))
    names, said = _columns(file, "names"), _columns(file, "states")
    if unknown := said.keys() - {state.label for state in states}:
        raise ValueError(f"words for states that {declared['plural']} do not have: {', '.join(sorted(unknown))}")
    declared |= {one: declared.get(one) != "no" for one in ("dated", "closed")}
    declared |= {one: names.get(one, ()) for one in ("hints", "loose", "unsure", "fillers")}
    declared |= {one: _columns(file, one) for one in ("dates", "people", "attributes", "measures")}
    declared |= {
        "names": _list(declared.get("names")),
        "links": dict(one.split(": ") for one in _list(declared.get("links"))),
        "words": names["nouns"],
        "states": tuple(replace(one, words=(*said.get(one.label, ()), *one.words)) for one in states),
        "choices": {column: meanings(words) if words else {} for column, words in _section(file, "choices")},
        "figures": {
            frozenset(() if labels == "any" else phrases(labels)): figure
            for figure, sets in _section(file, "figures")
            for labels in sets.split("; ")
        },
        "period_figures": {
            (day, frozenset(_list(label))): figure
            for figure, told in _section(file, "period figures")
            for day, _, label in [told.partition(": ")]
        },
    }
    return Entity(name=name, source=source, turned=turned or {}, **declared)


def _list(text: str | None) -> Words:
    return phrases(text) if text else ()


def shared_words(name: str) -> Words:
    """A list of words that several things have in common."""
    return tuple(_written_out(_lists()[name]))


def shared_columns(section: str) -> Mapping[str, Words]:
    """What columns are called, whatever thing they are of."""
    return _columns(_file("shared.ini"), section)


def _columns(file: configparser.ConfigParser, section: str) -> Mapping[str, Words]:
    return {name: tuple(_written_out(said)) for name, said in _section(file, section)}


def _written_out(text: str) -> Iterator[str]:
    """The phrases of a list, each with every one of the words in braces: "{no|without a} report"."""
    named = _BRACES.sub(lambda braces: braces[0].replace(", ", "|"), text)
    for phrase in phrases(named):
        for made in product(*(part.split("|") for part in re.split(r"[{}]", phrase))):
            yield " ".join("".join(made).split())


def _section(file: configparser.ConfigParser, name: str) -> list[tuple[str, str]]:
    """What stands in a section, the lists that are named in it written out."""
    if not file.has_section(name):
        return []
    return [
        (key, _SHARED.sub(lambda found: _lists()[found[1]], said.replace("\n", " "))) for key, said in file.items(name)
    ]


@cache
def _lists() -> Mapping[str, str]:
    said = {key: text.replace("\n", " ") for key, text in _file("shared.ini").items("lists")}
    return {key: _SHARED.sub(lambda found: said[found[1]], text) for key, text in said.items()}


def _file(name: str) -> configparser.ConfigParser:
    read = configparser.ConfigParser(delimiters=("=",), comment_prefixes=("#",), interpolation=None)
    read.optionxform = str  # type: ignore[assignment,method-assign]
    read.read_string((_THINGS / name).read_text(encoding="utf-8"), name)
    return read
