"""Numbers with their nouns and verbs in a sentence."""

from collections.abc import Sequence


def count_of(number: int, noun: str, plural: str = "") -> str:
    """``1 control``, ``2 controls``, ``12,400 policies`` when the plural is given."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def part_of(number: int, total: int, noun: str, verb: tuple[str, str] = ("is", "are")) -> str:
    """``1 of 40 controls is``, ``0 of 1 control is``."""
    return f"{number:,} of {count_of(total, noun)} {verb[number != 1 and total != 1]}"


def some_of(names: Sequence[str], most: int = 5) -> str:
    """``a, b, c`` and how many more there are."""
    shown = ", ".join(names[:most])
    return f"{shown} and {len(names) - most:,} more" if len(names) > most else shown
