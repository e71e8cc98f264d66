"""How to do the duties of each crossover cluster once: six steps, who took them, and the hours that were saved."""

import polars as pl

from engine.model.document import Document, Table
from engine.model.report import Ask, Report
from reports.obligations import playbook
from reports.obligations.clusters import Cluster, clusters
from reports.shared import ledger
from reports.shared.ordering import rank
from reports.shared.wording import count, hours

LABELS = {
    "play_id": "Play",
    "duties": "Duties",
    "about": "Longest duty",
    "best_on": "Best date",
    "steps_done": "Steps done",
    "next_step": "Next step",
    "hours_to_save": "Hours to save",
    "hours_saved": "Hours saved",
    "number": "No.",
    "what": "What to do",
}


def build(
    obligations: pl.DataFrame, linked_evidence: pl.DataFrame, crosswalk: pl.DataFrame, plays: pl.DataFrame, ask: Ask
) -> Document:
    near = ledger.near(obligations, ask)
    found = {cluster.id: cluster for cluster in clusters(near, linked_evidence, crosswalk, ask)}
    stored = playbook.tracked_steps(plays)
    rows = _plays(found, stored)
    status = rows["status"]
    closed = rows.filter(pl.col("status") == "completed")
    return Document(
        headline=_headline(rows),
        summary={
            "plays": rows.height,
            "tracked": rows["tracked"].sum(),
            **{word: int((status == word).sum()) for word in playbook.STATUSES},
            "blocked": rows["blocked"].sum(),
            "without_cluster": rows.filter(pl.col("duties") == 0).height,
            "hours_to_save": round(float(_waiting(rows)["hours_to_save"].sum()), 2),
            "hours_saved": round(float(closed["hours_saved"].sum()), 2),
        },
        tables=(
            Table(
                "plays",
                "Plays, those under way first",
                rows,
                labels=LABELS,
                state=("status",),
                hidden=("blocked", "frameworks", "started_on", "closed_on"),
            ),
            Table("steps", "Six steps of each play", _steps(rows, found, stored), labels=LABELS, state=("status",)),
        ),
        definitions={
            "Play": "The work of using one collection of evidence for all duties of a cluster. It has the cluster's "
            "identifier; nobody tracks a proposed play that is not marked as tracked.",
            "No duties": "The cluster of the play is gone: its duties are done, have moved or are no longer close.",
            "Hours to save": "By the crossover rule, of plays that are proposed or active.",
            "Hours saved": "As recorded when the play was completed.",
        },
        warnings=_warnings(rows),
    )


def _plays(found: dict[str, Cluster], stored: dict[str, list[dict[str, object]]]) -> pl.DataFrame:
    names = sorted({*found, *stored})
    rows = [playbook.play(name, found.get(name), stored.get(name, [])) for name in names]
    return pl.DataFrame(rows, schema=playbook.PLAY, orient="row").sort(
        rank("status", playbook.STATUSES), "hours_to_save", "best_on", "play_id",
        descending=[False, True, False, False], nulls_last=True,
    )  # fmt: skip


def _steps(rows: pl.DataFrame, found: dict[str, Cluster], stored: dict[str, list[dict[str, object]]]) -> pl.DataFrame:
    steps = [
        {"play_id": name, **step}
        for name in rows["play_id"]
        for step in playbook.steps_of(found.get(name), stored.get(name, []))
    ]
    return pl.DataFrame(steps, schema=playbook.STEP, orient="row")


def _waiting(rows: pl.DataFrame) -> pl.DataFrame:
    return rows.filter(pl.col("status").is_in(["active", "proposed"]))


def _headline(rows: pl.DataFrame) -> str:
    if rows.is_empty():
        return "No duties share evidence and a due window, so there is nothing to consolidate."
    waiting = _waiting(rows).filter(pl.col("duties") > 0)
    done = rows.filter(pl.col("status") == "completed")
    parts = []
    if waiting.height:
        text = f"{count(waiting.height, 'play')} could save {hours(round(float(waiting['hours_to_save'].sum()), 2))}"
        first = waiting.row(0, named=True)
        who = f" ({first['owner']})" if first["owner"] else ""
        parts.append(f"{text}; start with {first['about']} by {first['best_on']}: {first['next_step']}{who}")
    else:
        parts.append("No play is waiting for its next step")
    if done.height:
        parts.append(f"{done.height} completed {'has' if done.height == 1 else 'have'} saved "
                     f"{hours(round(float(done['hours_saved'].sum()), 2))}")  # fmt: skip
    return f"{'; '.join(parts)}."


def _warnings(rows: pl.DataFrame) -> list[str]:
    warnings = []
    stuck = rows.filter("blocked").height
    if stuck:
        warnings.append(f"{count(stuck, 'play')} with a blocked step.")
    gone = rows.filter((pl.col("status") == "active") & (pl.col("duties") == 0)).height
    if gone:
        warnings.append(f"{count(gone, 'active play')} without a cluster: complete or abandon.")
    return warnings


REPORT = Report(
    name="obligation-consolidation",
    title="Obligation consolidation",
    description="Six steps for each crossover cluster, with who took them and the hours that were saved.",
    build=build,
    parameters=(ledger.WEEKS,),
)
