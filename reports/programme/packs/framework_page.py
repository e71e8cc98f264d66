"""The general page of a framework: every row of it with its state, and pairs that wait for a person."""

import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.documents.document import Coverage, Document, Opening, Table
from reports.shared import packs, setup
from reports.shared.wording import count_of, percent, sentence

DEFINITIONS = {
    "State": "Empty for headings, which have none of their own, and for a framework that is not in scope.",
    "Proposed pair": "A pair of controls that no named person has signed off: it counts for nothing.",
}
Page = tuple[pl.DataFrame, pl.DataFrame, pl.DataFrame, pl.DataFrame, pl.DataFrame]
"""Requirements, control status, texts, controls and pairs of one's own."""
STANDING = ("applicable", "effective", "partial", "stale", "ineffective", "no_data")


def framework_page(framework: str, title: str, readiness: pl.DataFrame, page: Page, start: str, ask: Ask) -> Document:
    """The page of one framework, in the order of the framework; ``title`` is what it is called in full, ``start`` what
    to begin with."""
    requirements, control_status, texts, own_controls, own_pairs = page
    name = ask.framework_name(framework)
    rows = framework_rows(framework, requirements, control_status, texts, own_controls)
    ours = readiness.filter(framework=framework)
    proposed = own_pairs.filter(
        "unreviewed", (pl.col("source_framework") == framework) | (pl.col("target_framework") == framework)
    )
    table = Table(
        "controls",
        f"Controls of {name}",
        rows,
        "In the order of the framework, headings included.",
        hidden=("framework", "parent_id", "group_id", "group_title", "assessable", "weight", "cadence"),
        labels={"kinds_missing": "Evidence missing"},
        state=("state",),
    )
    tables = [table]
    if not proposed.is_empty():
        note = "No named person has signed these off: they are proposed and count for nothing."
        tables.append(
            Table(
                "proposed",
                "Proposed pairs",
                proposed.select(
                    *("source_framework", "source_id", "source_title", "target_framework", "target_id"),
                    *("target_title", "relation", "strength", "rationale"),
                ),
                note,
            )
        )
    assessed = ours["assessed"].sum() if ours.height else 0
    standing = ours.select(STANDING).row(0, named=True) if ours.height else {}
    return Document(
        *_opening(name, rows, ours, start),
        tables=tuple(tables),
        coverage=Coverage(int(assessed), int(ours["applicable"].sum())),
        definitions={**DEFINITIONS, "Coverage": packs.COVERAGE},
        warnings=packs.thin(ours, ask),
        title=f"Controls of {title}",
        summary=standing,
        foremost=tuple(standing),
    )


def framework_rows(
    framework: str,
    requirements: pl.DataFrame,
    control_status: pl.DataFrame,
    texts: pl.DataFrame,
    own_controls: pl.DataFrame,
) -> pl.DataFrame:
    """Every row of the framework; without state where it is not in scope."""
    columns = ("framework", "control_id", "parent_id", "group_id", "group_title", "title", "assessable", "position")
    mine = pl.col("framework") == framework
    inside = requirements.filter(mine).select(columns)
    rows = inside if inside.height else own_controls.filter(mine).select(columns)
    text = texts.filter(mine).select("control_id", "requirement")  # null where the title says it all
    state = control_status.filter(mine).select(
        *("control_id", "state", "weight", "cadence", "last_evidence_on", "freshness", "owner"),
        kinds_missing=pl.col("kinds_required").list.set_difference("kinds_present"),
    )
    return (
        rows.join(state, on="control_id", how="left", maintain_order="left")
        .join(text, on="control_id", how="left", maintain_order="left")
        .with_columns(requirement=pl.when(pl.col("requirement") != pl.col("title")).then("requirement"))
        .sort("position")
        .select(
            *("framework", "control_id", "parent_id", "group_id", "group_title", "title", "requirement", "assessable"),
            *("state", "freshness", "last_evidence_on", "kinds_missing", "owner", "weight", "cadence"),
        )
    )


def _opening(name: str, rows: pl.DataFrame, readiness: pl.DataFrame, start: str) -> Opening:
    if rows.is_empty() or readiness.is_empty():
        return Opening(f"{name} is not in scope, so its controls have no state.", setup.IN_SCOPE)
    row = readiness.row(0, named=True)
    if row["strict_pct"] is None:
        return Opening(f"No control of {name} applies, so there is no readiness.")
    missing = row["applicable"] - row["effective"]
    text = f"{name} has {row['effective']:,} of {count_of(row['applicable'], 'applicable control')} effective"
    lacking = f"{count_of(missing, 'control')} {'is' if missing == 1 else 'are'} not effective"
    step = f"{start}; {lacking}." if start else f"{sentence(lacking)}."
    return Opening(f"{text}, {percent(row['strict_pct'])} strict readiness.", step if missing else "")
