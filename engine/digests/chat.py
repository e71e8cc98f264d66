"""A digest as a chat message: blocks in the Slack form, and the plain text that stands in for them."""

from collections.abc import Mapping, Sequence
from typing import Any

from engine.delivery.chat import escaped
from engine.document import Edition, Table
from engine.render import cells, words

MOST_ITEMS = 8
MOST_HEADER = 150
MOST_WORDS = 590  # characters before escaping: a block takes 3,000 after it
COMPLETE = "complete_staffing_action"
Block = dict[str, Any]


def fallback(edition: Edition, link: str) -> str:
    """The message where blocks are not shown; whoever sends it escapes it."""
    return f"{edition.title} ({edition.organization.name}): {edition.document.headline} {link}"


def blocks(
    edition: Edition,
    tables: Sequence[Table],
    said: Sequence[str],
    link: str,
    keys: Sequence[str | None],
    buttons: Mapping[str, str],
) -> list[Block]:
    """Headline, the first items, personal lines of those who want to be named, a link.

    ``keys`` are the identifiers of the first table's rows; an item that has one in ``buttons`` gets it.
    """
    title = f"{edition.title} · {edition.organization.name}"
    found: list[Block] = [
        {"type": "header", "text": {"type": "plain_text", "text": title[:MOST_HEADER]}},
        _section(edition.document.headline),
    ]
    first = next((table for table in tables if table.frame.height), None)
    if first is not None:
        known = keys if first is tables[0] else [None] * first.frame.height
        for key, line in zip(known, _lines(first), strict=False):
            found.append(_section(line))
            if key is not None and key in buttons:
                found.append(_button(key, buttons[key]))
        if first.frame.height > MOST_ITEMS:
            found.append(_section(f"and {first.frame.height - MOST_ITEMS:,} more"))
    found += [_section(line) for line in said[:MOST_ITEMS]]
    note = f"<{link}|Open the whole report> · {edition.as_of.isoformat()}"
    found.append({"type": "context", "elements": [{"type": "mrkdwn", "text": note}]})
    return found


def _lines(table: Table) -> list[str]:
    shown = cells.shown(table).head(MOST_ITEMS)
    headings = [table.labels.get(name, words.heading(name)) for name in shown.columns]
    lines = []
    for first, *rest in shown.rows():
        facts = "; ".join(f"{name}: {cell}" for name, cell in zip(headings[1:], rest, strict=True) if cell)
        lines.append(f"{first}\n{facts}" if facts else first)
    return lines


def _section(text: str) -> Block:
    return {"type": "section", "text": {"type": "mrkdwn", "text": escaped(text[:MOST_WORDS]) or "–"}}


def _button(key: str, value: str) -> Block:
    return {
        "type": "actions",
        "block_id": f"staffing_{key}"[:255],
        "elements": [
            {
                "type": "button",
                "text": {"type": "plain_text", "text": "Mark as completed"},
                "style": "primary",
                "action_id": COMPLETE,
                "value": value,
            }
        ],
    }
