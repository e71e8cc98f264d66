"""The organization, the frameworks it follows, and the controls that these contain."""

import polars as pl

from engine.catalogue import FRAMEWORKS, catalogue
from engine.facts.approvals import with_approval
from engine.facts.expressions import shape

PACKS = (*FRAMEWORKS, "fedramp-poam")


def organization(organizations_rows: pl.DataFrame, organization_frameworks_rows: pl.DataFrame) -> pl.DataFrame:
    """One row for each organization, with the packs in scope in catalogue order."""
    order = pl.col("framework").replace_strict({name: i for i, name in enumerate(PACKS)}, default=None)
    followed = (
        organization_frameworks_rows.filter("in_scope", pl.col("framework").is_in(PACKS))
        .sort("org_id", order)
        .group_by("org_id", maintain_order=True)
        .agg(frameworks="framework")
    )
    joined = organizations_rows.join(followed, on="org_id", how="left")
    return shape("organization", joined.with_columns(pl.col("frameworks").fill_null([]))).sort("org_id")


def _in_scope(organization: pl.DataFrame) -> pl.DataFrame:
    return organization.select("org_id", framework="frameworks").explode("framework", empty_as_null=False)


def framework_targets(organization_frameworks_rows: pl.DataFrame) -> pl.DataFrame:
    """The frameworks in scope that have controls, each with the day for which it is to be ready."""
    order = pl.col("framework").replace_strict({name: place for place, name in enumerate(FRAMEWORKS)})
    rows = organization_frameworks_rows.filter("in_scope", pl.col("framework").is_in(FRAMEWORKS))
    names = catalogue().frameworks.select("framework", "name")
    return shape("framework_targets", rows.join(names, on="framework")).sort("org_id", order)


def controls(organization: pl.DataFrame, control_profiles_rows: pl.DataFrame) -> pl.DataFrame:
    """The controls of the frameworks in scope, headings included, with the organization's own cadence."""
    own = control_profiles_rows.select("org_id", "framework", "control_id", own_cadence="cadence")
    frame = (
        _in_scope(organization)
        .join(catalogue().controls, on="framework")
        .join(own, on=["org_id", "framework", "control_id"], how="left")
        .with_columns(cadence=pl.coalesce("own_cadence", "cadence"))
    )
    return shape("controls", frame).sort("org_id", "framework", "position")


def requirements(organization: pl.DataFrame) -> pl.DataFrame:
    """Every row of the frameworks in scope with its level and the framework's own marks."""
    rows = pl.concat([_with_flags(framework) for framework in FRAMEWORKS])
    frame = _in_scope(organization).join(rows, on="framework")
    return shape("requirements", frame).sort("org_id", "framework", "position")


def _with_flags(framework: str) -> pl.DataFrame:
    """A framework's rows with ``level`` and ``flags``: true columns by name, words of a choice as they are."""
    details = catalogue().details(framework)
    booleans = [
        name
        for name in ("new_in_2022", "service_provider_only", "ig1", "ig2", "ig3", "level_1")
        if name in details.columns
    ]
    words = [name for name in ("part", "required_or_addressable", "measure_type") if name in details.columns]
    marks = [pl.when(pl.col(name)).then(pl.lit(name)) for name in booleans] + [pl.col(name) for name in words]
    if "future_dated" in details.columns:
        marks.append(pl.when(pl.col("future_dated") != "no").then(pl.lit("future_dated")))
    flags = pl.concat_list(marks).list.drop_nulls() if marks else pl.lit([], dtype=pl.List(pl.String))
    level = pl.col("level") if "level" in details.columns else pl.lit(None, dtype=pl.String)
    common = ("framework", "control_id", "parent_id", "group_id", "group_title", "title", "assessable", "position")
    if "framework" not in details.columns:
        details = details.with_columns(framework=pl.lit(framework))
    return details.select(*common, level=level, flags=flags)


def profiles(control_profiles_rows: pl.DataFrame, approvers: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """What the organization says of a control beyond its state.

    A decision is approved on the day of its approval, or on its own where that is empty; both must have come.
    """
    dated = control_profiles_rows.join(asked.select("org_id", "as_of"), on="org_id").with_columns(
        decision_on=pl.max_horizontal("approved_on", "decided_on")
    )
    frame = with_approval(dated, approvers, "approved_by", "decision_on").with_columns(
        decision_approved=pl.col("approved") & pl.col("decided_on").is_not_null()
    )
    return shape("control_profiles", frame).sort("org_id", "framework", "control_id")


def crosswalk() -> pl.DataFrame:
    """Every typed pair of controls with the titles of both ends (F9)."""
    known = catalogue()
    titles = known.controls.select("framework", "control_id", "title")
    frame = (
        known.crosswalk.join(
            titles.rename({"framework": "source_framework", "control_id": "source_id", "title": "source_title"}),
            on=["source_framework", "source_id"],
        )
        .join(
            titles.rename({"framework": "target_framework", "control_id": "target_id", "title": "target_title"}),
            on=["target_framework", "target_id"],
        )
        .with_columns(full=pl.col("relation").is_in(["equal", "superset"]) & (pl.col("strength") >= 0.8 - 1e-9))
    )
    return shape("crosswalk", frame).sort("source_framework", "source_id", "target_framework", "target_id")


def people(users_rows: pl.DataFrame) -> pl.DataFrame:
    """Everybody with a profile."""
    return shape("people", users_rows).sort("org_id", "email")


def names(users_rows: pl.DataFrame, display_names_rows: pl.DataFrame) -> pl.DataFrame:
    """What people are called: by their membership, else by their profile; of two with one name, with the address."""
    keys = ["org_id", "email"]
    frame = (
        users_rows.select(*keys, "name")
        .join(display_names_rows, on=keys, how="full", coalesce=True)
        .with_columns(name=pl.coalesce(_entered_text("display_name"), _entered_text("name")))
        .filter(pl.col("name").is_not_null())
        .with_columns(alone=pl.len().over("org_id", "name") == 1)
        .with_columns(name=pl.when("alone").then("name").otherwise(pl.format("{} ({})", "name", "email")))
    )
    return shape("names", frame).sort(keys)


def _entered_text(name: str) -> pl.Expr:
    """What people typed; null where that is nothing."""
    text = pl.col(name).str.strip_chars()
    return pl.when(text != "").then(text)


def policies(
    policies_rows: pl.DataFrame, policy_controls_rows: pl.DataFrame, approvers: pl.DataFrame, asked: pl.DataFrame
) -> pl.DataFrame:
    """Active policy versions that somebody accepted, one row for each control that they support."""
    active = policies_rows.filter(pl.col("state") == "active").join(asked.select("org_id", "as_of"), on="org_id")
    accepted = with_approval(active, approvers, "accepted_by", "accepted_on").filter("approved")
    frame = accepted.rename({"id": "policy_id"}).join(policy_controls_rows, on=["org_id", "policy_id"], how="left")
    return shape("policies", frame).sort("org_id", "policy_id", "framework", "control_id", nulls_last=True)
