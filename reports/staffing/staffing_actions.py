"""Every staffing action with its status, relief, dates and proof, and how many of them are completed."""

from datetime import timedelta

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Document, Opening, Table
from engine.model.documents.pictures import LaneSpan, TimelinePicture
from engine.model.documents.tones import Tone
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.shared import setup
from reports.shared.ordering import rank
from reports.shared.wording import count, count_of, hours
from reports.staffing import completion, wording

COLUMNS = (
    *("action_id", "standing", "sla_due_on", "breach_days", "kind", "owner", "accountable", "week", "relief_hours"),
    *("week_end_on", "assignee", "status", "relief_actual_hours", "proposed_on", "tracked_on", "completed_on"),
    *("blocked_reason", "evidence", "obligation_id", "duties"),
)
FOREMOST = (
    *("staffing_actions_breached", "staffing_actions_awaiting", "staffing_completion_pct", "staffing_on_time_pct"),
    *("staffing_relief_actual_hours", "staffing_relief_realised_pct"),
)
SHOWN_DAYS, SHOWN_OWNERS = 120, 16
LEGEND: dict[str, Tone] = {
    **{
        "past the SLA": "bad",
        "past the peak week, or late": "watch",
        "done": "good",
        "under way, or proposed": "neutral",
    }
}
TONES: dict[str, Tone] = {
    **{"breached": "bad", "lapsed": "bad", "past_peak": "watch", "done_late": "watch", "done_undated": "watch"},
    **{"done_on_time": "good", "under_way": "neutral", "proposed": "neutral"},
}
HIDDEN = (
    *("action_id", "week_end_on", "status", "assignee", "relief_actual_hours", "proposed_on", "tracked_on"),
    *("completed_on", "blocked_reason", "evidence", "obligation_id", "duties"),
)


def build(staffing_actions: pl.DataFrame, figures: Figures, ask: Ask) -> Document:
    rows = staffing_actions.sort(rank("standing", wording.STANDINGS), "week_start_on", "owner", "kind", "action_id")
    return Document(
        *_opening(figures),
        tables=(
            Table(
                "actions",
                "All actions, those past the SLA first",
                rows.select(COLUMNS),
                labels=wording.LABELS,
                state=wording.STATE_COLUMNS,
                hidden=HIDDEN,
            ),
            Table("kinds", "By kind of action", _kinds(rows, ask), state=("kind",)),
        ),
        pictures=_timeline(rows, ask),
        definitions={
            **wording.DEFINITIONS,
            "SLA": wording.sla_definition(ask.settings["staffing_sla_days"]),
            "Action": "One for each peak week, kind and relieved owner: the same proposal is recorded once.",
        },
        warnings=_warnings(figures),
        foremost=[name for name in FOREMOST if figures[name] is not None],
    )


def _timeline(rows: pl.DataFrame, ask: Ask) -> list[TimelinePicture]:
    """From the day on which an action was taken up, or proposed, to its end, or to the day by which it is owed."""
    begun = pl.coalesce("tracked_on", "proposed_on", "week_start_on")
    ended = pl.coalesce("completed_on", pl.when(pl.col("standing") == "breached").then(pl.lit(ask.as_of)), "sla_due_on")
    spans = rows.with_columns(begun=begun, ended=pl.max_horizontal(begun, pl.coalesce(ended, "week_end_on"))).filter(
        pl.col("begun").is_not_null(), pl.col("ended") >= ask.as_of - timedelta(days=SHOWN_DAYS)
    )
    owners = spans["owner"].fill_null("nobody").unique(maintain_order=True).to_list()[:SHOWN_OWNERS]
    lanes = []
    for owner in owners:
        mine = spans.filter(pl.col("owner").fill_null("nobody") == owner)
        lanes.append(
            (
                owner,
                [
                    LaneSpan(first, last, wording.KIND_NAMES[kind], TONES.get(standing, "neutral"))
                    for first, last, kind, standing in mine.select("begun", "ended", "kind", "standing").iter_rows()
                ],
            )
        )
    if not lanes:
        return []
    drawn = {span.tone for _, lane in lanes for span in lane}
    alt = "Actions of each relieved owner from the day on which they were taken up to their end or to what is owed."
    legend = {name: tone for name, tone in LEGEND.items() if tone in drawn}
    return [TimelinePicture("Actions over time", alt, lanes, ask.as_of, legend)]


def _kinds(rows: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    return completion.by(rows, ["kind"], ask).sort(rank("kind", tuple(wording.KIND_NAMES)))


def _opening(figures: Figures) -> Opening:
    if not figures["staffing_actions_recorded"]:
        return Opening("No staffing action is recorded.", setup.STAFFING)
    waiting, done = figures["staffing_actions_awaiting"], figures["staffing_actions_completed"]
    ahead = ""
    if waiting:
        relief = hours(round(figures["staffing_awaiting_hours"], 1))
        ahead = f"Take up or drop {count(waiting, 'proposal')} ({relief} of relief)."
    if not figures["staffing_actions_taken_up"]:
        return Opening(
            "Nothing is taken up yet." if ahead else "No proposal was taken up before its week was over.", ahead
        )
    under_way = figures["staffing_actions_tracked"] + figures["staffing_actions_open"]
    waits = f", {count(waiting, 'proposal waits', 'proposals wait')}" if waiting else ""
    taken_up = figures["staffing_actions_taken_up"]
    text = f"{done:,} of {count_of(taken_up, 'action')} taken up {_is(done)} completed"
    late = figures["staffing_actions_breached"]
    if not late:
        return Opening(f"{text}, {under_way or 'none'} {_is(under_way)} under way{waits}.", ahead)
    breached = figures.counted_rows("staffing_actions_breached")
    first = breached.sort("breach_days", "action_id", descending=[True, False]).row(0, named=True)
    over = f"{late:,} of {count_of(under_way, 'action')} under way {_is(late)} past the SLA"
    return Opening(f"{over}; {text}{waits}.", f"{wording.to_finish(first)}.")


def _is(number: int) -> str:
    return "is" if number == 1 else "are"


def _warnings(figures: Figures) -> list[str]:
    said = {
        "staffing_actions_lapsed": ("proposal was", "proposals were", "never taken up before the week was over"),
        "staffing_actions_undated": ("completed action has", "completed actions have", "no day of completion"),
        "staffing_actions_unproven": ("completed action has", "completed actions have", "no evidence"),
    }
    return [f"{count(figures[name], one, many)} {what}." for name, (one, many, what) in said.items() if figures[name]]


REPORT = Report(
    name="staffing-actions",
    title="Staffing actions",
    description="Proposals to relieve peak weeks, from proposed to completed, with relief, dates and evidence.",
    build=build,
    figures=select(
        *("staffing_actions_recorded", "staffing_actions_proposed", "staffing_actions_awaiting"),
        *("staffing_awaiting_hours", "staffing_actions_lapsed", *completion.MEASURED),
        *("staffing_actions_undated", "staffing_actions_unproven", "staffing_actions_breached_week_change"),
    ),
    parameters=(),
    schema_version=2,
)
