"""Milestones of the programme as duties: weaknesses on the plan of action, and days for which to be ready."""

import polars as pl

from engine.facts.controls.own import with_framework_names
from engine.facts.expressions import has_happened, shape
from engine.facts.obligations.ledger import TAG, effort, one
from engine.model.poam import STANDING, entries, scheduled_on

POAM = "fedramp-poam"
_KEY = ["org_id", "framework", "control_id"]


def poam(
    poam_ledger_rows: pl.DataFrame,
    open_work: pl.DataFrame,
    accepted_plans: pl.DataFrame,
    findings: pl.DataFrame,
    control_owners_rows: pl.DataFrame,
    controls: pl.DataFrame,
    asked: pl.DataFrame,
) -> pl.DataFrame:
    """The ledger of numbered weaknesses, each with one owner and one date; one that is closed later is open.

    Work that a plan opened, and that nobody gave to somebody else since, gives no weakness another owner.
    """
    closed = has_happened("closed_on")
    of_plans = accepted_plans.filter(
        pl.col("opened_on") == pl.col("made_on"), pl.col("owner") == pl.col("planned_owner")
    ).select("org_id", remediation_id="id")
    given = open_work.join(of_plans, on=["org_id", "remediation_id"], how="anti")
    by_control = (
        controls.select(*_KEY, "title", control=TAG, weakness_key=TAG)
        .join(owners(control_owners_rows), on=_KEY, how="left")
        .join(given.select(*_KEY, "work_owner"), on=_KEY, how="left")
        .drop("framework", "control_id")
    )
    by_finding = findings.select(
        "org_id",
        weakness_key="id",
        found="title",
        finder="owner",
        exploited_on=pl.when("known_exploited").then("due_on"),
    )
    frame = (
        poam_ledger_rows.join(asked.select("org_id", "as_of"), on="org_id")
        .filter(pl.col("detected_on") <= pl.col("as_of"))
        .with_columns(
            status=pl.when(
                pl.col("status").is_in(["completed", "false_positive"]) & pl.col("closed_on").is_not_null() & ~closed
            )
            .then(pl.lit("open"))
            .otherwise(pl.col("status")),
            closed_on=pl.when(closed).then("closed_on"),
        )
        .join(by_control, on=["org_id", "weakness_key"], how="left")
        .join(by_finding, on=["org_id", "weakness_key"], how="left")
    )
    told = [entries(details) for details in frame["details"]]
    days = zip(told, frame["detected_on"], frame["due_on"], frame["exploited_on"], strict=True)
    frame = frame.with_columns(
        contact=pl.Series([one.get("point_of_contact") for one in told], dtype=pl.String),
        scheduled_on=pl.Series([scheduled_on(*one) for one in days], dtype=pl.Date),
    ).with_columns(
        title=pl.coalesce("title", "found"), owner=pl.coalesce("work_owner", "contact", "responsible", "finder")
    )
    return shape("poam", frame).sort("org_id", "id")


def owners(control_owners_rows: pl.DataFrame) -> pl.DataFrame:
    """Of each control who is accountable, and who is responsible: else who is accountable."""
    return (
        control_owners_rows.group_by(_KEY)
        .agg(
            responsible=pl.col("email").filter(pl.col("raci") == "R").min(),
            accountable=pl.col("email").filter(pl.col("raci") == "A").min(),
        )
        .with_columns(responsible=pl.coalesce("responsible", "accountable"))
    )


def by_weakness(poam: pl.DataFrame) -> pl.DataFrame:
    """What stands of the ledger: of several numbers for one weakness the one that is due first."""
    return (
        poam.filter(pl.col("status").is_in(STANDING))
        .sort("org_id", "scheduled_on", "detected_on", "id")
        .unique(["org_id", "weakness_key"], keep="first", maintain_order=True)
    )


def plan_controls(organization: pl.DataFrame, nist_pairs: pl.DataFrame) -> pl.DataFrame:
    """The controls of which a weakness is an item of a plan of action without a number (``on_plan``): those that are
    paired with one of NIST SP 800-53, where the organization keeps such a plan."""
    keeps = organization.filter(pl.col("frameworks").list.contains(POAM)).select("org_id")
    own = pl.col("org_id").is_not_null()
    every = keeps.join(nist_pairs.filter(~own).select("framework", "control_id"), how="cross")
    theirs = keeps.join(nist_pairs.filter(own).select(_KEY), on="org_id")
    return pl.concat([every, theirs]).unique().with_columns(on_plan=pl.lit(True))


def weaknesses(poam: pl.DataFrame, rows: pl.DataFrame, accountable: pl.DataFrame) -> pl.DataFrame:
    """A duty for each weakness that stands, however many numbers it was given, and one for each number closed."""
    over = poam.filter(~pl.col("status").is_in(STANDING))
    of_control = accountable.select("org_id", "accountable", control=TAG)
    subject = pl.coalesce(pl.format("{} {}", pl.col("control").str.split(":").list.last(), "title"), "title")
    return (
        pl.concat([over, by_weakness(poam)])
        .join(rows.select("org_id", "id", "moves", "revision"), on=["org_id", "id"])
        .join(of_control, on=["org_id", "control"], how="left")
        .with_columns(
            kind=pl.lit("poam_milestone"),
            key="id",
            title=pl.format("Close weakness {}: {}", "id", pl.coalesce(subject, "weakness_key")),
            frameworks=pl.lit([POAM], dtype=pl.List(pl.String)),
            controls=one("control"),
            due_on="scheduled_on",
            done_on="closed_on",
            cancelled=pl.col("status") == "false_positive",
            effort_hours=effort("poam_milestone"),
            hard=pl.lit(True),
            sequence="moves",
            source_ref=pl.format("poam_items/{}", "id"),
        )
    )


def checkpoints(
    frameworks: pl.DataFrame, own_frameworks: pl.DataFrame, accountable: pl.DataFrame, meetings: pl.DataFrame
) -> pl.DataFrame:
    """The day for which a framework is to be ready: a duty of who is accountable for most of its controls.

    Where nobody is, the chair of the first committee has it; without a committee it is nobody's.
    """
    chairs = (
        meetings.filter(pl.col("chair").is_not_null())
        .sort("org_id", "committee_id", "meeting_id")
        .group_by("org_id", maintain_order=True)
        .agg(pl.col("chair").first())
    )
    most = (
        accountable.group_by("org_id", "framework", "accountable")
        .agg(controls=pl.len())
        .sort("org_id", "framework", "controls", "accountable", descending=[False, False, True, False])
        .group_by("org_id", "framework", maintain_order=True)
        .agg(owner=pl.col("accountable").first())
    )
    return (
        with_framework_names(frameworks.filter(pl.col("target_on").is_not_null()), own_frameworks)
        .join(most, on=["org_id", "framework"], how="left")
        .join(chairs, on="org_id", how="left")
        .with_columns(
            kind=pl.lit("audit_checkpoint"),
            key="framework",
            title=pl.format("{} readiness checkpoint", "framework_name"),
            owner=pl.coalesce("owner", "chair"),
            frameworks=one("framework"),
            controls=pl.lit([], dtype=pl.List(pl.String)),
            due_on="target_on",
            cancelled=~pl.col("in_scope"),
            effort_hours=effort("audit_checkpoint"),
            hard=pl.lit(True),
            sequence="moves",
            source_ref=pl.format("organization_frameworks/{}", "framework"),
        )
    )
