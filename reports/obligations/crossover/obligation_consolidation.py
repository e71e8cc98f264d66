"""How to do the duties of each crossover cluster once: six steps, who took them, and the hours that were saved."""

import polars as pl

from engine.model.declarations.report import Report
from engine.model.documents.document import Alarm, Document, Opening, Table, at_most
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.obligations.crossover import playbook
from reports.shared import ledger, setup
from reports.shared.wording import count, hours, sentence, some_of, with_whom

LABELS = {"what": "What to do", "best_on": "By"}
FOREMOST = (
    *("plays_to_do", "plays_waiting_hours", "plays_active", "plays_blocked", "plays_to_close", "plays_saved_hours"),
)
SEEN = ("topic", "owner", "best_on", "hours_to_save", "duties", "status", "next_step")
DEFINITIONS = {
    "Play": "One collection of evidence that serves all duties of a cluster: those that share a control, an evidence "
    "item or a full mapping and fall due close to each other. One that is proposed is not tracked until its first step "
    "is recorded.",
    "No duties": "The cluster of the play is gone: its duties are done, have moved or are no longer close.",
}


def build(plays: pl.DataFrame, figures: Figures) -> Document:
    rows = figures.rows(playbook.play_rows)
    return Document(
        *_opening(figures),
        tables=(
            Table(
                "plays",
                "Evidence to collect once: what is under way, then what saves most",
                rows.select(*SEEN, pl.exclude(*SEEN, "advice")),
                labels=LABELS,
                state=("status",),
                hidden=(
                    *("tracked", "about", "frameworks", "steps_done", "blocked", "hours_saved", "started_on"),
                    "closed_on",
                ),
            ),
            Table(
                "steps",
                "The six steps of each collection",
                playbook.step_rows(rows, plays),
                labels=LABELS,
                state=("status",),
                hidden=("about", "by", "on", "evidence"),
            ),
        ),
        definitions=DEFINITIONS,
        warnings=_warnings(rows, figures),
        foremost=FOREMOST if rows.height else (),
    )


def _opening(figures: Figures) -> Opening:
    waiting, done = figures["plays_to_do"], figures["plays_completed"]
    if not figures["plays"]:
        nothing = "No duties share evidence and a due window, so nothing is to be collected once for several."
        return Opening(nothing, "" if figures.rows(ledger.pending).height else setup.DUTIES)
    saved = hours(figures["plays_saved_hours"])
    text = f"{done:,} completed {'has' if done == 1 else 'have'} saved {saved}" if done else ""
    if not waiting:
        return Opening(f"No collection of evidence is to be shared now{f'; {text}' if text else ''}.")
    first = figures.counted_rows("plays_to_do").row(0, named=True)
    number = count(first["duties"], "duty", "duties")
    about = first["topic"].removesuffix(f" and {first['duties'] - 1:,} more")
    return Opening(
        at_most(
            f"One collection of evidence would serve several duties in {count(waiting, 'case')} and save "
            f"{hours(figures['plays_waiting_hours'])}",
            f"; {text}" if text else "",
        )
        + ".",
        f"{sentence(first['next_step'])} for the {number} around “{about}”, which saves "
        f"{hours(first['hours_to_save'])} ({with_whom(first['owner'], first['best_on'], 'by')}).",
    )


def _warnings(rows: pl.DataFrame, figures: Figures) -> list[str]:
    stuck, gone = figures["plays_blocked"], figures["plays_to_close"]
    return [
        *(
            [f"{count(stuck, 'shared collection')} with a blocked step{_whose(rows.filter('blocked'))}."]
            if stuck
            else []
        ),
        *(
            [Alarm(f"{count(gone, 'shared collection is', 'shared collections are')} under way {_leftovers(figures)}.")]
            if gone
            else []
        ),
    ]


def _leftovers(figures: Figures) -> str:
    whose = _whose(figures.counted_rows("plays_to_close"))
    return f"for duties that are done or have moved: complete or abandon what is left{whose}"


def _whose(plays: pl.DataFrame) -> str:
    people = plays["owner"].drop_nulls().unique(maintain_order=True).to_list()
    return f" ({some_of(people, 3)})" if people else ""


REPORT = Report(
    name="obligation-consolidation",
    title="Obligation consolidation",
    description="Six steps for each crossover cluster, with who took them and the hours that were saved.",
    build=build,
    figures=select(
        *("plays", "plays_tracked", *(f"plays_{status}" for status in playbook.STATUSES), "plays_to_do"),
        *("plays_blocked", "plays_without_cluster", "plays_to_close"),
        *("hours_to_save", "plays_waiting_hours", "plays_saved_hours"),
    ),
    parameters=(ledger.WEEKS,),
    schema_version=2,
)
