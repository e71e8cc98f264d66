"""How the SOC 2 criteria map to ISO/IEC 27001, and where evidence for one side already serves the other."""

import polars as pl

from engine.model.document import (
    Chart,
    Coverage,
    Document,
    Table,
)
from engine.model.report import (
    PERIOD_DAYS,
    Ask,
    Parameter,
    Report,
)
from reports.mapping.overlay import (
    SOURCE,
    TARGET,
    edges_of,
    sides_of,
    targets_of,
)
from reports.shared.wording import count_of

NAMES = {SOURCE: "SOC 2", TARGET: "ISO/IEC 27001"}
MAPPINGS = ("full", "partial", "none")
OVERLAYS = ("both", "one_side", "none")
STATES = ("source_state", "target_state", "overlay", "mapping", "state")
HIDDEN = ("source_newest_at", "target_newest_at", "reviewer", "reviewed_on")
LABELS = {
    "source_id": "SOC 2",
    "source_title": "Criterion",
    "target_id": "ISO 27001",
    "target_title": "Requirement",
    "source_state": "SOC 2 state",
    "target_state": "ISO state",
    "source_events": "SOC 2 evidence",
    "target_events": "ISO evidence",
    "source_newest_at": "SOC 2 newest",
    "target_newest_at": "ISO newest",
    "reviewed_on": "Reviewed",
    "best_strength": "Strength",
    "criteria_events": "Evidence of the criteria",
    "events": "Own evidence",
}
DEFINITIONS = {
    "relation": "Words of NIST IR 8477, read from SOC 2 to ISO: equal asks for the same, superset covers the target, "
    "subset is one part of it, intersects shares some of it.",
    "full": "Equal or superset with a strength of at least 0.8. Every other listed pair is partial; "
    "a target with no listed pair is none.",
    "strength": "How much of the target's intent is met when the source is met, 0 to 1, as judged by the reviewer.",
    "evidence": "Supporting events of the control in the period, whatever their source, and the newest of them.",
    "overlay": "Both: evidence in the period on both sides. One side: on one. None: on neither. "
    "Empty where a side is not in scope.",
    "reuse": "A full pair with evidence on one side alone: link it to the other side. To source goes against the "
    "direction of the pair (equal or subset), whose strength is then an estimate.",
    "conflict": "The criterion is effective and the mapped requirement ineffective: "
    "one of the two judgements, or the mapping, is wrong. Settle full pairs first.",
    "targets": "Percentages are of the applicable ISO requirements; those not applicable stay listed.",
}
VIEW = Parameter(
    "view", "matrix", "matrix: one row for each pair; soa: one row for each ISO requirement", choices=("matrix", "soa")
)


def build(
    organization: pl.DataFrame,
    crosswalk: pl.DataFrame,
    control_evidence: pl.DataFrame,
    control_status: pl.DataFrame,
    ask: Ask,
) -> Document:
    sides = sides_of(control_status, control_evidence)
    edges = edges_of(crosswalk, sides)
    targets = targets_of(edges, sides)
    conflicts = edges.filter("conflict").sort("full", "strength", descending=True, maintain_order=True)
    applicable = targets.filter("applicable")
    mapped = {state: applicable.filter(pl.col("mapping") == state).height for state in MAPPINGS}
    overlays = {state: edges.filter(pl.col("overlay") == state).height for state in OVERLAYS}
    soa = ask.options.get("view") == "soa"
    both = sides.filter("applicable")
    return Document(
        headline=_headline(edges, conflicts, mapped, applicable.height),
        summary={
            "pairs": edges.height,
            "full_pairs": edges["full"].sum(),
            "targets": targets.height,
            "targets_applicable": applicable.height,
            "targets_full": mapped["full"],
            "targets_partial": mapped["partial"],
            "targets_none": mapped["none"],
            "targets_full_pct": Coverage(mapped["full"], applicable.height).pct,
            "targets_without_full_pair": mapped["partial"] + mapped["none"],
            "evidence_both": overlays["both"],
            "evidence_one_side": overlays["one_side"],
            "evidence_none": overlays["none"],
            "reuse_opportunities": edges["reuse"].count(),
            "conflicts": conflicts.height,
            "conflicts_on_full_pairs": conflicts["full"].sum(),
        },
        tables=(
            Table(
                "conflicts",
                "Conflicts: the criterion is effective, the requirement is not",
                conflicts.drop("conflict"),
                labels=LABELS,
                state=STATES,
                hidden=HIDDEN,
            ),
            *_view(soa, edges, targets),
        ),
        coverage=Coverage(both.filter(pl.col("state") != "no_data").height, both.height),
        charts=_charts(mapped, applicable.height),
        definitions=DEFINITIONS,
        warnings=_warnings(organization, edges),
    )


def _view(soa: bool, edges: pl.DataFrame, targets: pl.DataFrame) -> tuple[Table, ...]:
    labels = {**LABELS, "control_id": "ISO 27001"}
    if soa:
        note = "The requirement's own state comes first: mapped criteria support it and never replace it."
        return (Table("soa", "Statement of applicability with mapped criteria", targets, note, labels, state=STATES),)
    short = ("control_id", "title", "applicable", "mapping", "pairs", "full_pairs", "best_relation", "best_strength")
    coverage = targets.select(*short, "criteria", "state")
    return (
        Table("matrix", "Pairs", edges.drop("conflict"), labels=labels, state=STATES, hidden=HIDDEN),
        Table("targets", "Coverage of each ISO requirement", coverage, labels=labels, state=STATES),
    )


def _headline(edges: pl.DataFrame, conflicts: pl.DataFrame, mapped: dict[str, int], applicable: int) -> str:
    if edges.is_empty():
        return "The catalogue holds no SOC 2 to ISO/IEC 27001 pair, so nothing can be mapped."
    share = f"SOC 2 fully covers {mapped['full']:,} of {count_of(applicable, 'applicable ISO requirement')}"
    reusable = edges["reuse"].count()
    if conflicts.height:
        first = conflicts.row(0, named=True)
        return (
            f"{share}; {count_of(conflicts.height, 'pair')} in conflict: settle first why {first['source_id']} "
            f"is effective and {first['target_id']} is not."
        )
    if reusable:
        first = edges.filter(pl.col("reuse").is_not_null()).row(0, named=True)
        ends = (first["source_id"], first["target_id"])
        giver, taker = ends if first["reuse"] == "to target" else ends[::-1]
        return f"{share}; {count_of(reusable, 'pair')} can share evidence: first link that of {giver} to {taker}."
    return f"{share}; {mapped['partial']:,} in part and {mapped['none']:,} not at all: collect evidence for those."


def _warnings(organization: pl.DataFrame, edges: pl.DataFrame) -> list[str]:
    in_scope = organization["frameworks"].explode().to_list()
    warnings = [
        f"{NAMES[framework]} is not in scope: the mapping is shown without evidence and state of that side."
        for framework in (SOURCE, TARGET)
        if framework not in in_scope
    ]
    if TARGET not in in_scope:
        warnings.append("Without ISO/IEC 27001 in scope only requirements that a pair leads to are counted.")
    unsigned = edges.filter(pl.col("reviewer").fill_null("catalogue") == "catalogue").height
    if unsigned:
        warnings.append(f"{count_of(unsigned, 'pair')} came with the catalogue: no named person has signed them off.")
    return warnings


def _charts(mapped: dict[str, int], applicable: int) -> list[Chart]:
    if not applicable:
        return []
    frame = pl.DataFrame({"mapping": list(MAPPINGS), "targets": [mapped[state] for state in MAPPINGS]})
    alt = "Applicable ISO requirements that SOC 2 covers fully, in part and not at all."
    return [Chart("bars", "ISO requirements by coverage", frame, "mapping", "targets", alt)]


REPORT = Report(
    name="crosswalk",
    title="SOC 2 and ISO/IEC 27001 crosswalk",
    description="Every pair of a SOC 2 criterion and an ISO requirement with evidence, state and reuse on both sides.",
    build=build,
    parameters=(PERIOD_DAYS, VIEW),
)
