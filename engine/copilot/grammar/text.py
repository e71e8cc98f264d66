"""Words of a question: one spelling for the same letters, singular for plural, and how far two words lie apart."""

import re
import unicodedata
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

from engine.copilot.entities.entity import phrases

LONGEST_WORD = 80
_DATA = Path(__file__).resolve().parents[3] / "data" / "copilot"
_WORD = re.compile(r"[^\W_][\w.@:+/&]*(?:-[\w.@:+/&]+)*")


def words_of_file(name: str) -> frozenset[str]:
    """The words of a file of data/copilot, without its lines of remarks."""
    lines = (_DATA / name).read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def ways_of_file(name: str) -> tuple[tuple[re.Pattern[str], str], ...]:
    """The ways of speech of a file of data/copilot, each with what is written for it."""
    lines = (_DATA / name).read_text(encoding="utf-8").splitlines()
    pairs = (line.rpartition(" =>") for line in lines)
    return tuple((re.compile(pattern), written.strip().replace("␣", " ")) for pattern, _, written in pairs)


# what people write together, short, or wrong so often that guessing would be worse than knowing
_SPELLINGS = ways_of_file("spellings.txt")


def patterns_of_file(name: str) -> Mapping[str, re.Pattern[str]]:
    """The patterns of a file of data/copilot by what they are called, in any case of letters."""
    return {called: re.compile(pattern.pattern, re.IGNORECASE) for pattern, called in ways_of_file(name)}


ASKING = patterns_of_file("asking.txt")


def plain(text: str) -> str:
    """The text in lower case, with short forms written out."""
    folded_text = unicodedata.normalize("NFKC", text).casefold()
    for pattern, written in _SPELLINGS:
        folded_text = pattern.sub(written, folded_text)
    return re.sub(r"\s+", " ", folded_text)


def words(text: str) -> tuple[str, ...]:
    """The words of a plain text; hyphens part words that are no identifiers."""
    found: list[str] = []
    for word in _WORD.findall(text):
        cut = word.rstrip(".:+/&-@")[:LONGEST_WORD]
        found.extend([cut] if any(c.isdigit() for c in cut) else re.split(r"[-/]", cut))
    return tuple(word for word in found if word)


_ENCRYPTED = ("https", "ldaps", "ftps", "smtps", "imaps")  # protocols, no plurals of others


def stem(word: str) -> str:
    """A word in the singular; identifiers and short words as they are."""
    if len(word) < 4 or any(c.isdigit() for c in word) or word.endswith(("ss", "us", "is")) or word in _ENCRYPTED:
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith(("sses", "xes", "ches", "shes")):
        return word[:-2]
    return word.removesuffix("s")


def stems(text: str) -> tuple[str, ...]:
    """The words of any text as they are looked up."""
    return tuple(stem(word) for word in words(plain(text)))


def distance(left: str, right: str, most: int) -> int:
    """Letters added, left out, changed or swapped with their neighbour; ``most`` + 1 where it is more than ``most``."""
    if abs(len(left) - len(right)) > most:
        return most + 1
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, a in enumerate(left, 1):
        before, last, row = row, before, [i]
        for j, b in enumerate(right, 1):
            cost = min(row[j - 1] + 1, before[j] + 1, before[j - 1] + (a != b))
            if i > 1 and j > 1 and a == right[j - 2] and left[i - 2] == b:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return min(row[-1], most + 1)


def _is_one_letter_short(word: str, other: str) -> bool:
    """Whether ``word`` is ``other`` with one of its letters missing."""
    return len(other) == len(word) + 1 and any(other[:at] + other[at + 1 :] == word for at in range(1, len(other)))


# words of their own that lie close to one of ours
_PLAIN = frozenset(
    phrases(
        "worse, contract, better, release, raise, rate, cost, pay, paid, sale, staff, note, host, port, form, "
        "plane, meant, closed, opened, risky, security"
    )
)


# endings that make one word of another: "preventive" of "prevent"
_ENDING = re.compile(r"(?:at(?:ions?|ive|e[sd]?|ing)|ions?|ive|ing|ed|ments?|ers?|ors?|able|al|ly|e?s|e)$")


def root(word: str) -> str:
    """A word without its ending."""
    return _ENDING.sub("", word)


def by_ending(word: str, roots: Mapping[str, Collection[str]]) -> str | None:
    """The one known word that differs in its ending alone; None where there is none, or several."""
    found = roots.get(root(word), ()) if word.isalpha() and len(root(word)) > 4 else ()
    return next(iter(found)) if len(found) == 1 else None


def nearest(word: str, known: Iterable[str], most: int = 2) -> str | None:
    """The one known word that a slip of the keyboard makes of ``word``; None where there is none, or several."""
    if len(word) < 4 or not word.isalpha() or word in _PLAIN:
        return None
    most = min(most, 2 if len(word) >= 8 else 1)
    best: tuple[int, list[str]] = (most + 1, [])
    for other in known:
        if other[:1] != word[:1] or len(other) < 4 or not other.isalpha():
            continue
        apart = distance(word, other, most)
        if len(word) == 4 and sorted(word) != sorted(other) and not _is_one_letter_short(word, other):
            continue  # of four letters, only two that changed places, or one that was left out
        if apart < best[0]:
            best = (apart, [other])
        elif apart == best[0] <= most:
            best[1].append(other)
    close = set(best[1])
    swapped = {other for other in close if sorted(other) == sorted(word)}  # the same letters in another order
    found = swapped if len(swapped) == 1 else close
    return found.pop() if best[0] <= most and len(found) == 1 else None


def title_pattern(word: str) -> str:
    """The word in any case: whole, and its plural; a longer one as the beginning of a word, too."""
    end = r"(s|es)?\b" if len(word) < 4 else ""
    return rf"(?i)\b{re.escape(word)}{end}"
