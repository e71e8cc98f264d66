"""Everyday English that says nothing of compliance: words that cost nothing where no kind of thing knows them.

A word belongs here when leaving it out leaves the question the same. Words that turn a question round, compare, count
or narrow ("not", "than", "only", "expired") do not, nor words for things that are no records here ("salary").
"""

import re
from collections.abc import Callable

from engine.copilot.grammar.text import stem, ways_of_file, words_of_file

_INFLECTION = re.compile(r"(?:ing|e?s|ed|e)$")


def _base(word: str) -> str:
    return _INFLECTION.sub("", word) if len(word) > 4 else word


SAYINGS = words_of_file("everyday.txt")
FILLERS = words_of_file("fillers.txt")
EVERYDAY = frozenset(map(_base, SAYINGS))
_ASIDES = frozenset(map(_base, words_of_file("asides.txt")))


def is_filler(word: str) -> bool:
    """Whether a word says nothing about what is asked."""
    return word in FILLERS or stem(word) in FILLERS


def is_everyday(word: str) -> bool:
    """Whether a word, in any form, that no kind of thing knows leaves the question the same."""
    return _base(word) in EVERYDAY


def is_aside(word: str) -> bool:
    """Whether a word, in any form, is a plain verb or preposition: what stands beside it says what is asked."""
    return _base(word) in _ASIDES


_PAST_ENDS = {"e": "d", "t": "ted"}  # closed, submitted
_MONTH_ENDS = {
    **dict.fromkeys(("january", "march", "may", "july", "august", "october", "december"), 31),
    **dict.fromkeys(("april", "june", "september", "november"), 30),
}  # that of February goes by the year
_CONTROL = r"[a-z]*\d*[.(-]?\S*\d\S*"
_APPLIES = (
    r"(?:appl(?:y|icable|ied)|excluded|left out|out of scope|in scope)(?: (?:to|for) us)?(?=\s*[?.!]*$)"  # or not
)
# ways of speech for which the records have plain words, and what is said before or after the question itself
_SPEECH: tuple[tuple[re.Pattern[str], str | Callable[[re.Match[str]], str]], ...] = ways_of_file("speech.txt") + tuple(
    (re.compile(pattern), plain)
    for pattern, plain in (
        (
            r"^(?:so |and )?(?:(?:what|which) (?:kind|sort|type)s? of (?P<what>\w+)|(?:what is |which is )?"
            r"(?:the |our )?most (?:common|frequent) (?P<common>\w+))(?: (?:do|did|have) we)?(?: (?:find|found|see|"
            r"seen|have|had|get|happens?|happened|occurs?|occurred|comes? up))?"
            r"(?: (?:the )?most(?: often| frequently)?)?(?=\s*[?.!]*$)",
            lambda match: f"{match['what'] or match['common']} ever by title, the most",
        ),
        (
            rf"\b(?:at|as of|as at) the end of ({'|'.join(_MONTH_ENDS)})\b",
            lambda match: f"on {_MONTH_ENDS[match[1]]} {match[1]}",
        ),
        (
            rf"\b(?<=and |til |ore |nce | by )(?:the )?end of ({'|'.join(_MONTH_ENDS)})\b",
            lambda match: f"{_MONTH_ENDS[match[1]]} {match[1]}",
        ),
        (
            rf"^why (?:does|is|do|are) ({_CONTROL}) (?:not )?{_APPLIES}|"
            rf"^why (?:does|is|do|are) not ({_CONTROL}) {_APPLIES}",
            lambda match: f"justification of excluded control {match[1] or match[2]}",
        ),
        (
            r"\bcontrols (?:that )?(?:stopped|ceased|quit) (?:being |to be )(?P<was>effective|partial)\b",
            lambda match: f"control changes from {match['was']}",
        ),
        (
            r"\b(?:did|do|have) we (close|finish|complete|resolve|fix|submit|answer)e?d? "
            r"(?=(?:late|too late|on time|in time|after|before|past)\b)",
            lambda match: f"were {match[1]}{_PAST_ENDS.get(match[1][-1], 'ed')} ",
        ),
        (
            r"^who (?:all )?(?:started|began|came on board|came aboard|was hired|were hired|got hired|is new)\b"
            r"(?= (?:in|on|since|after|before|this|last|with us|here|most recently|during|between)\b| *[?.!]*$)",
            "who joined",
        ),
        (
            r"\b(is|are|am|will|be|was) ((?!\w+ed\b)[\w.@-]+ )?(?:off(?: work)?|out of (?:the )?office|on vacation)"
            r"(?= (?:next|this|last|on|in|during|over|until|today|tomorrow|around)\b|\s*[?.!]*$)",
            lambda match: f"{match[1]} {match[2] or ''}away",
        ),
        (
            r"\b(?:left|still) to (encrypt|close|fix|resolve|sign|attest|approve|review)\b",
            lambda match: f"not {match[1].removesuffix('e')}ed",
        ),
        (
            r"^how many (?P<what>\w+) did (?P<who>\w+) (?P<did>decide|approve|reject|close|place|complete)\b",
            lambda match: f"how many {match['what']} were {match['did'].removesuffix('e')}ed by {match['who']}",
        ),
        (
            r"\b(?:have |has )?(?:burn(?:t|ed)?|used|spent|consumed|eaten)(?: up)? (?P<sign>more|less) than "
            r"(?P<n>half|\d+ ?%)(?: of)? (?:their|it is|the) error budget\b",
            lambda match: (
                f"used {'above' if match['sign'] == 'more' else 'below'} "
                f"{'50' if match['n'] == 'half' else match['n'].rstrip(' %')} %"
            ),
        ),
        (
            r"^(?:is|are|was) (?:we |(?P<one>\S+) )(?:still )?(?:within|in) (?:it is |the |our )?(?:error )?budget"
            r"(?: (?:on|of|for|with) (?P<other>\S+?))?(?=\s*[?.!]*$)",
            lambda match: f"error budget left of {match['one'] or match['other'] or 'us'}",
        ),
    )
)


def plain_speech(text: str) -> str:
    """A question in lower case without what is said around it, ways of speech in the words of the records."""
    for pattern, plain in _SPEECH:
        text = pattern.sub(plain, text)
    return text
