"""What binds the words of a report: each number is a figure's or a row's, each word of direction is borne by a figure."""

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Literal

import polars as pl

from engine.model.documents.document import Document

# figures whose sign says which way something goes: by the name of the figure, and which sign is growth
MOTION = re.compile(r"(_change|_delta|_net|_net_weekly|_net_in_weeks|_moved|change)$")
UP = re.compile(r"\b(grow(?:s|ing)?|grew|ris(?:es|ing)|rose|increas(?:es|ed|ing)|improv(?:es|ed|ing))\b")
DOWN = re.compile(r"\b(shrink(?:s|ing)?|shrank|fell|declin(?:es|ed|ing)|decreas(?:es|ed|ing)|worsen(?:s|ed|ing)?)\b")
# what is no number of ours: identifiers, standards, dates, weeks, names of templates, addresses
NO_NUMBERS = re.compile(
    r"https?://\S+|/api/\S+|\b\d{4}-W\d\d\b|\b\d{4}-\d\d-\d\d\b|\b\d{1,2} [A-Z][a-z]{2} \d{4}\b|\b\d{1,2} [A-Z][a-z]{2}\b"
    r"|\bQ[1-4]\b|\b\d{4}-Q[1-4]\b|[A-Za-z]+[-.:/]?\d[\w.()§:/-]*|\bSP 800-\d+\b|\bSOC 2\b|\bISO(?:/IEC)? \d+\S*|\b\d+\(\w+\)\S*"
    r"|\bCSF 2\.0\b|\bversion \w+|\b\d+\.\d+\.\d+\S*|\bCFR \S+|\bArticle \d+\S*|\b\d{3}\.\d{3}\S*"
)
NUMBER = re.compile(r"-?\d[\d,]*(?:\.\d+)?")
Sign = Literal["up", "down"]


def spoken(document: Document) -> Iterator[str]:
    """What says something by itself: headline, next step, warnings."""
    yield from (document.headline, document.next_step, *document.warnings)


def unborne_words(document: Document) -> list[str]:
    """Sentences with a word of direction that no figure of the summary carries; where it has none, no row."""
    signs = set(_signs(document))
    found = []
    for sentence in spoken(document):
        for sign, words in (("up", UP), ("down", DOWN)):
            if words.search(sentence) and sign not in signs:
                found.append(f"{sign}: {sentence}")
    return found


def _signs(document: Document) -> Iterator[Sign]:
    values = [value for name, value in document.summary.items() if MOTION.search(name) and value is not None]
    for table in () if values else document.tables:
        moving = [name for name in table.frame.columns if MOTION.search(name) or name in ("net", "delta", "movement")]
        values += [value for name in moving for value in table.frame[name].to_list()]
    for value in values:
        if isinstance(value, int | float) and not isinstance(value, bool) and value:
            yield "up" if value > 0 else "down"
        elif isinstance(value, str):
            yield from (sign for sign, words in (("up", UP), ("down", DOWN)) if words.search(value))


def loose_numbers(document: Document, settings: Mapping[str, float]) -> list[str]:
    """Numbers in what is said that are no figure, no cell, no count of rows and no setting; with their sentences."""
    known = set(_numbers(document)) | {_plain(value) for value in settings.values()}
    numbers = []
    for sentence in spoken(document):
        for number in NUMBER.findall(NO_NUMBERS.sub(" ", sentence)):
            if _plain(float(number.replace(",", ""))) not in known:
                numbers.append(f"{number}: {sentence}")
    return numbers


def _numbers(document: Document) -> Iterator[str]:
    for value in document.summary.values():
        yield from _forms(value)
    if document.coverage is not None:
        yield from (str(document.coverage.assessed), str(document.coverage.total))
    for table in document.tables:
        yield str(table.frame.height)
        for name, kind in table.frame.schema.items():
            column = table.frame[name]
            yield str(column.n_unique())
            if kind.is_numeric():
                yield from (form for value in column.drop_nulls().unique() for form in _forms(value))
                yield from _forms(column.sum())
            elif kind == pl.Boolean:
                yield str(column.sum())
            elif isinstance(kind, pl.List):
                yield from (str(length) for length in column.list.len().drop_nulls().unique())
            elif kind == pl.String:
                yield from (str(count) for count in column.value_counts()["count"])
                for text in column.drop_nulls().unique():
                    yield from (_plain(float(number.replace(",", ""))) for number in NUMBER.findall(text))


def _forms(value: object) -> Iterator[str]:
    """A number as sentences write it: whole, with one digit or two, to the quarter as hours are, without its sign."""
    if isinstance(value, bool) or value is None:
        return
    if isinstance(value, int | float):
        for digits in (0, 1, 2):
            yield _plain(round(abs(value), digits))
        yield _plain(round(abs(value) * 4) / 4)
    elif isinstance(value, date):
        yield str(value.year)
    elif isinstance(value, list):
        yield str(len(value))


def _plain(value: float) -> str:
    return f"{abs(value):g}" if abs(value) < 1_000_000 else str(abs(value))
