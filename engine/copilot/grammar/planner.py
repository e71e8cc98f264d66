"""Which kind of thing a question is about: every kind that its words may mean is read, and the best reading counts."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

from engine.copilot.answers.library import Library
from engine.copilot.entities import ENTITIES
from engine.copilot.entities.entity import Entity
from engine.copilot.grammar.accounting import is_of_other_thing
from engine.copilot.grammar.everyday import is_everyday, is_filler
from engine.copilot.grammar.lexicon import BY_NAME, GROUP_WORDS, MEASURES, NOUNS, SINGLE
from engine.copilot.grammar.names import OwnName
from engine.copilot.grammar.pieces import is_subject, within
from engine.copilot.grammar.plan import plan
from engine.copilot.grammar.query import Query
from engine.copilot.grammar.reading import LONGEST_PHRASE, SIGNS, CopilotQuestion, Reading, ask, names_row, read
from engine.copilot.grammar.text import ASKING, nearest, stem, stems

_PROOFS = ("linked evidence item", "control")
_SEVERE = ("incident", "finding", "gap")
_USED_UP = ("whose", "without", "no", "missing", "lack", "lacks")  # words that a column behind them uses up
# what is said of the row before, by a verb that may be the noun of another thing: "who runs it", "who was on call then"
_OF_BEFORE = r"^(?:and |so )?(?:who|when|why) \w+ (?:it|them)\b|\bthen(?=\W*$)"
_TELLING = 2  # words: so many say what is asked of a thing that is not named


class Planner:
    """Reads the questions of one conversation for one organization."""

    def __init__(self, library: Library, asker: str) -> None:
        self._library = library
        self._asker = asker
        self._names = library.names

    def question(self, text: str) -> CopilotQuestion:
        """The question of a text."""
        return ask(self._names.with_titles(self._with_identifiers(text)), self._library.today, self._library.now)

    def _with_identifiers(self, text: str) -> str:
        """The text with "incident 71" as the identifier of this year's incident of that number."""

        def identifier(match: re.Match[str]) -> str:
            key = f"INC-{self._library.today.year}-{int(match[1]):04d}"
            return key if stems(key) in self._names.by_phrase else match[0]

        return re.sub(r"(?i)\bincident (?:number |no\.? |#)?(\d{1,4})\b(?!-)", identifier, text)

    def plans(self, asked: CopilotQuestion, before: Query | None = None, *, follows: bool = False) -> tuple[Query, ...]:
        """The query that is meant; several where nothing says which; none where nothing fits.

        ``follows`` where it is a later part of the same message: "… and why?".
        """
        if asked.matches(ASKING["evidence of"]) and [name.kind for name in self.names(asked)] == ["control"]:
            items, control = (self.query(self.reading(asked, BY_NAME[name])) for name in _PROOFS)
            if not items.unknown:
                return (
                    (items,) if control.unknown else (items, control)
                )  # the items themselves, and whether they are enough
        candidates = [] if follows and asked.matches(ASKING["bare"]) else self._candidates(asked)
        if before is not None and (
            follows and (not candidates or candidates == [before.entity]) and not any(self.names(asked))
        ):
            reading = self.reading(asked, before.entity)
            if not reading.unknown:
                return (self.query(reading, before, follows=follows),)
        if before is not None and candidates and asked.matches(r"\b(?:it|that one|this one|that)\b"):
            reading = self.reading(asked, before.entity)  # "did it cause an incident?" is still about the deploy
            if not reading.unknown and reading.understood_words:
                return (self.query(reading, before),)
        if before is not None and (
            not candidates or (asked.matches(ASKING["follows"]) and not _own_subject(asked, candidates, before))
        ):
            reading = self.reading(asked, before.entity)
            if not reading.unknown and (reading.pieces or reading.title_words or asked.matches(ASKING["follows"])):
                return (self.query(reading, before),)
        if candidates:
            best = min((self.reading(asked, entity) for entity in candidates), key=_rank)
            if any("-" in word for word in best.unknown):  # "owner and due date of REQ-2026-0004"
                named = [one for one in ENTITIES if names_row(one, self._library.rows(one), best.unknown)]
                best = min((best, *(self.reading(asked, entity) for entity in named)), key=_rank)
            if before is not None and best.unknown and before.entity is not best.entity:
                same = self.reading(asked, before.entity)  # "how many were caused by a vendor" is about incidents still
                if same.understood_words > best.understood_words and not same.unknown:
                    return (self.query(same, before),)
            if not is_of_other_thing(best):
                query = self.query(best)
                query = replace(query, unknown=(*query.unknown, *_other_heads(best)))
                back = r"\b(?:they|them|those|these|did it|does it)\b(?! (?:\w+ )?who\b)"
                other = follows or (before is not None and before.entity is not best.entity)
                lost = re.search(back if other else back.replace("|did it|does it", ""), asked.text)
                lost = lost or (re.search(_OF_BEFORE, asked.text) if other else None)
                if before is None or lost is None:
                    return (query,)
                return (replace(query, unknown=(*query.unknown, lost[0])),)
        if before is not None and before.lookup and asked.matches(r"\bit\b"):
            return (self.query(self.reading(asked, before.entity), before),)  # of that row, or of nothing
        return self._without_noun(asked)

    def better(self, asked: CopilotQuestion, found: tuple[Query, ...]) -> tuple[Query, ...]:
        """The one kind of thing that understands every word, nouns of what was found as parts of a longer phrase."""
        other = self._by_choice(asked) if found and all(one.unknown for one in found) else ()
        if not other or other[0].unknown:
            return found
        reading = self.reading(asked, other[0].entity)
        if reading.turned or reading.excluded:
            return found
        long = [one for one in reading.pieces if one.sense("choice") and one.size > 1]
        nouns = [one for query in found for one in self.reading(asked, query.entity).pieces if one.sense("noun")]
        inside = [any(one.at <= noun.at < one.end for one in long) or noun.words in GROUP_WORDS for noun in nouns]
        return other if long and all(inside) else found

    def refers(self, asked: CopilotQuestion) -> bool:
        """Whether a question is about what the one before was about: it says "them", or names no thing of its own."""
        return asked.matches(ASKING["them"]) or (
            asked.matches(ASKING["follows"]) and not self._candidates(asked) and not any(self.names(asked))
        )

    def several(self, asked: CopilotQuestion) -> tuple[Query, ...]:
        """The queries of a question that names kinds of things side by side: "open incidents and findings on dns"."""
        parts = self._side_by_side(asked.words)
        if len(parts) < 2:
            return ()
        best = min((self.reading(asked, one) for one in self._candidates(asked)), key=_rank, default=None)
        if best is not None and not best.unknown and not asked.matches(ASKING["each which"]):
            return ()
        made: list[Query] = []
        for part in parts:
            plans = self.plans(replace(asked, words=part))
            if len(plans) != 1:
                return ()
            made += plans
        return tuple(made)

    def _side_by_side(self, said: Sequence[str]) -> list[tuple[str, ...]]:
        """The words as a question for each of the nouns that "and" stands between."""
        stemmed = tuple(map(stem, said))
        spots = sorted(
            {
                (at, at + len(phrase), entity.name)
                for entity in ENTITIES
                for phrase in NOUNS[entity.name]
                for at in range(len(said) - len(phrase) + 1)
                if stemmed[at : at + len(phrase)] == phrase
            }
        )
        for (start, end, kind), (start2, end2, kind2) in pairwise(spots):
            between = said[end:start2]
            if kind == kind2 or not between or between[0] not in ("and", "or", "plus") or len(between) > 4:
                continue
            head, own, tail = said[:start], between[1:], said[end2:]
            asking = tuple(word for word in head if is_filler(word)) if own else head
            rest = (*asking, *own, *said[start2:end2], *tail)
            return [(*head, *said[start:end], *tail), *(self._side_by_side(rest) or [rest])]
        return []

    def _without_noun(self, asked: CopilotQuestion) -> tuple[Query, ...]:
        """What is asked without saying of what kind of thing: by identifier, by name, or by a word that hints at it."""
        if any(any(c.isdigit() for c in word) and len(word) > 3 for word in asked.words):
            for entity in ENTITIES:
                if entity.name != "attack path" and entity.names:
                    reading = self.reading(asked, entity)
                    if reading.rows and not reading.unknown:
                        return (self.query(reading),)
        for name in sorted(self.names(asked), key=lambda one: one.kind == "framework"):
            reading = self.reading(asked, BY_NAME.get(name.kind, BY_NAME["automation run"]))
            if not reading.unknown:
                return (self.query(reading),)
            linked = [one for one in ENTITIES if name.kind in one.links and name.kind != "person"]
            others = [self.reading(asked, one) for one in linked]
            clear = [one for one in others if not one.unknown and not _orphans(one) and not one.title_words]
            if len(clear) == 1 and clear[0].understood_words > len(name.label.split()):
                return (self.query(clear[0]),)
        hinting = {*asked.words, *map(stem, asked.words)}
        hinted = [entity for entity in ENTITIES if hinting & {*entity.hints}]
        if any(True for _ in self.names(asked)):
            severe = [entity for entity in (BY_NAME[name] for name in _SEVERE) if entity not in hinted]
            for entities in (hinted, severe):
                found = self._clear(self.reading(asked, entity) for entity in entities)
                found = [(one, query) for one, query in found if one.understood_words > 1 and not _orphans(one)]
                if found:
                    return tuple(query for _, query in found)
        severity = r"\b(?:critical|high|medium|low|severe|crit)s?\b"
        severe = [BY_NAME[name] for name in _SEVERE] if asked.matches(severity) else []
        if not (hinted or severe):
            return self._by_choice(asked)
        found = self._clear(self.reading(asked, entity) for entity in hinted or severe)
        return tuple(query for reading, query in found if reading.understood_words) or self._by_choice(asked)

    def _clear(self, readings: Iterable[Reading]) -> list[tuple[Reading, Query]]:
        """The readings of which every word is understood, each with its query; a number may be how many are asked."""
        likely = (one for one in readings if all(w.isdigit() or w in SIGNS or w in _USED_UP for w in one.unknown))
        every = ((one, self.query(one)) for one in likely)
        return [(one, query) for one, query in every if all(word.isdigit() for word in query.unknown)]

    def _by_choice(self, asked: CopilotQuestion) -> tuple[Query, ...]:
        """The one kind of thing that understands every word, one of them as a word of its columns; of several that
        understand a verb of theirs alike, what happens comes first."""
        every = [self.reading(asked, entity) for entity in ENTITIES]
        plain = [one for one in every if not (one.corrections or _orphans(one) or one.title_words)]
        found = [(one, query) for one, query in self._clear(plain) if not query.unknown]
        chosen = [(one, query) for one, query in found if any(piece.sense("choice") for piece in one.pieces)]
        timed = [(one, query) for one, query in found if query.order is not None]
        held = [(one, query) for one, query in found if any("bound:" in each.dimension for each in query.constraints)]
        for readings, least in ((chosen, not asked.windows), (timed, _TELLING), (held, 1)):
            most = max((one.understood_words for one, _ in readings), default=0)
            best = [query for one, query in readings if one.understood_words == most]
            if len(best) > 1:
                best = [query for query in best if self._library.rows(query.entity).filter(query.where).height] or best
            if most > least and (len(best) == 1 or (best and best[0].entity is BY_NAME["incident"])):
                return (best[0],)
        return ()

    def _candidates(self, asked: CopilotQuestion) -> list[Entity]:
        """The kinds of things whose nouns the question has, misspelt ones where no other word is meant."""
        without_names = self._names.subject_words(asked.words)
        if any(name.kind == "committee" for name in self.names(asked)) and asked.matches(
            r"\b(?:when|next|last|met|meet)\b"
        ):
            return [BY_NAME["meeting"]]
        if asked.matches(r"\b(?:does|do)\b.*\b(?:depend|rely|need)\b(?! on (?:it|them)\b)") and not asked.matches(
            r"^(?:who|what|which)(?: services?)? (?:depends?|rel(?:y|ies)) "
        ):
            return [BY_NAME["dependency"]]
        if asked.matches(r"\bhow long\b.*\b(?:keep|kept|retain\w*|store)\b"):
            return [BY_NAME["record class"]]
        if asked.matches(ASKING["fix one"]):
            return [BY_NAME["incident"]]
        entities = [
            entity for entity in ENTITIES if any(is_subject(phrase, without_names) for phrase in NOUNS[entity.name])
        ]
        kinds = {name.kind for name in self.names(asked)}
        if "incident" in kinds:
            entities.append(BY_NAME["incident"])
        if "control" in kinds and (BY_NAME["evidence item"] in entities or asked.matches(r"\bwhen\b.*\btested\b")):
            entities.append(BY_NAME["control"])
        entities += [entity for entity in ENTITIES if any(within(one, without_names) for one in MEASURES[entity.name])]
        telling = [word for word in without_names if not (is_filler(word) or is_everyday(word) or word in SINGLE)]
        if entities:  # a long word that nothing knows may be another noun, misspelt
            telling = [word for word in telling if len(word) > 6]
        close = {near for word in telling if (near := nearest(word, SINGLE, most=1)) is not None}
        entities += [
            entity
            for entity in ENTITIES
            if any(phrase[0] in close for phrase in NOUNS[entity.name] if len(phrase) == 1)
        ]
        return list(dict.fromkeys(entities))

    def names(self, asked: CopilotQuestion) -> Iterable[OwnName]:
        """The organization's own names in a question, the longest first."""
        said = tuple(stem(word) for word in asked.words)
        known = self._names.by_phrase
        for length in range(6, 0, -1):
            for at in range(len(said) - length + 1):
                name = known.get(said[at : at + length]) or known.get(tuple(asked.words[at : at + length]))
                if name is not None:
                    yield name

    def has_subject(self, asked: CopilotQuestion) -> bool:
        """Whether a question, or the beginning of one, names a kind of thing."""
        return bool(self._candidates(asked))

    def has_name(self, word: str) -> bool:
        """Whether a word names something of the organization, or is a part of such a name."""
        return bool({word, stem(word)} & self._names.singles) or word in self._names.called_words

    def near_name(self, word: str) -> str | None:
        """The one word of names of services, vendors and people that a misspelt one is near to."""
        return nearest(word, self._names.called_words)

    def reading(self, asked: CopilotQuestion, entity: Entity) -> Reading:
        """The question as one about a kind of thing."""
        return read(asked, entity, self._library.lexicon(entity), self._library.rows(entity))

    def query(self, reading: Reading, before: Query | None = None, *, follows: bool = False) -> Query:
        """The query of a reading."""
        frame = self._library.rows(reading.entity)
        follows = follows and reading.asked.matches(r"\bhow many\b")
        return plan(reading, frame, self._library.today, self._asker, before, follows=follows)


def _other_heads(reading: Reading) -> Iterator[str]:
    """What "which of our" stands before where the reading takes it for no more than a word of a column."""
    head = re.match(r"(?:which|what) (?:one )?of (?:our|the|these|all(?: our)?) (\w+)", reading.asked.text)
    word = "" if head is None else stem(head[1])
    own = next((piece for piece in reading.pieces if piece.words in (word, head[1] if head else "")), None)
    if word in SINGLE and own is not None and own.sense("choice") and not own.sense("noun", "attribute", "state"):
        yield head[1] if head else word


def _own_subject(asked: CopilotQuestion, candidates: Sequence[Entity], before: Query) -> bool:
    """Whether a follow-up speaks of another kind of thing than the question before."""
    return before.entity not in candidates and not asked.matches(ASKING["them"])


def _orphans(reading: Reading) -> int:
    """How many names it has that no column of the thing holds."""
    entity = reading.entity
    kinds = [
        sense.name.kind
        for piece in reading.pieces
        if (sense := piece.sense("name")) is not None and sense.name and not piece.sense("choice")
    ]
    return sum(kind not in entity.links and not (kind == "person" and entity.people) for kind in kinds)


def _rank(one: Reading) -> tuple[int, int, bool, int, int]:
    """How well a reading fits, the best first; a noun that people use of other things, too, comes after theirs."""
    named = {piece.phrase for piece in one.pieces if piece.sense("noun")}
    loose = named <= {stems(word) for word in one.entity.loose}
    own = sum(stem(text) in SINGLE for text, _ in one.corrections)  # a noun of another thing is not misspelt
    ends = {
        piece.end for piece in one.pieces if piece.size > 1 and piece.sense("choice")
    }  # "third party risk" is a risk
    length = one.noun + len(ends & {piece.at for piece in one.pieces if piece.sense("noun")}) * LONGEST_PHRASE
    return len(one.unknown) + _orphans(one) + own, -one.understood_words, bool(named) and loose, -length, one.at
