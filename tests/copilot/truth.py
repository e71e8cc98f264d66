"""Right answers from the raw tables of the demo, and how an answer is held against them.

Nothing of the copilot is imported: a right answer is plain Polars over what was imported.
"""

import re
from dataclasses import dataclass
from datetime import date, timedelta
from zoneinfo import ZoneInfo

import polars as pl

LIVE = ("open", "acknowledged", "mitigated")
SHOWN = 10  # rows that an answer lists


class Demo:
    """The frames of one organization on its day."""

    def __init__(self, frames, today, org):
        self.frames = frames
        self.today = today
        self.org = org
        self.zone = ZoneInfo(frames["organizations"]["time_zone"][0])

    def rows(self, name, *where):
        """A table, with a local day ``<step>_on`` for each instant ``<step>_at``."""
        frame = self.frames[name]
        instants = [column for column, kind in frame.schema.items() if isinstance(kind, pl.Datetime)]
        days = [
            pl.col(c).dt.convert_time_zone(str(self.zone)).dt.date().alias(c.replace("_at", "_on")) for c in instants
        ]
        frame = frame.with_columns(days)
        for column, table, key in (("service_id", "services", "service"),):
            if column in frame.columns and name != table:
                names = self.frames[table].select(column if column in self.frames[table].columns else "id", "name")
                frame = frame.join(names.rename({"id": column, "name": key}), on=column, how="left")
        return frame.filter(*where) if where else frame

    def live(self, *where):
        return self.rows("incidents", pl.col("status").is_in(LIVE), *where)

    def findings(self, *where):
        return self.rows("findings", pl.col("status") == "open", *where)

    def vendors(self, *where):
        gone = pl.col("offboarded_on").is_not_null() & (pl.col("offboarded_on") <= self.today)
        return self.rows("vendors", ~gone, *where)

    def within(self, column, first, last):
        return pl.col(column).is_between(first, last)

    def since(self, column, year, month, day=1):
        return pl.col(column).is_between(date(year, month, day), self.today)

    def next_days(self, column, days):
        return pl.col(column).is_between(self.today, self.today + timedelta(days=days))

    def mail(self, name):
        return f"{name}@{self.org}.example"


@dataclass(frozen=True)
class Count:
    """The first number of the answer is this one."""

    number: float

    def is_met(self, answer):
        found = re.findall(r"(?<![\w.-])(?:No\b|none\b|-?\d[\d,]*(?:\.\d+)?)(?![\w-])", headline(answer))
        said = [0.0 if one[0] in "Nn" else float(one.replace(",", "")) for one in found]
        return bool(said) and abs(said[0] - self.number) < 0.051


@dataclass(frozen=True)
class Rows:
    """The rows that are listed are these, the first ten of them where there are more; the count comes first."""

    names: frozenset

    def is_met(self, answer):
        lines = [line for line in answer.text.splitlines() if line.startswith("- ")]
        named = [
            next((name for name in sorted(self.names, key=len, reverse=True) if has(line, name)), None)
            for line in lines
        ]
        counted = Count(len(self.names)).is_met(answer)
        return counted and None not in named and len(set(named)) == len(lines) == min(SHOWN, len(self.names))


@dataclass(frozen=True)
class Contains:
    """The answer says all of these words, and none of those in ``never``."""

    words: tuple
    never: tuple = ()

    def is_met(self, answer):
        told = answer.text.split("\nSources:")[0].partition("\n\nConfidence:")[0]
        return all(has(told, word) for word in self.words) and not any(has(told, word) for word in self.never)


@dataclass(frozen=True)
class NoData:
    """There is no data on it, and the answer says so."""

    def is_met(self, answer):
        return answer.text.startswith("I have no data") and answer.confidence == "none"


@dataclass(frozen=True)
class Unsure:
    """An answer that says what it could not apply: never sure."""

    word: str

    def is_met(self, answer):
        return answer.confidence != "high" and has(answer.text, self.word)


def headline(answer):
    return answer.text.splitlines()[0]


def has(text, word):
    return re.search(rf"(?<![\w.-]){re.escape(str(word).lower())}(?![\w-])", text.lower()) is not None


def rows_of(frame, column="id"):
    return Rows(frozenset(frame[column].to_list()))


def count(frame):
    return Count(frame.height)


def contains(*words, never=()):
    return Contains(tuple(str(word) for word in words), never)
