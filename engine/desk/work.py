"""My work: one sentence, then what is late, what is due within a week and what comes next, each with its act."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta

from engine.desk.acts import Act, acts_of
from engine.desk.lateness import LateDays
from engine.desk.notices import notice_from
from engine.desk.queries.rows import OwnRow, decisions, work_of
from engine.desk.records import key_query, row_title, table_named
from engine.desk.titles import control_titles
from engine.desk.visits import Reply, Visit
from engine.desk.wording import count
from engine.model.days import NEXT_DAYS, SOON_DAYS, spelled_day
from engine.model.rights import DUTIES, is_own
from engine.model.vocabulary import FRAMEWORK_NAMES

SHOWN = 100
NOUNS: Mapping[str, str] = {
    **{"attestations": "Attestation", "remediations": "Gap", "evidence_requests": "Request", "test_runs": "Test"},
    **{"incident_actions": "Action of an incident", "incidents": "Incident", "exceptions": "Exception"},
    **{"vendors": "Vendor review", "policies": "Policy review", "staffing_actions": "Staffing action"},
    **{"plays": "Play", "risks": "Risk"},
}


@dataclass(frozen=True)
class WorkLine:
    """A line of somebody's work. ``control``: its framework, and the control where the title does not say it."""

    table: str
    noun: str
    title: str
    control: str
    due: date | None
    days: int | None
    late: bool
    key: str
    acts: Sequence[Act]


def my_work(visit: Visit) -> Reply:
    """The front page."""
    org_id, person, late_days = visit.caller.org_id, visit.caller.actor, visit.late_rows(list(DUTIES))
    with visit.services.store.reader() as connection:
        own = work_of(connection, org_id, person, late_days)
        waiting = decisions(connection, org_id) if visit.may("exceptions", "accept") else []
    titles = control_titles(visit)
    tasks = sorted((_task(visit, item, titles, late_days) for item in own), key=_by_due)
    week = visit.today + timedelta(days=SOON_DAYS - 1)
    late = [task for task in tasks if task.late]
    this_week = [task for task in tasks if task.due is not None and task.due <= week and not task.late]
    until = visit.today + timedelta(days=NEXT_DAYS)
    later = [task for task in tasks if task.due is not None and week < task.due <= until]
    undated = [task for task in tasks if task.due is None and task.acts]
    sections = (
        ("late", "Late", late, "Nothing of yours is late."),
        ("week", "This week", this_week, f"Nothing more is due until {spelled_day(week)}."),
        ("next", "Next", later, f"Nothing is due until {spelled_day(until)}."),
    )
    return visit.reply(
        "work.html",
        sentence=_sentence(late, this_week, later, len(waiting)),
        sections=[(name, title, tasks[:SHOWN], len(tasks), empty) for name, title, tasks, empty in sections]
        if late or this_week or later
        else [],
        undated=undated[:SHOWN],
        waiting=[_task(visit, item, titles, late_days) for item in waiting[:SHOWN]],
        waiting_count=len(waiting),
        notice=notice_from(visit),
    )


def task_acts(visit: Visit, table: str, row: Mapping[str, object]) -> list[Act]:
    """The acts that the caller may do to a row as it stands."""
    own = is_own(table, row, visit.caller.actor)
    return [act for act in acts_of(table) if act.applies(row) and visit.may(table, act.name, own=own)]


def _task(
    visit: Visit, item: OwnRow, titles: Mapping[tuple[str, str], str], late_days: Mapping[str, LateDays]
) -> WorkLine:
    table, row, days = table_named(item.table), item.row, late_days.get(item.table)
    due = row.get(str(DUTIES[item.table].due))
    key = str(row[table.key[0]])
    if days is not None and due is None:
        due = days.get(key)
    due = due if isinstance(due, date) else None
    late = due is not None and due < visit.today if days is None else key in days
    control = str(row.get("control_id") or "")
    framework = str(row.get("framework") or "")
    title = row_title(table, row, titles)
    named = " ".join(filter(None, (control, titles.get((framework, control), ""))))
    below = " ".join(filter(None, (FRAMEWORK_NAMES.get(framework, framework), "" if named == title else named)))
    return WorkLine(
        item.table, NOUNS.get(item.table, item.table), title, below, due,
        None if due is None else (due - visit.today).days, late, key_query(table, row),
        task_acts(visit, item.table, row),
    )  # fmt: skip


def _by_due(task: WorkLine) -> tuple[date, str, str]:
    return task.due or date.max, task.table, task.title


def _sentence(late: Sequence[WorkLine], week: Sequence[WorkLine], later: Sequence[WorkLine], waiting: int) -> str:
    """What somebody must know who reads nothing else."""
    waits = f"{count(waiting, 'record waits', 'records wait')} for a decision or an owner" if waiting else ""
    if not late and not week and not later:
        nothing = f"Nothing of yours is late, and nothing is due in the next {NEXT_DAYS} days."
        return f"{waits}. {nothing}" if waits else nothing
    if not late:
        begin = "Nothing is late"
    else:
        worst = late[0]
        days = abs(worst.days or 0)
        oldest = f"the oldest by {count(days, 'day')}: {worst.title.rstrip('.')}"
        begin = f"{count(len(late), 'thing is', 'things are')} late, {oldest}"
    end = f" {waits}." if waits else ""
    return f"{begin}. {len(week):,} due within a week, {len(later):,} more within {NEXT_DAYS} days.{end}"
