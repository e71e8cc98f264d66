"""Duties due close together that one collection of evidence would serve, and the hours that this saves."""

import polars as pl

from engine.model.days import quarters
from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Chart, Document, Opening, Table
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.obligations.crossover.crossovers import cluster_rows, member_rows
from reports.shared import ledger, setup
from reports.shared.wording import all_of, count, hours, with_whom

SHOWN = 10
SEEN = ("topic", "hours_to_save", "best_on", "duties", "owners")


def build(linked_evidence: pl.DataFrame, figures: Figures, ask: Ask) -> Document:
    frame = figures.rows(cluster_rows)
    days = ask.settings["crossover_days"]
    return Document(
        *_opening(frame, figures, ask),
        tables=(
            Table(
                "clusters",
                "Clusters, largest saving first",
                frame.select(*SEEN, pl.exclude(SEEN, "members", "lead")),
                hidden=(
                    *("titles", "basis", "frameworks", "overdue", "shared_evidence", "window_from", "hours_alone"),
                    *("hours_together", "confidence"),
                ),
                labels={"owners": "Who", "best_on": "By"},
            ),
            Table(
                "members",
                "Duties of each cluster",
                member_rows(frame, figures.rows(ledger.pending)),
                hidden=("obligation_id", "kind"),
            ),
        ),
        charts=_charts(frame),
        definitions={
            "Cluster": "Pending duties up to the horizon that share a control, an evidence item or a full mapping, "
            f"with due dates at most {days:g} days apart. It grows only while one date suits every member.",
            "Full mapping": "Equal or superset with a strength of at least 0.8.",
            "Best date": "The latest day on which evidence is in time for every duty; for overdue ones, today.",
            "From": f"Evidence collected from this day on is no older than {days:g} days when the last duty falls due.",
            "Together": "The longest duty and a quarter of the others, that to the quarter of an hour.",
            "Confidence": "The weakest link: 1 for a shared control or item, else the strength of the mapping.",
            "Fixed": ledger.FIXED,
            "Recurring duties": "Two occurrences of one duty are never together: each needs evidence of its period.",
        },
        warnings=_warnings(linked_evidence, figures),
        footnotes=("Obligation consolidation says step by step how to use a cluster.",),
    )


def _opening(frame: pl.DataFrame, figures: Figures, ask: Ask) -> Opening:
    near, clusters = figures["obligations_up_to_horizon"], figures["crossover_clusters"]
    if not near:
        return Opening("No duty is due up to the horizon, so there is nothing to share.", setup.DUTIES)
    if not clusters:
        return Opening(f"Of {count(near, 'duty', 'duties')} up to the horizon none can share evidence with another.")
    first = frame.row(0, named=True)
    names = all_of([ask.framework_name(name) for name in first["frameworks"]]) or "no framework"
    return Opening(
        f"Collecting evidence once for {count(clusters, 'cluster')} of duties that belong together would save "
        f"{quarters(figures['hours_to_save'])} of {hours(figures['crossover_hours_alone'])}.",
        f"Collect first for “{first['topic']}” of {names} ({with_whom(first['lead'], first['best_on'], 'by')}), "
        f"which saves {hours(first['hours_to_save'])}.",
    )


def _charts(found: pl.DataFrame) -> list[Chart]:
    if found.is_empty():
        return []
    frame = found.head(SHOWN).select(
        cluster=pl.format("{}. {}", pl.int_range(1, pl.len() + 1), "topic"), hours="hours_to_save"
    )
    alt = f"Hours saved by each of the {frame.height} most worthwhile clusters, by what their duties are about."
    return [Chart("bars", "Hours saved by the most worthwhile clusters", frame, "cluster", "hours", alt)]


def _warnings(linked_evidence: pl.DataFrame, figures: Figures) -> list[str]:
    warnings = []
    blind = figures["obligations_without_control"]
    if blind:
        names = count(blind, "duty names", "duties name")
        warnings.append(f"{names} no control, so they are in no cluster.")
    if linked_evidence.is_empty() and figures["obligations_up_to_horizon"]:
        warnings.append("No evidence item is linked to a control: clusters rest on shared controls and mappings alone.")
    return warnings


REPORT = Report(
    name="obligation-crossover",
    title="Obligation crossover",
    description="Clusters of duties that share evidence and a due window, with the hours that one collection saves.",
    build=build,
    figures=select(
        *("crossover_clusters", "obligations_in_clusters", "obligations_up_to_horizon", "obligations_without_control"),
        *("crossover_hours_alone", "crossover_hours_together", "hours_to_save"),
    ),
    parameters=(ledger.WEEKS,),
    schema_version=2,
)
