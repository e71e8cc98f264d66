"""A condition of another kind of thing: "findings on services that had an incident", "controls with no exception".

The condition is a question of its own, and the thing another; both must be understood to the last word. A row is held
against those of the other kind by the column in which one of them names the other, or by what both of them name.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, timedelta
from typing import NamedTuple

import polars as pl

from engine.copilot.answers.hearing import has_meaning
from engine.copilot.answers.library import Library
from engine.copilot.answers.pairs import pair
from engine.copilot.answers.sentences import noun
from engine.copilot.entities import ENTITIES
from engine.copilot.entities.entity import Entity
from engine.copilot.grammar.planner import Planner
from engine.copilot.grammar.query import Constraint, Query
from engine.copilot.grammar.reading import CopilotQuestion
from engine.copilot.grammar.text import stem

RELATED = "related:"
_MOST_CUTS, _MOST_PARTS = 2, 60  # conditions within conditions, and parts of a question that are looked up
# what stands between a thing and the condition that another thing meets
_LINK = re.compile(
    r"(?: (?:that|which|who))?(?: (?:still|currently|also|do|does|did|are|is|were|was))?"
    r" (?:(?P<none>without|(?:have|has|had|with|got|show) (?:no|not a single|zero)|not have)|have|has|had|having|with|"
    r"whose|got|(?:linked|tied|connected|attached|related|mapped|belonging|belongs?|pointing|going|sent|shipped) to|"
    r"(?:owned|held|caused|covered|affected|used|raised) by|on|of|for|to|from|under|against|in|at|about)"
    r"(?: (?:any|an?|our|at least one))? "
)
# where a condition ends and another one begins, and how the next one begins where it has a link of its own
_END = re.compile(
    r",? (?:(?P<and>and|but)(?: also)?(?= )|"
    r"(?=(?:that|which|who|with|without|whose|on|of|for|to|from|in|are|is|were|was|this|last|since|today|next)\b))"
)
_OWN = re.compile(r"(?:that|which|who|whose|with|without|on|of|for|to|from|in)\b")
_VERB = re.compile(r"(?:have|has|had|are|is|were|was|do|does|did|not|never|hold|handle|store)s?\b")
_SAME = re.compile(
    r"^(?P<head>.+?) (?:with|that had|that have|which had|had) (?P<one>.+?) and (?P<other>.+?) (?:in|within|on|during) "
    r"(?:the |one and the )?same (?P<unit>day|week|month|quarter)$"
)
# how far a thing lies from another in time: "within an hour after", "shortly before", "on the same day as", "during"
_BESIDE = re.compile(
    r"(?: (?:that|which))?(?: (?:were|was|are|is|came|started|fell))?(?:"
    r"(?: (?:opened|made|found|done))? (?:within|in|less than|under|up to|at most) (?:the )?(?:first |last )?"
    r"(?:an? |(?P<n>\d+) ?)?(?P<unit>min(?:ute)?|hour|hr|h|day|d|week)s? "
    r"(?P<way>after|following|before|preceding|of|around)|"
    r" (?:right|shortly|directly|just|immediately|soon) (?P<near>after|before)|"
    r" (?P<same>on the (?:same )?day (?:as|of))| (?P<during>during|throughout|in|into|within|on))"
    r"(?: (?:an?|any|the|one|some|our|that|another))?(?= ) "
)
_SAME_SERVICE = re.compile(r" (?:on|of|for|to|in) (?:the|that|this|its|their)(?: same)? services?$")
_MINUTES = {"m": 1, "h": 60, "d": 1440, "w": 10_080}
_TRUNCATED = {"day": "1d", "week": "1w", "month": "1mo", "quarter": "1q"}
_SHARED = ("control", "service", "vendor", "incident", "committee")  # what two kinds of things may both name
_Cut = tuple[str, str, str, bool]  # what stands before a condition, it, what is behind it; whether there is none


class _Records(NamedTuple):
    """Where a question is looked up, and the parts of it that were."""

    planner: Planner
    library: Library
    seen: dict[tuple[str, int], Query | None]


def together(
    asked: CopilotQuestion, plans: tuple[Query, ...], planner: Planner, library: Library, *, cuts: bool
) -> tuple[Query, ...]:
    """What is meant: the plans, or where two kinds of things are in it, how many of one the other has, or which meet a
    condition of it; a state that says the same as a number of rows comes first."""
    telling = [word for word in asked.words if len(word) > 3 and not planner.has_name(word)]
    strange = [word for word in telling if not (has_meaning(word) or _is_value(word, library))]
    known = cuts and len(strange) < 2  # "average" is no word of a kind of thing
    return _together(asked, plans, _Records(planner, library, {}), _MOST_CUTS if known else 0)


def _is_value(word: str, library: Library) -> bool:
    """Whether a word stands in a column of some kind of thing."""
    return any(library.lexicon(one).senses((text,)) for one in ENTITIES for text in (word, stem(word)))


def _together(asked: CopilotQuestion, plans: tuple[Query, ...], records: _Records, cuts: int) -> tuple[Query, ...]:
    planner, library, _ = records
    query, one = pair(asked, planner, library), plans[0] if len(plans) == 1 else None
    if query is not None and (query.tally is not None or one is None or not _is_whole(one)):
        clean = one is not None and not (one.unknown or one.unused) and one.entity is query.entity
        plans = plans if clean and query.tally and query.tally.quantity in ("none", "some") else (query,)
    whole = len(plans) == 1 and _is_whole(plans[0])
    if cuts < 1 or (whole and _height(plans[0], library)):
        return plans
    text = " ".join(asked.text.strip(" ?.!").split())
    found = _in_one_span(text, records, cuts) or _in_time(text, records, cuts) or _in_two(text, records, cuts)
    return plans if found is None or (whole and not _height(found, library)) else (found,)


def _height(query: Query, library: Library) -> int:
    return library.rows(query.entity).filter(query.where).height


def _is_whole(query: Query) -> bool:
    """Whether every word of a question is used, none of them only searched for in titles."""
    assumed = (*query.assumed, *(() if query.tally is None else query.tally.of.assumed))
    idle = any(one.endswith("taken to say nothing") for one in assumed)
    idle = idle or any(each.dimension.startswith(("title:", "not:title:")) for each in query.constraints)
    return not (query.unknown or query.unused or query.corrections or idle) and (query.named or query.lookup)


def _in_two(text: str, records: _Records, cuts: int) -> Query | None:
    """The likeliest of the ways to cut a question in two: the one that takes the least for granted."""
    found: list[tuple[int, int, Query]] = []
    planner, library, _ = records
    for before, condition, rest, without in _cuts(text):
        other = _one(condition, records, cuts)
        if other is None or other.order is not None or other.intent not in ("list", "count", "tally"):
            continue
        span, dated = planner.question(rest), (other.tally.of if other.tally else other).entity.dates
        stands = any(each.dimension.startswith("state:") for each in other.constraints[other.presumed :])
        # "deploys to services with open findings this month": the span of which?
        either = stands and not other.verbs and re.search(r"ed\b", condition) is None
        if (either and other.window) or (span.windows and not span.words and dated and not either):
            continue
        for kind in ("", f"{other.entity.name} "):  # "documents" of vendors are vendor documents
            query = _one(f"{kind}{before} {rest}", records, cuts)
            if query is None or query.entity is other.entity or (query.tally is not None and query.tally.ranked):
                continue
            if planner.reading(planner.question(f"{kind}{before}"), query.entity).noun:
                made = belonging(query, other, library, without=without)
                found += [] if made is None else [(len(set(made.assumed)), _height(made, library), made)]
                break
    least = min((doubts for doubts, _, _ in found), default=0)
    best = [(height, query) for doubts, height, query in found if doubts == least]
    if len({height for height, _ in best}) > 1:
        return replace(best[0][1], assumed=(*best[0][1].assumed, "it may be read otherwise"))
    return best[0][1] if best else None


def _one(text: str, records: _Records, cuts: int) -> Query | None:
    """The one query of a part of a question, of which every word is understood."""
    key, asked = (text, cuts), records.planner.question(text)
    named = records.planner.has_subject(asked) or any("-" in word and word[-1].isdigit() for word in asked.words)
    if key not in records.seen and len(records.seen) < _MOST_PARTS and named:
        plans = _together(asked, records.planner.plans(asked), records, cuts - 1)
        clear = len(plans) == 1 and _is_whole(plans[0]) and not plans[0].halves
        records.seen[key] = plans[0] if clear else None
    return records.seen.get(key)


def _cuts(text: str) -> Iterator[_Cut]:
    """The ways to cut a question in two, the longest conditions first, of what there is not the shortest."""
    for link in (match for at in range(len(text)) if text[at] == " " and (match := _LINK.match(text, at))):
        before, without = text[: link.start()], link["none"] is not None
        parts = [(before, text[link.end() :], "", without)]
        for end in reversed(list(_END.finditer(text, link.end()))):
            rest = text[end.end() :].strip()
            if end["and"] and not _OWN.match(rest):
                rest = f"{'that' if _VERB.match(rest) else 'with' if without else link[0].strip()} {rest}"
            parts.append((before, text[link.end() : end.start()], rest, without))
        yield from sorted(parts, key=lambda part: without and _OWN.match(part[2]) is None)


def _with(query: Query, made: Constraint, other: Query) -> Query:
    """The query with a condition that other rows meet; never sure."""
    if query.tally is not None:  # those that have any, not how many each has
        query = replace(query, intent="list", tally=None)
    presumed = [f"taken as {noun(other, 2)}"] if other.presumed else []
    of = other.tally.of.assumed if other.tally is not None else ()
    assumed = (*query.assumed, "a condition of another kind of thing", *presumed, *other.assumed, *of)
    return replace(query, constraints=(*query.constraints, made), assumed=assumed)


def belonging(query: Query, other: Query, library: Library, *, without: bool) -> Query | None:
    """The query of the rows that are named by, name, or name the same as those of another."""
    rows = library.rows(query.entity)
    for column, theirs, kind in _columns(query.entity, other.entity) if other.entity.closed or not without else ():
        named = kind is None and theirs == other.entity.key
        if other.presumed and (named or (without and query.window is not None)):  # however they stand now
            kept = tuple(each for each in other.constraints if not each.dimension.startswith("state:"))
            other = replace(other, constraints=kept, presumed=False)
        fitting = library.rows(other.entity).filter(other.where)
        bare = named and not without and len(other.constraints) <= other.presumed  # "on services" are all of them
        if bare or column not in rows.columns or theirs not in fitting.columns:
            continue
        values = fitting[theirs].explode() if fitting.schema[theirs] == pl.List(pl.String) else fitting[theirs]
        keys, held = values.drop_nulls().unique().to_list(), pl.col(column)
        many = rows.schema[column] == pl.List(pl.String)
        where = held.list.eval(pl.element().is_in(keys)).list.any() if many else held.is_in(keys)
        where = ~where.fill_null(False) if without else where.fill_null(False)
        has = f"no {noun(other, 2)}" if without else f"at least one {noun(other, 1)}"
        label = (
            f"whose {kind} has {has}" if kind else f"of {noun(other, 2)}" if named and not without else f"with {has}"
        )
        return _with(query, Constraint(f"{RELATED}{column}", label, where, after=True), other)
    return None


def _columns(entity: Entity, other: Entity) -> Iterator[tuple[str, str, str | None]]:
    """The columns by which two kinds of things belong together, the closest first, each with what both name."""
    if other.name in entity.links:
        yield entity.links[other.name], other.key, None
    if entity.name in other.links:
        yield entity.key, other.links[entity.name], None
    if other.name == "person" and entity.people:
        yield next(iter(entity.people)), other.key, None
    if entity.name == "person" and other.people:
        yield entity.key, next(iter(other.people)), None
    both = entity.links.keys() & other.links.keys()
    yield from ((entity.links[kind], other.links[kind], kind) for kind in _SHARED if kind in both)


def _in_one_span(text: str, records: _Records, cuts: int) -> Query | None:
    """Things that had both of two others in the same week: "services with a failed deploy and an incident"."""
    if (match := _SAME.match(text)) is None:
        return None
    head = _one(match["head"], records, cuts)
    spans: list[pl.DataFrame] = []
    names: list[str] = []
    for part in (match["one"], match["other"]):
        if head is None or (one := _one(part, records, cuts)) is None:
            return None
        one = replace(one, constraints=one.constraints[one.presumed :], presumed=False)
        rows = records.library.rows(one.entity).filter(one.where)
        born, link = next(iter(one.entity.dates), ""), one.entity.links.get(head.entity.name, "")
        if rows.schema.get(born) == pl.Date and rows.schema.get(link) == pl.String:
            spans.append(rows.select(key=link, span=pl.col(born).dt.truncate(_TRUNCATED[match["unit"]])).drop_nulls())
            names.append(noun(one, 1))
    if head is None or len(spans) < 2:
        return None
    where = pl.col(head.entity.key).is_in(spans[0].join(spans[1], on=["key", "span"])["key"].unique().implode())
    label = f"with {' and '.join(names)} in the same {match['unit']}"
    assumed = (*head.assumed, "two conditions of other kinds of things")
    made = Constraint(f"{RELATED}key", label, where, after=True)
    return replace(head, constraints=(*head.constraints, made), assumed=assumed)


def in_time_of(asked: CopilotQuestion, before: Query, planner: Planner, library: Library) -> Query | None:
    """Things by the moments of the rows before: "which incidents fell into it", "any deploys an hour before that"."""
    text = " ".join(asked.text.strip(" ?.!").split())
    return _in_time(text, _Records(planner, library, {}), _MOST_CUTS, before) if _IT.search(text) else None


_IT = re.compile(r" (?:it|them|that|those|(?:that|those) (?:window|shift|incident|deploy|time)s?)$")


def _in_time(text: str, records: _Records, cuts: int, before: Query | None = None) -> Query | None:
    """Things by the moments of others, or of what was ``before``: "deploys within 2 hours before an incident"."""
    for link in (match for at in range(len(text)) if text[at] == " " and (match := _BESIDE.match(text, at))):
        told = _SAME_SERVICE.sub("", text[link.end() :])
        back = before is not None and _IT.fullmatch(f" {told}") is not None
        head, other = _one(text[: link.start()], records, cuts), before if back else _one(told, records, cuts)
        if head is None or other is None or head.tally or other.tally or other.order:
            continue
        head, other = (
            replace(one, constraints=one.constraints[one.presumed :], presumed=False) for one in (head, other)
        )
        if (made := _at_the_time(head, other, link, records.library)) is not None:
            return made
    return None


def _at_the_time(head: Query, other: Query, link: re.Match[str], library: Library) -> Query | None:
    """The query of the rows whose moment lies so far from that of another row, or within its span."""
    rows, others = library.rows(head.entity), library.rows(other.entity).filter(other.where)
    at, start = (f"{next(iter(one.entity.dates), '').removesuffix('_on')}_at" for one in (head, other))
    until = f"{(other.entity.until or '').removesuffix('_on')}_at"
    last = until if until in others.columns else "resolved_at" if link["during"] and start == "opened_at" else start
    spans = last != start
    known = not library.rows(other.entity).is_empty() and {start, last} <= set(others.columns)
    if at not in rows.columns or not known or (link["during"] is not None) is not spans:
        return None
    way, gap = link["way"] or link["near"], timedelta(minutes=_MINUTES[(link["unit"] or "d")[0]] * int(link["n"] or 1))
    if link["same"]:
        on, first, end = (f"{one.removesuffix('_at')}_on" for one in (at, start, start))
    else:
        on, first, end = at, start, last
    before = gap if way in ("before", "preceding", "of", "around") else timedelta()
    after = gap if way in ("after", "following", "of", "around") else timedelta()
    same = ["service_id"] if {"service_id"} <= {*rows.columns} & {*others.columns} else []
    same = [one for one in same if not others[one].is_null().all()]
    now = pl.lit(library.now.astimezone(UTC).replace(tzinfo=None))
    ends, off = (
        pl.col(end).fill_null(now) if spans else pl.col(end),
        f"{(head.entity.until or '').removesuffix('_on')}_at",
    )
    held = others.select(*(pl.col(one).alias("theirs") for one in same), first=pl.col(first) - before, end=ends + after)
    ours = rows.select(
        *(pl.col(one).alias("ours") for one in same),
        key=head.entity.key,
        on=on,
        off=off if spans and off in rows.columns else on,  # of two that last, whether they meet
    )
    met = ours.join_where(
        held, pl.col("off") >= pl.col("first"), pl.col("on") < pl.col("end") if spans else pl.col("on") <= pl.col("end")
    )
    if same:  # what is declared for no service is for all of them
        every = [pl.col(one).is_null() for one, query in (("ours", head), ("theirs", other)) if query.entity.until]
        met = met.filter(pl.any_horizontal(*every, (pl.col("ours") == pl.col("theirs")).fill_null(False)))
    label = f"{' '.join(link[0].split())} {noun(other, 1)}{' of the same service' if same else ''}"
    made = Constraint(
        f"{RELATED}moment", label, pl.col(head.entity.key).is_in(met["key"].unique().implode()), after=True
    )
    told = ("taken of the same service",) if same and not spans else ()
    return replace(_with(head, made, other), assumed=(*_with(head, made, other).assumed, *told))
