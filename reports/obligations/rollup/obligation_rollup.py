"""All pending duties rolled up by kind, status, month, framework and owner, with the overdue list, for printing."""

import polars as pl

from engine.model.declarations.ask import PERIOD_DAYS, Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Alarm, Chart, Document, Opening, Table
from engine.model.documents.tones import Tone
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.obligations.rollup import rollups
from reports.shared import ledger, setup
from reports.shared.duty_figures import TOTALS
from reports.shared.wording import count, count_of, hours, sentence, some_of

LABELS = {
    **ledger.LABELS,
    **{"name": "Framework", "done": "Done in period", "late": "Done late in period", "next_on": "Next due"},
    "hard": "Fixed by law or contract",
}
FOREMOST = (
    *("obligations_overdue", "obligations_deadline_passed", "obligations_due_in_30_days", "obligations_without_owner"),
    *("obligations_pending", "obligations_pending_hours"),
)
TONES: dict[str, Tone] = {"overdue": "bad", "to come": "main"}


def build(requests: pl.DataFrame, figures: Figures, ask: Ask) -> Document:
    duties = figures.rows(ledger.pending)
    finished = figures.counted_rows("obligations_finished_in_period").with_columns(
        pl.col("effort_hours").fill_null(0.0)
    )
    overdue = rollups.overdue(duties, requests, ask.as_of)
    note = ledger.HANDED_IN if overdue["handed_in"].any() else ""
    return Document(
        *_opening(overdue, duties, ledger.first_overdue(duties, requests, ask), figures, ask),
        tables=(
            Table(
                "overdue",
                ledger.GRAVEST_FIRST,
                overdue.drop("handed_in"),
                note=note,
                labels=LABELS,
                hidden=("obligation_id", "kind", "duty", "due_at", "effort_hours"),
            ),
            Table("ahead", "Next 30, 60 and 90 days", rollups.weeks_ahead(duties, ask.as_of), labels=LABELS),
            Table("kinds", "By kind", rollups.kinds(duties, finished), labels=LABELS, hidden=("kind",)),
            Table(
                "frameworks",
                "By framework",
                rollups.frameworks(duties, ask),
                note="A duty that names several frameworks is counted once, in a row of its own; "
                "'also in others' says how many of those name this framework too.",
                labels=LABELS,
                hidden=("framework",),
            ),
            Table("owners", "By owner", rollups.owners(duties, ask.as_of), note="A dash is nobody.", labels=LABELS),
            Table(
                "months",
                "By month, kind and status",
                rollups.months(duties, finished),
                note="Pending duties by the month in which they are due, and what was done in the period.",
                state=("status",),
                hidden=("kind",),
            ),
        ),
        charts=_charts(duties, ask),
        definitions={**ledger.DEFINITIONS, "Fixed": ledger.FIXED},
        warnings=_warnings(overdue, duties, figures),
        foremost=FOREMOST,
        footnotes=("The forecast counts the same known duties week by week; the heatmap places all pending ones.",),
    )


def _opening(overdue: pl.DataFrame, duties: pl.DataFrame, first_late: str, figures: Figures, ask: Ask) -> Opening:
    pending, soon = figures["obligations_pending"], figures["obligations_due_in_30_days"]
    if not pending:
        return Opening("No duty is pending.", setup.DUTIES)
    ahead = f"{f'{soon:,}' if soon else 'none'} {'falls' if soon == 1 else 'fall'} due within 30 days"
    if overdue.is_empty():
        work = hours(figures["obligations_pending_hours"])
        first = f"{sentence(ledger.act(duties.row(0, named=True), ask))} ({ledger.whose(duties.row(0, named=True))})."
        are = "is" if pending == 1 else "are"
        return Opening(
            f"{count(pending, 'duty', 'duties')} {are} pending, {work} of work; none is overdue, {ahead}.", first
        )
    late, passed = figures["obligations_overdue"], figures["obligations_deadline_passed"]
    worst = f", {passed:,} of them past a legal or contractual deadline" if passed else ""
    of = count_of(pending, "pending duty", "pending duties")
    return Opening(
        f"{late:,} of {of} {'is' if late == 1 else 'are'} overdue{worst}; {ahead}.", f"{sentence(first_late)}."
    )


def _charts(duties: pl.DataFrame, ask: Ask) -> list[Chart]:
    if duties.is_empty():
        return []
    alt = "Pending duties: overdue, by the month in which they are due, and later than a year from now."
    frame = rollups.due_months(duties, ask.as_of)
    toned = frame.with_columns(
        standing=pl.when(pl.col("when") == "overdue").then(pl.lit("overdue")).otherwise(pl.lit("to come"))
    )
    title = "Pending duties by month"
    return [Chart("stacked", title, toned, "when", "obligations", alt, series="standing", tones=TONES)]


def _warnings(overdue: pl.DataFrame, duties: pl.DataFrame, figures: Figures) -> list[str]:
    late = figures["obligations_deadline_passed"]
    whose = overdue.filter("hard")["owner"].drop_nulls().unique(maintain_order=True).to_list()
    with_them = f", with {some_of(whose, 3)}" if whose else ""
    passed = count(late, "legal or contractual deadline has", "legal or contractual deadlines have")
    return [
        *([Alarm(f"{passed} passed and the work is not done{with_them}.")] if late else []),
        *ledger.without_owner(duties),
    ]


REPORT = Report(
    name="obligation-rollup",
    title="Obligation rollup",
    description="All pending duties by kind, status, month, framework and owner, with the overdue list.",
    build=build,
    figures=select(
        *TOTALS,
        *("obligations_overdue_week_change", "obligations_due_in_30_days", "obligations_deadline_passed"),
        "obligations_without_owner",
        *("obligations_finished_in_period", "obligations_finished_late_in_period"),
    ),
    parameters=(PERIOD_DAYS, ledger.WEEKS),
    schema_version=2,
)
