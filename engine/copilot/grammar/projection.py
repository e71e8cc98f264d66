"""What a question asks of its rows: a column, a person, a date, a measure, groups, or the first of an order."""

import re
from collections.abc import Mapping
from dataclasses import replace

import polars as pl

from engine.copilot.answers.cells import heading
from engine.copilot.grammar.holders import (
    counted_column,
    days_between,
    distinct_query,
    group_by_holder,
    group_of,
    limits,
    most_work,
    numbers_of_time,
    row_columns,
    times_counted,
    without_windows,
)
from engine.copilot.grammar.lexicon import Sense
from engine.copilot.grammar.negation import each_of, sides_of
from engine.copilot.grammar.query import Constraint, Order, Query, columns_of, dates_of, verb_timed
from engine.copilot.grammar.reading import Reading

MOST_RANKED = 10
_HOWS = (
    ("mean", r"\b(?:mean|average|averages|avg|typical|typically|on average)\b"),
    ("median", r"\bmedian\b"),
    ("sum", r"\b(?:total|sum|how many hours|how much|altogether)\b"),
)
# measures that are said by the way: "incidents that last", "the effort for them"
_LOOSE = ("long", "last", "take", "duration", "effort", "hour", "relief", "hours of work")
_SHARE = (
    r"\b(?:percent|percentage|pct|share|proportion|fraction)\b|%|\brate of\b|"
    r"\b(?:success|failure|fail|pass|completion|closure|roll ?back|rejection) rate\b"
)
# a number that is a sum where people are counted: "how many users were hit"
_HIT = r"\bhow many (?:users|customers|people)\b"
# what is counted by a span of time, and how it is spelt
PERIODS: Mapping[str, str] = {"day": "%Y-%m-%d", "week": "%G-W%V", "month": "%Y-%m", "quarter": "%Y-Q", "year": "%Y"}
_BY_PERIOD = (
    rf"\b(?:by|per|each|every|for each) (?P<by>{'|'.join(PERIODS)})\b|"
    rf"\b(?:which|what) (?P<which>{'|'.join(PERIODS)})\b.* most\b"
)
_PACE = r"^(?:so |and )?who\b.*\b(?:fastest|quickest|slowest|longest)\W*$"
_EVERY = re.compile(r"(?:every|each|once) ")
_COMPARED = (
    r"\b(?:more|fewer|less)\b.*\bor\b|\bor\b.*\b(?:more|fewer|less)\b|"
    r"\b(?:compare|compared|comparing|comparison|versus|vs|than|difference|against)\b"
)
_OPEN_FOR = r"\bhow (?:long|many days)\b.*\b(?:been|is|was) (?:\w+ )?(?:open|outstanding|unresolved|pending|around)\b"
_OF_ONE = r"^(?:so |and )?(?:what|how|where|is|are|was|were|does|did)\b|\bof\b"
_OF_EACH = r"\bhow (?:long|many \w+)\b.*\beach(?: one| of them)? (?:took|takes?|lasted|is|was|has|had)\b"
_WHEN_AND_WHO = r"\bwhen\b.*\band (?:by )?whom?\b|\bwhom?\b.*\band (?:since )?when\b"
_BOTH = r"\bwho\b.*\b(?:and|or)\b"
# words that are used up by what is asked of the rows
_SPENT = {
    "measure": ("average", "averages", "avg", "mean", "typical", "typically", "median", "sum"),
    "share": ("percent", "percentage", "pct", "share", "proportion", "fraction", "ratio", "rate"),
    "compare": ("difference", "comparison", "comparing"),
}


def project(query: Query, reading: Reading, frame: pl.DataFrame, lookup: bool) -> Query:
    """The plan with what is asked of its rows: columns, a measure, or groups."""
    asked = reading.asked
    ordered = "" if query.order is None else query.order.column
    plain = [piece for piece in reading.pieces if piece.sense("state") is None or lookup]
    plain = [piece for piece in plain if Sense("date", ordered) not in piece.senses]  # "review next" asks for no review
    attributes = columns_of(replace(reading, pieces=tuple(plain)), "attribute", frame)
    if lookup and query.intent == "count":  # "how many users were hit by INC-…" asks for a value of that row
        numbers = [*columns_of(reading, "measure", frame), *attributes]
        attributes = [name for name in numbers if frame.schema[name].is_numeric()][:1] or attributes
    verbs = columns_of(reading, "role", frame)
    named = lookup and verbs and not attributes and query.intent == "list"
    if named and asked.matches(r"^(?:so |and )?(?:what|which)\b"):
        attributes = verbs  # "what watches billing"
    most = most_work(query, reading, frame, group_of(reading, frame, query.intent))
    if most is not None:
        return most
    pace = query.order if query.intent == "who" and asked.matches(_PACE) else None
    if pace is not None and pace.column in query.entity.measures:  # whose work is the fastest, over all of it
        by = next(iter(columns_of(reading, "role", frame) or query.entity.people), None)
        return replace(query, intent="measure", measure=(pace.column, "median"), group=by, columns=(), order=pace)
    held = group_by_holder(query, reading, frame)
    if held is not None:
        return held
    if "age_days" in frame.columns and lookup and asked.matches(_OPEN_FOR):
        return replace(query, intent="what", columns=("age_days",))
    if "age_days" in frame.columns and asked.matches(_OPEN_FOR) and asked.matches(r"\b(?:they|these|those|each)\b"):
        return replace(query, intent="list", columns=("age_days",))
    spans = numbers_of_time(query, reading, frame)
    if spans is not None:
        return spans
    distinct = distinct_query(query, reading, frame)
    if distinct is not None:
        return distinct
    measured = _measure_query(query, reading, frame, attributes)
    if measured is not None:
        return measured
    if query.halves:
        return _spent(replace(query, intent="compare"))
    counted = counted_column(query, reading, frame)
    if counted is not None:
        return replace(query, intent="measure", measure=(counted, "sum"), columns=())
    times = times_counted(query, reading, frame)
    if times is not None:
        return times
    if (
        asked.matches(_SHARE)
        and asked.bound is None
        and not (lookup and attributes)
        and not any(name.endswith("_pct") for name in attributes)
    ):
        return _share_query(query, reading)
    compared = re.search(_COMPARED, without_windows(reading)) is not None
    for versus in (True, False) if compared else (False,):
        if (sides := sides_of(query, reading, frame, compared=versus)) is not None:
            return _spent(sides)
    over = _period(reading, frame)
    if over is not None:
        left = tuple(word for word in query.unknown if word != over.partition(":")[0])
        return replace(query, intent="group", group=over, unknown=left)
    sized = query.order is not None and query.order.words in ("most", "fewest", "least")
    by = None if sized else group_of(reading, frame, query.intent)
    ranked = any((one := piece.sense("order")) and one.column == "size" for piece in reading.pieces)
    if by is not None and frame.schema[by].is_numeric() and (ranked or by != "criticality"):
        said = next((int(word) for word in asked.words if word.isdigit() and 0 < int(word) <= MOST_RANKED), MOST_RANKED)
        return replace(query, order=Order(by, True, said, f"first by {heading(by)}"), group=by)
    if by is not None:
        return replace(query, intent="group", group=by)
    beside = _beside(reading, frame)
    if (told := _columns_beside(reading, frame)) and not lookup and query.intent in ("list", "count", "when"):
        return replace(query, intent="list", columns=told)
    row = row_columns(reading, frame) if lookup and query.intent in ("list", "when") else ()
    if len(row) > 1 and not asked.matches(r"\b(?:when|how)\b"):
        return replace(query, intent="what", columns=row)
    if len(row) == 1 and query.intent == "list" and not (beside or attributes or query.polar or query.order):
        return replace(query, intent="when" if row[0] in query.entity.dates else "who", columns=row)
    if query.intent == "who":
        roles = columns_of(reading, "role", frame)
        verbs = [f"{piece.words} by" for piece in reading.pieces if piece.sense("date") and not piece.sense("role")]
        source = [column for column, said in query.entity.attributes.items() if set(said) & set(verbs)]
        if source and not roles:  # "who found it": what found it is on record
            return replace(query, columns=(source[0],))
        of_one = asked.matches(_WHEN_AND_WHO) and (lookup or query.order is not None)
        days = (*columns_of(reading, "date", frame)[-1:], *query.entity.dates)[:1] if of_one else ()
        who = (*roles[-1:], *query.entity.people, query.entity.key)[:1]
        if days and who:
            return replace(query, intent="what", columns=(*days, *who))
        listed = [column for column in attributes if column == "members"]
        shared = any(sum(one.kind == "role" for one in piece.senses) > 1 for piece in reading.pieces)
        both = tuple(dict.fromkeys(roles)) if shared or asked.matches(_BOTH) else ()
        return replace(query, columns=tuple(both or roles[-1:] or listed[-1:] or tuple(query.entity.people)[:1]))
    if asked.matches(r"\bhow old\b") and "age_days" in frame.columns:
        return replace(query, intent="what", columns=("age_days",))
    if query.intent == "when":
        return replace(query, columns=_when(reading, frame, query))
    where = asked.matches(r"^(?:so |and )?where\b") and "service" in frame.columns and not attributes
    places = asked.matches(r"^(?:so |and )?where\b") and [one for one in attributes if frame.schema[one] == pl.String]
    if places and query.intent == "list" and not lookup and query.order is None:
        return replace(query, intent="group", group=places[0])
    beside = _beside(reading, frame) or (("service",) if where else ())
    if query.intent in ("list", "count") and beside and not lookup and query.order is None:
        return replace(query, columns=beside)
    if (
        query.intent in ("list", "count")
        and attributes
        and (
            lookup
            or query.order
            or (reading.title_words and query.intent == "list" and (not reading.noun or asked.matches(_OF_ONE)))
            or asked.matches(r"\bhow (?:long|big|large)\b")
        )
    ):
        return replace(query, intent="what", columns=tuple(dict.fromkeys(attributes)))
    return query


def _beside(reading: Reading, frame: pl.DataFrame) -> tuple[str, ...]:
    """The columns that are asked for beside the rows: "… and their root causes", "… and what is blocking them"."""
    words = reading.asked.words
    noun = min((piece.at for piece in reading.pieces if piece.sense("noun")), default=len(words))
    found: list[str] = []
    for piece in reading.pieces:
        sense = piece.sense("attribute", "measure") or piece.sense("role")
        if (
            sense is None
            or piece.at < noun
            or (piece.sense("noun", "state", "choice") and not sense.column.endswith("_by"))
            or sense.column not in frame.columns
        ):
            continue
        ahead = [
            word for word in words[max(piece.at - 4, 0) : piece.at] if word not in ("the", "a", "is", "are", "has")
        ]
        if sense.column.endswith("_by") and re.search(r"\band by (?:what|whom|who)\b", reading.asked.text):
            found.append(sense.column)
        if ahead[-1:] in (["their"], ["its"]) or (found and ahead[-1:] == ["and"]) or ahead[-2:] == ["and", "what"]:
            found.append(sense.column)
    return tuple(dict.fromkeys(found))


_BESIDE = frozenset(("with", "their", "its", "the", "and"))


def _columns_beside(reading: Reading, frame: pl.DataFrame) -> tuple[str, ...]:
    """Several columns at the end that are asked for beside each row: "… with owner and due date"."""
    said, found, at = reading.asked.words, list[str](), len(reading.asked.words)
    for piece in reversed(reading.pieces):
        between = {word for word in said[piece.end : at] if word not in _BESIDE}
        sense = piece.sense("attribute", "date") or piece.sense("role")
        if between or sense is None or piece.sense("noun", "state", "choice") or sense.column not in frame.columns:
            break
        found, at = [sense.column, *found], piece.at
    ahead = [word for word in said[:at] if word not in ("their", "its", "the")][-1:]
    return tuple(dict.fromkeys(found)) if len(found) > 1 and ahead == ["with"] else ()


def _spent(query: Query) -> Query:
    """The query without the words that say no more than what is asked of the rows."""
    return replace(query, unknown=tuple(word for word in query.unknown if word not in _SPENT.get(query.intent, ())))


def _measure_query(query: Query, reading: Reading, frame: pl.DataFrame, attributes: list[str]) -> Query | None:
    """A number over the rows: the mean, the median or the sum of a column."""
    asked, lookup = reading.asked, query.lookup
    how = next((name for name, pattern in _HOWS if asked.matches(pattern)), None)
    if (apart := days_between(reading, frame)) is not None and not lookup:
        spent = ("days", "time", "between", "from", "average", "mean", "median", "how long")
        left = tuple(word for word in query.unknown if word not in spent)
        return replace(query, intent="measure", measure=(apart[0], how or "median"), columns=(), unknown=left)
    timed = list(verb_timed(reading).values())
    measures = [*columns_of(reading, "measure", frame), *timed]
    if how is None and "impact_users" in (*measures, *attributes) and asked.matches(_HIT) and not lookup:
        how, measures = "sum", ["impact_users"]
    numeric = [name for name in attributes if frame.schema[name].is_numeric()]
    if not measures and numeric and how is not None and not (how == "sum" and not asked.matches(r"\b(?:total|sum) ")):
        measures = numeric
    if not measures or query.order is not None:
        return None
    if asked.matches(_OF_EACH) and not lookup:
        return replace(query, intent="what", columns=(measures[-1],))
    named = any(piece.sense("measure") and piece.words not in _LOOSE for piece in reading.pieces)
    if (
        how
        or (named and not (lookup or query.polar) and query.intent == "list" and not limits(query, measures))
        or asked.matches(r"\bhow long\b")
        or timed
        or (query.intent == "list" and not asked.matches(r"\bhow\b") and lookup)
    ):
        if not lookup or how is not None:
            by = _period(reading, frame) or group_of(reading, frame, query.intent)
            over = (by or "").partition(":")
            query = replace(query, unknown=tuple(word for word in query.unknown if word != over[0] or not over[1]))
            minutes = asked.matches(r"\bin minutes\b")
            query = replace(
                query, minutes=minutes, unknown=tuple(w for w in query.unknown if not (minutes and w == "minutes"))
            )
            times = measures[-1].startswith(("hours_to", "days_to")) or asked.matches(r"\bhow long\b")
            usual = "median" if times or not measures[-1].endswith("_hours") else "sum"  # of work there is a sum
            query = replace(query, intent="measure", measure=(measures[-1], how or usual), group=by)
            return _spent(query if by is not None else each_of(query, reading))
        return replace(query, intent="what", columns=(measures[-1],))
    return None


def _share_query(query: Query, reading: Reading) -> Query:
    """How many of the rows are what is said behind the noun, else what is said of how they stand."""
    noun = max((piece.at for piece in reading.pieces if piece.sense("noun")), default=-1)
    claims = [each for each in query.constraints if each.at > noun and "name:" not in each.dimension] or [
        each for each in query.constraints if each.dimension.startswith(("state", "not:state"))
    ]
    claims = claims or list(query.constraints)
    kept = tuple(each for each in query.constraints if each not in claims)
    done = query.entity.done
    if done is not None and any(each.label.endswith((" late", " on time")) for each in claims):
        verb = done.removesuffix("_on")  # what is not done yet is neither late nor in time
        kept = (*kept, Constraint(f"dated:{done}", verb, pl.col(done).is_not_null()))
    return _spent(replace(query, intent="share", constraints=kept, checks=tuple(claims)))


def _period(reading: Reading, frame: pl.DataFrame) -> str | None:
    """The spans of the usual date, where a question counts by them: "month:opened_on"."""
    match = re.search(_BY_PERIOD, without_windows(reading))
    if any(piece.sense("choice") and _EVERY.match(piece.words) for piece in reading.pieces):
        return None  # "schedules that run every quarter"
    dates = [*dates_of(reading), *reading.entity.dates]
    if match is None or not dates or frame.schema.get(dates[0]) != pl.Date:
        return None
    return f"{match['by'] or match['which']}:{dates[0]}"


def _when(reading: Reading, frame: pl.DataFrame, query: Query) -> tuple[str, ...]:
    dates = columns_of(reading, "date", frame)
    if reading.asked.matches(r"\bhow old\b|\bsince when\b") and not dates:
        return (query.entity.begun,) if query.entity.begun else tuple(query.entity.dates)[:1]
    ahead = (
        reading.asked.matches(r"\b(next|due|expire|expires|upcoming|will|deadline|target)\b")
        or query.entity.due is not None
    )
    usual = query.entity.due if ahead and query.entity.due else next(iter(query.entity.dates), None)
    if query.order is not None and not dates:
        return (
            (query.order.column,)
            if query.order.column in frame.columns and frame.schema[query.order.column] == pl.Date
            else ((usual,) if usual else ())
        )
    # "when does the SOC 2 expire": of several days that of what is named
    own = [one.column for piece in reading.pieces if piece.sense("name") and (one := piece.sense("date"))]
    return tuple(own[:1] or dates[-1:]) or ((usual,) if usual else ())
