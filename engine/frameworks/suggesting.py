"""Pairs of controls of two frameworks that their wording suggests: proposals for a person, never more.

Titles are compared word by word without regard to order, texts where both frameworks have them; the same frameworks
give the same pairs.
"""

from collections.abc import Sequence

from rapidfuzz import fuzz, process, utils

from engine.frameworks.content import COLUMNS, FrameworkContent, Row
from engine.render.tables.csv_cells import lines, safe_cell

LEAST = 60.0
MOST_PER_CONTROL = 3
SAME = 95.0
_TITLE = 0.7  # the share of the title where both sides have a text
_LONGEST = 2_000


def suggested_pairs(
    source: FrameworkContent, target: FrameworkContent, *, least: float = LEAST, most: int = MOST_PER_CONTROL
) -> list[Row]:
    """At most ``most`` pairs for each assessable control of ``source``, the likest first, from likeness ``least`` on.

    Likeness goes from 0 to 100.
    Strength is the likeness as a share of 1; the relation is equal from 95 on, else intersects. No pair has a reviewer.
    """
    theirs = [row for row in target.sorted_rows("framework_controls") if row["assessable"]]
    titles = [_comparable(row["title"]) for row in theirs]
    texts = [_comparable(row["text"]) for row in theirs]
    there = _pairs_there(source) | _pairs_there(target)
    found: list[Row] = []
    for row in source.sorted_rows("framework_controls"):
        if row["assessable"]:
            found += _pairs_of(row, theirs, titles, texts, least, most)
    return [pair for pair in found if frozenset(_ends(pair)) not in there]


def _ends(pair: Row) -> tuple[tuple[object, object], tuple[object, object]]:
    return (pair["source_framework"], pair["source_id"]), (pair["target_framework"], pair["target_id"])


def _pairs_there(content: FrameworkContent) -> set[frozenset[tuple[object, object]]]:
    """Pairs that are on record already, whichever way they lead."""
    return {frozenset(_ends(pair)) for pair in content.tables["framework_mappings"]}


def _pairs_of(
    row: Row, theirs: Sequence[Row], titles: Sequence[str], texts: Sequence[str], least: float, most: int
) -> list[Row]:
    title, text = _comparable(row["title"]), _comparable(row["text"])
    by_title = process.extract(title, titles, scorer=fuzz.token_sort_ratio, limit=50)
    scored = []
    for _, score, place in by_title:
        likeness = float(score)
        if text and texts[place]:
            likeness = _TITLE * likeness + (1 - _TITLE) * fuzz.token_set_ratio(text, texts[place])
        if likeness >= least and row is not theirs[place]:
            scored.append((round(likeness, 1), place))
    best = sorted(scored, key=lambda one: (-one[0], one[1]))[:most]
    return [_pair(row, theirs[place], likeness) for likeness, place in best]


def _pair(row: Row, other: Row, likeness: float) -> Row:
    pair: Row = dict.fromkeys(COLUMNS["framework_mappings"])
    return pair | {
        "source_framework": row["framework"],
        "source_id": row["id"],
        "target_framework": other["framework"],
        "target_id": other["id"],
        "relation": "equal" if likeness >= SAME else "intersects",
        "strength": round(likeness / 100, 2),
        "rationale": f"Wording alike by {likeness:.1f} of 100: {row['title']} / {other['title']}"[:500],
        "source": "suggested by wording",
    }


def _comparable(text: object) -> str:
    return utils.default_process(str(text or "")[:_LONGEST])


def pairs_csv(pairs: Sequence[Row]) -> bytes:
    """Pairs as the CSV that ``hq import --framework`` reads, without a reviewer."""
    columns = COLUMNS["framework_mappings"]
    rows = [tuple(None if pair[name] is None else safe_cell(str(pair[name])) for name in columns) for pair in pairs]
    return lines([columns, *rows])
