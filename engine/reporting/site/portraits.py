"""What a page of a thing begins with: why it stands where it does, then what proves it or is to be done."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, timedelta

import polars as pl

from engine.model.days import NEXT_DAYS, SOON_DAYS, quarters, spelled_day, spelled_days
from engine.model.documents.document import Document, FrameRow
from engine.model.documents.vendor_documents import deciding_document, unfit_document
from engine.render import words
from engine.render.links import ThingKey
from engine.reporting.site.control_portraits import controls
from engine.reporting.site.framework_portraits import frameworks
from engine.reporting.site.named_answers import WORST_FIRST, short_weeks
from engine.reporting.site.operation_portraits import incidents, requests, services
from engine.reporting.site.portrait import Portrait, number, part
from engine.reporting.site.vendor_needs import needs_of_vendors
from engine.reporting.snapshot.snapshot import Snapshot

_WEEK, _MONTH = timedelta(days=SOON_DAYS), timedelta(days=NEXT_DAYS)


def portraits(snapshot: Snapshot, plans: Mapping[str, Document], noted: Mapping[str, str]) -> dict[ThingKey, Portrait]:
    """Of frameworks, controls, people, vendors, services, requests and incidents.

    ``plans`` are those of frameworks with a day: whether they will be ready, what comes first, and by when; ``noted``
    is what the period of an audit has against a control.
    """
    return {
        **dict(frameworks(snapshot, plans)),
        **dict(controls(snapshot, plans, noted)),
        **dict(_people(snapshot)),
        **dict(_vendors(snapshot)),
        **dict(services(snapshot)),
        **dict(requests(snapshot)),
        **dict(incidents(snapshot)),
    }


def _people(snapshot: Snapshot) -> Iterator[tuple[ThingKey, Portrait]]:
    """Each with their duties: what is late, what comes this week, what next; then the remediations of gaps, as SLA
    reminders count them beside the duties."""
    today = snapshot.as_of
    open_duties = snapshot.fact("obligations").filter(
        pl.col("done_on").is_null(), pl.col("state") != "cancelled", pl.col("owner").is_not_null()
    )
    left, asking, lacking = _leavers(snapshot), _requesters(snapshot), _lacking(snapshot)
    duties: dict[str, list[FrameRow]] = defaultdict(list)
    for row in open_duties.sort("due_on", "title").iter_rows(named=True):
        duties[row["owner"]].append(row)
    fixes, weak = _remediations(snapshot), _weaknesses(snapshot)
    for owner in dict.fromkeys([*duties, *fixes, *weak]):
        rows, own, listed = duties.get(owner, []), fixes.get(owner, []), weak.get(owner, [])
        late = [row for row in rows if row["due_on"] < today and not row["paused"]]
        week = [row for row in rows if today <= row["due_on"] < today + _WEEK]
        later = [row for row in rows if today + _WEEK <= row["due_on"] <= today + _MONTH]
        gone = left.get(owner)
        fixing = [row for row in own if row["due_on"] < today], [row for row in own if today <= row["due_on"]]
        sentence = (
            _handover(owner, rows, own, gone, today)
            if gone is not None
            else " ".join(
                filter(
                    None,
                    (
                        _first([row for row in rows if not row["paused"]], own, listed, snapshot),
                        _workload(late, week, later),
                        lacking.get(owner),
                        _fixing(*fixing),
                        _weak(listed),
                    ),
                )
            )
        )
        parts = [
            part(name, _work(of, snapshot, today))
            for name, of in (
                *(("Late", late), ("This week", week), ("Next", later)),
                *(("Remediations late", fixing[0]), ("Remediations to come", fixing[1])),
                ("Late on the FedRAMP plan of action", listed),
            )
            if of
        ]
        yield ("owner", owner), Portrait(sentence, parts)
    for owner in left.keys() - duties.keys() - fixes.keys() - weak.keys():
        yield ("owner", owner), Portrait(_handover(owner, (), (), left[owner], today))
    for owner, rows in asking.items():
        if not any(owner in known for known in (duties, fixes, weak, left)):
            yield ("owner", owner), _requester(rows, today)


def _remediations(snapshot: Snapshot) -> dict[str, list[FrameRow]]:
    """The open remediations that have a day, by their owners, the first due first."""
    closed = (pl.col("closed_on") <= snapshot.as_of).fill_null(False)
    rows = snapshot.fact("remediations").filter(~closed, pl.col("due_on").is_not_null(), pl.col("owner").is_not_null())
    tagged = rows.with_columns(
        controls=pl.concat_list(pl.format("{}:{}", "framework", "control_id")).list.drop_nulls(), effort_hours=None
    )
    found: dict[str, list[FrameRow]] = defaultdict(list)
    for row in tagged.sort("due_on", "title", "id").iter_rows(named=True):
        found[row["owner"]].append(row)
    return found


def _weaknesses(snapshot: Snapshot) -> dict[str, list[FrameRow]]:
    """The weaknesses that are late on the plan of action, by who closes them: those without a number, as one with a
    number is a duty. Their remediation may be due on another day."""
    late = snapshot.fact("gaps").filter(pl.col("poam_due_on") < snapshot.as_of, pl.col("milestone_on").is_null())
    rows = late.filter(pl.col("owner").is_not_null()).select(
        "owner",
        due_on="poam_due_on",
        controls=pl.concat_list(pl.format("{}:{}", "framework", "control_id")),
        title=pl.format("Close the weakness: {}", "title"),
        effort_hours="effort_hours",
    )
    found: dict[str, list[FrameRow]] = defaultdict(list)
    for row in rows.sort("due_on", "title", "controls").iter_rows(named=True):
        found[row["owner"]].append(row)
    return found


def _first(duties: Sequence[FrameRow], fixes: Sequence[FrameRow], weak: Sequence[FrameRow], snapshot: Snapshot) -> str:
    """What somebody does first: what is due first of all that they have, each list by its day."""
    heads = [rows[0] for rows in (duties, fixes, weak) if rows]
    if not heads:
        return ""
    row = min(heads, key=lambda head: head["due_on"])
    return f"First: {row['title']}{_of_controls(row, snapshot)}, due {_when(row['due_on'], snapshot.as_of)}."


def _weak(late: Sequence[FrameRow]) -> str:
    """How many weaknesses of somebody are late on the plan of action."""
    return f"{_count(late, 'weakness is', 'weaknesses are')} late on the FedRAMP plan of action." if late else ""


def _fixing(late: Sequence[FrameRow], to_come: Sequence[FrameRow]) -> str:
    """How many remediations somebody has, and how many of them are late."""
    if not late and not to_come:
        return ""
    noun = _count([*late, *to_come], "remediation of a gap is", "remediations of gaps are")
    return f"{noun} open, {len(late):,} of them late."


def _workload(late: Sequence[FrameRow], week: Sequence[FrameRow], later: Sequence[FrameRow]) -> str:
    """What somebody has to do within thirty days, with its hours."""
    hours = sum(row["effort_hours"] or 0 for row in (*late, *week, *later))
    said = [
        f"{_count(late, 'duty is', 'duties are')} late" if late else "",
        f"{_count(week, 'is', 'are')} due within a week" if week else "",
        f"{len(later)}{' more' if late or week else ''} {'is' if len(later) == 1 else 'are'} due within thirty days"
        if later
        else "",
    ]
    text = ", ".join(filter(None, said))
    return f"{text}: {quarters(hours)} h." if text else "No duty is due within thirty days."


def _lacking(snapshot: Snapshot) -> dict[str, str]:
    """How many hours everybody lacks within the horizon of the capacity reports, and in which week most."""
    short = short_weeks(snapshot, int(snapshot.subject.settings["forecast_weeks"]))
    said = {}
    for (owner,), weeks in short.sort(*WORST_FIRST, descending=[True, False, False]).group_by(
        "owner", maintain_order=True
    ):
        worst, total = weeks.row(0, named=True), quarters(sum(weeks["shortfall_hours"].to_list()))
        most = f"{quarters(worst['shortfall_hours'])} h in the week of {spelled_day(worst['week_start_on'])}"
        many = number(weeks.height, "week")
        said[str(owner)] = f"Short of {total} h in {many}, most {most}." if weeks.height > 1 else f"Short of {most}."
    return said


def _leavers(snapshot: Snapshot) -> dict[str, list[FrameRow]]:
    """Who has left, with the controls that still have them as owner or as who is accountable."""
    gone = snapshot.fact("approvers").filter(pl.col("until_on") <= snapshot.as_of)
    owned: dict[str, list[FrameRow]] = {email: [] for email in gone.get_column("email")}
    for row in snapshot.fact("control_status").filter("applicable").iter_rows(named=True):
        for name in {row["owner"], row["accountable"]} & owned.keys():
            owned[name].append(row)
    return owned


def _handover(
    left_by: str, duties: Sequence[FrameRow], fixes: Sequence[FrameRow], owned: Sequence[FrameRow], today: date
) -> str:
    """What somebody who has left leaves, who says whose it is, and by when: the Monday of the first week in which
    something of it falls due, as decisions of the board are asked for; today where that is past."""
    nouns = (duties, "duty", "duties"), (fixes, "remediation", "remediations"), (owned, "control", "controls")
    left = [_count(*noun) for noun in nouns if noun[0]]
    if not left:
        return "Has left; nothing waits for a new owner."
    waits = "waits" if len(duties) + len(fixes) + len(owned) == 1 else "wait"
    named = Counter(name for row in owned for name in (row["accountable"], row["owner"]) if name not in (None, left_by))
    who = [name for name, _ in sorted(named.items(), key=lambda pair: (-pair[1], pair[0]))[:2]]
    days = [row["due_on"] for row in (*duties, *fixes)] or [row["next_due_on"] for row in owned if row["next_due_on"]]
    first = min(days, default=today)
    by = spelled_day(max(today, first - timedelta(days=first.weekday())))
    decide = f"{' and '.join(who)} {'says' if len(who) == 1 else 'say'}" if who else "an administrator says"
    said = f"{', '.join(left[:-1])} and {left[-1]}" if left[1:] else left[0]
    return f"Has left: {said} {waits} for a new owner; {decide} whose they are by {by}."


def _requesters(snapshot: Snapshot) -> dict[str, list[FrameRow]]:
    """The requests for evidence by who asked."""
    asked: dict[str, list[FrameRow]] = defaultdict(list)
    for row in snapshot.fact("requests").sort("due_on", "id").iter_rows(named=True):
        if row["requester"]:
            asked[row["requester"]].append(row)
    return asked


def _requester(rows: Sequence[FrameRow], today: date) -> Portrait:
    waiting = [row for row in rows if row["finished_on"] is None]
    late = [row for row in waiting if row["clock"] == "overdue"]
    text = f"Asked for evidence {number(len(rows), 'time')}: "
    state = f"{len(waiting):,} {'request is' if len(waiting) == 1 else 'requests are'} open, {len(late):,} overdue."
    lines = [
        f"{_when(row['due_on'], today)}: {row['id']} {row['title']}, {row['owner'] or 'nobody'}" for row in waiting
    ]
    return Portrait(text + (state if waiting else "all are closed."), [part("Open requests", lines)] if lines else ())


def _work(rows: Iterable[FrameRow], snapshot: Snapshot, today: date) -> list[str]:
    return [f"{_when(row['due_on'], today)}: {row['title']}{_of_controls(row, snapshot)}{_effort(row)}" for row in rows]


def _when(due: date, today: date) -> str:
    late = f", {number((today - due).days, 'day')} late" if due < today else ""
    return f"{spelled_day(due)}{late}"


def _of_controls(row: FrameRow, snapshot: Snapshot) -> str:
    named = [name.partition(":") for name in (row["controls"] or [])[:3]]
    shown = [f"{snapshot.framework_name(framework)} {control}" for framework, _, control in named]
    return f" ({', '.join(shown)})" if shown and not row["title"].endswith(shown[0]) else ""


def _effort(row: FrameRow) -> str:
    return f", {quarters(row['effort_hours'])} h" if row["effort_hours"] else ""


def _vendors(snapshot: Snapshot) -> Iterator[tuple[ThingKey, Portrait]]:
    needs = needs_of_vendors(snapshot)
    for row in snapshot.fact("vendors").iter_rows(named=True):
        last = row["assured_until"]
        until = f" {'until' if last >= snapshot.as_of else 'since'} {spelled_day(last)}" if last else ""
        named = f"{words.spell(row['assurance'], 'assurance').capitalize()}{until}"
        if row["assurance"] == "expiring" and last:
            named = f"Assured until {spelled_day(last)}, not renewed yet"
        named += _documents(row)
        waiting = f"{row['inherited_gaps']:,} of {row['inherited']:,} inherited controls wait for evidence"
        text = f"{named}: {waiting if row['inherited_gaps'] else 'no control waits for it'}.{_review(row)}"
        lines = [f"{need.text}, for {number(need.controls, 'control')}" for need in needs.get(row["vendor_id"], ())]
        first = next(iter(needs.get(row["vendor_id"], ())), None)
        asks = part("Next", [f"{row['owner'] or 'Nobody yet'} {first.task}"] if first else [])
        yield ("vendor", row["vendor_id"]), Portrait(text, [asks, part("What is missing", lines)] if lines else ())


def _documents(vendor: FrameRow) -> str:
    """The document that makes a vendor's assurance what it is, and one in force that does not."""
    said = [text for text in (deciding_document(vendor), unfit_document(vendor)) if text]
    return spelled_days(f" ({'; '.join(said)})") if said else ""


def _review(vendor: FrameRow) -> str:
    """Who is to review a vendor whose review is not current, and since when."""
    who, day = vendor["owner"] or "nobody", vendor["next_review_on"]
    match vendor["review"]:
        case "overdue":
            return f" Its review is overdue since {spelled_day(day)}: {who} reviews it."
        case "never":
            return f" It was never reviewed: {who} reviews it."
    return ""


def _words(names: Iterable[str]) -> str:
    return ", ".join(map(words.spell, names))


def _count(rows: Sequence[FrameRow], one: str, many: str) -> str:
    return f"{len(rows)} {one if len(rows) == 1 else many}"
