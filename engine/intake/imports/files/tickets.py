"""Work on controls that comes back from where its tickets live: CSV out of Jira and Linear, JSON of ``gh issue list``.

A ticket is of the remediation that its description names, as what a plan hands out does: *Remediation REM-2026-0080.*
Tickets that name none are somebody else's, and left out. What nobody knows to be done is open.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import msgspec
import polars as pl

from engine.intake.imports.files.csv_files import dialect_of, encoding_of, read_delimited
from engine.intake.imports.problems import Problems
from engine.intake.imports.values.cells import Notation, day, instant
from engine.intake.imports.values.names import squash
from engine.model.errors import InvalidData

TABLE = "remediations"
LARGEST = 32 * 2**20
HOURS = ("done_hours", "left_hours")
SECONDS = 3600  # of an hour, of which Jira counts
ISSUE = ("title", "body", "state", "closedAt")  # of `gh issue list --json`
CLOSED = ("done", "closed", "complete", "completed", "resolved", "fixed")
UNDER_WAY = ("in progress", "in review", "started", "doing", "under review")
HALTED = ("blocked", "on hold")
UNDONE = (
    "won't do",
    "won't fix",
    "not planned",
    "not_planned",
    "duplicate",
    "canceled",
    "cancelled",
    "cannot reproduce",
)
_NAMED = re.compile(r"\bRemediation (\S+?)\.(?=\s|$)")
_JIRA_DAY = re.compile(r"(\d{1,2})/([A-Za-z]{3})/(\d{2})\b.*")
_LINEAR_DAY = re.compile(r"[A-Za-z]{3} ([A-Za-z]{3}) (\d{1,2}) (\d{4})\b.*")

Ticket = Mapping[str, str]


@dataclass(frozen=True)
class TicketTool:
    """What its export calls things: ``head`` is what it is known by. Hours are in seconds, where it has any."""

    head: frozenset[str]
    text: str
    states: tuple[str, ...]
    resolutions: tuple[str, ...]
    closed: tuple[str, ...]
    done: str = ""
    left: str = ""


JIRA = TicketTool(
    frozenset({"summary", "description", "status"}),
    "description",
    ("status category", "status"),
    ("resolution",),
    ("resolved", "updated"),
    "time spent",
    "remaining estimate",
)
LINEAR = TicketTool(
    frozenset({"title", "description", "status", "id"}), "description", ("status",), (), ("completed", "updated")
)
GITHUB = TicketTool(frozenset(map(str.lower, ISSUE)), "body", ("state",), ("statereason",), ("closedat",))
TOOLS = (JIRA, LINEAR, GITHUB)


def is_issues(path: Path) -> bool:
    """Whether a JSON file is a list of issues as ``gh issue list`` prints it, by its first; an empty list is not."""
    return path.suffix.lower() == ".json" and _tool_of(path) is GITHUB


def has_tickets(path: Path) -> bool:
    """Whether a CSV that is no table of ours has the header of an export of Jira or Linear."""
    return path.suffix.lower() == ".csv" and _tool_of(path) in (JIRA, LINEAR)


def read_tickets(path: Path) -> pl.DataFrame:
    """The tickets as rows of ``remediations``: state, day and hours. InvalidData where none names a remediation."""
    tool = _tool_of(path)
    rows = [] if tool is None else [_row(path, tool, one) for one in _tickets(path) if _NAMED.search(one[tool.text])]
    if not rows:
        raise InvalidData(
            f"{path.name} has tickets, and none names its remediation in its description, as *Remediation REM-1.*"
        )
    frame = pl.DataFrame(rows, schema=dict.fromkeys(rows[0], pl.String))
    there = [name for name in HOURS if frame[name].null_count() < frame.height]
    return frame.select("id", "status", "closed_on", *there)


def _tool_of(path: Path) -> TicketTool | None:
    if path.stat().st_size > LARGEST:
        return None
    first = next(_issues(path) if path.suffix.lower() == ".json" else _lines(path, Problems()), None)
    return None if first is None else next((tool for tool in TOOLS if tool.head <= first.keys()), None)


def _tickets(path: Path) -> Iterator[Ticket]:
    if path.suffix.lower() == ".json":
        yield from _issues(path)
        return
    problems = Problems()
    found = list(_lines(path, problems))
    problems.raise_any()
    yield from found


def _lines(path: Path, problems: Problems) -> Iterator[Ticket]:
    """The rows of a CSV by the names in its header; of a name that comes again the first cell."""
    encoding = encoding_of(path)
    if encoding is None:
        return
    known = {squash(name) for tool in TOOLS for name in tool.head}
    for batch in read_delimited(path, path.name, dialect_of(path, encoding, known), problems):
        names = [name.strip().lower() for name in batch.header]
        for cells in zip(*batch.columns, strict=True):
            yield dict(reversed([*zip(names, cells, strict=True)]))


def _issues(path: Path) -> Iterator[Ticket]:
    try:
        document = msgspec.json.decode(path.read_bytes(), type=list[dict[str, object]])
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return
    for one in document:
        yield {name.lower(): "" if value is None else str(value) for name, value in one.items()}


def _row(path: Path, tool: TicketTool, one: Ticket) -> dict[str, str | None]:
    (name,) = _NAMED.findall(one[tool.text])[-1:]
    status = _status(tool, one)
    closed = next((one[column] for column in tool.closed if one.get(column)), "") if status == "closed" else ""
    return {
        "id": name,
        "status": status,
        "closed_on": _day(path, name, closed) if closed else None,
        "done_hours": _hours(path, name, one.get(tool.done, "")),
        "left_hours": _hours(path, name, one.get(tool.left, "")),
    }


def _status(tool: TicketTool, one: Ticket) -> str:
    """Closed is what is done; what somebody will not do is not, and what nobody knows is open."""
    words = [one.get(column, "").strip().lower() for column in (*tool.states, *tool.resolutions)]
    if any(word in UNDONE for word in words):
        return "open"
    for status, known in (("blocked", HALTED), ("closed", CLOSED), ("in_progress", UNDER_WAY)):
        if any(word in known for word in words):
            return status
    return "open"


def _day(path: Path, name: str, text: str) -> str:
    plain = _JIRA_DAY.sub(r"\1 \2 20\3", _LINEAR_DAY.sub(r"\2 \1 \3", text.strip()))
    moment = instant(plain, Notation())
    found = day(plain, Notation()) if moment is None else moment.date()
    if found is None:
        raise InvalidData(f"{path.name}: {name} has the day {text!r}; write it as 2026-11-26.")
    return found.isoformat()


def _hours(path: Path, name: str, text: str) -> str | None:
    if not text.strip():
        return None
    if not text.strip().isdigit():
        raise InvalidData(f"{path.name}: {name} has {text!r} for time; it is seconds, as Jira exports it.")
    return f"{int(text) / SECONDS:.4f}"
