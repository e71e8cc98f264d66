"""Every word of a question is accounted for: used by the query, known to say nothing, or named as not applied."""

import re
from collections.abc import Iterator
from dataclasses import replace

import polars as pl

from engine.copilot.answers.cells import BETWEEN
from engine.copilot.entities.entity import Entity, phrases
from engine.copilot.grammar.constraints import is_event_verb
from engine.copilot.grammar.everyday import is_filler
from engine.copilot.grammar.holders import is_agent
from engine.copilot.grammar.lexicon import Sense
from engine.copilot.grammar.pieces import TURNS, Piece
from engine.copilot.grammar.proof import ASKER, BORN, asks, chooses, conditions, doubts, verb_of
from engine.copilot.grammar.query import BEST, WORST, Query
from engine.copilot.grammar.reading import CopilotQuestion, Reading, is_verb_of
from engine.copilot.grammar.text import stem, ways_of_file

_COLUMN = frozenset(("state", "choice", "name", "date", "role", "order"))
# words that are passed over in reading and yet change what is asked, and what shows that they were understood
_COMPARING = ("than", "more", "fewer", "less", "compared", "compare", "versus", "vs", "against", "same")
_HAVING = phrases("carry, carrying, hold, sit, take, took, handle, handled, owe, own, belong")
_EVENTS = ("caused", "led", "trigger", "triggered", "preceded", "before", "around", "cause")


def account_for(query: Query, reading: Reading, frame: pl.DataFrame) -> Query:
    """The query with the words that it does not use among those that could not be applied."""
    idle = [piece for piece in reading.pieces if not _is_understood(piece, query, reading)]
    unused = tuple(
        piece.words
        for piece in idle
        if not is_filler(piece.words)
        and piece.sense("attribute", "measure")
        and _COLUMN.isdisjoint(sense.kind for sense in piece.senses)
        and not is_event_verb(reading, piece)
    )
    about = re.search(
        r"\b(?:is there|are there|any) (?:an? |any )?(\w+) (?:whose|who|that|which)\b", reading.asked.text
    )
    unused = tuple(word for word in unused if about is None or stem(about[1]) != word)
    lost = [piece.words for piece in idle if piece.words not in unused and not is_filler(piece.words)]
    lost += [word for _, word in reading.passed_over if not _understood(word, query, reading)]
    lost += [*_unknown_counts(query, reading, frame), *_rates(query, reading), *_opinions(reading)]
    whole = query.intent in ("list", "count") and len(query.constraints) <= query.presumed and query.order is None
    searched = [one.at for one in query.constraints if one.dimension.startswith("title:")]
    if any(piece.at < at for piece in idle for at in searched if piece.words in unused):
        lost += unused  # "risks we treat with insurance": the word that is only searched for may be a value of it
    if whole and not (lost or query.unknown):
        lost += unused  # all that there are would be an answer to another question
    new = tuple(dict.fromkeys(word for word in lost if word not in query.unknown))
    assumed = tuple(dict.fromkeys((*query.assumed, *doubts(query, reading, frame))))
    return replace(query, unknown=(*query.unknown, *new), unused=unused, assumed=assumed)


_NO_COMPARISON = (
    r"\bmore (?:about|on|detail|info|or less|than)\b|\b(?:any ?|no |show me |tell me )more\b|\b(?:other|less) than\b"
)
# what may be, what somebody thinks, what came a second time, what lies between two controls: no row says it
_OPINIONS = ways_of_file("opinions.txt")


_DID = r"\b(?:did|have|has) (?:we|they|i|you|any(?:body|one)|some(?:body|one)|no(?:body| one))(?: \w+)?"


def _opinions(reading: Reading) -> Iterator[str]:
    """The words that ask for what no row says, where the thing has no state of these words."""
    said = (*reading.pieces, *reading.turned, *reading.excluded)
    known = {word for piece in said if piece.sense("state") for word in piece.phrase}
    for piece in said:  # "which policies did we review": the day that a review is due says nothing of it
        ahead = piece.sense("date") is not None and all(one.column == reading.entity.due for one in piece.senses)
        if ahead and reading.asked.matches(rf"{_DID} {piece.words}(?!ed\b)"):
            yield f"did {piece.words}"
    for pattern, _ in _OPINIONS:
        match = pattern.search(reading.asked.text)
        if match is not None and not set(match["said"].split()) <= known:
            yield match["said"]


def _rates(query: Query, reading: Reading) -> Iterator[str]:
    """Spans that a number would be held against: "deploys a day" is no number of deploys."""
    words = reading.asked.words
    whole = {at for piece in reading.pieces if piece.size > 1 for at in range(piece.at, piece.end)}
    for at, word in enumerate(words[1:], 1):
        if word in ("hour", "day", "week", "month", "year") and words[at - 1] in ("a", "an", "per") and at not in whole:
            yield from () if query.group is not None else (f"{words[at - 1]} {word}",)


def _unknown_counts(query: Query, reading: Reading, frame: pl.DataFrame) -> list[str]:
    """What "how many" stands before where that is no thing that is counted here: "how many customers complained"."""
    counted = re.search(r"\bhow many (\w[\w.]*)", reading.asked.text)
    if (
        counted is not None
        and query.intent == "what"
        and not any(frame.schema[one].is_numeric() for one in query.columns)
    ):
        return [f"how many {counted[1]}"]
    if counted is None or query.intent not in ("count", "list"):
        return []
    word = stem(counted[1])
    if word == "time":
        return []
    if word in ("day", "week", "month", "minute"):
        return [f"how many {counted[1]}"]
    piece = next((one for one in reading.pieces if word in (one.phrase[0], stem(one.phrase[0]))), None)
    if piece is None or not piece.sense("attribute", "measure"):
        return []
    return [] if piece.sense("noun", "state", "choice", "name", "filler", "order") else [f"how many {counted[1]}"]


def _understood(word: str, query: Query, reading: Reading) -> bool:
    asked = reading.asked
    if word in ("compare", "compared", "versus", "vs") and any(len(one.parts) > 1 for one in query.constraints):
        return query.lookup  # the rows side by side
    if word in _COMPARING:
        return bool(
            query.halves
            or query.having
            or any(one.dimension.startswith("apart:") for one in query.constraints)
            or (word != "than" and asked.matches(_NO_COMPARISON))
            or (asked.bound and word == "than")
            or (word == "than" and (any(one.age for one in asked.windows) or reading.excluded))
            or any(f"{word} " in one.label for one in query.constraints if one.dimension.startswith("bound:"))
        )
    if word == "both" and any("name:" in one.dimension and one.parts for one in query.constraints):
        return False  # one row is of the one or of the other
    if word in ("both", "either", "neither"):
        return len(query.constraints) > 1 or any(one.parts or " or " in one.label for one in query.constraints)
    if word == "rate":
        return query.intent == "share" or asked.matches(r"\b(?:we|i|they|you) rate\b")
    if word == "among":
        return asked.matches(rf"\bamong (?:\w+ ){{0,2}}(?:{reading.entity.plural}|{reading.entity.name})\b")
    if word in ("during", "between", "via", "within", "per"):
        return query.group is not None or bool(query.halves) or BETWEEN in (query.measure or ("",))[0]
    if word in ("every", "each"):
        return query.order is None or query.group is not None
    if word == "only":
        return query.group is None
    if word == "far" and asked.matches(r"\bso far\b"):
        return True
    if word in ("average", "total", "sum") and query.intent == "measure":
        return True
    if word == "where" and asked.matches(r"\w where\b"):
        return bool(query.constraints)  # "incidents where nobody was hit"
    if word in ("where", "whose", "again", "off", "least", "less", "often", "soon", "far"):
        return {
            "where": query.intent == "compare" or query.group is not None or bool(query.columns),
            "whose": query.intent == "who" or bool(query.columns) or bool(query.constraints),
            "often": query.intent in ("count", "measure") or bool(query.columns),
            "least": asked.bound is not None or query.order is not None,
        }.get(word, bool(query.columns))
    if word.isdigit():
        limit = any(one.dimension.startswith("bound:") and one.label.endswith(f" {word}") for one in query.constraints)
        return limit or (query.order is not None and query.order.count == int(word))
    return True


def _is_understood(piece: Piece, query: Query, reading: Reading) -> bool:
    if any(sense.kind in ("noun", "row", "title") for sense in piece.senses) or is_verb_of(piece, reading.pieces):
        return True
    if chooses(query, piece) or asks(query, reading, piece):
        return True
    if any(_is_part(sense, piece, query, reading) for sense in piece.senses):
        return True
    return query.intent == "why" and piece.words in ("cause", "root cause", "reason", "caused", "happen", "happened")


def _is_part(sense: Sense, piece: Piece, query: Query, reading: Reading) -> bool:
    """Whether a phrase that the query does not hold in its own place is a part of it all the same."""
    made, asked = conditions(query), reading.asked
    columns = {*query.columns, query.group, query.order.column if query.order else None}
    match sense.kind:
        case "state" | "choice" | "name":
            value = sense.value.replace("_", " ")
            label = sense.state.label if sense.state else sense.name.label if sense.name else value
            return any(label in one.label for one in made) or label in query.unknown
        case "mine":
            return (
                piece.words not in ("i", "i am") or asked.matches(ASKER) or any("person" in o.dimension for o in made)
            )
        case "filler":
            return piece.words not in _EVENTS or any("name:incident" in one.dimension for one in made)
        case "group":
            return True
        case "order":
            return sense.column == "count"
        case "date":
            verb = sense.column.removesuffix("_on")[:7]
            spans = bool(query.halves) or (sense.column == reading.entity.done and query.window is not None)
            spans = spans or any("window" in one.dimension and verb_of(sense.column) in one.label for one in made)
            named = any(column and verb in column for column in columns)
            known = query.lookup and reading.asked.words[piece.at - 1 : piece.at] == (
                "the",
            )  # "is the fix of … overdue"
            return named or spans or known or sense.column in BORN or query.intent == "when"
        case "role":
            timed = any(one.dimension.startswith("bound:hours") for one in made)
            timed = timed or any("hours" in (column or "") for column in {*columns, (query.measure or ("",))[0]})
            to = next(
                (one for one in reading.pieces if piece.end <= one.at <= piece.end + 1 and one.sense("name")), None
            )
            if to is not None and any(one.at == to.at and "person" not in one.dimension for one in made):
                return True  # "belong to INC-2026-0001"
            if any(one.dimension.endswith("/service_owner") for one in made):
                return True  # "on services that lena owns"
            if query.group is not None and query.group not in query.entity.people and stem(piece.words) in _HAVING:
                return True  # "which asset carries the most"
            ours = query.intent != "who" and asked.matches(r"\b(?:we|us|our)\b") and "owner" in sense.column
            return ours or (timed and piece.words.startswith("t"))
        case _:
            return any(re.search(rf"name:{sense.column}(?:/|$)|/{sense.column}_owner$", one.dimension) for one in made)


def is_of_other_thing(reading: Reading) -> bool:
    """Whether what is asked about is no record ("how many llamas", "our uptime", "does Acme have"), or nothing known.

    Any other word that is not known is named in the answer, and does not keep it back.
    """
    asked, unknown = reading.asked, set(reading.unknown)
    if not unknown:
        return False
    nouns = [piece.at for piece in reading.pieces if piece.sense("noun")]
    for pattern in _ASKED_ABOUT:
        match = re.search(pattern, asked.text)
        for word in () if match is None else match["what"].split():
            if is_filler(word):
                break
            if word not in unknown or word not in asked.words or word in TURNS or re.match(_NOT_ASKED, word):
                continue
            at = asked.words.index(word)
            following = next((noun for noun in nouns if noun > at), None)
            if following is None or any(is_filler(one) for one in asked.words[at + 1 : following]):
                return True
    return not reading.understood_words


# how it is counted, and no thing
_NOT_ASKED = (
    r"(?:percent\w*|pct|share|proportion|fraction|ratio|rate|average|averages|avg|mean|median|sum|day|week|month|"
    r"quarter|year|difference|comparison)$"
)
# what stands where the thing that is asked about is named
_ASKED_ABOUT = (
    r"\bhow many (?:more |of (?:our|the|these|those) |different )?(?P<what>\w+)",
    r"\bwhat (?:is|are|was|were) (?:our|the|my|your) (?P<what>\w+(?: \w+){0,2})",
    r"\b(?:does|do|did|has|have) (?P<what>\w+) (?:have|own|had|owe|got|been)\b",
    r"\bhow (?:big|large|good|much) (?:is|are|was|were|of) (?:our|the|my) (?P<what>\w+(?: \w+){0,2})",
    r"^(?:so |and )?(?:which|what) (?P<what>\w+)",
)


_CHANGED = r"\b(?:up|down|drop\w*|fall\w*|fell|ris\w+|rose|increas\w*|decreas\w*|chang\w*|more|fewer|worse|better)\b"
_COUNTED = frozenset(
    phrases("incident, deploy, policy block, automation run, test, audit event, on-call shift, meeting")
)
# "by" before who or what did it, or before how much: nothing is counted by it
_AGENT = r"\b(?:blocked|caused|held up|stopped|late|overdue|behind|owned|run|made) by\b"


def is_counted(entity: Entity, asked: CopilotQuestion) -> bool:
    """Whether it asks how often something happened that is on record each time."""
    return entity.name in _COUNTED and asked.matches(r"\bhow (?:often|many times) (?:did|has|have|had|was|were)\b")


def unmet(query: Query, reading: Reading) -> Query:
    """The plan with what was asked of the rows and no column answers among the words that could not be applied."""
    asked, lost = reading.asked, []
    how = re.search(r"\bhow (long|often|much|old|fast|quickly|quick|far|big|large|expensive|likely|well)\b", asked.text)
    if (
        how is not None
        and not is_counted(query.entity, asked)
        and query.intent not in ("measure", "what")
        and not (how[1] == "old" and query.intent == "when")
        and "age_days" not in query.columns
    ):
        lost.append(how[0])
    may = (
        r"\bwho (?:can|may|could|might|is allowed)\b"
        if query.entity.due
        else r"\bwho (?:can|may|could|should|must|might|is allowed)\b"
    )
    if asked.matches(may) and query.entity.name != "person":
        lost.append("who may")
    who = query.intent == "who" and not any(piece.sense("role") for piece in reading.pieces)
    who = who and not asked.matches(r"\bwho \w+ the \w+ with\b")
    if who and query.order is not None and query.order.words in WORST | BEST and not query.lookup:
        lost.append(query.order.words)  # who does best is no holder of a row
    if query.intent == "why" and (query.entity.reason is None or (asked.matches(_CHANGED) and not query.lookup)):
        lost.append("why")
    if query.intent == "why" and any(each.dimension.startswith(("not:name", "not:own")) for each in query.constraints):
        lost.append("why not")  # of what it is not, there is no cause
    people = any("name:person" in each.dimension for each in query.constraints)
    whose = asked.matches(r"^whose\b") and "vendor" in query.entity.links  # the rows say whose they are
    named = query.entity.name in ("person", "dependency") or people or whose
    if query.intent == "who" and not query.columns and not named:
        lost.append("who")
    if query.intent == "group" and asked.matches(r"^(?:which|what) \w+ (?:each|every one)\b"):
        lost.append("each")  # which of them each row has
    order = query.order  # the oldest of the rows is no group of them
    if query.intent == "group" and order is not None and order.column in {*query.entity.dates, *query.entity.measures}:
        lost.append(order.words)
    fewest = [
        one for piece in reading.pieces if (one := piece.sense("order")) and (one.column, one.value) == ("count", "up")
    ]
    if fewest and query.group is not None and query.intent == "group":
        lost.append("fewest")
    if query.group is None and query.intent != "measure":
        senses = [sense for piece in reading.pieces if (sense := piece.sense("order", "group"))]
        sized = query.order is not None and query.order.words in ("most", "least", "fewest")
        if any(sense.column == "count" for sense in senses) and not sized:
            lost.append("most")
        people = people or any(one.sense("name", "mine") for one in (*reading.turned, *reading.excluded))
        agent = asked.matches(_AGENT) and (asked.bound is not None or bool(reading.title_words))
        groups = [piece for piece in reading.pieces if piece.sense("group") and not is_agent(piece, reading)]
        if groups and not people and not agent and query.intent != "what":
            lost.append("by")
    return replace(query, unknown=(*query.unknown, *lost))
