"""The organization, the frameworks it follows, and the controls that these contain."""

import polars as pl

from engine.catalogue import FRAMEWORKS, catalogue
from engine.facts.approvals import with_approval
from engine.facts.controls.own import place
from engine.facts.expressions import ANNUAL, has_happened, plus_days, shape

PACKS = (*FRAMEWORKS, "fedramp-poam")


def organization(
    organizations_rows: pl.DataFrame, organization_frameworks_rows: pl.DataFrame, own_frameworks: pl.DataFrame
) -> pl.DataFrame:
    """One row for each organization, with the packs in scope in catalogue order, then frameworks of its own."""
    followed = (
        _frameworks_in_scope(organization_frameworks_rows, PACKS, own_frameworks)
        .sort("org_id", place(), "framework")
        .group_by("org_id", maintain_order=True)
        .agg(frameworks="framework")
    )
    joined = organizations_rows.join(followed, on="org_id", how="left")
    return shape("organization", joined.with_columns(pl.col("frameworks").fill_null([]))).sort("org_id")


def _in_scope(organization: pl.DataFrame) -> pl.DataFrame:
    return organization.select("org_id", framework="frameworks").explode("framework", empty_as_null=False)


def _frameworks_in_scope(
    organization_frameworks_rows: pl.DataFrame, packs: tuple[str, ...], own_frameworks: pl.DataFrame
) -> pl.DataFrame:
    """What is in scope of the packs and of frameworks of one's own."""
    named = organization_frameworks_rows.filter("in_scope")
    ours = named.filter(pl.col("framework").is_in(packs))
    if own_frameworks.is_empty():
        return ours
    return pl.concat([ours, named.join(own_frameworks.select("org_id", "framework"), on=["org_id", "framework"])])


def framework_targets(
    organization_frameworks_rows: pl.DataFrame,
    audit_windows_rows: pl.DataFrame,
    own_frameworks: pl.DataFrame,
    asked: pl.DataFrame,
) -> pl.DataFrame:
    """The frameworks in scope that have controls, each with the day for which it is to be ready, and the period of its
    next audit that is not over yet."""
    rows = _frameworks_in_scope(organization_frameworks_rows, FRAMEWORKS, own_frameworks)
    next_window = (
        audit_windows_rows.join(asked.select("org_id", "as_of"), on="org_id")
        .filter(pl.col("ends_on") >= pl.col("as_of"))
        .sort("ends_on", "starts_on", "id")
        .unique(["org_id", "framework"], keep="first", maintain_order=True)
        .select("org_id", "framework", audit_from="starts_on", audit_until="ends_on")
    )
    frame = with_names(rows, own_frameworks).join(next_window, on=["org_id", "framework"], how="left")
    return shape("framework_targets", frame).sort("org_id", place(), "framework")


def with_names(frame: pl.DataFrame, own_frameworks: pl.DataFrame) -> pl.DataFrame:
    """Rows with the ``name`` of their framework, one of the organization's own or of the program."""
    names = catalogue().frameworks.select("framework", "name")
    ours = frame.join(names, on="framework")
    if own_frameworks.is_empty():
        return ours
    own = own_frameworks.select("org_id", "framework", "name")
    return pl.concat([ours, frame.join(own, on=["org_id", "framework"])])


def controls(
    organization: pl.DataFrame, control_profiles_rows: pl.DataFrame, own_controls: pl.DataFrame
) -> pl.DataFrame:
    """The controls of the frameworks in scope, headings included, with the organization's own cadence."""
    own = control_profiles_rows.select("org_id", "framework", "control_id", own_cadence="cadence")
    followed = _in_scope(organization)
    rows = followed.join(catalogue().controls, on="framework")
    if not own_controls.is_empty():
        theirs = followed.join(own_controls, on=["org_id", "framework"])
        rows = pl.concat([rows, theirs.select(rows.columns)], how="vertical_relaxed")
    frame = rows.join(own, on=["org_id", "framework", "control_id"], how="left").with_columns(
        cadence=pl.coalesce("own_cadence", "cadence")
    )
    return shape("controls", frame).sort("org_id", "framework", "position")


def requirements(organization: pl.DataFrame, own_controls: pl.DataFrame) -> pl.DataFrame:
    """Every row of the frameworks in scope with its level and the framework's own marks."""
    rows = pl.concat([_with_flags(framework) for framework in FRAMEWORKS])
    followed = _in_scope(organization)
    frame = followed.join(rows, on="framework")
    if not own_controls.is_empty():
        theirs = followed.join(own_controls, on=["org_id", "framework"]).with_columns(
            level=pl.lit(None, dtype=pl.String), flags=pl.lit([], dtype=pl.List(pl.String))
        )
        frame = pl.concat([frame, theirs.select(frame.columns)], how="vertical_relaxed")
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
        decision_approved=pl.col("approved") & pl.col("decided_on").is_not_null(), exclusion=~pl.col("applicable")
    )
    return shape("control_profiles", frame).sort("org_id", "framework", "control_id")


def crosswalk(own_pairs: pl.DataFrame) -> pl.DataFrame:
    """Every typed pair of controls with the titles of both ends (F9); those of the program have no organization.

    Pairs of an organization's own are here once a person has signed them off.
    """
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
    frame = shape("crosswalk", frame.with_columns(org_id=pl.lit(None, dtype=pl.String)))
    if not own_pairs.is_empty():
        frame = pl.concat([frame, shape("crosswalk", own_pairs.filter(~pl.col("unreviewed")))])
    return frame.sort("source_framework", "source_id", "target_framework", "target_id", "org_id")


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


def active_policies(
    policies_rows: pl.DataFrame, policy_controls_rows: pl.DataFrame, approvers: pl.DataFrame, asked: pl.DataFrame
) -> pl.DataFrame:
    """Active policy versions, ``approved`` or not, one row for each control that they support."""
    active = policies_rows.filter(pl.col("state") == "active").join(asked.select("org_id", "as_of"), on="org_id")
    frame = with_approval(active, approvers, "accepted_by", "accepted_on").rename({"id": "policy_id"})
    return frame.join(policy_controls_rows, on=["org_id", "policy_id"], how="left").sort(
        "org_id", "policy_id", "framework", "control_id", nulls_last=True
    )


def policies(active_policies: pl.DataFrame) -> pl.DataFrame:
    """Active policy versions that somebody accepted, one row for each control that they support."""
    return shape("policies", active_policies.filter("approved"))


def unaccepted_policies(active_policies: pl.DataFrame) -> pl.DataFrame:
    """Active policy versions that nobody accepted: no guardrail and no evidence, by whatever they say."""
    rows = active_policies.filter(~pl.col("approved")).unique(["org_id", "policy_id"])
    return shape("unaccepted_policies", rows).sort("org_id", "policy_id")


def policy_terms(active_policies: pl.DataFrame) -> pl.DataFrame:
    """The day up to which a policy behind a control is good: its review, or a year after acceptance without one.

    One that nobody accepted (``unaccepted``) is good on no day: its review is due yesterday, if it was not before.
    """
    due = pl.coalesce(
        "review_due_on", pl.when(has_happened("accepted_on")).then(plus_days("accepted_on", pl.lit(ANNUAL)))
    )
    return (
        active_policies.filter(pl.col("control_id").is_not_null())
        .group_by("org_id", "framework", "control_id")
        .agg(
            unaccepted=~pl.col("approved").any(),
            accepted_due_on=due.filter("approved").max(),
            owed_on=pl.min_horizontal(due.max(), pl.col("as_of").first() - pl.duration(days=1)),
        )
        .with_columns(policy_due_on=pl.when("unaccepted").then("owed_on").otherwise("accepted_due_on"))
        .drop("accepted_due_on", "owed_on")
        .sort("org_id", "framework", "control_id")
    )
