"""High is a proof: what of a question no part of its query accounts for, and what was chosen without being said.

A query is proven where every word that carries meaning is used by one part of it, of the kind that the word asks
for, in a word of the record, where the kind of question fits the kind of answer, and nothing was taken by default.
"""

import re
from collections.abc import Iterator

import polars as pl

from engine.copilot.answers.cells import BETWEEN, heading
from engine.copilot.entities.entity import phrases
from engine.copilot.grammar.constraints import is_mine
from engine.copilot.grammar.lexicon import Sense
from engine.copilot.grammar.pieces import TURNS, Piece
from engine.copilot.grammar.query import TIMED, Constraint, Query, is_about_end, is_the_one
from engine.copilot.grammar.reading import Reading
from engine.copilot.grammar.text import stems
from engine.model.vocabulary import FRAMEWORK_NAMES

# words of grammar and of asking: without them the question is the same
PLAIN = frozenset(
    phrases(
        "a, an, the, this, these, those, that, which, who, what, how, many, much, when, where, why, whose, whom, and, "
        "or, of, to, in, on, at, for, from, by, with, as, is, are, was, were, be, been, being, am, do, does, did, "
        "have, has, had, having, it, there, we, us, our, ours, i, you, your, they, them, their, please, show, list, "
        "give, tell, find, get, see, can, could, would, any, all, now, currently, still, yet, ever, right, so, if, ok, "
        "okay, hey, hi, anybody, anyone, anything, thing, things, once, ones, number, count, times, moment"
    )
)
# the dates that say no more than that a thing came to be, whatever the verb: "incidents that happened"
BORN = frozenset(
    phrases(
        "opened_on, deployed_on, first_seen_on, captured_on, placed_on, identified_on, ran_on, blocked_on, "
        "requested_on, detected_on, held_on, adopted_on, offboarded_on"
    )
)
# what a question asks for, and the intents that answer it; the first pattern that fits counts
_KINDS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    ("a number", r"\bhow many\b", ("count", "tally", "group", "compare", "what")),
    (
        "a person",
        r"(?<!people )(?<!users )\bwho\b|\bwhom\b|^whose\b|\bwhich (?:person|people|colleague|owner)\b",
        ("who", "group", "tally"),
    ),
    ("a day", r"\bwhen\b|\bwhat (?:day|date)\b", ("when",)),
    ("a cause", r"\bwhy\b", ("why",)),
    ("a time", r"\bhow (?:long|fast|quickly)\b", ("measure", "what")),
    ("a share", r"\b(?:share|percent|percentage|proportion|pct|rate)\b|%", ("share",)),
    ("a number over rows", r"\b(?:average|avg|mean|median|sum|total|mtt\w|time to)\b", ("measure",)),
    (
        "a comparison",
        r"\b(?:than|compared?|vs|versus|or)\b",
        ("compare", "count", "list", "group", "tally", "check", "what"),
    ),
    ("what no record says", r"\b(?:where|how)\b", ()),
)
_UNASKED = ("who", "when", "why", "measure", "share", "compare", "every")  # never without being asked so
_PERIODS = ("day", "week", "month", "quarter", "year")
# words that are used up by an intent
_SPENT = {
    "share": ("rate", "percentage", "percent", "share", "pct", "proportion"),
    "measure": ("average", "mean", "median", "avg", "sum", "total"),
    "compare": ("than", "more", "fewer", "less", "vs", "versus", "compare", "compared"),
}
# where "I" and "me" are who asks, and no column
ASKER = (
    r"\b(?:can|could|may|should|shall|do|did|am|would|must|if|that|when) i (?!\w+ed\b)|"
    r"\bi (?:need|want|have|see|can|should|must|am|was)\b|\b(?:show|give|tell|get|find) me\b"
)
NOT_SAID = "which one was not said"
_YEAR = r"this|last|next|today|yesterday|week|month|year|quarter|ago|past|\d{4}"


def doubts(query: Query, reading: Reading, frame: pl.DataFrame) -> tuple[str, ...]:
    """What keeps a query from being proven: words that it does not use, and what it takes for granted."""
    idle = dict.fromkeys((*_idle_words(query, reading), *_idle_pieces(query, reading)))
    return (
        *(f"'{word}' taken to say nothing" for word in idle),
        *_turns(reading),
        *_kind(query, reading, frame),
        *_synonyms(query, reading),
        *_defaults(query, reading),
        *_two_meanings(query, reading, frame),
    )


def no_rows(query: Query) -> str | None:
    """Why an empty answer is not proven to say that there is nothing."""
    if query.intent not in ("count", "list", "group"):
        return "nothing fits what is asked of it"
    if query.window is None:
        return None
    standing = [one for one in query.constraints if one.dimension.startswith(("state", "dated"))]
    if len(standing) > query.presumed:
        return "nothing of that state is in that span"
    if not re.search(_YEAR, query.window[1].words):
        return f"the year of '{query.window[1].words}' was not said"
    return None


def conditions(query: Query) -> tuple[Constraint, ...]:
    """All that chooses rows, or is claimed or compared of them."""
    return (*query.constraints, *query.checks, *query.halves)


def _idle_words(query: Query, reading: Reading) -> Iterator[str]:
    """Words that carry meaning and that no phrase holds."""
    spent = {*_SPENT.get(query.intent, ()), *(_PERIODS if ":" in (query.group or "") else ())}
    spent |= set(_SPENT["compare"]) if query.having is not None else set()
    spent |= {"days", "time"} if BETWEEN in (query.measure or ("",))[0] else set()
    spent |= {"took", "take", "takes", "taking", "longer"} if _lasts(query) else set()
    missing = any(one.dimension.startswith(("empty:", "not:")) for one in query.constraints)
    bounds = [one.label for one in query.constraints if one.dimension.startswith("bound:")]
    for at, word in reading.passed_over:
        if word == "us" and at and reading.asked.words[at - 1] in ("on", "to", "by", "with"):
            yield f"{reading.asked.words[at - 1]} us"
        first = query.order is not None and f"{query.order.count}" == word
        number = word.isdigit() and (first or any(one.endswith(f" {word}") for one in bounds))
        turner = word in TURNS and (missing or bool(reading.turned or reading.excluded))
        if not (word in PLAIN or word in spent or number or turner):
            yield word


def _lasts(query: Query) -> bool:
    """Whether how long something took chooses its rows."""
    return any(one.dimension.startswith(("bound:hours", "bound:days")) for one in query.constraints)


def _idle_pieces(query: Query, reading: Reading) -> Iterator[str]:
    """Phrases that no part of the query holds; one noun names the thing, a second is another thing."""
    nouns = [piece for piece in reading.pieces if piece.sense("noun") and not chooses(query, piece)]
    for piece in reading.pieces:
        if piece in nouns[:1] or chooses(query, piece) or asks(query, reading, piece):
            continue
        if not set(piece.words.split()) <= PLAIN or piece.sense("mine"):
            yield piece.words


def chooses(query: Query, piece: Piece) -> bool:
    """Whether a phrase chooses rows."""
    ats = {part.at for one in conditions(query) for part in (one, *one.parts)}
    return piece.at in ats or piece.sense("row", "title") is not None


def asks(query: Query, reading: Reading, piece: Piece) -> bool:
    """Whether a phrase says what is asked of the rows, or of what a condition is one."""
    return any(_fits(sense, piece, query, reading) for sense in piece.senses)


def _fits(sense: Sense, piece: Piece, query: Query, reading: Reading) -> bool:
    group, order = query.group, query.order
    measure = query.measure[0] if query.measure else None
    said = (*query.columns, group, measure, (group or "").partition(":")[2], order.column if order else None)
    columns = {one for one in (*said, *(measure or "").removesuffix("_days").split(BETWEEN)) if one}
    if sense.kind == "order" and sense.column == "due" and query.window is not None:
        return True
    if sense.kind == "order":
        return order is not None or (sense.column == "count" and (group is not None or query.tally is not None))
    if sense.kind == "group":
        return group is not None or query.tally is not None
    if sense.kind == "mine":
        return reading.asked.matches(ASKER) and not is_mine(reading.asked)
    if not sense.column or sense.kind == "choice":
        return False
    if sense.kind == "date" and any(one.dimension.endswith("/begun_ids") for one in conditions(query)):
        return True  # "on call when INC-2026-0244 started"
    if sense.kind == "date":
        text, timed = verb_of(sense.column), TIMED.get(sense.column, "")
        spans = [one.label.removeprefix("not ") for one in conditions(query) if "window" in one.dimension]
        if (query.window and query.window[0] == sense.column) or any(one.startswith(text) for one in spans):
            return True
        if sense.column in BORN and not reading.asked.windows:
            return True
        if timed in columns or any(one.dimension == f"bound:{timed}" for one in conditions(query)):
            return True
    about = {one.dimension.removeprefix("not:").partition(":")[2] for one in conditions(query)}
    people = {one.dimension.partition("/")[2].partition(":")[0] for one in conditions(query) if "/" in one.dimension}
    return sense.column in columns | about | people


def verb_of(column: str) -> str:
    """A date as it is said: "opened" of opened_on."""
    return column.removesuffix("_on").removesuffix("_until").replace("_", " ")


def _turns(reading: Reading) -> Iterator[str]:
    """What "not" and "except" turn round is one thing, in the very word of the record."""
    turned = (*reading.turned, *reading.excluded)
    acts = any(piece.sense("date") and not piece.sense("state", "name", "title") for piece in reading.turned)
    for window in reading.asked.windows if acts else ():
        if window.named is not None and window.named != window.first:
            yield f"'{window.words}' taken as after its last day"
    if len(turned) > 1 or sum(word in TURNS for word in reading.asked.words) > 1:
        yield "several words are turned round"
    for piece in turned:
        state, choice = piece.sense("state"), piece.sense("choice")
        date = None if state or choice else piece.sense("date")
        known = {
            "" if state is None or state.state is None else state.state.label,
            "" if choice is None else choice.value.replace("_", " "),
        }
        exact = piece.words in known or piece.sense("name") or (date and _alike(piece.words, verb_of(date.column)))
        if not exact:
            yield f"'not {' '.join(reading.asked.words[piece.at : piece.end])}' is no word of the record"


def _kind(query: Query, reading: Reading, frame: pl.DataFrame) -> Iterator[str]:
    """Whether what is asked for is what is answered."""
    text = reading.asked.text
    asked = next(((name, fitting) for name, pattern, fitting in _KINDS if re.search(pattern, text)), None)
    if asked is not None and query.intent not in asked[1]:
        yield f"{asked[0]} is asked for"
    if asked is None and query.intent in _UNASKED:
        yield f"nobody asked for {'all of them' if query.intent == 'every' else f'a {query.intent}'}"
    if query.intent == "what":
        numbers = all(frame.schema[one].is_numeric() for one in query.columns if one in frame.columns)
        if (not query.lookup and query.order is None) or ("how many" in text and not numbers):
            yield f"taken as a question for {', '.join(map(heading, query.columns))}"
    noun = min((piece.at for piece in reading.pieces if piece.sense("noun")), default=None)
    which = re.match(r"(?:what|which) (?!(?:is|are|was|were|does|do|did|has|have)\b)\w+", text) and query.intent in (
        "list",
        "count",
    )
    if which and (noun is None or noun > 3):
        yield f"taken as a question for {query.entity.plural}"
    if query.polar and query.intent == "what" and re.match(r"(?:so |and |but )?(?:did|does|do)\b", text):
        yield "yes or no is asked for"
    chosen = any(one.dimension.startswith(("own", "name", "title", "choice:title")) for one in conditions(query))
    if query.polar and is_the_one(reading) and not (chosen or query.order or query.lookup):
        yield NOT_SAID
    if query.intent in ("compare", "every", "check", "share") and len(conditions(query)) > 2:
        yield "several conditions of a comparison"


def _synonyms(query: Query, reading: Reading) -> Iterator[str]:
    """Words that are taken as another word of the record."""
    for text, meant in reading.corrections:
        yield f"'{text}' read as '{meant}'"
    entity = reading.entity
    named = [piece.phrase for piece in reading.pieces if piece.sense("noun")]
    if named and {stems(word) for word in entity.loose}.issuperset(named):
        yield f"'{' '.join(named[0])}' taken as {entity.plural}"
    chosen = {one.at: one.label for one in conditions(query) if one.dimension.startswith("state")}
    yield from (f"'{one.words}' may be said of other things" for one in reading.pieces if one.words in entity.unsure)
    if query.intent == "group" and ":" not in (query.group or "") and "per" in reading.asked.words:
        yield "'per' taken as a number for each"
    for piece in (*reading.pieces, *reading.turned, *reading.excluded):
        for sense in piece.senses:
            if sense.state is not None and sense.state.assumed and piece.at in {one.at for one in conditions(query)}:
                yield f"'{piece.words}' taken {sense.state.assumed}"
            elif sense.state is not None and piece.at in chosen and not _alike(piece.words, sense.state.label):
                yield f"'{piece.words}' taken as {sense.state.label}"
            elif sense.kind == "date" and query.window and sense.column not in BORN and piece.at not in chosen:
                sentence = verb_of(sense.column)
                if query.window[0] == sense.column and not _alike(piece.words, sentence):
                    yield f"'{piece.words}' taken as {sentence}"


def _two_meanings(query: Query, reading: Reading, frame: pl.DataFrame) -> Iterator[str]:
    """States in a word that a column has, too, for other rows."""
    columns = [one for one in ("status", *query.entity.choices) if frame.schema.get(one) == pl.String]
    for piece in reading.pieces:
        state = next(
            (one for one in query.constraints if one.at == piece.at and one.dimension.startswith("state")), None
        )
        if state is None or not piece.sense("state") or state.label == query.entity.presumed:
            continue
        for column in columns:
            value = pl.col(column) == piece.words.replace(" ", "_")
            if frame.filter(value).height and frame.filter(value.xor(state.where)).height:
                yield f"'{piece.words}' is another word as {heading(column)}"


def _alike(text: str, meant: str) -> bool:
    """Whether two phrases share a word, in any form, and agree in whether they turn it round."""
    turned = meant.startswith("un") or not TURNS.isdisjoint(meant.lower().split())
    known = {word[:4] for word in meant.lower().replace("-", " ").removeprefix("un").split()}
    if turned == (TURNS.isdisjoint(text.split()) and not text.startswith("un")):
        return False
    return any(word[:4] in known for word in text.split() if word not in PLAIN)


def _defaults(query: Query, reading: Reading) -> Iterator[str]:
    """What was chosen without being said: a column, a person's part, an order, a span."""
    entity, asked = reading.entity, reading.asked
    if len(asked.windows) > 1 and (query.intent != "compare" or asked.bound is not None):
        yield "several spans of time"
    yield from _several_frameworks(reading)
    if is_about_end(reading, asked.windows, query.verbs):
        yield f"the span taken as that of '{heading(entity.done or '')}'"
    named = {sense.column for piece in reading.pieces for sense in piece.senses if sense.kind != "order"}
    roles = {sense.column for piece in reading.pieces if (sense := piece.sense("role"))}
    for one in conditions(query):
        kind, _, column = one.dimension.removeprefix("not:").removeprefix("own:").partition("/")
        column = column.partition(":")[0]
        if kind == "name:person" and column and column not in roles and entity.key != "email":
            yield f"taken as {one.label}"
        bound = one.dimension.removeprefix("bound:") if one.dimension.startswith("bound:") else None
        if bound is not None and bound not in named and TIMED.keys().isdisjoint(named):
            yield f"the number was held against {heading(bound)}"
    if entity.leaves_out and query.intent not in ("who", "when", "why", "what", "check"):
        yield entity.leaves_out
    who = re.search(r"(?<!\w )\bwho\b|\bby whom\b", asked.text) if query.intent in ("who", "group") else None
    column = query.group or next(iter(query.columns), "")
    if who and column and column not in roles:
        yield f"'who' taken as {heading(column)}"
    order = query.order
    size = any((sense := piece.sense("order")) and sense.column == "size" for piece in reading.pieces)
    if order is not None and size and order.column not in named and not order.words.startswith("first by"):
        yield f"ordered by {heading(order.column)}"
    if query.intent == "share" and entity.presumed and not any("state" in one.dimension for one in query.constraints):
        yield f"a share of all, those that are {entity.presumed} among them"
    stands = any(one.dimension.startswith(("state", "window")) for one in conditions(query))
    if query.halves and entity.presumed and not stands:
        yield f"all of them, not only those that are {entity.presumed}"
    if query.tally is not None and asked.windows:
        yield "a span of time in a question of two kinds of things"


def _several_frameworks(reading: Reading) -> Iterator[str]:
    """Numbers of controls that more than one framework has."""
    for piece in reading.pieces:
        name = None if (sense := piece.sense("name")) is None else sense.name
        if name is not None and name.kind == "control":
            frameworks = dict.fromkeys(key.partition(":")[0] for key in name.keys)
            if len(frameworks) > 1:
                yield f"{name.label} taken of {' and '.join(FRAMEWORK_NAMES.get(one, one) for one in frameworks)}"
