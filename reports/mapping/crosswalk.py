"""How the SOC 2 criteria map to ISO/IEC 27001, and where evidence for one side already serves the other."""

import polars as pl

from engine.model.declarations.ask import PERIOD_DAYS, Ask, Parameter
from engine.model.declarations.report import Report
from engine.model.documents.document import Chart, Coverage, Document, Opening, Table, at_most
from engine.model.documents.pictures import MatrixPicture
from engine.model.documents.tones import Tone
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.mapping import overlay
from reports.mapping.overlay import SOURCE, TARGET
from reports.shared import setup
from reports.shared.columns import in_order
from reports.shared.wording import count_of, with_whom

MAPPINGS = ("full", "partial", "none")
STATES = ("source_state", "target_state", "overlay", "mapping", "state")
HIDDEN = (
    *("source_newest_at", "target_newest_at", "reviewer", "reviewed_on"),
    *("source_framework", "target_framework", "framework"),  # the page says them in its headings
)
DEFINITIONS = {
    "relation": "Words of NIST IR 8477, read from SOC 2 to ISO: equal asks for the same, superset covers the target, "
    "subset is one part of it, intersects shares some of it.",
    "strength": "How much of the target's intent is met when the source is met, 0 to 1, as judged by the reviewer.",
    "evidence": "Supporting events of the control in the period, whatever their source, and the newest of them.",
    "overlay": "Empty where a side is not in scope.",
    "reuse": "To target: link the criterion's evidence to the requirement. To source goes against the direction of the "
    "pair, whose strength is then an estimate.",
}
FINE = ("relation", "strength", "overlay", "reuse", "source_events", "target_events")
VIEW = Parameter(
    "view", "matrix", "matrix: one row for each pair; soa: one row for each ISO requirement", choices=("matrix", "soa")
)


def _names(ask: Ask) -> tuple[str, str]:
    """What both frameworks are called."""
    whole = {"iso27001": "ISO/IEC 27001"}
    source, target = (whole.get(name) or ask.framework_name(name) for name in (ask.word(SOURCE), ask.word(TARGET)))
    return source, target


def _adjective(ask: Ask) -> str:
    """What stands before a requirement of the target."""
    target = ask.word(TARGET)
    return "ISO" if target == "iso27001" else ask.framework_name(target)


def _labels(ask: Ask) -> dict[str, str]:
    return {
        "source_id": ask.framework_name(ask.word(SOURCE)),
        "source_title": "Criterion",
        "target_id": ask.framework_name(ask.word(TARGET)),
        "target_title": "Requirement",
        "events": "Own evidence",
        **_headings(ask),
    }


def _headings(ask: Ask) -> dict[str, str]:
    """Headings that name the two frameworks, where the columns themselves say source and target."""
    ends = {"source": ask.framework_name(ask.word(SOURCE)), "target": _adjective(ask)}
    states = {f"{end}_state": f"{name} state" for end, name in ends.items()}
    return states | {f"{end}_events": f"{name} evidence" for end, name in ends.items()}


def _title(ask: Ask) -> str:
    """What the page is called where other frameworks are asked for than those of its own title."""
    usual = (ask.word(SOURCE), ask.word(TARGET)) == (SOURCE.default, TARGET.default)
    return "" if usual else f"{' and '.join(_names(ask))} crosswalk"


def build(
    organization: pl.DataFrame, control_evidence: pl.DataFrame, control_status: pl.DataFrame, figures: Figures, ask: Ask
) -> Document:
    pairs, targets = figures.rows(overlay.pairs), figures.rows(overlay.targets)
    conflicts = figures.counted_rows("crosswalk_conflicts").sort(
        "full", "strength", descending=True, maintain_order=True
    )
    both = overlay.sides(control_status, control_evidence, ask).filter("applicable")
    return Document(
        *_opening(pairs, conflicts, targets, figures, ask),
        tables=(
            Table(
                "conflicts",
                "Conflicts: the criterion is effective, the requirement is not",
                conflicts.drop("conflict"),
                labels=_labels(ask),
                state=STATES,
                hidden=(*HIDDEN, *FINE, "rationale"),
                part_of=("matrix",),
            ),
            *_view(pairs, targets, ask),
        ),
        coverage=Coverage(both.filter(pl.col("state") != "no_data").height, both.height),
        charts=_charts(figures, ask),
        pictures=_matrix(pairs, ask),
        definitions=DEFINITIONS,
        warnings=_warnings(organization, pairs, ask),
        title=_title(ask),
    )


def _view(pairs: pl.DataFrame, targets: pl.DataFrame, ask: Ask) -> tuple[Table, ...]:
    labels = _labels(ask)
    labels["control_id"] = labels["target_id"]
    if ask.word(VIEW) == "soa":
        note = "The requirement's own state comes first: mapped criteria support it and never replace it."
        title = "Statement of applicability with mapped criteria"
        return (Table("soa", title, targets, note, labels, state=STATES, hidden=HIDDEN),)
    short = ("control_id", "title", "applicable", "mapping", "pairs", "full_pairs", "best_relation", "best_strength")
    coverage = targets.select(*short, "criteria", "state", "framework")
    return (
        Table("matrix", "Pairs", pairs.drop("conflict"), labels=labels, state=STATES, hidden=(*HIDDEN, *FINE)),
        Table(
            "targets",
            f"Coverage of each {_adjective(ask)} requirement",
            coverage,
            labels=labels,
            state=STATES,
            hidden=(*HIDDEN, "best_relation", "best_strength"),
        ),
    )


def _opening(
    pairs: pl.DataFrame, conflicts: pl.DataFrame, targets: pl.DataFrame, figures: Figures, ask: Ask
) -> Opening:
    source, target = _names(ask)
    if pairs.is_empty():
        propose = f"Propose pairs with hq crosswalk suggest {ask.word(SOURCE)} {ask.word(TARGET)}, and sign them off."
        return Opening(
            f"The catalogue holds no {source} to {target} pair, so nothing can be mapped.",
            propose if _title(ask) else setup.IN_SCOPE,
        )
    applicable = count_of(figures["crosswalk_targets_applicable"], f"applicable {_adjective(ask)} requirement")
    share = f"{source} fully covers {figures['crosswalk_targets_full']:,} of {applicable}"
    if conflicts.height:
        first = conflicts.row(0, named=True)
        owner = targets.row(by_predicate=pl.col("control_id") == first["target_id"], named=True)["owner"]
        are = "is" if conflicts.height == 1 else "are"
        short = tuple(ask.framework_name(ask.word(end)) for end in (SOURCE, TARGET))
        return Opening(
            at_most(f"{share}; {count_of(conflicts.height, 'pair')} {are} in conflict", _no_review(pairs)) + ".",
            f"Settle first why {short[0]} {first['source_id']} {first['source_title']} is effective and {short[1]} "
            f"{first['target_id']} {first['target_title']} is not ({with_whom(owner)}).",
        )
    if reusable := figures["crosswalk_reuse"]:
        first = figures.counted_rows("crosswalk_reuse").row(0, named=True)
        ends = (first["source_id"], first["target_id"])
        giver, taker = ends if first["reuse"] == "to target" else ends[::-1]
        return Opening(
            f"{share}; {count_of(reusable, 'pair')} can share evidence.",
            f"Link the evidence of {giver} to {taker} first.",
        )
    partial, none = figures["crosswalk_targets_partial"], figures["crosswalk_targets_none"]
    if not figures["crosswalk_targets_without_full_pair"]:
        return Opening(f"{share}, and no pair can share evidence that it does not share yet.")
    return Opening(
        f"{share}, {partial:,} in part and {none:,} not at all.", "Collect evidence for those that it does not cover."
    )


def _no_review(pairs: pl.DataFrame) -> str:
    """Whether no person has looked at any pair."""
    signed = pairs.filter(pl.col("reviewer").fill_null("catalogue") != "catalogue").height
    return "" if signed else "; nobody has reviewed any pair yet"


def _warnings(organization: pl.DataFrame, pairs: pl.DataFrame, ask: Ask) -> list[str]:
    in_scope = organization["frameworks"].explode(empty_as_null=False).to_list()
    warnings = [
        f"{name} is not in scope: the mapping is shown without evidence and state of that side."
        for framework, name in zip((ask.word(SOURCE), ask.word(TARGET)), _names(ask), strict=True)
        if framework not in in_scope
    ]
    if ask.word(TARGET) not in in_scope:
        warnings.append(f"Without {_names(ask)[1]} in scope only requirements that a pair leads to are counted.")
    unsigned = pairs.filter(pl.col("reviewer").fill_null("catalogue") == "catalogue").height
    if unsigned:
        warnings.append(f"{count_of(unsigned, 'pair')} came with the catalogue: 0 reviewed by a person.")
    return warnings


def _matrix(pairs: pl.DataFrame, ask: Ask) -> list[MatrixPicture]:
    """Families of criteria by families of requirements, in the order of their standards."""
    if pairs.is_empty():
        return []
    counts = (
        pairs.with_columns(row=_family("source_id"), column=_family("target_id"))
        .group_by("row", "column")
        .agg(pairs=pl.len(), full=pl.col("full").sum())
        .sort(in_order("row"), in_order("column"))
    )
    cells: dict[tuple[str, str], tuple[str, Tone]] = {
        (row, column): (str(number), "good" if full else "watch") for row, column, number, full in counts.iter_rows()
    }
    columns = counts.sort(in_order("column"))["column"].unique(maintain_order=True).to_list()
    return [
        MatrixPicture(
            "Which families meet",
            "Rows are families of {} criteria, columns of {} requirements: pairs, and whether one is full.".format(
                *_names(ask)
            ),
            counts["row"].unique(maintain_order=True).to_list(),
            columns,
            cells,
            {"with a full pair": "good", "in part only": "watch"},
        )
    ]


def _family(name: str) -> pl.Expr:
    """``CC6`` of CC6.1, ``A.8`` of A.8.22, ``6`` of 6.1.2."""
    return pl.col(name).str.extract(r"^([A-Z]+\d+|[A-Z]\.\d+|\d+)").fill_null(pl.col(name))


def _charts(figures: Figures, ask: Ask) -> list[Chart]:
    if not figures["crosswalk_targets_applicable"]:
        return []
    targets = [figures[f"crosswalk_targets_{state}"] for state in MAPPINGS]
    frame = pl.DataFrame({"mapping": list(MAPPINGS), "targets": targets})
    adjective, source = _adjective(ask), ask.framework_name(ask.word(SOURCE))
    alt = f"Applicable {adjective} requirements that {source} covers fully, in part and not at all."
    return [
        Chart("bars", f"{adjective} requirements by coverage", frame, "mapping", "targets", alt, words=("mapping",))
    ]


REPORT = Report(
    name="crosswalk",
    title="SOC 2 and ISO/IEC 27001 crosswalk",
    description="Every pair of a SOC 2 criterion and an ISO requirement with evidence, state and reuse on both sides.",
    build=build,
    figures=select(
        *("crosswalk_pairs", "crosswalk_pairs_full", "crosswalk_targets", "crosswalk_targets_applicable"),
        *("crosswalk_targets_full", "crosswalk_targets_partial", "crosswalk_targets_none"),
        *("crosswalk_targets_full_pct", "crosswalk_targets_without_full_pair", "crosswalk_evidence_both"),
        *("crosswalk_evidence_one_side", "crosswalk_evidence_none", "crosswalk_reuse", "crosswalk_conflicts"),
        "crosswalk_conflicts_full",
    ),
    parameters=(PERIOD_DAYS, VIEW, SOURCE, TARGET),
    schema_version=3,
)
