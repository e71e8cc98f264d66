"""The copilot's table: how many answers of each set and kind are right, declined, refused or wrong, and how sure.

    python -m tests.copilot.score [FILE …]

A file of questions is text: ``organization | question => follow-up | kind | truth`` on each line. A kind and its truth:

    number   SQL with one value: the first number of the answer is that one (none is 0)
    rows     SQL with one column: the rows that are listed are those, at most ten of them, and their number comes first
    says     words apart by ``;``, or SQL with values: the answer says each of them
    nothing  nothing is on record: the answer says so and gives no figure

The SQL is DuckDB's over the importable tables of the demo, each with a local day ``…_on`` for every instant ``…_at``, and
``today``. Nothing of the copilot is used for it. ``{service}`` and the like are drawn: such a line is asked with several.
"""

import os
import random
import re
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import duckdb
import polars as pl

from tests.copilot.truth import Contains, Count, Demo, NoData, Rows

HERE = Path(__file__).parent
NIGHTS = tuple(
    HERE / f"night_{one}.txt"
    for one in (
        *("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth", "eleventh"),
        *(
            "twelfth",
            "thirteenth",
            "fourteenth",
            "fifteenth",
            "sixteenth",
            "seventeenth",
            "eighteenth",
            "nineteenth",
            "twentieth",
        ),
    )
)
KINDS = tuple(
    HERE / f"asked_{one}.txt"
    for one in (
        "kinds",
        "again",
        "verbs",
        "relations",
        "governance",
        "tired",
        "joined",
        "briefly",
        "plainly",
        "first",
        "roundly",
        "anew",
        "next",
        "last",
    )
)
OWN = (HERE / "asked_at_night.txt", HERE / "asked_families.txt", *KINDS, *NIGHTS)
MARKS = ("right", "honestly declined", "refused though on record", "wrong low", "wrong high")
DRAWN = 5  # questions of a line that draws its words
SEED = 36
ASKERS = {"cobalt": "dina.abrams@cobalt.example", "aurora": "ada@aurora.example", "dune": "owner@dune.example"}


@dataclass(frozen=True)
class Question:
    """A question with those before it, and its truth; ``kind`` is how the truth is held against the answer."""

    org: str
    questions: tuple[str, ...]
    kind: str
    truth: str


def questions_of(path, drawn=DRAWN):
    """The questions of a file, drawn ones with the same words each time."""
    random_words = random.Random(SEED)
    questions = []
    for number, line in enumerate(Path(path).read_text().splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = [part.strip() for part in line.split("|", 3)]
        assert len(parts) == 4, f"{path}:{number}: expected organization | question | kind | truth; got {line!r}"
        org, text, kind, truth = parts
        for _ in range(drawn if "{" in text else 1):
            words = {name: random_words.choice(_drawn(org, name)) for name in re.findall(r"\{(\w+)\}", text)}
            asked, held = text, truth
            for name, (said, meant) in words.items():
                asked, held = asked.replace(f"{{{name}}}", said), held.replace(f"{{{name}}}", meant)
            questions.append(Question(org, tuple(one.strip() for one in asked.split("=>")), kind, held))
    return list(dict.fromkeys(questions))


MONTHS = ("june", "july", "august", "september", "october")
DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
SERVICES = {
    "cobalt": ("dns", "control-plane", "object-storage", "load-balancer", "database-service", "monitoring", "metering"),
    "aurora": ("billing", "identity", "claims-api", "patient-portal", "forms", "search"),
}


def _drawn(org, name):
    """What a word may be: how it is said, and what it means in SQL."""
    return {
        "severity": [(word, word) for word in ("critical", "high", "medium", "low")],
        "month": [(word, str(number)) for number, word in enumerate(MONTHS, 6)],
        "weekday": [(f"{word}s", str(number)) for number, word in enumerate(DAYS, 1)],
        "service": [(word, word) for word in SERVICES.get(org, ())],
        "hours": [(word, word) for word in ("2", "4", "8", "12", "24", "48")],
        "back": [(word, word) for word in ("6", "12", "36", "48", "60", "72", "100")],
        "users": [(word, word) for word in ("500", "1000", "2000", "3000")],
        "days": [(word, word) for word in ("7", "14", "30", "60", "90")],
        "nonsense": [(word, word) for word in ("frankfurt", "phishing", "purple", "weather", "blockchain", "tokyo")],
    }[name]


class Truths:
    """The raw tables of the demo's organizations, asked in SQL."""

    def __init__(self, demos):
        self.demos = demos
        self.connections = {}

    def values(self, org, query):
        """The values of the first column."""
        return [row[0] for row in self._connection(org).execute(query).fetchall()]

    def _connection(self, org):
        if org not in self.connections:
            demo = self.demos(org)
            connection = duckdb.connect()
            connection.execute("SET TimeZone = 'UTC'")
            for name in demo.frames:
                rows = demo.rows(name)
                instants = [one for one, kind in rows.schema.items() if isinstance(kind, pl.Datetime)]
                local = [
                    pl.col(one).dt.convert_time_zone(str(demo.zone)).dt.replace_time_zone(None).alias(f"{one}_local")
                    for one in instants
                ]
                plain = [pl.col(one).dt.convert_time_zone("UTC").dt.replace_time_zone(None) for one in instants]
                connection.register(name, rows.with_columns(local).with_columns(plain).to_arrow())
            connection.execute(f"CREATE MACRO today() AS DATE '{demo.today}'")
            self.connections[org] = connection
        return self.connections[org]

    def of(self, one):
        """The truth of a question as what an answer is held against."""
        if one.kind == "nothing":
            return NoData()
        if one.kind == "number":
            return Count(float(self.values(one.org, one.truth)[0] or 0))
        if one.kind == "rows":
            return Rows(frozenset(map(str, self.values(one.org, one.truth))))
        assert one.kind == "says", f"expected number, rows, says or nothing; got {one.kind!r}"
        words = self.values(one.org, one.truth) if one.truth.upper().startswith("SELECT") else one.truth.split(";")
        return Contains(tuple(_word(word) for word in words))


def _word(value):
    return f"{value:g}" if isinstance(value, float) else str(value).strip()


def mark(one, truth, answer):
    """What an answer is worth."""
    declined = answer.confidence == "none"
    empty = (isinstance(truth, Count) and truth.number == 0) or (isinstance(truth, Rows) and not truth.names)
    if one.kind == "nothing":
        right = declined
        return "honestly declined" if right else f"wrong {'high' if answer.confidence == 'high' else 'low'}"
    if truth.is_met(answer):
        return "right"
    if declined:
        return "honestly declined" if empty else "refused though on record"
    return f"wrong {'high' if answer.confidence == 'high' else 'low'}"


def score(asked, truths, libraries):
    """How often each kind of question had each mark, and the questions with theirs."""
    from engine.copilot.answers.offline import answer

    counts, told = Counter(), []
    for one in asked:
        *before, last = one.questions
        found = answer(last, libraries(one.org), asker=ASKERS[one.org], before=tuple(before))
        given = mark(one, truths.of(one), found)
        counts[one.kind, given] += 1
        told.append((given, one, found))
    return counts, told


def table(sets):
    """The marks by set and kind, as text; ``sets`` holds counts by name."""
    lines = [f"{'set':<22}{'kind':<10}" + "".join(f"{one:>26}" for one in MARKS)]
    for name, counts in sets.items():
        for kind in sorted({kind for kind, _ in counts}):
            lines.append(f"{name:<22}{kind:<10}" + "".join(f"{counts[kind, one]:>26}" for one in MARKS))
        total = sum(counts.values())
        sums = [sum(counts[kind, one] for kind in {kind for kind, _ in counts}) for one in MARKS]
        lines.append(f"{name:<22}{'all':<10}" + "".join(f"{f'{n} ({100 * n / total:.1f} %)':>26}" for n in sums))
    return "\n".join(lines)


def main(paths):
    """Print the table of the files, and every question whose answer was refused or wrong."""
    from datetime import UTC, datetime
    from functools import cache
    from tempfile import TemporaryDirectory

    from engine.copilot.answers.library import Library
    from engine.replica.replica import Replica
    from engine.reporting.artifacts.artifacts import Artifacts
    from engine.reporting.snapshot.snapshots import Snapshots
    from engine.store import Store
    from reports import CATALOGUE
    from tests import demo

    now = datetime(2026, 11, 20, 8, 30, tzinfo=UTC)
    with TemporaryDirectory() as made:
        folder = Path(os.environ.get("COPILOT_SCORE_DIR", made))
        (folder / "shared").mkdir(parents=True, exist_ok=True)
        demo.SHARED.append(folder / "shared")
        url = demo.demo_store(folder, "cobalt", "aurora", "brightline", "dune", now=now, light=False)
        store, replica = Store(url), Replica(url, None)
        snapshots = Snapshots(store, replica, Artifacts(folder / "artifacts"), CATALOGUE)
        libraries = cache(lambda org: Library(snapshots, org, now=now))
        truths = Truths(cache(lambda org: Demo(demo.demo(org, now.date()), now.date(), org)))
        sets = {}
        for path in paths:
            sets[Path(path).stem], told = score(questions_of(path), truths, libraries)
            for given, one, found in told:
                if given not in MARKS[:2]:
                    said = found.text.splitlines()[0][:150]
                    print(f"{given}: {one.org}: {' => '.join(one.questions)}\n    truth: {truths.of(one)}\n    {said}")
        print(table(sets))
        snapshots.close()
        replica.close()
        store.close()


if __name__ == "__main__":
    main(sys.argv[1:] or OWN)
