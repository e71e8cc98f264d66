"""Abbreviations: whoever meets one finds what it stands for."""

import re

from engine.model.documents.abbreviations import ABBREVIATIONS, LETTERS, abbreviations_in


def test_what_is_used_is_found_once_and_in_order_plurals_too():
    assert abbreviations_in(["SLOs of POA&M items", "The SLA, again: SLA"]) == {
        name: ABBREVIATIONS[name] for name in ("POA&M", "SLA", "SLO")
    }
    assert abbreviations_in(["No letters here, NIST alone.", ""]) == {}


def test_every_abbreviation_is_found_by_itself():
    assert [name for name in ABBREVIATIONS if LETTERS.findall(name) != [name]] == []


def test_what_it_stands_for_is_one_sentence():
    assert [name for name, text in ABBREVIATIONS.items() if not re.fullmatch(r"[A-Z][^.]*(?:\.\d[^.]*)*\.", text)] == []
