"""A digest as a chat message: blocks in the Slack form, and the plain text that stands in for them."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from engine.delivery.chat import escape
from engine.digests.buttons import Button
from engine.model.days import spelled_day
from engine.model.documents.document import Edition, Table
from engine.model.vocabulary import Json
from engine.render import words
from engine.render.cell_texts import display_rows

MOST_ITEMS = 8
MOST_TO_DECIDE = 12  # further items with buttons: a message takes 50 blocks
MOST_HEADER = 150
MOST_WORDS = 590  # characters before escaping: a block takes 3,000 after it
Block = dict[str, Json]


def fallback(edition: Edition, link: str) -> str:
    """The message where blocks are not shown; whoever sends it escapes it."""
    return f"{edition.title} ({edition.organization.name}): {edition.readable(edition.document.headline)} {link}"


def blocks(
    edition: Edition,
    tables: Sequence[Table],
    said: Sequence[str],
    link: str,
    keys: Sequence[Sequence[str | None]],
    buttons: Mapping[str, Sequence[Button]],
) -> list[Block]:
    """Headline, the first items, what is to be decided, personal lines of those who want to be named, a link.

    ``keys`` are the identifiers of each table's rows; an item that has one in ``buttons`` gets them. Of the tables
    after the first that has rows, only such items are shown.
    """
    title = f"{edition.title} · {edition.organization.name}"
    found: list[Block] = [
        {"type": "header", "text": {"type": "plain_text", "text": title[:MOST_HEADER]}},
        *(_section(edition.readable(text)) for text in (edition.document.headline, edition.document.next_step) if text),
    ]
    filled = [(table, known) for table, known in zip(tables, keys, strict=True) if table.frame.height]
    for number, (table, known) in enumerate(filled):
        found += _items(table, known, buttons) if number == 0 else _to_decide(table, known, buttons)
    found += [_section(edition.readable(line)) for line in said[:MOST_ITEMS]]
    note = f"<{link}|Open the whole report> · {spelled_day(edition.as_of)}"
    found.append({"type": "context", "elements": [{"type": "mrkdwn", "text": note}]})
    return found


def _items(
    table: Table, keys: Sequence[str | None], buttons: Mapping[str, Sequence[Button]], most: int = MOST_ITEMS
) -> list[Block]:
    """The first rows, each with its buttons, and how many more there are."""
    found = []
    for key, line in zip(keys, _lines(table, most), strict=False):
        found.append(_section(line))
        if key is not None and key in buttons:
            found.append(_buttons(key, buttons[key]))
    if table.frame.height > most:
        found.append(_section(f"and {table.frame.height - most:,} more"))
    return found


def _to_decide(table: Table, keys: Sequence[str | None], buttons: Mapping[str, Sequence[Button]]) -> list[Block]:
    """The rows that have buttons, under the table's title."""
    places = [place for place, key in enumerate(keys) if key is not None and key in buttons]
    if not places:
        return []
    asked = replace(table, frame=table.frame[places])
    return [_section(table.title), *_items(asked, [keys[place] for place in places], buttons, MOST_TO_DECIDE)]


def _lines(table: Table, most: int) -> list[str]:
    names, rows = display_rows(replace(table, frame=table.frame.head(most)))
    headings = [words.heading(table, name) for name in names]
    lines = []
    for first, *rest in rows:
        facts = "; ".join(f"{name}: {cell}" for name, cell in zip(headings[1:], rest, strict=True) if cell)
        lines.append(f"{first}\n{facts}" if facts else first)
    return lines


def _section(text: str) -> Block:
    return {"type": "section", "text": {"type": "mrkdwn", "text": escape(text[:MOST_WORDS]) or "–"}}


def _buttons(key: str, buttons: Sequence[Button]) -> Block:
    return {"type": "actions", "block_id": f"staffing_{key}"[:255], "elements": [_button(one) for one in buttons]}


def _button(button: Button) -> Block:
    face = button.face
    shown: Block = {
        "type": "button",
        "text": {"type": "plain_text", "text": face.says},
        "action_id": face.name,
        "value": button.value,
    }
    return shown | {"style": "primary"} if face.primary else shown
