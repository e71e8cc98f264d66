"""What the page of a framework begins with: how ready it is, for which day, and which gaps come first."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import date

from engine.model.days import spelled_day
from engine.model.documents.document import Document, FrameRow
from engine.model.entities import FRAMEWORK_REPORTS
from engine.render import words
from engine.render.links import ThingKey
from engine.reporting.site.plan_pages import verdict
from engine.reporting.site.portrait import REPORTS, Portrait, PortraitPart, number, part
from engine.reporting.snapshot.snapshot import Snapshot


def frameworks(snapshot: Snapshot, plans: Mapping[str, Document]) -> Iterator[tuple[ThingKey, Portrait]]:
    """Each with its readiness, the day for which it is to be ready and whether it will be, and its gaps (F14)."""
    gaps: dict[str, list[FrameRow]] = defaultdict(list)
    worthwhile = snapshot.fact("gaps").sort("priority", "gap_id", descending=[True, False], nulls_last=True)
    for row in worthwhile.iter_rows(named=True):
        gaps[row["framework"]].append(row)
    targets = dict(snapshot.fact("framework_targets").select("framework", "target_on").iter_rows())
    for row in snapshot.fact("readiness").iter_rows(named=True):
        name, mine = row["framework"], gaps[row["framework"]]
        said = f"{row['effective']:,} of {number(row['applicable'], 'applicable control')} effective"
        due = f"; to be ready on {spelled_day(targets[name])}" if targets.get(name) else ""
        if due and name in plans:
            said_of = verdict(plans[name])
            due = f". Ready on {spelled_day(targets[name])}? {said_of[:1].upper()}{said_of[1:]}"
        called = snapshot.framework_name(name)
        lines = [
            f"{called} {gap['control_id']} {gap['title']}, {words.spell(gap['state'])}: {_closing(gap, snapshot.as_of)}"
            for gap in mine
        ]
        title = "The one gap" if len(mine) == 1 else f"The {len(mine):,} gaps, what gains most for its hours first"
        step = plans[name].next_step if name in plans else ""
        parts = [
            *([part("What comes first by the plan", [step])] if step else []),
            *([part(title, lines)] if mine else []),
        ]
        report = f"{REPORTS}/{FRAMEWORK_REPORTS[name]}" if name in FRAMEWORK_REPORTS else ""
        every = f"Every requirement with state and owner: {report}"
        own = [PortraitPart("Control by control", [every])] if report else []
        yield ("framework", name), Portrait(f"{said}{_readiness_change(row)}{due}.", [*parts, *own])


def _readiness_change(readiness: FrameRow) -> str:
    """Strict readiness and its change since the snapshot that it is compared with."""
    now, before = readiness["strict_pct"], readiness["prior_strict_pct"]
    if now is None:
        return ""
    if before is None or readiness["prior_on"] is None:
        return f" ({now:.1f} %)"
    change, then = round(now - before, 1), spelled_day(readiness["prior_on"])
    if not change:
        return f" ({now:.1f} %, unchanged since {then})"
    return f" ({now:.1f} %, {'up' if change > 0 else 'down'} {abs(change):.1f} points since {then})"


def _closing(gap: FrameRow, today: date) -> str:
    """With whom a gap is, and when its remediation is due, or since when that is over."""
    due = gap["due_on"]
    day = "not planned yet"
    if due is None and gap["poam_due_on"] is not None:
        day = f"not planned yet, due {spelled_day(gap['poam_due_on'])} on the FedRAMP plan of action"
    if due is not None:
        day = f"{number((today - due).days, 'day')} late" if due < today else f"remediation due {spelled_day(due)}"
    waits = f", waits for {gap['blocked_by']}" if gap["blocked_by"] else ""
    return f"{gap['owner'] or 'nobody owns it'}, {day}{waits}"
