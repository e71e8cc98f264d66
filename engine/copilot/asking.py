"""What a question asks of its rows: a column, a person, a date, a measure, groups, or the first of an order."""

import re
from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from engine.copilot.cells import heading
from engine.copilot.lexicon import Sense
from engine.copilot.query import Intent, Order, Query, columns_of, dates_of
from engine.copilot.reading import Reading

MOST_RANKED = 10


_AVERAGE = r"\b(?:mean|average|avg|typical|typically)\b"


_MEDIAN = r"\bmedian\b"


_TOTAL = r"\b(?:total|sum|how many hours|how much)\b"


GROUP_WORDS: Mapping[str, str] = {
    "service": "service", "framework": "called", "owner": "owner", "person": "owner", "people": "owner",
    "vendor": "vendor",
    "severity": "severity", "status": "status", "state": "state", "tier": "tier", "category": "category",
    "region": "region",
    "priority": "priority", "kind": "kind", "type": "kind", "environment": "environment", "team": "owner",
    "supplier": "vendor",
    "engineer": "actor", "source": "source", "committee": "name", "playbook": "playbook", "standard": "called",
}  # fmt: skip


def order_of(reading: Reading, frame: pl.DataFrame) -> Order | None:
    """The superlative of the question, by a date or by size."""
    entity = reading.entity
    for piece in reading.pieces:
        sense = piece.sense("order")
        ahead = sense is not None and sense.column == "due" and bool(reading.asked.windows)
        if sense is None or ahead or sense.column == "count" or piece.sense("state", "choice") is not None:
            continue
        column, down = _ordered_by(reading, frame, sense)
        if column is not None and column in frame.columns:
            count = next((int(word) for word in reading.asked.words if word.isdigit() and 0 < int(word) <= 100), 1)
            plural = any(word in reading.asked.words for word in (entity.plural.split()[-1], f"{entity.words[0]}s"))
            most = count if count > 1 else 5 if plural and sense.column != "due" else 1
            return Order(column, down, most, " ".join(piece.phrase))
    return None


def _ordered_by(reading: Reading, frame: pl.DataFrame, sense: Sense) -> tuple[str | None, bool]:
    """The column of a superlative, and whether its largest comes first."""
    entity, down = reading.entity, sense.value == "down"
    first = next(iter(dates_of(reading)), next(iter(entity.dates), None))
    if sense.column == "measure":
        measure = next(iter(entity.measures), None)
        return (first, False) if measure is None or reading.asked.says(r"\bopen\b") else (measure, down)
    if sense.column == "size":
        sized = [name for name in columns_of(reading, "attribute", frame) if frame.schema[name].is_numeric()]
        return (sized[0] if sized else entity.size), down
    return (entity.due if sense.column == "due" else first), down


def asked_of(found: Query, reading: Reading, frame: pl.DataFrame, lookup: bool) -> Query:
    """The plan with what is asked of its rows: columns, a measure, or groups."""
    entity, asked = found.entity, reading.asked
    plain = [piece for piece in reading.pieces if piece.sense("state") is None]
    attributes = columns_of(replace(reading, pieces=tuple(plain)), "attribute", frame)
    measures = columns_of(reading, "measure", frame)
    by = _group(reading, frame, found.intent)
    how = "mean" if asked.says(_AVERAGE) else "median" if asked.says(_MEDIAN) else "sum" if asked.says(_TOTAL) else None
    if measures and (
        how or asked.says(r"\bhow long\b") or (found.intent == "list" and not asked.says(r"\bhow\b") and lookup)
    ):
        if not lookup or how is not None:
            return replace(found, intent="measure", measure=(measures[-1], how or "median"), group=by)
        return replace(found, intent="what", columns=(measures[-1],))
    if found.halves:
        return replace(found, intent="compare")
    if by is not None and frame.schema[by].is_numeric() and by != "criticality":
        return replace(found, order=Order(by, True, MOST_RANKED, f"order by {heading(by)}"), group=by)
    if by is not None:
        return replace(found, intent="group", group=by)
    if found.intent == "who":
        roles = columns_of(reading, "role", frame)
        listed = [column for column in attributes if column == "members"]
        return replace(found, columns=tuple(roles[-1:] or listed[-1:] or tuple(entity.people)[:1]))
    if found.intent == "when":
        return replace(found, columns=_when(reading, frame, found))
    if found.intent in ("list", "count") and attributes and (lookup or found.order or reading.titled):
        return replace(found, intent="what", columns=tuple(dict.fromkeys(attributes)))
    return found


def unmet(found: Query, reading: Reading) -> Query:
    """The plan with what was asked of the rows and no column answers among the words that could not be applied."""
    asked, lost = reading.asked, []
    how = re.search(r"\bhow (long|often|much|old|fast|quickly|quick|far|big|large|expensive|likely|well)\b", asked.text)
    if how is not None and found.intent not in ("measure", "what") and not (how[1] == "old" and found.intent == "when"):
        lost.append(how[0])
    if (
        asked.says(r"\bthan\b")
        and found.intent != "compare"
        and asked.bound is None
        and not any(one.age for one in asked.windows)
    ):
        lost.append("than")
    if found.intent == "why" and found.entity.reason is None:
        lost.append("why")
    people = any(each.dimension.startswith(("name:person", "own:name:person")) for each in found.constraints)
    if found.intent == "who" and not found.columns and found.entity.name not in ("person", "dependency") and not people:
        lost.append("who")
    if found.group is None:
        said = [sense for piece in reading.pieces if (sense := piece.sense("order", "group"))]
        if any(sense.column == "count" for sense in said):
            lost.append("most")
        if any(sense.kind == "group" for sense in said) and not people:
            lost.append("by")
    idle = _unused(found, reading) if found.intent in ("count", "list") and not found.lookup else ()
    return replace(found, unknown=(*found.unknown, *lost), unused=idle)


def _unused(found: Query, reading: Reading) -> tuple[str, ...]:
    """Words that name a column which neither chose rows nor was asked for, as "incidents that affect customers"."""
    if reading.asked.says(r"\b(?:and|with|incl\w*|by) (?:their|its|the)\b") or reading.asked.bound is not None:
        return ()
    ordered = found.order.column if found.order else None
    return tuple(
        " ".join(piece.phrase) for piece in reading.pieces
        if piece.sense("attribute", "measure") and not piece.sense("noun", "state", "choice", "name", "filler",
            "date", "role", "order")
        and not any(sense.column == ordered for sense in piece.senses)
    )  # fmt: skip


def _when(reading: Reading, frame: pl.DataFrame, found: Query) -> tuple[str, ...]:
    dates = columns_of(reading, "date", frame)
    if reading.asked.says(r"\bhow old\b|\bsince when\b") and not dates:
        return tuple(found.entity.dates)[:1]
    ahead = (
        reading.asked.says(r"\b(next|due|expire|expires|upcoming|will|deadline|target)\b")
        or found.entity.due is not None
    )
    usual = found.entity.due if ahead and found.entity.due else next(iter(found.entity.dates), None)
    if found.order is not None and not dates:
        return (found.order.column,
            ) if found.order.column in frame.columns and frame.schema[found.order.column] == pl.Date else (
            (usual,) if usual else ())  # fmt: skip
    return tuple(dates[-1:]) or ((usual,) if usual else ())


def _group(reading: Reading, frame: pl.DataFrame, intent: Intent) -> str | None:
    """The column to count by: after "by" or "per", or before "the most"."""
    most = any((sense := piece.sense("order")) and sense.column == "count" for piece in reading.pieces)
    by = next((n for n, piece in enumerate(reading.pieces) if piece.sense("group")), None)
    if by is None and not most:
        return None
    words = reading.asked.words
    if most and intent == "who":
        return next(iter(reading.entity.people), None)
    after = reading.pieces[by + 1 :] if by is not None else reading.pieces
    for piece in after:
        for sense in piece.senses:
            if sense.kind in ("attribute", "choice", "role") and sense.column in frame.columns:
                return sense.column
    for word, column in GROUP_WORDS.items():
        if (word in words or f"{word}s" in words) and column in frame.columns:
            return column
    return None
