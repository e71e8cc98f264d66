"""Attestations to renew, in waves by due date: how many, how much work, for whom, and where too many fall together."""

from typing import Any

import polars as pl

from engine.model.document import Chart, Document, Table
from engine.model.formulas import iso_week
from engine.model.report import Ask, Report
from reports.evidence import renewals
from reports.evidence.renewals import WAVES
from reports.shared import ledger, personal
from reports.shared.columns import share_pct
from reports.shared.packs import pack
from reports.shared.wording import count_of, hours, percent, some_of

NAMES = {
    "overdue": "Overdue",
    "within_14_days": "Within 14 days",
    "in_15_to_30_days": "15 to 30 days",
    "in_31_to_60_days": "31 to 60 days",
    "in_61_to_90_days": "61 to 90 days",
}
SAID = {wave: "overdue" if wave == "overdue" else f"due {name[0].lower()}{name[1:]}" for wave, name in NAMES.items()}
HIDDEN = ("attestation_id", "owner", "reminder_id", "week", "group_id")
LABELS = {
    **personal.LABELS,
    **NAMES,
    "control_id": "Control",
    "due_on": "Due",
    "effort_hours": "Hours",
    "owed": "To send now",
    "nudges": "Nudges",
    "last_nudged_on": "Last nudge",
    "escalated": "Escalated",
    "name": "Framework",
    "week_start_on": "From",
    "renewal_hours": "Renewal hours",
    "demand_hours": "All hours",
    "available_hours": "Available",
    "utilisation_pct": "Utilisation (%)",
    "current_pct": "Current (%)",
    "evidence_freshness": "Evidence now",
}


def build(
    obligations: pl.DataFrame,
    attestations: pl.DataFrame,
    control_status: pl.DataFrame,
    owner_weeks: pl.DataFrame,
    reminders: pl.DataFrame,
    people: pl.DataFrame,
    ask: Ask,
) -> Document:
    every = renewals.pending(obligations, control_status, people, ask)
    rows = renewals.with_nudges(every.filter(pl.col("wave").is_not_null()), reminders, ask)
    waves = _waves(rows)
    frameworks = _frameworks(rows, attestations)
    collisions = renewals.collisions(rows, owner_weeks, ask)
    owed = rows.filter("owed")
    line = pl.format("{} {} ({})", "framework", "control_id", personal.days("days_left", "late", "due"))
    owners = personal.sections(owed, "wave", SAID, line)
    decided = attestations.filter("current")
    return Document(
        headline=_headline(every, rows, owed, owners, collisions),
        summary={
            "renewals": rows.height,
            **{wave: rows.filter(pl.col("wave") == wave).height for wave in WAVES},
            "after_90_days": every.height - rows.height,
            "hours": round(float(rows["effort_hours"].sum()), 2),
            "to_send": owed.height,
            "recipients": owners["recipient"].drop_nulls().len(),
            "escalated": rows.filter("escalated").height,
            "to_nobody": rows["recipient"].null_count(),
            "evidence_not_fresh": rows.filter(pl.col("evidence_freshness").is_in(["stale", "missing"])).height,
            "collision_weeks": collisions["week"].n_unique(),
            "rejected": decided.filter(pl.col("status") == "rejected").height,
        },
        tables=(
            Table("waves", "Waves", waves, labels={**LABELS, "name": "Wave"}, hidden=("wave",)),
            Table("owners", "To each owner now", owners, labels=LABELS,
                  note="One mail for each, with all that is to be renewed. An empty name is nobody.",
                  hidden=("in_31_to_60_days", "in_61_to_90_days")),
            Table("frameworks", "By framework", frameworks, labels=LABELS, heat=tuple(WAVES), hidden=("framework",)),
            Table("collisions", "Weeks in which renewals collide", collisions, labels=LABELS),
            Table("renewals", "Every renewal of the next 90 days", rows, labels=LABELS,
                  state=("evidence_freshness",), hidden=HIDDEN),
        ),
        charts=_charts(waves),
        definitions=_definitions(ask),
        warnings=_warnings(rows, decided),
    )  # fmt: skip


def _waves(rows: pl.DataFrame) -> pl.DataFrame:
    found = rows.group_by("wave").agg(
        renewals=pl.len().cast(pl.Int64),
        effort_hours=pl.col("effort_hours").sum().round(2),
        first_on=pl.col("due_on").min(),
        last_on=pl.col("due_on").max(),
        frameworks=pl.col("framework").unique().sort(),
        owners=pl.col("recipient").drop_nulls().n_unique().cast(pl.Int64),
        to_send=pl.col("owed").sum().cast(pl.Int64),
    )
    names = pl.DataFrame({"wave": list(WAVES), "name": [NAMES[wave] for wave in WAVES]})
    return names.join(found, on="wave", how="left", maintain_order="left").with_columns(
        pl.col("renewals", "owners", "to_send").fill_null(0),
        pl.col("effort_hours").fill_null(0.0),
        pl.col("frameworks").fill_null([]),
    )


def _frameworks(rows: pl.DataFrame, attestations: pl.DataFrame) -> pl.DataFrame:
    """Each framework with any attestation: its waves, and how much of it is attested now."""
    current = attestations.filter("current").group_by("framework").agg(
        deciding=pl.len().cast(pl.Int64), attested_now=(pl.col("status") == "attested").sum().cast(pl.Int64)
    )  # fmt: skip
    due = rows.group_by("framework").agg(
        renewals=pl.len().cast(pl.Int64),
        **{wave: (pl.col("wave") == wave).sum().cast(pl.Int64) for wave in WAVES},
        effort_hours=pl.col("effort_hours").sum().round(2),
        owners=pl.col("recipient").drop_nulls().n_unique().cast(pl.Int64),
    )
    return (
        current.join(due, on="framework", how="full", coalesce=True)
        .with_columns(pl.col("renewals", *WAVES, "owners", "deciding", "attested_now").fill_null(0),
                      pl.col("effort_hours").fill_null(0.0))
        .sort(ledger.framework_rank(), "framework")
        .select(
            "framework", ledger.framework_name().alias("name"), "renewals", *WAVES, "effort_hours", "owners",
            "deciding", "attested_now", current_pct=share_pct(pl.col("attested_now"), pl.col("deciding")),
        )
    )  # fmt: skip


def _headline(
    every: pl.DataFrame, rows: pl.DataFrame, owed: pl.DataFrame, owners: pl.DataFrame, collisions: pl.DataFrame
) -> str:
    if every.is_empty():
        return "No attestation is waiting to be renewed: check that attestations have been set up."
    if rows.is_empty():
        return f"No attestation falls due within 90 days; the next is due {every['due_on'][0]}."
    late = rows.filter(pl.col("wave") == "overdue").height
    work = hours(round(float(rows["effort_hours"].sum()), 2))
    start = f"{count_of(rows.height, 'attestation')} to renew within 90 days ({work}), {late:,} of them overdue"
    if owed.is_empty():
        return f"{start}; everybody concerned was asked within the last days, nothing is to be sent now."
    first = owners.row(0, named=True)
    who = first["recipient"] or "nobody, because they have no owner"
    week = f"; plan for {collisions['week'][0]}, where renewals collide" if collisions.height else ""
    return f"{start}; begin with {who} ({first['message'].partition('. Begin')[0]}){week}."


def _warnings(rows: pl.DataFrame, decided: pl.DataFrame) -> list[str]:
    warnings = []
    nobody = rows["recipient"].null_count()
    if nobody:
        warnings.append(f"{count_of(nobody, 'renewal has', 'renewals have')} no owner, so nobody can be asked.")
    weak = rows.filter(pl.col("owed"), pl.col("evidence_freshness").is_in(["stale", "missing"]))
    if weak.height:
        names = [f"{pack(framework)} {control}" for framework, control in weak.select("framework", "control_id").rows()]
        warnings.append(f"Collect evidence before signing, it is stale or missing now: {some_of(names)}.")
    rejected = decided.filter(pl.col("status") == "rejected").height
    if rejected:
        warnings.append(
            f"{count_of(rejected, 'attestation was', 'attestations were')} rejected: put it right and set a new date."
        )
    return warnings


def _charts(waves: pl.DataFrame) -> list[Chart]:
    if not waves["renewals"].sum():
        return []
    alt = "Attestations to renew in each wave."
    return [Chart("bars", "Renewals by wave", waves.select("name", "renewals"), "name", "renewals", alt)]


def _definitions(ask: Ask) -> dict[str, Any]:
    pause, ahead = int(ask.settings["nudge_pause_days"]), int(ask.settings["nudge_ahead_days"])
    warn = percent(ask.settings["utilisation_warn_pct"])
    return {
        "Renewal": "An attestation of the obligation ledger that is not signed yet. A signature lapses after 380 days; "
        "where no next attestation is planned, that is its date.",
        "Wave": f"By days until it is due. This week is {iso_week(ask.as_of)}.",
        "To send now": f"Overdue or due within {count_of(ahead, 'day')}, and nobody was asked for it within the last "
        f"{count_of(pause, 'day')}.",
        "Escalated": f"Asked for {renewals.UNANSWERED} times without an answer: now who is accountable is asked.",
        "Collision": f"An owner's week with at least {renewals.CROWDED} renewals of several frameworks, or with any "
        f"in which all duties together use more than {warn} of the hours available.",
        "Current": "Attested by the newest duty of the control, of the duties that decide.",
        "Evidence now": "Freshness of the control's evidence today: signing on stale evidence is unsupported.",
    }


REPORT = Report(
    name="attestation-renewal",
    title="Attestation renewal",
    description="Attestations to renew in waves by due date, by framework and owner, and who is to be asked now.",
    build=build,
    parameters=(),
)
