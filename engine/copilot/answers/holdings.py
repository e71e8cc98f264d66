"""What is in somebody's name: the things of every kind that one person holds, as when somebody leaves."""

from collections.abc import Iterator, Sequence

import polars as pl

from engine.copilot.answers.answers import AnswerPart, CitationList
from engine.copilot.answers.cells import count_of
from engine.copilot.answers.library import Library
from engine.copilot.answers.sentences import line, mark
from engine.copilot.entities import ENTITIES
from engine.copilot.entities.entity import Entity
from engine.copilot.grammar.names import OwnName
from engine.copilot.grammar.query import Query
from engine.copilot.grammar.reading import CopilotQuestion

_ROWS = 2  # of a kind: the rest is asked for by its name
_WHO = r"(?!we\b|i\b|they\b|it\b)[\w.@]+(?: [\w.]+)?"
_STILL = r"(?:still |all |now |currently )*"
_IN_NAME = (
    rf"^(?:so |and |ok )?(?:what(?: else| all)?|everything) (?:is |are |stands? |that is )?{_STILL}"
    rf"(?:(?:in|under|on) {_WHO} +(?:name|plate|desk|list)s?|(?:assigned to|owned by|held by|with) {_WHO})\W*$|"
    rf"^(?:so |and |ok )?what (?:all )?(?:does|did) {_WHO} {_STILL}(?:own|hold|have in (?:his|her|their) name)"
    r"(?: still| at the moment| now| then)?\W*$"
)
# what happens once or is no work of an owner
_APART = ("duty", "week of a person", "change of a control", "linked evidence item", "audit event", "deploy", "test")


def holdings(
    asked: CopilotQuestion, names: Sequence[OwnName], library: Library, citations: CitationList
) -> AnswerPart | None:
    """What one person holds; None where the question names a kind of thing, or nobody."""
    people = {name.keys[0] for name in names if name.kind == "person"}
    if len(people) != 1 or not asked.matches(_IN_NAME):
        return None
    (person,) = people
    lines = [
        one for entity in ENTITIES if entity.name not in _APART for one in _of_kind(entity, person, library, citations)
    ]
    if not lines:
        return AnswerPart((f"Nothing that stands open is in the name of {person}.",), "medium", "by owner")
    return AnswerPart((f"In the name of {person}, as owner:", *lines), "medium", "as owner, of what stands open")


def _of_kind(entity: Entity, person: str, library: Library, citations: CitationList) -> Iterator[str]:
    """How many of a kind somebody owns, of those that stand, with the first of them."""
    if "owner" not in entity.people:
        return
    rows = library.rows(entity)
    if rows.schema.get("owner") != pl.String:
        return
    if entity.presumed is not None:
        rows = rows.filter(entity.state(entity.presumed).where(library.today))
    rows = rows.filter(pl.col("owner") == person)
    if rows.height:
        plan = Query(entity, "list")
        yield f"{count_of(rows.height, entity.name, entity.plural)}:"
        for row in rows.head(_ROWS).iter_rows(named=True):
            yield f"- {line(plan, row)} {mark(plan, row, library, citations)}"
