"""How to do the duties of each crossover cluster once: six steps, who took them, and the hours that were saved."""

import polars as pl

from engine.model.days import spelled_day
from engine.model.declarations.report import Report
from engine.model.documents.document import Document, Opening, Table
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.obligations.crossover import playbook
from reports.shared import ledger, setup
from reports.shared.wording import count, hours

LABELS = {"what": "What to do"}


DEFINITIONS = {
    "Play": "The work of using one collection of evidence for all duties of a cluster. It has the cluster's "
    "identifier; nobody tracks a proposed play that is not marked as tracked.",
    "No duties": "The cluster of the play is gone: its duties are done, have moved or are no longer close.",
}


def build(plays: pl.DataFrame, figures: Figures) -> Document:
    rows = figures.rows(playbook.play_rows)
    return Document(
        *_opening(figures),
        tables=(
            Table(
                "plays",
                "Plays, those under way first",
                rows.drop("advice"),
                state=("status",),
                hidden=("blocked", "frameworks", "started_on", "closed_on"),
            ),
            Table("steps", "Six steps of each play", playbook.step_rows(rows, plays), labels=LABELS, state=("status",)),
        ),
        definitions=DEFINITIONS,
        warnings=_warnings(figures),
    )


def _opening(figures: Figures) -> Opening:
    waiting, done = figures["plays_to_do"], figures["plays_completed"]
    if not figures["plays"]:
        return Opening("No duties share evidence and a due window, so there is nothing to consolidate.", setup.DUTIES)
    saved = hours(figures["plays_saved_hours"])
    text = f"; {done:,} completed {'has' if done == 1 else 'have'} saved {saved}" if done else ""
    if not waiting:
        return Opening(f"No play is waiting for its next step{text}.")
    first = figures.counted_rows("plays_to_do").row(0, named=True)
    who = f" ({first['owner']})" if first["owner"] else ""
    by = spelled_day(first["best_on"])
    return Opening(
        f"{count(waiting, 'play')} could save {hours(figures['plays_waiting_hours'])}{text}.",
        f"Start with {first['about']} by {by}: {first['next_step']}{who}.",
    )


def _warnings(figures: Figures) -> list[str]:
    stuck, gone = figures["plays_blocked"], figures["plays_to_close"]
    return [
        *([f"{count(stuck, 'play')} with a blocked step."] if stuck else []),
        *([f"{count(gone, 'active play')} without a cluster: complete or abandon."] if gone else []),
    ]


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
