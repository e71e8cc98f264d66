"""Questions of two kinds of things, where the rows of one count for the other: services by their open findings."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

import polars as pl

from engine.copilot.answers.library import Library
from engine.copilot.answers.sentences import noun
from engine.copilot.entities.entity import Entity
from engine.copilot.grammar.lexicon import BY_NAME
from engine.copilot.grammar.planner import Planner
from engine.copilot.grammar.query import Constraint, Query, Tally
from engine.copilot.grammar.reading import CopilotQuestion

# what may be counted for: how it is called in a question
_HEADS: Mapping[str, str] = {
    "service": r"services?|components?|apps?|applications?|microservices?",
    "vendor": r"vendors?|suppliers?",
    "framework": r"frameworks?|standards?",
    "committee": r"committees?",
    "control": r"controls?",
    "person": r"who|people|persons?|owners?|engineers?|colleagues?|users?|members?",
    "incident": r"incidents?",
}
_NUMBERS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "ten": 10}
_N = rf"(?:\d{{1,3}}|{'|'.join(_NUMBERS)})"
_OF = r"(?:number|count|amount|share) of "
_QUANTITY = (
    rf"(?P<most>(?:the )?(?:most|highest {_OF}|largest {_OF}|greatest {_OF}|max(?:imum)? {_OF}))|"
    rf"(?P<fewest>(?:the )?(?:fewest|least|lowest {_OF}|smallest {_OF}))|"
    rf"(?P<over>(?:more than|over|>) ?{_N})|(?P<least>at least {_N}|{_N} or more)|"
    rf"(?P<under>(?:fewer than|less than|under|<) ?{_N})|(?P<exactly>exactly {_N})|"
    r"(?P<none>no|zero|not a single|without any|without)|(?P<some>any|some|a|an|at least one)"
)
_HAS = (
    r"(?:have |has |had )?(?:given us|gave us|sent us|provided us with|provided|shown us)|"
    r"has made|have made|is sitting on|are sitting on|is on the hook for|is responsible for|have|has|had|having|got|"
    r"get|gets|see|sees|saw|with|cause|causes|caused|suffers?|suffered|carr(?:y|ies)|hold|holds|sits on|sit on|own|"
    r"owns|owe|owes|made|took|takes|deployed|signed|approved|performed|run|runs|ran"
)
_WITH = re.compile(
    rf"^(?P<head>.*?\b(?:{{noun}})\b.*?) (?:(?:that|which|who) )?"
    rf"(?:currently |still |(?:do|did|does|have|has) not )?"
    rf"(?:(?P<verb>{_HAS}) (?P<quantity>(?:{_QUANTITY})(?!\w))? ?|(?P<out>without) (?:any |a |an )?)(?P<inner>\S.*)$"
)
# how long ago the last one was: "that has gone longest without a deploy", "that has waited longest for a release"
_LAST = re.compile(
    r"^(?P<head>.*?\b(?:{noun}))(?: that| which| who)?(?: has| have| had| is| are)?(?: been)? "
    r"(?:waited|waiting|waits|gone|goes|went|been|without) (?:the )?longest (?:for|without) "
    r"(?:an? |any )?(?P<inner>\S.*)$"
)
# what holds of all that a thing has: "people whose deploys never failed"
_WHOSE = re.compile(
    r"^(?P<head>.*?\b(?:{noun})) whose (?P<inner>\w+) never (?P<claim>\w+(?: back)?(?: or \w+(?: back)?)?)$"
)
# what is done with a thing, or happens to it: "which service gets deployed most"
_WHEN = r"(?P<span>(?: (?:in|since|this|last|over|during|between|so far|ever|on|before|after)\b.*)?)$"
_DONE = re.compile(
    r"^(?P<head>.*?\b(?:{noun})) (?:(?:that|which) )?"
    r"(?:(?:gets?|got|is|are|was|were|(?:has|have) been|do we|did we|we) )?"
    rf"(?P<inner>\w+(?: back| down)?)(?: to)? (?:the )?(?P<end>most|least)(?: often)?{_WHEN}"
)
# "who has had the pager the most"
_OFTEN = re.compile(
    r"^(?P<head>.*?\b(?:{noun})) (?:is |was |are |were |(?:has |have |had )(?:had |held |got |been )?)(?:an? |the )?"
    rf"(?P<inner>\w[\w -]*?) (?:the )?(?P<end>most|least)(?: often)?{_WHEN}"
)
_TROUBLE = re.compile(r"^(?:breaks?|broke|fails?|failed|goes down|went down|misbehaves?)$")
_BY = re.compile(
    rf"^(?P<head>.*?\b(?:{{noun}})) (?:(?:ranked|ordered|sorted|ranking) )?by (?:the |their )?"
    rf"(?P<number>{_OF}|how many )?(?P<inner>\S.*)$"
)
_TOP = re.compile(rf"\b(?P<end>top|bottom|first|worst|best)(?: (?P<n>{_N}))?\b|\b(?P<only>{_N})(?= )|\brank\b")
_NEGATED = re.compile(r"\b(?:(?:do|did|does) not (?:have|own|see)|(?:have|has) not (?:given|sent|provided|shown))\b")
# verbs of whoever a thing is on, whatever is done with it
_OWES = r"^(?:|ha[sd]|have|having|got|gets?|with|.*sit.*|carr.*|holds?|owns?|owes?|is .*|are .*)$"
_ALL = re.compile(r"\b(?:all|every|each)\b")
_RANKED = 5
_ONE = re.compile(r"\b(?:which|what|who)\b(?! (?:\w+s|people)\b)|\bthe (?!\w+s$|people$)\w+$")
# "tests on controls with …" is about tests: the other thing is a condition of theirs
_BELOW = r"\b(?!hours|days|weeks)\w+s (?:on|for|to|against) (?:the |our |all )?(?:{noun})\b"


@dataclass(frozen=True)
class _Parts:
    """A question cut in two: what is counted for, how, and what is counted."""

    head: str
    inner: str
    quantity: str
    number: int
    verb: str
    among: str = ""  # what a thing has to have at all


def pair(asked: CopilotQuestion, planner: Planner, library: Library) -> Query | None:
    """The query where the question is of two kinds of things; None for every other question."""
    for name, words in _HEADS.items():
        parts = _cut(asked, words)
        if parts is None:
            continue
        query = _query(parts, BY_NAME[name], planner, library)
        if query is not None:
            return query
    return None


def _cut(asked: CopilotQuestion, words: str) -> _Parts | None:
    text = " ".join(asked.text.strip(" ?.!").split())
    by = re.match(_BY.pattern.replace("{noun}", words), text)
    if by is not None:
        quantity = "fewest" if re.search(r"\bbottom\b", by["head"]) else "most"
        return _Parts(_TOP.sub(" ", by["head"]), by["inner"], quantity, _top(by["head"]), "")
    pattern = _OFTEN if words == _HEADS["person"] else _DONE
    done = re.match(pattern.pattern.replace("{noun}", words), text)
    if done is not None and not re.search(r"\b(?:has|have|had|with|by)\b", done["head"]):
        verb = "incidents" if _TROUBLE.match(done["inner"]) else done["inner"]
        end = "most" if done["end"] == "most" else "fewest"
        return _Parts(_TOP.sub(" ", done["head"]), f"{verb}{done['span']}", end, _top(done["head"], 1), "")
    if last := re.match(_LAST.pattern.replace("{noun}", words), text):
        return _Parts(_TOP.sub(" ", last["head"]), last["inner"], "last", _top(last["head"], 1), "")
    if whose := re.match(_WHOSE.pattern.replace("{noun}", words), text):
        claim = f"{whose['inner']} that {whose['claim']}"
        return _Parts(whose["head"], claim, "none", 0, "has", whose["inner"])
    match = re.match(_WITH.pattern.replace("{noun}", words), text)
    if match is None or re.search(r"\b(?:or|and)$", match["head"]):
        return None  # "services without an owner or without an objective"
    if _ALL.search(match["head"]) or re.search(_BELOW.replace("{noun}", words), match["head"]):
        return None
    if not (match["quantity"] or match["out"]) and re.search(r"\bwho$", match["head"]):
        return None  # "who owns the decision" asks for an attribute
    kinds = ("most", "fewest", "over", "least", "under", "exactly", "none", "some")
    quantity = "none" if match["out"] else next((kind for kind in kinds if match[kind]), "some")
    if quantity == "some" and _NEGATED.search(text):
        quantity = "none"
    said = match["quantity"] or ""
    number = next((_number(word) for word in re.findall(_N, said)), 0)
    head = match["head"]
    if quantity in ("most", "fewest"):
        number = _top(head, 1 if _ONE.search(head) else _RANKED)
        head = _TOP.sub(" ", head)
    return _Parts(head, match["inner"], quantity, number, match["verb"] or "")


def _number(word: str) -> int:
    return int(word) if word.isdigit() else _NUMBERS[word]


def _top(head: str, usual: int = _RANKED) -> int:
    match = _TOP.search(head)
    said = None if match is None else match["n"] or match["only"]
    return usual if said is None else _number(said)


def _query(parts: _Parts, entity: Entity, planner: Planner, library: Library) -> Query | None:
    """The counts of the inner query for each thing of the head."""
    never = False
    if parts.quantity == "none" and entity.dated and entity.dates:  # "incidents without follow-ups this year"
        spans = [window.words for window in planner.question(parts.inner).windows if parts.inner.endswith(window.words)]
        parts = replace(
            parts,
            inner=parts.inner.removesuffix(spans[-1] if spans else "").strip(),
            head=" ".join([parts.head, *spans[-1:]]),
        )
        never = bool(spans)
    counted = _counted_query(parts.inner, entity, planner)
    verb = (
        None
        if counted is None
        else next((day for day, said in counted.entity.dates.items() if parts.verb in said), None)
    )
    if verb is not None and planner.question(parts.inner).windows:  # signed in May, not due in May
        counted = _counted_query(f"{parts.verb} {parts.inner}", entity, planner) or counted
    if counted is None:
        return None
    column = _link(counted.entity, entity, parts.verb)
    rows = library.rows(counted.entity)
    if counted.order is not None:  # "the oldest finding" is one finding, and none is counted
        return None
    if column is None or column not in rows.columns or counted.intent not in ("list", "count", "what"):
        return None
    text = re.sub(rf"\b(?:{_HEADS['person']})\b", "people", parts.head) if entity.name == "person" else parts.head
    reading = planner.reading(planner.question(text), entity)
    if any(sense.kind == "order" for piece in reading.pieces for sense in piece.senses):
        return None
    head = planner.query(reading)
    wanted = (head.intent,) if head.intent in ("who", "when", "why") and entity.name != "person" else ()
    ranked = parts.quantity in ("most", "fewest", "last")
    constraints = head.constraints
    if entity.name in ("person", "incident") and head.presumed:
        constraints = tuple(each for each in constraints if not each.dimension.startswith("state:"))
    did = parts.verb.endswith("ed") or parts.verb in ("made", "took", "ran")  # whatever became of it
    ever = ranked and (did or counted.entity.name == "incident" or counted.entity.until)
    if counted.presumed and (never or ever):
        counted = replace(
            counted, constraints=tuple(each for each in counted.constraints if not each.dimension.startswith("state:"))
        )
    done = next((day for day, said in counted.entity.dates.items() if parts.verb in said), None)
    if done is not None and done in rows.columns:  # "ran": what is planned was not run
        rows = rows.filter(pl.col(done) <= library.today)
    number, born = pl.len(), next(iter(counted.entity.dates), None)
    if parts.quantity == "last":
        if born is None or rows.schema.get(born) != pl.Date or counted.entity.due == born:
            return None
        number = (pl.lit(library.today) - pl.col(born).max()).dt.total_days()
    fitting = rows.filter(counted.where).drop_nulls(column)
    if rows.schema[column] == pl.List(pl.String):  # a sender is one of each service that it watches
        rows, fitting = rows.explode(column), fitting.explode(column)
    numbers = fitting.group_by(key=column).agg(number=number.cast(pl.Int64))
    frame = library.rows(entity).filter(pl.lit(True), *(each.where for each in constraints))
    if parts.among:  # whoever has none at all is not one whose deploys never failed
        base = _counted_query(parts.among, entity, planner)
        if base is None:
            return None
        some = [each.where for each in base.constraints if not each.dimension.startswith("state:")]
        having = rows.filter(pl.lit(True), *some)[column].drop_nulls().unique()
        frame = frame.filter(pl.col(entity.key).is_in(having.implode()))
    held = frame.select(key=entity.key).join(numbers, on="key", how="left").with_columns(pl.col("number").fill_null(0))
    if parts.quantity == "last":
        held = held.filter(pl.col("key").is_in(numbers["key"].implode()))
    if numbers.height and held["number"].sum() == 0 and not constraints:
        return None
    kept = _limit_groups(held, parts).sort("number", "key", descending=[parts.quantity != "fewest", False])
    label = _label(parts, counted)
    made = Constraint("own:tally", label, pl.col(entity.key).is_in(kept["key"].implode()), after=True)
    query = Query(
        entity,
        "tally",
        (*constraints, made),
        unknown=(*wanted, *head.unknown, *counted.unknown),
        corrections=(*head.corrections, *counted.corrections),
        unused=(*head.unused, *counted.unused),
        assumed=head.assumed,
        lookup=True,
        tally=Tally(kept, counted, ranked, parts.quantity, held.height),
    )
    if wanted and head.columns:  # "who owns the services with the most findings": of each of them
        left = tuple(word for word in query.unknown if word not in wanted)
        assumed = (*head.assumed, *counted.assumed, f"taken as those {label}")
        return replace(query, intent=head.intent, columns=head.columns, tally=None, unknown=left, assumed=assumed)
    return query


def _counted_query(inner: str, entity: Entity, planner: Planner) -> Query | None:
    """What is counted; "documents" of vendors are vendor documents."""
    for text in (inner, f"{entity.name} {inner}"):
        queries = planner.plans(planner.question(text))
        if len(queries) == 1 and queries[0].entity is not entity and queries[0].named:
            return queries[0]
    return None


def _link(counted: Entity, entity: Entity, verb: str) -> str | None:
    """The column of what is counted that says what it counts for."""
    if entity.name != "person":
        return counted.links.get(entity.name)
    named = next((column for column, said in counted.people.items() if verb in said), None)
    return named or (next(iter(counted.people), None) if re.search(_OWES, verb) else None)


def _limit_groups(held: pl.DataFrame, parts: _Parts) -> pl.DataFrame:
    """The things that the quantity takes; of the first ones also those that are equal to the last."""
    number = pl.col("number")
    if parts.quantity in ("most", "fewest", "last"):
        down = parts.quantity != "fewest"
        some = held.filter(number > 0) if parts.quantity == "most" else held
        if some.is_empty():
            return some
        best = some.sort("number", descending=down).head(max(parts.number, 1))["number"]
        return some.filter(number >= best[-1] if down else number <= best[-1])
    limits = {
        "over": number > parts.number,
        "least": number >= max(parts.number, 1),
        "under": number < parts.number,
        "exactly": number == parts.number,
        "none": number == 0,
        "some": number > 0,
    }
    return held.filter(limits[parts.quantity])


def _label(parts: _Parts, counted: Query) -> str:
    words = {
        "over": f"more than {parts.number}",
        "least": f"at least {parts.number}",
        "under": f"fewer than {parts.number}",
        "exactly": f"exactly {parts.number}",
        "none": "no",
        "some": "at least one",
        "most": "the most",
        "fewest": "the fewest",
        "last": "the oldest last",
    }[parts.quantity]
    return f"with {words} {noun(counted, 2 if parts.number > 1 or parts.quantity in ('most', 'fewest', 'none') else 1)}"
