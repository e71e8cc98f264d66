"""What the records say went well or poorly in an incident. Only what they show: the rest is for people to add."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date

from engine.incidents.review.durations import IncidentTimes, incident_times
from engine.incidents.review.markdown import duration
from engine.incidents.review.records import IncidentRecord
from engine.model.figures.formulas import nearest_rank
from engine.model.vocabulary import SEVERE

LEAST_PEERS = 5
STEPS: Mapping[str, str] = {
    "ttd_minutes": "Detection",
    "tta_minutes": "Acknowledgement",
    "ttm_minutes": "Mitigation",
    "ttr_minutes": "Resolution",
}


@dataclass(frozen=True)
class Lesson:
    """A plain sentence; ``good`` tells the two lists apart."""

    good: bool
    text: str


def lessons(record: IncidentRecord, as_of: date) -> list[Lesson]:
    """Sentences in the order in which an incident passes. Speed is judged against the organization's own year."""
    parts = (_speed(record), _alarm(record), _communication(record), _automation(record), _effect(record))
    return [lesson for part in (*parts, _learning(record, as_of)) for lesson in part]


def _speed(record: IncidentRecord) -> Iterator[Lesson]:
    mine = incident_times(record.incident)
    others = [incident_times(peer) for peer in record.peers]
    for name, what in STEPS.items():
        took: float | None = getattr(mine, name)
        known = _minutes(others, name)
        if took is None or len(known) < LEAST_PEERS:
            continue
        median = nearest_rank(known, 50) or 0.0
        of_them = f"the median of {len(known)} earlier {record.incident['severity']} incidents in a year"
        if took <= median:
            yield Lesson(True, f"{what} took {duration(took)}; {of_them} is {duration(median)}.")
        else:
            yield Lesson(False, f"{what} took {duration(took)}, longer than {of_them} ({duration(median)}).")


def _minutes(times: Sequence[IncidentTimes], name: str) -> list[float]:
    return [minutes for one in times if (minutes := getattr(one, name)) is not None]


def _alarm(record: IncidentRecord) -> Iterator[Lesson]:
    source = record.incident["source"]
    if source and "@" not in source:
        yield Lesson(True, f"It was reported by {source}, not by a person.")
    elif not source:
        yield Lesson(False, "No monitor or scanner is recorded as its source.")


def _communication(record: IncidentRecord) -> Iterator[Lesson]:
    moments = [row["happened_at"] for row in record.timeline if row["kind"] == "communication"]
    if moments:
        minutes = round((moments[0] - record.incident["opened_at"]).total_seconds() / 60, 1)
        yield Lesson(True, f"The first communication is recorded {duration(max(minutes, 0))} after detection.")
    elif record.incident["severity"] in SEVERE:
        yield Lesson(False, f"No communication is recorded for an incident of {record.incident['severity']} severity.")


def _automation(record: IncidentRecord) -> Iterator[Lesson]:
    began = record.incident["started_at"] or record.incident["opened_at"]
    done = [row for row in record.executions if row["executed_at"] >= began]
    rehearsed = {row["id"] for row in record.dry_runs if row["outcome"] == "succeeded"}
    worked = [row for row in done if row["status"] == "succeeded"]
    if worked and all(row["dry_run_id"] in rehearsed for row in worked):
        yield Lesson(True, f"{_many(len(worked), 'execution')} succeeded, each after a dry-run that did.")
    for row in done:
        if row["status"] in ("failed", "rolled_back"):
            what = "failed" if row["status"] == "failed" else "was rolled back"
            yield Lesson(False, f"Execution {row['id']} of {row['playbook']} {what}.")
    refused = [row for row in record.dry_runs if row["outcome"] == "blocked" and row["ran_at"] >= began]
    if refused:
        yield Lesson(False, f"{_many(len(refused), 'dry-run')} blocked by policy during the incident.")


def _effect(record: IncidentRecord) -> Iterator[Lesson]:
    used = record.impact.used_pct
    if used is not None and used >= 100:
        yield Lesson(False, f"The incident alone used more than the whole 30-day error budget ({used:,.1f} %).")


def _learning(record: IncidentRecord, as_of: date) -> Iterator[Lesson]:
    incident = record.incident
    if record.earlier:
        last = record.earlier[0]
        times = _many(len(record.earlier), "earlier incident")
        yield Lesson(False, f"It came back: {times} with the same key within a year, the last of them {last['id']}.")
    over = incident["resolved_at"] is not None
    if over and not incident["root_cause"]:
        yield Lesson(False, "It is resolved without an established cause.")
    if over and not record.actions and incident["severity"] in SEVERE:
        yield Lesson(False, "No follow-up action is recorded.")
    late = [row for row in record.actions if row["status"] == "open" and row["due_on"] and row["due_on"] < as_of]
    if late:
        yield Lesson(False, f"{_many(len(late), 'follow-up action')} overdue: {', '.join(row['id'] for row in late)}.")
    nobody = [row["id"] for row in record.actions if row["status"] == "open" and not (row["owner"] and row["due_on"])]
    if nobody:
        yield Lesson(False, f"Without an owner or a date: {', '.join(nobody)}.")
    if record.actions and all(row["status"] == "done" for row in record.actions):
        yield Lesson(True, f"{_many(len(record.actions), 'follow-up action')} done.")


def _many(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"
