"""Identifiers of records in tables and sentences, as people call the records."""

import re
from collections.abc import Iterable, Mapping

from engine.model.days import spelled_days
from engine.model.documents.document import Table
from engine.render.cell_texts import is_word_column, plain_action
from engine.render.words import label

_SOURCE = re.compile(r"source:(?:action|store):([\w. -]+)")
_OTHER_SOURCE = re.compile(r"source:\w+:(.+)")  # a test or a record
CHECK = "check "  # a source of evidence: a check of a pull
_RUN = re.compile(r"(.+)-r\d+")  # of a check, at a revision
_DATED = re.compile(r"(.+)-(\d{4}-\d{2}-\d{2})")


def record_name(text: str, titles: Mapping[str, str]) -> str:
    """What the record is called that a text names; empty for a text that names none.

    A duty is named by its kind before what it is about, and some by their day behind it:
    ``test_window:TST-014-2026-11-28`` is Inspect a sample for encryption, 28 Nov 2026. A source of evidence in the
    graph is an action or a store (``source:action:training.completed``), a reference has its table (``vendors/VEN-7``).
    """
    if text in titles:
        return titles[text]
    if source := _SOURCE.fullmatch(text):
        return titles.get(source[1].replace("check ", "check-", 1)) or plain_action(source[1])
    if text.startswith(CHECK):
        return titles.get(text.replace(CHECK, "check-", 1), "")
    if (source := _OTHER_SOURCE.fullmatch(text)) or (source := _RUN.fullmatch(text)):
        return titles.get(source[1], "")
    kind, _, key = text.partition(":" if ":" in text else "/")
    dated = _DATED.fullmatch(key)
    title = titles.get(key) or (f"{titles[dated[1]]}, {spelled_days(dated[2])}" if dated and dated[1] in titles else "")
    if not title or not kind.isidentifier():
        return ""
    return title if "/" in text or title.startswith(label(kind)) else f"{label(kind)}: {title}"


def names_records(table: Table, name: str, titles: Mapping[str, str]) -> bool:
    """Whether a column has the identifier of a record in any of its cells."""
    if not titles or not is_word_column(table.schema[name]) or name in table.state or name in table.words:
        return False
    return any(record_name(text, titles) for text in _texts(table.frame.get_column(name).unique().to_list()))


def _texts(cells: Iterable[str | list[str | None] | None]) -> Iterable[str]:
    for cell in cells:
        yield from (one for one in (cell if isinstance(cell, list) else [cell]) if one is not None)
