"""Who takes over from whom: the shift of the same rota that begins where another ends."""

from collections.abc import Sequence

import polars as pl

from engine.copilot.answers.answers import AnswerPart, CitationList
from engine.copilot.answers.cells import cell
from engine.copilot.answers.library import Library
from engine.copilot.console.door import door, names_of_kind
from engine.copilot.entities.duty import SHIFT
from engine.copilot.grammar.names import OwnName
from engine.copilot.grammar.reading import CopilotQuestion

_AFTER = (
    r"\b(?:relieves?|follows?|succeeds?|replaces?|after|(?:takes?|taking|took) over (?:from|for)|hand(?:s|ing)? (?:the "
    r"pager |it )?over (?:from|to)|is relieved by)\b"
)
# whoever is named comes after the one who is asked for
_TURNED = r"\b(?:does|did|will|is) (?:\S+ ){1,3}(?:relieve|follow|succeed|replace|take over|hand)\b"


@door(
    rf"^(?:so |and )?(?:who|whom|from whom)\b.*(?:{_AFTER}|\bbefore\b|\brelieve\b|\btake over\b)",
    "relieve follow succeed replace take taking took over hand handing pager come next shift rota call duty before "
    "after whom by primary on",
    "person",
    windows=1,
)
def handover(
    asked: CopilotQuestion, names: Sequence[OwnName], library: Library, citations: CitationList
) -> AnswerPart | None:
    """Who is on call before or after somebody's shift: the one that lasts now, else the next, else the last."""
    people = names_of_kind(names, "person")
    rows = library.rows(SHIFT)
    if rows.is_empty():
        return AnswerPart(("I have no data on who takes over from whom: no shift is on record.",), "none")
    if len(people) > 1 or not (people or asked.matches(r"\bwhom\b")):
        return None
    now = pl.lit(library.now.replace(tzinfo=None))
    if not people:
        coming = rows.filter(pl.col("ends_at") > now).sort("starts_at", "id")
        lines = []
        for row in coming.iter_rows(named=True):
            told, _ = _beside(row, rows, before=True)
            lines.append(f"- {row['starts_at']:%Y-%m-%d %H:%M} UTC: {row['person']} takes over from {told}.")
        return AnswerPart(("Who takes over from whom, from the shift that lasts now on:", *lines), "high")
    own = rows.filter(pl.col("person").is_in(people[0].keys)).sort("starts_at", "id")
    if own.is_empty():
        return AnswerPart((f"I have no data on a shift of {people[0].label}: none is on record.",), "none")
    window = asked.windows[0] if asked.windows else None
    if window is not None and window.first is not None and window.last is not None:
        own = own.filter(pl.col("starts_on") <= window.last, pl.col("ends_on") >= window.first).tail(1)
        if own.is_empty():
            return None
    lasting, ahead = own.filter("now"), own.filter(pl.col("starts_at") > now)
    one = next((rows for rows in (lasting, ahead) if rows.height), own.tail(1)).row(0, named=True)
    before = asked.matches(r"\bbefore\b") or asked.matches(_TURNED) != asked.matches(r"\bhand\w* (?:\w+ )*over to\b")
    told, other = _beside(one, rows, before=before)
    mark = citations.cite("on-call shifts", None, str((other or one)["id"]))
    line = (
        f"{told}: on call {'before' if before else 'after'} {one['person']}, whose shift {one['id']} is from "
        f"{cell(one['starts_at'])} to {cell(one['ends_at'])}. {mark}"
    )
    sure = lasting.height == 1
    return AnswerPart((line,), "high" if sure else "medium", "" if sure else f"taken of the shift {one['id']}")


def _beside(row: dict[str, object], rows: pl.DataFrame, *, before: bool) -> tuple[str, dict[str, object] | None]:
    """Whoever has the shift of the same rota and service that ends where this one begins, or begins where it ends."""
    here, there = ("starts_at", "ends_at") if before else ("ends_at", "starts_at")
    same = [pl.col(one).eq_missing(pl.lit(row[one])) for one in ("rota", "service_id")]
    found = rows.filter(*same, pl.col(there) == row[here]).head(1)
    other = found.row(0, named=True) if found.height else None
    return (cell(other["person"]), other) if other else ("Nobody on record", None)
