"""A typed query: which rows of which kind of thing, and what is asked of them."""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Literal

import polars as pl

from engine.copilot.cells import heading
from engine.copilot.entities.entity import Entity, State
from engine.copilot.lexicon import Sense
from engine.copilot.reading import Asked, Reading, titled
from engine.copilot.windows import Window

Intent = Literal["count", "list", "who", "when", "why", "what", "check", "every", "group", "measure", "compare"]
_INTENTS: tuple[tuple[Intent, str], ...] = (
    ("why", r"\bwhy\b|\bhow come\b|\bwhat (?:is |was )?(?:the )?(?:root )?cause|\bwhat caused\b|\breason (?:for|of|behind)\b|"
            r"(?<!without )(?<!without a )(?<!no )\broot cause\b(?! analys)"),
    ("count", r"\bhow many\b|\bnumber of\b|\bcount\b|\bhow much (?:of|work)\b"),
    ("who", r"(?<!vendors )(?<!suppliers )(?<!people )(?<!users )(?<!somebody )(?<!person )(?<!owners )\bwho\b|\bwhom\b|^whose\b|\bwhich (?:person|people|owner|colleague|engineer)\b"),
    ("when", r"\bwhen\b|\bhow old\b|\bsince when\b|\bwhat (?:date|day)\b|\bwhich (?:date|day)\b|\bhow soon\b|\buntil when\b|\bdeadline (?:for|of)\b|"
             r"\b(?:target|due|expiry|review|end) date\b"),
)  # fmt: skip
_PAST = r"\b(?:did|had|were|was|ever|in total|altogether|overall|history|have we had|so far|happened|all time)\b"
MOST_RANKED = 10
_EVERY = r"^(?:so |and )?(?:is|are|was|were|has|have|did|does|do)\b.*\b(?:all|every|each)\b"
_CHECK = r"^(?:so |and )?(?:is|are|was|were|has|have|did|does|do)\b"
_HOW = r"\bhow (?:critical|important|severe|serious|risky|bad|often|likely|big|high|urgent)\b"
_AVERAGE = r"\b(?:mean|average|avg|typical|typically)\b"
_MEDIAN = r"\bmedian\b"
_TOTAL = r"\b(?:total|sum|how many hours|how much)\b"


@dataclass(frozen=True)
class Constraint:
    """Which rows count. ``label`` is how it reads: before the noun, or behind it where ``after``."""

    dimension: str
    label: str
    where: pl.Expr
    after: bool = False


@dataclass(frozen=True)
class Order:
    """By which column the rows are ordered, from which end, and how many are asked for."""

    column: str
    down: bool
    count: int
    words: str


@dataclass(frozen=True)
class Plan:
    """A question as a query. ``columns`` are what is asked of the rows; ``unknown`` could not be applied."""

    entity: Entity
    intent: Intent
    constraints: tuple[Constraint, ...] = ()
    columns: tuple[str, ...] = ()
    measure: tuple[str, str] | None = None
    group: str | None = None
    order: Order | None = None
    halves: tuple[Constraint, ...] = ()
    unknown: tuple[str, ...] = ()
    corrections: tuple[tuple[str, str], ...] = ()
    unused: tuple[str, ...] = ()
    named: bool = True
    lookup: bool = False
    checks: tuple[Constraint, ...] = ()
    presumed: bool = False
    window: tuple[str, Window] | None = None

    @property
    def where(self) -> pl.Expr:
        """All constraints together."""
        return pl.all_horizontal(pl.lit(True), *(each.where for each in self.constraints))


def plan(reading: Reading, frame: pl.DataFrame, today: date, asker: str, before: Plan | None = None) -> Plan:
    """The query of a reading; ``before`` is that of the question which it follows up on."""
    entity, asked = reading.entity, reading.asked
    dates = _dates(reading)
    spans, halves, lost = _windows(reading, dates)
    names, orphans = _names(reading, frame, asker)
    lookup = bool(reading.rows) or any(one.dimension.startswith("own") for one in names)
    stated = _states(reading, today)
    constraints = [
        *stated, *_choices(reading), *names, *spans, *_rows(reading),
        *(Constraint(f"title:{word}", f"with '{word}' in its name", titled(entity, frame, word), after=True)
          for word in reading.titled),
    ]  # fmt: skip
    constraints += _dated(reading, frame, today)
    order = _order(reading, frame)
    bound = _bound(reading, frame)
    unbound = (asked.bound.words,) if asked.bound is not None and bound is None else ()
    if bound is not None:
        constraints.append(bound)
    found = Plan(
        entity, _intent(reading), tuple(constraints), halves=halves, order=order,
        unknown=(*reading.unknown, *unbound, *lost, *orphans), corrections=reading.corrections, named=reading.noun > 0, lookup=lookup,
        window=_only_window(reading, dates, spans),
    )  # fmt: skip
    if before is not None:
        found = _followed(found, before)
    found = _unmet(_asked_of(found, reading, frame, lookup), reading)
    if found.intent == "list" and asked.says(_EVERY) and found.constraints and before is None:
        *subjects, claim = sorted(found.constraints, key=lambda each: each.after)
        return replace(found, intent="every", constraints=tuple(subjects), checks=(claim,))
    if found.lookup and found.intent in ("list", "what") and asked.says(_CHECK) and before is None:
        checks = tuple(each for each in found.constraints if each.dimension.startswith(("state", "choice")))
        if checks:
            kept = tuple(each for each in found.constraints if each not in checks)
            return replace(found, intent="check", constraints=kept, checks=checks)
    told = any(
        not entity.state(each.dimension.removeprefix("state:")).aside for each in stated if each.dimension != "state"
    )
    return _presumed(
        found, reading, today, told or any(each.dimension == "state" for each in stated) or before is not None
    )


def _intent(reading: Reading) -> Intent:
    asked = reading.asked
    return next((intent for intent, pattern in _INTENTS if asked.says(pattern)), "list")


def _dates(reading: Reading) -> list[str]:
    return [sense.column for piece in reading.pieces if (sense := piece.sense("date"))]


def _date_column(reading: Reading, window: Window, dates: Sequence[str]) -> str | None:
    """The date that a span of time is about: that of the verb, else the one ahead or the usual one."""
    entity = reading.entity
    if dates:
        return dates[-1]
    ahead = window.ahead or reading.asked.says(r"\b(due|expir\w*|upcoming|coming up|renew\w*|planned|scheduled)\b")
    if ahead and entity.due is not None:
        return entity.due
    return next(iter(entity.dates), entity.due)


def _windows(
    reading: Reading, dates: Sequence[str]
) -> tuple[list[Constraint], tuple[Constraint, ...], tuple[str, ...]]:
    """The spans as constraints; two that are compared are halves; the words of those that apply to nothing."""
    made: list[Constraint] = []
    lost: list[str] = []
    for window in reading.asked.windows:
        column = _date_column(reading, window, dates)
        if column is None:
            lost.append(window.words)
            continue
        bounds = [pl.col(column) >= window.first] if window.first else []
        bounds += [pl.col(column) <= window.last] if window.last else []
        verb = column.removesuffix("_on").removesuffix("_until").replace("_", " ")
        made.append(
            Constraint("window", f"{verb} {window.told}", pl.all_horizontal(bounds).fill_null(False), after=True)
        )
    if len(made) == 2 and reading.asked.says(r"\b(than|compared|compare|versus|vs|against)\b"):
        return [], tuple(made), tuple(lost)
    return made, (), tuple(lost)


def _only_window(reading: Reading, dates: Sequence[str], spans: Sequence[Constraint]) -> tuple[str, Window] | None:
    if len(spans) != 1 or len(reading.asked.windows) != 1:
        return None
    window = reading.asked.windows[0]
    column = _date_column(reading, window, dates)
    return None if column is None else (column, window)


def _states(reading: Reading, today: date) -> list[Constraint]:
    """The states that are said; with "or" between them any of them will do."""
    found: dict[str, State] = {}
    for piece in reading.pieces:
        sense = piece.sense("state")
        # the verb of a date ("resolved last week", "when was it resolved") is no state of its own
        verb = piece.sense("date") is not None and (
            reading.asked.says(r"\bwhen\b|\bwhat date\b") or bool(reading.asked.windows)
        )
        role = piece.sense("role") is not None and reading.asked.says(r"\bwho\b")
        shared = piece.sense("choice", "noun") is not None
        if (
            sense is not None
            and sense.state is not None
            and not role
            and not (verb and not shared and not _marks(sense.state))
        ):
            found[sense.state.label] = sense.state
    if len(found) > 1 and "or" in reading.asked.words:
        label = " or ".join(found)
        return [Constraint("state", label, pl.any_horizontal(state.where(today) for state in found.values()),
                           after=any(state.after for state in found.values()))]  # fmt: skip
    return [Constraint(f"state:{label}", label, state.where(today).fill_null(False), state.after)
            for label, state in found.items()]  # fmt: skip


def _dated(reading: Reading, frame: pl.DataFrame, today: date) -> list[Constraint]:
    """What a verb alone says: "submitted requests" are those with a day on which they were submitted."""
    entity = reading.entity
    if (
        reading.asked.windows
        or _intent(reading) not in ("list", "count")
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


def _marks(state: State) -> bool:
    """Whether a state says something that its date does not: a test that failed was performed, as one that passed."""
    return state.label in ("failed", "passed", "rejected", "rolled back", "missed", "overdue", "late")


def _choices(reading: Reading) -> list[Constraint]:
    """Words of columns; those of one column are alternatives."""
    found: dict[str, list[str]] = {}
    for piece in reading.pieces:
        sense = piece.sense("choice")
        if sense is not None and piece.sense("attribute") is not None and reading.asked.says(_HOW):
            continue
        if sense is not None and piece.sense("state") is None:
            found.setdefault(sense.column, []).append(sense.value)
    return [
        Constraint(f"choice:{column}", _choice_label(column, values), pl.col(column).cast(pl.String).is_in(values))
        for column, values in found.items()
    ]


def _choice_label(column: str, values: Sequence[str]) -> str:
    said = " or ".join(value.replace("_", " ") for value in dict.fromkeys(values))
    return f"criticality-{said}" if column == "criticality" else said


def _names(reading: Reading, frame: pl.DataFrame, asker: str) -> tuple[list[Constraint], list[str]]:
    """Names as constraints on the columns that hold them, and those that no column holds."""
    entity, asked = reading.entity, reading.asked
    keys: dict[str, tuple[list[str], list[str]]] = {}
    orphans: list[str] = []
    for number, piece in enumerate(reading.pieces):
        sense = piece.sense("name")
        mine = piece.sense("mine") is not None
        if sense is None and not mine:
            continue
        kind = "person" if mine or sense is None or sense.name is None else sense.name.kind
        column = (
            _person_column(reading, number) if kind == "person" and entity.key != "email" else entity.links.get(kind)
        )
        if mine:
            if column is not None and entity.people and is_mine(asked):
                _add(keys, f"{kind}/{column}", [asker], asker)
            continue
        assert sense is not None and sense.name is not None
        if piece.sense("noun", "state", "choice") is not None and column is None:
            continue
        if column is None or column not in frame.columns:
            orphans.append(sense.name.label)
            continue
        _add(keys, f"{kind}/{column}", sense.name.keys, sense.name.label)
    made = []
    for where, (values, labels) in keys.items():
        kind, _, column = where.partition("/")
        own = "own:" if column == entity.key else ""
        made.append(
            Constraint(
                f"{own}name:{where}", _name_label(kind, column, labels), pl.col(column).is_in(values), after=True
            )
        )
    return made, orphans


def _add(keys: dict[str, tuple[list[str], list[str]]], where: str, values: Iterable[str], label: str) -> None:
    held, labels = keys.setdefault(where, ([], []))
    held.extend(values)
    labels.append(label)


def is_mine(asked: Asked) -> bool:
    """Whether it asks for the asker's own: "my", "assigned to me", "do I owe", not "show me" or "can I see"."""
    return asked.says(
        r"\b(my|mine|myself)\b|\b(?:to|for|by|on|with) me\b|\bi (?:own|owe|am|have|need|must|should)\b|\b(?:do|am|did|have) i\b"
    )


def _name_label(kind: str, column: str, labels: Sequence[str]) -> str:
    said = " or ".join(dict.fromkeys(labels))
    if kind == "person":
        return f"with {column.replace('_', ' ')} {said}" if column != "email" else said
    return f"of {said}" if kind in ("framework", "vendor") else f"{kind} {said}"


def _person_column(reading: Reading, at: int) -> str | None:
    """The column of people that a name belongs to: that of the nearest word for a role, else the usual one."""
    roles = [(abs(number - at), sense.column) for number, piece in enumerate(reading.pieces)
             if (sense := piece.sense("role")) is not None]  # fmt: skip
    return min(roles)[1] if roles else next(iter(reading.entity.people), None)


def _rows(reading: Reading) -> list[Constraint]:
    if not reading.rows:
        return []
    key = reading.entity.key
    return [Constraint("own:rows", " and ".join(reading.rows[:5]), pl.col(key).is_in(reading.rows), after=True)]


def _bound(reading: Reading, frame: pl.DataFrame) -> Constraint | None:
    """A number that a column is held against: "with a CVSS above 9", "more than 8 hours"."""
    bound = reading.asked.bound
    named = [*_columns(reading, "attribute", frame), *_columns(reading, "measure", frame)]
    named += [
        name
        for name in ("effort_hours", "hours_to_resolve")
        if bound and "hour" in bound.words and name in frame.columns
    ]
    column = next((name for name in named if frame.schema[name].is_numeric()), None)
    if bound is None or column is None:
        return None
    cell, number = pl.col(column), bound.number
    where = {">": cell > number, ">=": cell >= number, "<": cell < number, "<=": cell <= number}[bound.sign]
    return Constraint(f"bound:{column}", f"with {heading(column)} {bound.words}", where.fill_null(False), after=True)


def _order(reading: Reading, frame: pl.DataFrame) -> Order | None:
    """The superlative of the question, by a date or by size."""
    entity = reading.entity
    for number, piece in enumerate(reading.pieces):
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
    first = next(iter(_dates(reading)), next(iter(entity.dates), None))
    if sense.column == "measure":
        measure = next(iter(entity.measures), None)
        return (first, False) if measure is None or reading.asked.says(r"\bopen\b") else (measure, down)
    if sense.column == "size":
        sized = [name for name in _columns(reading, "attribute", frame) if frame.schema[name].is_numeric()]
        return (sized[0] if sized else entity.size), down
    return (entity.due if sense.column == "due" else first), down


def _asked_of(found: Plan, reading: Reading, frame: pl.DataFrame, lookup: bool) -> Plan:
    """The plan with what is asked of its rows: columns, a measure, or groups."""
    entity, asked = found.entity, reading.asked
    attributes = _columns(reading, "attribute", frame)
    measures = _columns(reading, "measure", frame)
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
        roles = _columns(reading, "role", frame)
        listed = [column for column in attributes if column == "members"]
        return replace(found, columns=tuple(roles[-1:] or listed[-1:] or tuple(entity.people)[:1]))
    if found.intent == "when":
        return replace(found, columns=_when(reading, frame, found))
    if found.intent in ("list", "count") and attributes and (lookup or found.order or reading.titled):
        return replace(found, intent="what", columns=tuple(dict.fromkeys(attributes)))
    return found


def _unmet(found: Plan, reading: Reading) -> Plan:
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


def _unused(found: Plan, reading: Reading) -> tuple[str, ...]:
    """Words that name a column which neither chose rows nor was asked for, as "incidents that affect customers"."""
    if reading.asked.says(r"\b(?:and|with|incl\w*|by) (?:their|its|the)\b") or reading.asked.bound is not None:
        return ()
    ordered = found.order.column if found.order else None
    return tuple(
        " ".join(piece.phrase) for piece in reading.pieces
        if piece.sense("attribute", "measure") and not piece.sense("noun", "state", "choice", "name", "filler", "date", "role", "order")
        and not any(sense.column == ordered for sense in piece.senses)
    )  # fmt: skip


def _when(reading: Reading, frame: pl.DataFrame, found: Plan) -> tuple[str, ...]:
    dates = [name for name in _columns(reading, "date", frame)]
    if reading.asked.says(r"\bhow old\b|\bsince when\b") and not dates:
        return tuple(found.entity.dates)[:1]
    ahead = (
        reading.asked.says(r"\b(next|due|expire|expires|upcoming|will|deadline|target)\b")
        or found.entity.due is not None
    )
    usual = found.entity.due if ahead and found.entity.due else next(iter(found.entity.dates), None)
    if found.order is not None and not dates:
        return (found.order.column,) if found.order.column in frame.columns and frame.schema[found.order.column] == pl.Date else (
            (usual,) if usual else ())  # fmt: skip
    return tuple(dates[-1:]) or ((usual,) if usual else ())


def _columns(reading: Reading, kind: str, frame: pl.DataFrame) -> list[str]:
    found = [sense.column for piece in reading.pieces for sense in piece.senses if sense.kind == kind]
    return [column for column in found if column in frame.columns]


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


GROUP_WORDS: Mapping[str, str] = {
    "service": "service", "framework": "called", "owner": "owner", "person": "owner", "people": "owner", "vendor": "vendor",
    "severity": "severity", "status": "status", "state": "state", "tier": "tier", "category": "category", "region": "region",
    "priority": "priority", "kind": "kind", "type": "kind", "environment": "environment", "team": "owner", "supplier": "vendor",
    "engineer": "actor", "source": "source", "committee": "name", "playbook": "playbook", "standard": "called",
}  # fmt: skip


def _presumed(found: Plan, reading: Reading, today: date, stated: bool) -> Plan:
    """The plan with the state that is meant where none is said: open incidents, active policies."""
    entity = found.entity
    recent = found.order is not None and found.order.down and found.order.column in entity.dates
    ahead = found.window is not None and found.window[0] == entity.due
    if entity.presumed is None or stated or recent or found.halves or (found.window is not None and not ahead):
        return found
    if any(each.dimension.startswith("own:") for each in found.constraints) or reading.asked.says(_PAST):
        return found
    if found.intent in ("why", "measure") or (found.intent == "when" and not reading.titled and not ahead):
        return found
    state = entity.state(entity.presumed)
    meant = Constraint(f"state:{state.label}", state.label, state.where(today), state.after)
    return replace(found, constraints=(meant, *found.constraints), presumed=True)


def _followed(found: Plan, before: Plan) -> Plan:
    """The plan of a follow-up: what was asked before, with what is said now in its place or added."""
    said = {_dimension(each) for each in found.constraints}
    kept = tuple(each for each in before.constraints if _dimension(each) not in said)
    return replace(
        found,
        constraints=(*kept, *found.constraints),
        order=found.order or (before.order if found.intent in ("who", "when", "what", "why") else None),
        named=True,
        lookup=found.lookup or before.lookup,
        window=found.window or (before.window if not found.window else None),
    )


def _dimension(constraint: Constraint) -> str:
    """What a constraint is about: a later one about the same takes its place, but states add up."""
    return constraint.dimension if constraint.dimension.startswith("state") else constraint.dimension.split("/")[0]
