"""Frameworks of organizations' own, in the shape in which the catalogue of the program has its frameworks.

Everything here is empty for an organization that brought none along, and costs nothing then.
"""

from hashlib import sha256

import polars as pl

from engine.catalogue import FRAMEWORKS, catalogue
from engine.facts.expressions import shape
from engine.facts.schemas import SCHEMAS
from engine.model.vocabulary import FRAMEWORK_NAMES

_KEY = ["org_id", "framework", "control_id"]
_LAST = len(FRAMEWORKS) + 1
NAME_CHARACTERS = 32  # of a title that may stand before each of its controls


def own_controls(framework_controls_rows: pl.DataFrame) -> pl.DataFrame:
    """The rows of frameworks of one's own, groups included."""
    frame = framework_controls_rows.rename({"id": "control_id", "parent": "parent_id"}).with_columns(
        pl.col("evidence_kinds").str.split(";"),
        pl.col("group_id").fill_null(pl.col("control_id")),
        pl.col("group_title").fill_null(pl.col("title")),
    )
    return shape("controls", frame).sort("org_id", "framework", "position")


def own_texts(framework_texts_rows: pl.DataFrame) -> pl.DataFrame:
    """What controls of one's own ask for, in full."""
    frame = framework_texts_rows.select("org_id", "framework", control_id="id", requirement="text")
    return shape("own_texts", frame).sort("org_id", "framework", "control_id")


def own_frameworks(own_frameworks_rows: pl.DataFrame, organization_frameworks_rows: pl.DataFrame) -> pl.DataFrame:
    """The frameworks of one's own, with whether they count in the posture score.

    ``name`` stands before each of their controls: the title where that is short, else the identifier.
    """
    short = pl.col("title").str.len_chars() <= NAME_CHARACTERS
    counted = organization_frameworks_rows.select("org_id", "framework", "in_posture")
    frame = (
        own_frameworks_rows.rename({"id": "framework"})
        .with_columns(name=pl.when(short).then("title").otherwise("framework"))
        .join(counted, on=["org_id", "framework"], how="left")
        .with_columns(pl.col("in_posture").fill_null(False))
    )
    return shape("own_frameworks", frame).sort("org_id", "framework")


def frameworks(own_frameworks: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """Every framework that an organization may name, whatever is in scope: those of the program, then its own."""
    ours = pl.DataFrame({"framework": list(FRAMEWORK_NAMES), "name": list(FRAMEWORK_NAMES.values())})
    frame = pl.concat(
        [asked.select("org_id").join(ours, how="cross"), own_frameworks.select("org_id", "framework", "name")]
    )
    return shape("frameworks", frame).sort("org_id", place(), "framework")


def with_framework_names(frame: pl.DataFrame, own_frameworks: pl.DataFrame) -> pl.DataFrame:
    """Rows with what their framework is called as ``framework_name``: one of the program's or one's own."""
    ours = pl.col("framework").replace(FRAMEWORK_NAMES)
    if own_frameworks.is_empty():
        return frame.with_columns(framework_name=ours)
    own = own_frameworks.select("org_id", "framework", framework_name="name")
    named = frame.join(own, on=["org_id", "framework"], how="left", maintain_order="left")
    return named.with_columns(framework_name=pl.coalesce("framework_name", ours))


def place(column: str = "framework") -> pl.Expr:
    """The order of frameworks: those of the program as the catalogue has them, then one's own by identifier."""
    return pl.col(column).replace_strict(
        {**{name: number for number, name in enumerate(FRAMEWORKS)}, "fedramp-poam": len(FRAMEWORKS)},
        default=_LAST,
        return_dtype=pl.Int64,
    )


def own_runbooks(framework_runbooks_rows: pl.DataFrame, own_controls: pl.DataFrame) -> pl.DataFrame:
    """The runbook of each control of one's own: an exact pattern, else the longest beginning."""
    if framework_runbooks_rows.is_empty():
        return _RUNBOOKS.clone()
    known = catalogue().runbooks.select(
        "runbook", usual_title="title", usual_playbook="playbook", usual_hours="effort_hours"
    )
    pattern, control = pl.col("control_pattern"), pl.col("control_id")
    prefix = pattern.str.strip_suffix("*")
    exact = control == pattern
    frame = (
        framework_runbooks_rows.join(own_controls.filter("assessable").select(_KEY), on=["org_id", "framework"])
        .filter(exact | (pattern.str.ends_with("*") & control.str.starts_with(prefix)))
        .with_columns(closest=exact.cast(pl.Int64) * 1000 + prefix.str.len_chars().cast(pl.Int64))
        .filter(pl.col("closest") == pl.col("closest").max().over(_KEY))
        .join(known, on="runbook", how="left")
        .with_columns(
            runbook_title=pl.coalesce("title", "usual_title"),
            playbook=pl.coalesce("playbook", "usual_playbook"),
            effort_hours=pl.coalesce("effort_hours", "usual_hours"),
        )
    )
    return frame.select(_RUNBOOKS.columns).sort(*_KEY, "runbook")


_RUNBOOKS = pl.DataFrame(
    schema={**dict.fromkeys((*_KEY, "runbook", "runbook_title", "playbook"), pl.String), "effort_hours": pl.Float64}
)


def own_pairs(framework_mappings_rows: pl.DataFrame, own_controls: pl.DataFrame) -> pl.DataFrame:
    """Pairs that an organization brought along, with the titles of both ends; one without a reviewer is proposed.

    A pair to a framework that nobody has loaded waits for it and is left out.
    """
    if framework_mappings_rows.is_empty():
        return pl.DataFrame(schema=SCHEMAS["own_pairs"])
    organizations = framework_mappings_rows.select("org_id").unique()
    ours = catalogue().controls.select("framework", "control_id", "title")
    titles = pl.concat(
        [organizations.join(ours, how="cross").select(*_KEY, "title"), own_controls.select(*_KEY, "title")]
    )
    frame = framework_mappings_rows
    for end in ("source", "target"):
        frame = frame.join(
            titles.rename({"framework": f"{end}_framework", "control_id": f"{end}_id", "title": f"{end}_title"}),
            on=["org_id", f"{end}_framework", f"{end}_id"],
        )
    frame = frame.with_columns(
        full=pl.col("relation").is_in(["equal", "superset"]) & (pl.col("strength") >= 0.8 - 1e-9),
        rationale=pl.col("rationale").fill_null(""),
        unreviewed=pl.col("reviewer").is_null(),
    )
    return shape("own_pairs", frame).sort("org_id", "source_framework", "source_id", "target_framework", "target_id")


def own_version(own_controls: pl.DataFrame, own_pairs: pl.DataFrame) -> pl.DataFrame:
    """What follows the version of the program's catalogue where an organization has frameworks of its own."""
    counted = own_pairs.filter(~pl.col("unreviewed")).drop("unreviewed", "reviewed_on", "reviewer", "rationale")
    rows = []
    for org_id in own_controls["org_id"].unique().sort():
        parts = [
            frame.filter(pl.col("org_id") == org_id).drop("org_id").write_ndjson() for frame in (own_controls, counted)
        ]
        rows.append({"org_id": org_id, "own_version": sha256("\n".join(parts).encode()).hexdigest()[:12]})
    return pl.DataFrame(rows, schema={"org_id": pl.String, "own_version": pl.String})
