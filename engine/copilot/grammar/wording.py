"""What people write out or leave out, said in the words that all else reads: numbers, steps of a scale, spans."""

import re
from collections.abc import Callable

from engine.copilot.entities.entity import meanings
from engine.copilot.grammar.text import ways_of_file

_NUMBERS = meanings(
    "2: two; 3: three; 4: four; 5: five; 6: six; 7: seven; 8: eight; 9: nine; 10: ten; 12: twelve; 20: twenty"
)
_SCALES = (("info", "low", "medium", "high", "critical"), ("p4", "p3", "p2", "p1"))
_STEP = "|".join(sorted({*_SCALES[0], *_SCALES[1]}, key=len, reverse=True))
_FROM = re.compile(
    rf"\b(?P<step>{_STEP})(?: \w+)? (?:or|and) (?:above|higher|up|upwards?|worse|over|more|greater|more severe)\b|"
    rf"\b(?:at least|minimum|no less than|from) (?P<least>{_STEP})\b(?: up(?:wards?)?\b| on\b)?|"
    rf"\b(?P<plus>{_STEP})\+(?=\s|$)"
)
_UP_TO = re.compile(
    rf"\b(?P<step>{_STEP})(?: \w+)? (?:or|and) (?:below|lower|less|under|down)\b|"
    rf"\b(?:at most|no more than|up to|no higher than) (?P<most>{_STEP})\b"
)
_ABOVE = re.compile(rf"\b(?:above|higher than|over|worse than|more severe than) (?P<step>{_STEP})\b")
_BELOW = re.compile(rf"\b(?:below|lower than|under|less than|less severe than) (?P<step>{_STEP})\b")
_SHORTER = re.compile(
    r"\b(?P<this>this|last) (?P<unit>week|month|quarter|year)(?P<between>\b.*?\b(?:than|vs|"
    r"versus|compared (?:to|with)|"
    r"against|or|and)) (?:the )?(?P<last>last|previous)(?: one)?(?=\s*[?.!]*$)"
)
_PARTICIPLES = {"do": "done", "runn": "run", "mak": "made", "tak": "taken", "see": "seen", "send": "sent"}
_QUARTERS = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}
# ways to say what there is a shorter word for
_WAYS: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = ways_of_file("wording.txt") + tuple(
    (re.compile(pattern), written)
    for pattern, written in (
        (
            r"\bwithout (?:any(?:one|body)|some(?:one|body)|a person) (?:having |ever )?(\w+)ing\b"
            r"(?: off)?(?: (?:it|them|this|that|for it|for them|on it))?",
            lambda match: (
                f"not {_PARTICIPLES.get(match[1], f'{match[1]}d' if match[1].endswith('e') else f'{match[1]}ed')}"
            ),
        ),
        (
            r"\b(?:is there |are there )?(?:any|an|which) (engineer|person|people|service|vendor|owner)s? whose "
            r"(\w+) (?:have |has |were |was )?never (?:been )?(\w+(?: back)?)"
            r"(?: (?:and|or|nor) (?:were |was |have |has )?(?:never )?(?:been )?(\w+(?: back)?))?",
            lambda match: (
                f"{'people' if match[1] in ('engineer', 'person', 'owner') else f'{match[1]}s'} whose {match[2]} never "
                f"{match[3]}{f' or {match[4]}' if match[4] else ''}"
            ),
        ),
        (r"\b(?P<n>first|second|third|fourth|1st|2nd|3rd|4th) quarter\b", lambda match: f"q{_QUARTERS[match['n']]}"),
    )
)
# what is read before two questions of one text are parted: what the second leaves out is in the first
_JOINED = tuple((re.compile(way.pattern, re.IGNORECASE), written) for way, written in ways_of_file("joined.txt"))
# "aren't there any …?" asks the same as "are there any …?"
_POLITE = re.compile(r"^((?:so |and )?(?:is|are|was|were|do|does|did|have|has)) not (there|we|i|you|any)\b")
_QUESTION = (
    r"(?:how (?:many|much|long|old|often|come)|which|whos?e?|(?:on|with|by|for) whom|(?:on|by|for|with) (?:what|which)|"
    r"when|what|why|where|"
    r"(?:are|is|did|do|does|was|were|has|have|can) (?:there|we|i|any|it|they|the|our|all|some|you)\b"
    r"(?! (?:(?:long|good|really) )*(?:enough|sufficient|too short)\b))\b"
)
_WHICH = re.compile(r"(?:which|what) \w+ ", re.IGNORECASE)
_SCORED = r"\b(?:readiness|posture|score)\b"
_REASON = (
    r"(?:why(?: is (?:that|it))?|how come|what (?:is|was|are) the (?:reason|cause)s?(?: (?:for|of) (?:it|that))?)\W*"
)
_EITHER = r"(?:[\w-]+ ){1,3}(?:or|vs|versus)(?: [\w-]+){1,3}[,:]?"
_TAG = r"(?!(?<=how many)(?: each| of each| are there| in total)?\s*[?.!]*$)"  # "…, how many?" asks nothing new
_NEXT_QUESTION = re.compile(
    r"\s*(?:[?;!]+|(?<=\D)\.(?=\s)|"
    rf",?\s+(?:and|also|plus|but)(?:\s+also)?(?=\s+{_QUESTION}{_TAG})|,(?=\s+(?:and\s+)?{_QUESTION}{_TAG}))\s*",
    re.IGNORECASE,
)
# what is asked about, or left aside, said first: "of the incidents since May, which …", "after billing, who …"
_AHEAD = re.compile(
    r"(?:and |so )?(?:(?:out )?of|among|amongst|from|for|in|on|after|before|since|during|besides|except|apart from|"
    r"other than|next to|behind)\b(?!.*\b(?:which|who|what|how|when|why)\b)",
    re.IGNORECASE,
)
_LISTED = re.compile(r"(?:and )?(?:which|which ones|how|how so|who)[\s?!.]*", re.IGNORECASE)
_RELATIVE = re.compile(
    r"\b(?:vendors|suppliers|people|users|owners|somebody|person|those|incidents|services|findings|ones|risks|controls|"
    r"policies|requests|deploys|that|which)\s*,?$",
    re.IGNORECASE,
)


def write_out(text: str) -> str:
    """A plain text with numbers as digits, "high or above" as the steps that it names, and "than last" completed."""
    text = re.sub(rf"\b(?:{'|'.join(_NUMBERS)})\b(?! factor| step)", lambda match: _NUMBERS[match[0]], text)
    for pattern, written in _WAYS:
        text = pattern.sub(written, text)
    text = _POLITE.sub(r"\1 \2", text)
    text = _SHORTER.sub(lambda m: f"{m['this']} {m['unit']}{m['between']} {m['last']} {m['unit']}", text)
    text = _FROM.sub(lambda match: _steps(match["step"] or match["least"] or match["plus"], 0, None), text)
    text = _UP_TO.sub(lambda match: _steps(match["step"] or match["most"], None, 1), text)
    text = _ABOVE.sub(lambda match: _steps(match["step"], 1, None), text)
    return _BELOW.sub(lambda match: _steps(match["step"], None, 0), text)


def _steps(word: str, first: int | None, last: int | None) -> str:
    """The steps of the scale of a word, from so many above it or up to so many above it."""
    scale = next(one for one in _SCALES if word in one)
    at = scale.index(word)
    found = scale[at + first :] if first is not None else scale[: at + (last or 0)]
    return " or ".join(found or (word,))


def clauses(text: str) -> tuple[str, ...]:
    """The questions that one text asks, in order: "how many are there and who owns them?" are two."""
    for way, written in _JOINED:
        text = way.sub(written, text)
    found: list[str] = []
    at = 0
    for match in _NEXT_QUESTION.finditer(text):
        before = text[at : match.start()].strip(" ,")
        if re.fullmatch(r"who (?:(?:is|are|was) )?\w+", before, re.IGNORECASE) and re.search(
            r"\bwho\b", text[match.end() :]
        ):
            continue  # "who is responsible and who is accountable for 8.4.2?" is of one row
        if re.fullmatch(r"(?:which|what) \w+", before, re.IGNORECASE) and re.match(_WHICH, text[match.end() :]):
            continue  # "which vendor and which risk are his?" asks the same of both
        why = re.fullmatch(_REASON, text[match.end() :].casefold())
        if re.fullmatch(_EITHER, before, re.IGNORECASE) or (why and re.search(_SCORED, before, re.IGNORECASE)):
            continue  # "iso or pci, where are more gaps?"; "readiness went down since May, why?"
        if not before or (match[0].strip() in ("", ",") and (_RELATIVE.search(before) or _AHEAD.match(before))):
            continue
        joined = match[0].strip(" ,").casefold() in ("and", "also", "plus", "but")
        if joined and re.fullmatch(_QUESTION, before, re.IGNORECASE):
            continue
        found.append(before)
        at = match.end()
    rest = text[at:].strip(" ,?!;.")
    said = [one for one in (*found, rest) if re.search(r"\w", one)]
    return tuple(one for n, one in enumerate(said) if not n or not _LISTED.fullmatch(one)) or (text,)
