"""How reports put figures and names into sentences."""

from collections.abc import Sequence
from datetime import date

from engine.model.days import quarters, spelled_day
from engine.model.declarations.ask import Ask
from engine.model.documents.document import FrameRow

BRIEF_WORDS = 6  # of what people typed, in a headline
SHOWN_HOURS = {
    "Hours shown": "To the quarter of an hour, each figure by itself: rows can sum to a little more or less than their "
    "total, which is rounded once. Sums and shares are of the hours as recorded; JSON and CSV have these."
}


def count(number: int, noun: str, plural: str = "") -> str:
    """``no gaps``, ``1 gap``, ``1,204 gaps``."""
    if number == 0:
        return f"no {plural or noun + 's'}"
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def count_of(number: int, noun: str, plural: str = "") -> str:
    """``0 controls``, ``1 control``, ``12,400 policies``: for a figure that stands among others; ``count`` says no."""
    return f"{number:,} {noun if number == 1 else plural or noun + 's'}"


def part_of(number: int, total: int, noun: str, verb: tuple[str, str] = ("is", "are")) -> str:
    """``1 of 40 controls is``, ``0 of 1 control is``."""
    return f"{number:,} of {count_of(total, noun)} {verb[number != 1 and total != 1]}"


def titled_first(title: str, number: int, first: str, most: int) -> str:
    """``Overdue duties, the oldest of 12``: the title of a table that has only the first ``most`` of its rows."""
    return f"{title}, the {first} of {number:,}" if number > most else title


def hours(number: float) -> str:
    """``1 hour``, ``7.5 hours``, ``1,204 hours``: to the quarter, as key figures and cells have them."""
    text = quarters(number)
    return f"{text} {'hour' if text == '1' else 'hours'}"


def percent(value: float) -> str:
    """``41.2 %``: one decimal."""
    return f"{value:.1f} %"


def in_points(number: float) -> str:
    """``1.0 point``, ``-2.5 points``: one decimal."""
    return f"{number:.1f} {'point' if abs(round(number, 1)) == 1 else 'points'}"


def change(now: float | None, before: float | None, prior_on: date | None, ask: Ask) -> str:
    """``up 2.3 points in 30 days``; says from before which day there is nothing to compare with."""
    if now is None or before is None or prior_on is None:
        return f"with no snapshot before {ask.period_start.isoformat()}"
    days = count((ask.as_of - prior_on).days, "day")
    moved = round(now - before, 1)
    if moved == 0:
        return f"unchanged in {days}"
    return f"{'up' if moved > 0 else 'down'} {in_points(abs(moved))} in {days}"


def all_of(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"


def some_of(names: Sequence[str], most: int = 5) -> str:
    """``a, b, c`` and how many more there are."""
    text = ", ".join(names[:most])
    return f"{text} and {len(names) - most:,} more" if len(names) > most else text


def inside(title: str) -> str:
    """A title as it reads inside a sentence: ``Evidence freshness`` is evidence freshness, ``SLO`` stays."""
    return title[:1].lower() + title[1:] if title[1:2].islower() else title


def sentence(text: str) -> str:
    """The text with a capital first letter."""
    return text[:1].upper() + text[1:]


def spell(word: str) -> str:
    """A word of the program as people read it."""
    return word.replace("_", " ")


def brief(text: str) -> str:
    """What people typed, cut to a few words."""
    words = text.split()
    return " ".join(words) if len(words) <= BRIEF_WORDS else f"{' '.join(words[:BRIEF_WORDS])}…"


def with_whom(owner: str | None, due_on: date | None = None, said: str = "due") -> str:
    """``with ann@acme.example, due 2 Nov 2026``: who acts and by when, as far as there is a day."""
    when = f", {said} {spelled_day(due_on)}" if due_on else ""
    return f"{f'with {owner}' if owner else 'nobody owns it'}{when}"


def whose_plan(gap: FrameRow, as_of: date | None = None) -> str:
    """``with ann@acme.example, remediation due 2 Nov 2026, waits for the migration``: whose a gap is, and its day.

    Without a remediation that is its day on the plan of action; without either it is not planned yet. ``as_of`` has it
    say how many days ago that was.
    """
    due_on, allowed = gap["due_on"], gap.get("poam_due_on")
    waits = f", waits for {gap['blocked_by']}" if gap.get("blocked_by") else ""
    if due_on:
        return f"{with_whom(gap['owner'], due_on, 'remediation due')}{_ago(due_on, as_of)}{waits}"
    on_plan = f", due {spelled_day(allowed)} on the FedRAMP plan of action{_ago(allowed, as_of)}" if allowed else ""
    return f"{with_whom(gap['owner'])}, not planned yet{on_plan}{waits}"


def _ago(due_on: date, as_of: date | None) -> str:
    late = (as_of - due_on).days if as_of else 0
    return f", {count(late, 'day')} ago" if late > 0 else ""


def start_with(row: FrameRow) -> str:
    """``Start with 8.8 Management of technical vulnerabilities (no evidence; with ann@acme.example).``

    ``due_on``, where a row has it, is the day on which its remediation is due.
    """
    whom = whose_plan(row) if "due_on" in row else with_whom(row["owner"])
    return f"Start with {row['control_id']} {row['title']} ({row['why']}; {whom})."
