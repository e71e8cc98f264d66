"""Which rows a question is about: states, words of columns, names, spans of time and numbers as predicates."""

from collections.abc import Iterable, Sequence
from datetime import date

import polars as pl

from engine.copilot.cells import heading
from engine.copilot.entities.entity import RowState
from engine.copilot.query import Constraint, columns_of, intent_of
from engine.copilot.reading import CopilotQuestion, Reading
from engine.copilot.windows import TimeWindow

_HOW = r"\bhow (?:critical|important|severe|serious|risky|bad|often|likely|big|high|urgent)\b"


def date_column(reading: Reading, window: TimeWindow, dates: Sequence[str]) -> str | None:
    """The date that a span of time is about: that of the verb, else the one ahead or the usual one."""
    entity = reading.entity
    if dates:
        return dates[-1]
    ahead = window.ahead or reading.asked.says(r"\b(due|expir\w*|upcoming|coming up|renew\w*|planned|scheduled)\b")
    if ahead and entity.due is not None:
        return entity.due
    return next(iter(entity.dates), entity.due)


def spans_of(
    reading: Reading, dates: Sequence[str]
) -> tuple[list[Constraint], tuple[Constraint, ...], tuple[str, ...]]:
    """The spans as constraints; two that are compared are halves; the words of those that apply to nothing."""
    made: list[Constraint] = []
    lost: list[str] = []
    for window in reading.asked.windows:
        column = date_column(reading, window, dates)
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


def only_window(reading: Reading, dates: Sequence[str], spans: Sequence[Constraint]) -> tuple[str, TimeWindow] | None:
    if len(spans) != 1 or len(reading.asked.windows) != 1:
        return None
    window = reading.asked.windows[0]
    column = date_column(reading, window, dates)
    return None if column is None else (column, window)


def states_of(reading: Reading, today: date) -> list[Constraint]:
    """The states that are said; with "or" between them any of them will do."""
    found: dict[str, RowState] = {}
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


def _marks(state: RowState) -> bool:
    """Whether a state says something that its date does not: a test that failed was performed, as one that passed."""
    return state.label in ("failed", "passed", "rejected", "rolled back", "missed", "overdue", "late")


def choices_of(reading: Reading) -> list[Constraint]:
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


def names_of(reading: Reading, frame: pl.DataFrame, asker: str) -> tuple[list[Constraint], list[str]]:
    """Names as constraints on the columns that hold them, and those that no column holds."""
    entity, asked = reading.entity, reading.asked
    keys: dict[str, tuple[list[str], list[str]]] = {}
    orphans: list[str] = []
    for number, piece in enumerate(reading.pieces):
        sense = piece.sense("name")
        mine = piece.sense("mine") is not None
        name = None if sense is None else sense.name
        if name is None and not mine:
            continue
        kind = "person" if mine or name is None else name.kind
        column = (
            _person_column(reading, number) if kind == "person" and entity.key != "email" else entity.links.get(kind)
        )
        if mine or name is None:
            if column is not None and entity.people and is_mine(asked):
                _add(keys, f"{kind}/{column}", [asker], asker)
            continue
        if piece.sense("noun", "state", "choice") is not None and column is None:
            continue
        if column is None or column not in frame.columns:
            orphans.append(name.label)
            continue
        _add(keys, f"{kind}/{column}", name.keys, name.label)
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


def is_mine(asked: CopilotQuestion) -> bool:
    """Whether it asks for the asker's own: "my", "assigned to me", "do I owe", not "show me" or "can I see"."""
    return asked.says(
        r"\b(my|mine|myself)\b|\b(?:to|for|by|on|with) me\b|\bi (?:own|owe|am|have|need|must|should)\b|"
        r"\b(?:do|am|did|have) i\b"
    )


def _name_label(kind: str, column: str, labels: Sequence[str]) -> str:
    said = " or ".join(dict.fromkeys(labels))
    if kind == "person":
        return f"with {column.replace('_', ' ')} {said}" if column != "email" else said
    return f"of {said}" if kind in ("framework", "vendor") else f"of {kind} {said}"


def _person_column(reading: Reading, at: int) -> str | None:
    """The column of people that a name belongs to: that of the nearest word for a role, else the usual one."""
    roles = [(abs(number - at), sense.column) for number, piece in enumerate(reading.pieces)
             if (sense := piece.sense("role")) is not None]  # fmt: skip
    return min(roles)[1] if roles else next(iter(reading.entity.people), None)


def rows_of(reading: Reading) -> list[Constraint]:
    if not reading.rows:
        return []
    key = reading.entity.key
    return [Constraint("own:rows", " and ".join(reading.rows[:5]), pl.col(key).is_in(reading.rows), after=True)]


def bound_of(reading: Reading, frame: pl.DataFrame) -> Constraint | None:
    """A number that a column is held against: "with a CVSS above 9", "more than 8 hours"."""
    bound = reading.asked.bound
    named = [*columns_of(reading, "attribute", frame), *columns_of(reading, "measure", frame)]
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
