"""Which rows a question is about: states, words of columns, names, spans of time and numbers as predicates."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date, datetime, time

import polars as pl

from engine.copilot.entities.entity import Entity, RowState, phrases
from engine.copilot.grammar.pieces import Piece, title_has
from engine.copilot.grammar.query import Constraint, Order, Query, intent_of, is_the_one, verb_of_window
from engine.copilot.grammar.reading import CopilotQuestion, Reading

_HOW = r"\bhow (?:critical|important|severe|serious|risky|bad|often|likely|big|high|urgent)\b"


def states_of(reading: Reading, pieces: Sequence[Piece], today: date) -> list[Constraint]:
    """The states that are said."""
    constraints: dict[str, Constraint] = {}
    for piece in pieces:
        sense = piece.sense("state")
        # the verb of a date ("resolved last week", "when was it resolved") is no state of its own
        date_of = piece.sense("date")
        verb = date_of is not None and (reading.asked.matches(r"\bwhen\b|\bwhat date\b") or bool(reading.asked.windows))
        spans = {verb_of_window(reading, window) for window in reading.asked.windows}
        verb = verb and not (spans - {None} and date_of is not None and date_of.column not in spans)
        # "approved by Daniel", "that Daniel approved" is who did, at any time
        by = reading.asked.words[piece.end : piece.end + 1] == ("by",) or _does(reading, piece)
        role = piece.sense("role") is not None and (by or reading.asked.matches(r"\bwho\b"))
        shared = piece.sense("choice", "noun") is not None and not (verb and is_event_verb(reading, piece))
        if (
            sense is not None
            and sense.state is not None
            and not (role and not _marks(sense.state))
            and not (verb and not shared and not _marks(sense.state))
        ):
            state = sense.state
            constraints[state.label] = Constraint(
                f"state:{state.label}", state.label, state.where(today).fill_null(False), state.after, piece.at
            )
    return list(constraints.values())


def _does(reading: Reading, verb: Piece) -> bool:
    """Whether the name of a person stands right before it."""
    before = (one.sense("name") for one in reading.pieces if one.end == verb.at)
    return any(sense is not None and sense.name is not None and sense.name.kind == "person" for sense in before)


def is_event_verb(reading: Reading, piece: Piece) -> bool:
    """Whether a word is the verb of what happened, as in "did we open", "were closed", "we resolved"."""
    escape = re.escape(" ".join(reading.asked.words[piece.at : piece.end]))
    return reading.asked.matches(
        rf"\b(?:did|do|does) (?:\w+ ){{1,2}}{escape}\b|\b(?:have|has|had|got|get|were|was|been|we|they|i|you|it|that) "
        rf"(?:all |been |ever |we |they |just |only |newly )?{escape}(?<=ed)\b|\bto {escape}\b"
    )


def verbs_of(reading: Reading, frame: pl.DataFrame, today: date) -> list[Constraint]:
    """What a verb alone says: "submitted requests" are those with a day on which they were submitted."""
    entity = reading.entity
    if (
        reading.asked.windows
        or intent_of(reading) not in ("list", "count")
        or any(p.sense("order") for p in reading.pieces)
    ):
        return []
    usual = {next(iter(entity.dates), None), entity.due}
    made = []
    for piece in reading.pieces:
        sense = piece.sense("date")
        verb = " ".join(piece.phrase)
        if sense is None or len(piece.senses) > 1 or sense.column in usual or not verb.endswith("ed"):
            continue
        if sense.column in frame.columns:
            made.append(Constraint(f"dated:{sense.column}", verb, (pl.col(sense.column) <= today).fill_null(False)))
    return made


_OUTCOMES = phrases("failed, passed, rejected, signed, rolled back, missed, overdue, held, cancelled")


def _marks(state: RowState) -> bool:
    """Whether a state says something that its date does not: a test that failed was performed, as one that passed."""
    return state.label in _OUTCOMES or (state.label.endswith((" late", "on time")) or state.label == "late")


def choices_of(reading: Reading, pieces: Sequence[Piece]) -> list[Constraint]:
    """Words of columns; those of one column are alternatives."""
    found: dict[str, dict[str, int]] = {}
    for piece in pieces:
        sense = piece.sense("choice")
        if sense is not None and piece.sense("attribute") is not None and reading.asked.matches(_HOW):
            continue
        asks = reading.rows and not reading.asked.matches(r"^(?:is|are|was|were|has|have|did|does|do|any|which)\b")
        timed = (
            asks or reading.asked.windows or (reading.asked.bound is not None and reading.asked.bound.hours is not None)
        )
        if sense is not None and piece.sense("date") is not None and timed:
            continue  # "acknowledged this year" is when, whatever the state is now
        if piece.sense("role") is not None and reading.asked.matches(
            rf"\bwho (?:has |have |had )?{re.escape(piece.words)}"
        ):
            continue  # "who acknowledged it"
        if piece.sense("date") is not None and reading.asked.matches(rf"\bto be {re.escape(piece.words)}\b"):
            continue  # "the slowest to be acknowledged"
        own = piece.sense("name")  # a service that is called as a source of incidents is: the service is meant
        if own is not None and own.name is not None and own.name.kind in reading.entity.links:
            continue
        if sense is not None and piece.sense("state") is None:
            found.setdefault(sense.column, {}).setdefault(sense.value, piece.at)
    return [_choice(column, values) for column, values in found.items()]


def _choice(column: str, values: Mapping[str, int]) -> Constraint:
    parts = [_choice(column, {value: at}) for value, at in values.items()] if len(values) > 1 else []
    return Constraint(
        f"choice:{column}",
        _choice_label(column, list(values)),
        pl.col(column).cast(pl.String).is_in(list(values)),
        at=min(values.values()),
        parts=tuple(parts),
    )


def _choice_label(column: str, values: Sequence[str]) -> str:
    text = " or ".join(value.replace("_", " ") for value in dict.fromkeys(values))
    return f"criticality-{text}" if column == "criticality" else text


def names_of(
    reading: Reading, pieces: Sequence[Piece], frame: pl.DataFrame, asker: str
) -> tuple[list[Constraint], list[str]]:
    """Names as constraints on the columns that hold them, and those that no column holds."""
    entity, asked = reading.entity, reading.asked
    made: dict[str, list[Constraint]] = {}
    orphans: list[str] = []
    for piece in pieces:
        sense = piece.sense("name")
        mine = piece.sense("mine") is not None
        name = None if sense is None else sense.name
        if name is None and not mine:
            continue
        kind = "person" if mine or name is None else name.kind
        if kind == "person" and (other_agent := _other_agent(reading, piece)) is not None:
            orphans.append(other_agent)
            continue
        column = (
            _person_column(reading, piece.at) if kind == "person" and entity.key != "email" else entity.links.get(kind)
        )
        before = asked.words[piece.at - 1] if piece.at else ""
        column = entity.turned.get(before, {}).get(kind, column)
        if (
            kind == "person"
            and "service_owner" in frame.columns
            and _SERVICES_OF.search(" ".join(asked.words[: piece.at]))
        ):
            column = "service_owner"
        if mine or name is None:
            if column is not None and entity.people and is_mine(asked):
                made.setdefault(f"{kind}/{column}", []).append(
                    _name_constraint(entity, kind, column, [asker], asker, piece.at)
                )
            continue
        if piece.sense("noun", "state", "choice", "role", "date", "attribute") is not None and column is None:
            continue
        if column is None or column not in frame.columns:
            orphans.append(name.label)
            continue
        made.setdefault(f"{kind}/{column}", []).append(
            _name_constraint(entity, kind, column, name.keys, name.label, piece.at, frame.schema[column])
        )
    return [_either(constraints) for constraints in made.values()], orphans


_SERVICES_OF = re.compile(r"\bservices?(?: (?:that|which|owned|run|held|of|by|belonging|to|are|is))*$")


def _other_agent(reading: Reading, person: Piece) -> str | None:
    """What somebody did where no column says who did that: "reviewed by Hannah" is no "owned by Hannah"."""
    words = reading.asked.words[: person.at]
    if words[-1:] != ("by",) or len(words) < 2 or not words[-2].endswith(("ed", "en")):
        return None
    role = any(piece.sense("role") and piece.at <= len(words) - 2 < piece.end for piece in reading.pieces)
    return None if role or reading.entity.key == "email" else f"{words[-2]} by"


def _name_constraint(
    entity: Entity, kind: str, column: str, keys: Sequence[str], label: str, at: int, dtype: pl.DataType | None = None
) -> Constraint:
    numbers = {key.partition(":")[2] for key in keys}  # of a family of controls there are many
    own = "own:" if column == entity.key and (kind != "control" or len(numbers) == 1) else ""
    where = pl.col(column).is_in(keys)
    if dtype == pl.List(pl.String):
        where = pl.any_horizontal(pl.col(column).list.contains(key) for key in keys)
    name_label = _name_label(kind, column, label)
    if (entity.name, kind) == ("deploy", "incident"):
        name_label = f"in the day before {label}"
    if column == "to_service":
        name_label = f"to {label}"
    if column == "begun_ids":
        name_label = f"when {label} began"
    return Constraint(f"{own}name:{kind}/{column}", name_label, where, after=True, at=at)


def _either(constraints: Sequence[Constraint]) -> Constraint:
    """Combine equality filters with OR."""
    if len({one.label for one in constraints}) == 1:
        return constraints[0]
    labels = list(dict.fromkeys(one.label for one in constraints))
    first = labels[0].rpartition(" ")[0]
    text = " or ".join([labels[0], *(label.removeprefix(f"{first} ") for label in labels[1:])])
    where = pl.any_horizontal(one.where for one in constraints)
    return replace(constraints[0], label=text, where=where, parts=tuple(constraints))


def is_mine(asked: CopilotQuestion) -> bool:
    """Whether it asks for the asker's own: "my", "assigned to me", "do I owe", not "show me" or "can I see"."""
    return asked.matches(
        r"\b(my|mine|myself)\b|\b(?:to|for|by|on|with) me\b|\bi (?:own|owe)\b|"
        r"(?<=\w )i (?:still |yet |also |just )?(?:am|have|need|must|should|have yet)\b|"
        r"\b(?:do|am|did|have) i\b|\bi (?:\w+ed|made|sent|ran|got|took)\b"
    )


def _name_label(kind: str, column: str, text: str) -> str:
    if kind == "person":
        verb = {"email": "", "owner": "owned by", "chair": "chaired by", "approver": "approved by"}.get(
            column, f"with {column.replace('_', ' ')}"
        )
        return f"{verb} {text}".strip()
    return f"on {text}" if kind == "service" else f"of {text}"


def _person_column(reading: Reading, at: int) -> str | None:
    """The column of people that a name belongs to: that of the nearest word for a role, else the usual one."""
    roles = [
        (abs(piece.at - at), sense.column) for piece in reading.pieces if (sense := piece.sense("role")) is not None
    ]
    return min(roles)[1] if roles else next(iter(reading.entity.people), None)


def rows_of(reading: Reading) -> list[Constraint]:
    if not reading.rows:
        return []
    key = reading.entity.key
    at = next(piece.at for piece in reading.pieces if piece.sense("row"))
    return [Constraint("own:rows", " and ".join(reading.rows[:5]), pl.col(key).is_in(reading.rows), after=True, at=at)]


def titles_of(reading: Reading, pieces: Sequence[Piece], frame: pl.DataFrame) -> list[Constraint]:
    """Telling words as constraints on names and titles."""
    found = {sense.value: piece.at for piece in pieces if (sense := piece.sense("title")) is not None}
    return [
        Constraint(f"title:{word}", f"with '{word}' in its text", title_has(reading.entity, frame, word), True, at)
        for word, at in found.items()
    ]


def clock_of(reading: Reading, frame: pl.DataFrame, today: date) -> Constraint | None:
    """The hours of the day, where the moment is on record; of what lasts, that it lasts then, today at least."""
    asked = reading.asked.clock
    if asked is not None and "from_local" in frame.columns:
        days = {day for window in reading.asked.windows for day in (window.first, window.last)} or {today}
        day = days.pop()
        if days or day is None or asked.last != asked.first + 1:
            return None
        moment = pl.lit(datetime.combine(day, time(asked.first % 24)))
        return Constraint("clock", asked.words, moment.is_between("from_local", "to_local", closed="left"), after=True)
    if asked is None or "hour" not in frame.columns:
        return None
    hour = pl.col("hour").str.head(2).cast(pl.Int64)
    after, before = hour >= asked.first, hour < asked.last
    where = after & before if asked.first < asked.last else after | before
    return Constraint("clock", asked.words, where.fill_null(False), after=True)


_EVERY = r"^(?:so |and )?(?:is|are|was|were|has|have|did|does|do)\b.*\b(?:all|every|each)\b"
_IS = r"^(?:so |and )?(?:is|are|was|were) (?!there\b|any\b|some\b)"
CHECK = r"^(?:so |and )?(?:any|is|are|was|were|has|have|did|does|do)\b"


def with_claims(query: Query, reading: Reading) -> Query:
    """The query with what a yes-or-no question claims of its rows: of all of them, or of the one that it is about."""
    family = any(each.dimension == "name:control/id" for each in query.constraints)
    family = family or (is_the_one(reading) and any(each.dimension == "choice:title" for each in query.constraints))
    every = reading.asked.matches(_EVERY) or (family and reading.asked.matches(_IS))  # "is CC6 effective"
    if query.intent == "list" and every and (query.named or family) and query.constraints and not query.halves:
        in_time = [each for each in query.constraints if each.dimension.startswith(("bound:hours", "bound:days"))]
        verb = max((piece.at for piece in reading.pieces if piece.sense("date")), default=-1)
        if verb > max(each.at for each in query.constraints):  # "has every system inside been reviewed this year?"
            in_time += [each for each in query.constraints if each.dimension == "window"]
        *subjects, claim = sorted(query.constraints, key=lambda each: (each in in_time, each.at))
        return replace(query, intent="every", constraints=tuple(subjects), checks=(claim,))
    one = query.lookup or reading.title_words or _is_one_of_order(query)
    if not one or query.intent not in ("list", "what") or not reading.asked.matches(CHECK):
        return query
    said = [each for each in query.constraints if each.dimension.startswith(("state", "choice", "not:"))]
    if query.order is None or not _is_one_of_order(query):
        claims, order = said, query.order
    else:  # "was the last deploy successful": what stands behind its noun, of the last of all
        claims, order = [each for each in said if each.at > query.topic], _of_the_usual_day(query.order, query, reading)
    if not claims:
        return query
    kept = tuple(each for each in query.constraints if each not in claims)
    return replace(query, intent="check", constraints=kept, checks=tuple(claims), order=order)


def _is_one_of_order(query: Query) -> bool:
    return query.order is not None and query.order.count == 1


def _of_the_usual_day(order: Order, query: Query, reading: Reading) -> Order:
    """By the day that things of the kind are told by, where it would be the day of the verb that is asked about."""
    behind = [piece.sense("date") for piece in reading.pieces if piece.at > query.topic]
    is_claimed = any(sense is not None and sense.column == order.column for sense in behind)
    return replace(order, column=next(iter(query.entity.dates))) if is_claimed else order
