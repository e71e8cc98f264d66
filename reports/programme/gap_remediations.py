"""The queue of open gaps with the runbook that closes each, most worthwhile first."""

from datetime import timedelta

import polars as pl

from engine.model.document import Chart, Document, Table
from engine.model.report import Ask, Report
from engine.model.vocabulary import GAP_SEVERITIES, SEVERE
from reports.shared import packs
from reports.shared.wording import count, hours

DRY_RUN = "/api/automations/dry-run"
LABELS = {
    "gap_id": "Gap",
    "title": "Control",
    "age_days": "Age (days)",
    "leverage": "Requirements",
    "runbook_title": "Runbook",
    "dry_run": "Dry-run exists",
    "effort_hours": "Effort (h)",
    "due_on": "Due",
    "blocked_by": "Blocked by",
    "compensating": "Meanwhile",
    "severe": "Critical or high",
    "requirements_unlocked": "Requirements",
    "opened_total": "Opened in all",
    "closed_total": "Closed in all",
}


def build(gaps: pl.DataFrame, remediations: pl.DataFrame, readiness: pl.DataFrame, ask: Ask) -> Document:
    queue = _queue(gaps, ask)
    weeks = _weeks(remediations, ask)
    severities: dict[str, int] = {
        severity: queue.filter(pl.col("severity") == severity).height for severity in GAP_SEVERITIES
    }
    quick = queue.filter("quick_win")
    runbooks, owners = _by(queue, "runbook_title", "runbook"), _by(queue, "owner")
    return Document(
        headline=_headline(queue, severities, quick, readiness),
        summary={
            "open": queue.height,
            **severities,
            "effort_hours": round(queue["effort_hours"].sum(), 1),
            "quick_wins": quick.height,
            "quick_win_hours": round(quick["effort_hours"].sum(), 1),
            "overdue": queue.filter("overdue").height,
            "without_owner": queue["owner"].null_count(),
            "without_runbook": queue["runbook"].null_count(),
            "blocked": queue.filter(pl.col("status") == "blocked").height,
            "opened_in_period": weeks["opened"].sum(),
            "closed_in_period": weeks["closed"].sum(),
        },
        tables=(
            Table(
                "gaps",
                "Open gaps, most worthwhile first",
                queue,
                note="Machine formats also name the playbook and the body to post to the dry-run.",
                labels=LABELS,
                state=("state", "severity"),
                words=("status",),
                hidden=(
                    *("framework", "control_id", "detected_on", "requirements", "runbook", "playbook", "overdue"),
                    "dry_run_body",
                ),
            ),
            Table(
                "runbooks",
                "What each runbook would close",
                runbooks,
                note="An empty runbook means that none fits: those gaps need one written.",
                labels=LABELS,
                hidden=("runbook",),
            ),
            Table("owners", "Who has how much to do", owners, note="An empty owner is nobody.", labels=LABELS),
            Table("burn_up", "Remediations opened and closed by week", weeks, labels=LABELS),
        ),
        coverage=packs.coverage(readiness),
        charts=_charts(weeks),
        definitions=_definitions(ask),
        warnings=packs.thin(readiness, ask.settings),
        footnotes=(f"To rehearse a fix, POST the gap's dry_run_body to {DRY_RUN}; nothing is changed by it.",),
    )


def _queue(gaps: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    inputs = pl.struct("framework", "control_id", "gap_id")
    return gaps.sort("priority", "gap_id", descending=[True, False], nulls_last=True).select(
        *("gap_id", "framework", "control_id", "title", "severity", "state", "detected_on", "age_days"),
        *("requirements", "leverage", "runbook", "runbook_title", "playbook", "dry_run", "owner", "effort_hours"),
        *("due_on", pl.col("priority").round(2), "quick_win", "status", "blocked_by", "compensating"),
        overdue=(pl.col("due_on") < ask.as_of).fill_null(False),
        dry_run_body=pl.when(pl.col("playbook").is_not_null()).then(
            pl.struct("playbook", inputs=inputs).struct.json_encode()
        ),
    )


def _by(queue: pl.DataFrame, *keys: str) -> pl.DataFrame:
    """Totals of the queue; the group with most severe gaps first. Gaps of all groups sum to the queue."""
    return (
        queue.group_by(keys)
        .agg(
            gaps=pl.len().cast(pl.Int64),
            severe=pl.col("severity").is_in(SEVERE).sum().cast(pl.Int64),
            overdue=pl.col("overdue").sum().cast(pl.Int64),
            requirements_unlocked=pl.col("requirements").explode().drop_nulls().n_unique().cast(pl.Int64),
            effort_hours=pl.col("effort_hours").sum().round(1),
        )
        .sort("severe", "gaps", *keys, descending=[True, True, *[False] * len(keys)])
    )


def _weeks(remediations: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """ISO weeks of the period, the first and last cut to it, with running totals since the first remediation."""
    monday = ask.period_start - timedelta(days=ask.period_start.weekday())
    starts = pl.date_range(monday, ask.as_of, "1w", eager=True).alias("start")
    frame = pl.DataFrame({"week": starts.dt.strftime("%G-W%V"), "last": starts + timedelta(days=6)}).with_columns(
        last=pl.min_horizontal("last", pl.lit(ask.as_of))
    )
    columns = []
    for word in ("opened", "closed"):
        days = remediations[f"{word}_on"].drop_nulls().sort()
        before = days.filter(days < ask.period_start).len()
        total = days.search_sorted(frame["last"], side="right").cast(pl.Int64).alias(f"{word}_total")
        columns += [(total - total.shift(1, fill_value=before)).alias(word), total]
    opened, opened_total, closed, closed_total = columns
    return frame.select("week").with_columns(
        opened, closed, opened_total, closed_total, still_open=opened_total - closed_total
    )


def _headline(queue: pl.DataFrame, severities: dict[str, int], quick: pl.DataFrame, readiness: pl.DataFrame) -> str:
    if queue.is_empty():
        if not packs.coverage(readiness).total:
            return "No control is in scope, so there are no gaps to close."
        return "No gap is open: every applicable control is effective."
    are = "is" if queue.height == 1 else "are"
    parts = [f"{count(queue.height, 'gap')} {are} open, {severities['critical'] or 'none'} of them critical"]
    if quick.height:
        parts.append(f"{count(quick.height, 'quick win')} can be closed in {hours(float(quick['effort_hours'].sum()))}")
    first = queue.row(0, named=True)
    effort = "" if first["effort_hours"] is None else f" ({first['effort_hours']:g} h)"
    unlocks = count(first["leverage"] or 1, "requirement")
    where = f"{packs.control(first['gap_id'])} {first['title']}"
    return f"{'; '.join(parts)}; start with {where}{effort}, which unlocks {unlocks}."


def _charts(weeks: pl.DataFrame) -> list[Chart]:
    if weeks["opened_total"].max() == 0:
        return []
    lines = weeks.select("week", opened="opened_total", closed="closed_total").unpivot(
        index="week", variable_name="remediations", value_name="total"
    )
    alt = "Remediations opened and closed in all by the end of each week; the distance between the lines is still open."
    return [Chart("lines", "Burn-up", lines, "week", "total", alt, series="remediations")]


def _definitions(ask: Ask) -> dict[str, str]:
    return {
        "Gap": "An applicable control that is not effective.",
        "Priority": "Severity (1 to 5) times requirements unlocked times the control's weight, divided by effort "
        "hours. Equal priorities stand in the order of their identifiers.",
        "Requirements": "Requirements of all frameworks in scope that closing the gap answers, the control included.",
        "Quick win": f"At most {hours(ask.settings['quick_win_hours'])} of work that unlocks at least "
        f"{ask.settings['quick_win_leverage']:g} requirements.",
        "Dry-run exists": "The runbook's playbook has been rehearsed, which computes its plan and changes nothing.",
        "Meanwhile": "The compensating control until the gap is closed.",
        "Burn-up": "Tracked remediations: a gap that nobody plans to close yet is in the queue but not here.",
    }


REPORT = Report(
    name="gap-remediations",
    title="Gap remediations",
    description="Open gaps with the runbook, owner, effort and date of their remediation, by priority.",
    build=build,
)
