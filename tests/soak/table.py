"""What a part did and found, as a line of a table that a person reads."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

OK, BROKEN, NOT_HERE = "ok", "BROKEN", "not possible here"
HEADERS = ("part", "done", "ack.", "found", "doubled", "lost", "5xx", "health p99", "memory", "seconds", "verdict")


@dataclass
class Line:
    """One thing that was done to a console. ``broken`` are promises that did not hold, in words."""

    part: str
    done: str
    acknowledged: int | None = None
    found: int | None = None
    doubled: int | None = None
    lost: int | None = None
    faults: int | None = None  # answers of 500 and above, but for 503
    health_ms: float | None = None
    memory_mb: float | None = None
    seconds: float = 0.0
    broken: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    possible: bool = True

    @property
    def verdict(self) -> str:
        """A word for the table."""
        if not self.possible:
            return NOT_HERE
        return BROKEN if self.broken else OK

    def judge(self) -> "Line":
        """Whatever is lost, doubled or a fault of ours breaks a promise."""
        for name, count in (("lost", self.lost), ("doubled", self.doubled), ("answered with 5xx", self.faults)):
            if count:
                self.broken.append(f"{count} {name}")
        return self

    def cells(self) -> tuple[str, ...]:
        """What the table shows."""
        counts = (self.acknowledged, self.found, self.doubled, self.lost, self.faults)
        health = "" if self.health_ms is None else f"{self.health_ms:.0f} ms"
        memory = "" if self.memory_mb is None else f"{self.memory_mb:+.0f} MB"
        shown = ("" if count is None else f"{count:,}" for count in counts)
        return (self.part, self.done, *shown, health, memory, f"{self.seconds:.0f}", self.verdict)


def impossible(part: str, why: str) -> Line:
    """A line for what this machine does not allow: never "ok"."""
    return Line(part, "nothing", notes=[why], possible=False)


def table_text(lines: Sequence[Line]) -> str:
    """The table, and below it what did not hold and what is to be known."""
    rows = [HEADERS, *(line.cells() for line in lines)]
    widths = [max(len(row[place]) for row in rows) for place in range(len(HEADERS))]
    left = (0, 1, len(HEADERS) - 1)
    text = [
        "  ".join(
            cell.ljust(width) if at in left else cell.rjust(width)
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ).rstrip()
        for row in rows
    ]
    text.insert(1, "  ".join("-" * width for width in widths))
    for word, sentence in (("broken", "broken"), ("note", "notes")):
        text += [f"{word}: {line.part}: {one}" for line in lines for one in dict.fromkeys(getattr(line, sentence))]
    verdicts = Counter(line.verdict for line in lines)
    return "\n".join([*text, "", ", ".join(f"{count} {verdict}" for verdict, count in verdicts.items())])
