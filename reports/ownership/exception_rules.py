"""What makes an exception questionable: the flags of the register."""

from collections.abc import Mapping
from typing import Any

import msgspec
import polars as pl

from engine.model.declarations.ask import Ask
from engine.model.vocabulary import GAP_SEVERITIES
from reports.shared.ordering import rank

KEY = ["framework", "control_id"]
FIELDS = ("constraint", "objective", "risk", "definition", "validation", "maintenance")
LIVE = ("approved", "expired")
# flag: what is wrong, whether it is worth a warning, what to do; most urgent first
FLAGS: Mapping[str, tuple[str, bool, str]] = {
    "expired_in_use": ("expired and still relied on.", True, "Renew it with a new approval, or close the gap."),
    "no_approver": ("called approved without an approval that holds.", True, "Have it approved or withdraw it."),
    "evidence_missing": ("compensating measure without any evidence.", True, "Collect evidence of the measure."),
    "evidence_stale": ("evidence of the compensating measure is stale.", True, "Test the measure again."),
    "too_long": ("granted for longer than allowed.", True, "Set an earlier end and review it then."),
    "too_many_renewals": (
        "renewed too often: it has become the rule.",
        True,
        "Fix the control or change the standard.",
    ),
    "own_approval": ("approved by who is responsible for the control.", True, "Have somebody else approve it."),
    "worksheet_incomplete": ("PCI DSS worksheet incomplete.", True, "Fill in all six fields."),
    "no_residual": ("residual risk not rated.", False, "Rate what remains with the measure in place."),
    "no_longer_needed": ("the control is effective again.", False, "Resolve it."),
}
KINDS = ("compensating", "accepted_risk", "gap", "drift")
STANDINGS = ("expired", "in_review", "draft", "approved", "rejected", "resolved")
NEEDS_WORKSHEET = (pl.col("framework") == "pci-dss") & (pl.col("kind") == "compensating")


def register(exceptions: pl.DataFrame, control_status: pl.DataFrame, ask: Ask) -> pl.DataFrame:
    """Exceptions with the state of their control, the freshness of the measure's evidence, and their flags."""
    about = control_status.select(*KEY, "applicable", "owner", control_state="state")
    frame = exceptions.join(about, on=KEY, how="left").with_columns(
        in_use=pl.col("applicable").fill_null(False) & (pl.col("control_state") != "effective").fill_null(False),
        complete=pl.Series([_complete(text) for text in exceptions["worksheet"]], dtype=pl.Boolean),
    )
    approved = pl.col("standing") == "approved"
    longest = pl.col("approved_on").dt.offset_by(f"{int(ask.settings['exception_max_months'])}mo")
    marks = {
        "expired_in_use": (pl.col("standing") == "expired") & pl.col("in_use") & ~pl.col("replaced").fill_null(False),
        "no_approver": pl.col("unapproved"),
        "evidence_missing": pl.col("evidence_freshness") == "missing",
        "evidence_stale": pl.col("evidence_freshness") == "stale",
        "too_long": pl.col("expires_on") > longest,
        "too_many_renewals": pl.col("renewals") > ask.settings["exception_max_renewals"],
        "own_approval": pl.col("approver") == pl.col("owner"),
        "worksheet_incomplete": NEEDS_WORKSHEET & ~pl.col("complete"),
        "no_residual": pl.col("residual").is_null(),
        "no_longer_needed": approved & (pl.col("control_state") == "effective"),
    }
    live = pl.col("standing").is_in(LIVE) | pl.col("unapproved")
    words = [pl.when(live & marks[name].fill_null(False)).then(pl.lit(name)) for name in FLAGS]
    return frame.with_columns(flags=pl.concat_list(words).list.drop_nulls())


def flag_rows(listed: pl.DataFrame) -> pl.DataFrame:
    """One row for each flag of each exception of the register."""
    todo = {name: what for name, (_, _, what) in FLAGS.items()}
    return (
        listed.explode("flags", empty_as_null=False)
        .rename({"flags": "flag"})
        .select(
            *("flag", "id", "kind", *KEY, "approver", "expires_on", "days_left", "renewals"),
            todo=pl.col("flag").replace_strict(todo, default=None, return_dtype=pl.String),
        )
        .sort(rank("flag", list(FLAGS)), "expires_on", "id")
    )


def undeclared_measures(gaps: pl.DataFrame, exceptions: pl.DataFrame) -> pl.DataFrame:
    """Open gaps whose remediation names a measure meanwhile, on controls without an exception in force."""
    held = exceptions.filter(pl.col("standing") == "approved").select(KEY).unique()
    return (
        gaps.filter(pl.col("compensating").is_not_null())
        .join(held, on=KEY, how="anti")
        .select(
            *("gap_id", *KEY, "title", "state", "severity", "compensating", "compensating_approved"),
            *("owner", "due_on", "age_days"),
        )
        .sort(rank("severity", GAP_SEVERITIES), "gap_id")
    )


def worksheet(text: str | None) -> Mapping[str, Any]:
    """The fields of a worksheet; none for one that is not an object."""
    value = msgspec.json.decode(text) if text else {}
    return value if isinstance(value, dict) else {}


def _complete(text: str | None) -> bool:
    filled = worksheet(text)
    return all(filled.get(name) for name in FIELDS)


def worksheets(listed: pl.DataFrame) -> pl.DataFrame:
    """The worksheet of each compensating control for a PCI DSS requirement, field by field."""
    rows = []
    for row in listed.filter(NEEDS_WORKSHEET).sort("id").iter_rows(named=True):
        filled = worksheet(row["worksheet"])
        texts = {name: _text(filled.get(name)) for name in FIELDS}
        missing = sum(text is None for text in texts.values())
        rows.append({"id": row["id"], "control_id": row["control_id"], **texts, "missing": missing})
    schema = {**dict.fromkeys(("id", "control_id", *FIELDS), pl.String), "missing": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _text(value: Any) -> str | None:
    if value is None or value == "":
        return None
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def by_kind(register: pl.DataFrame) -> pl.DataFrame:
    """How many exceptions of each kind stand where, and how many of them are flagged."""
    return (
        register.group_by("kind")
        .agg(
            exceptions=pl.len().cast(pl.Int64),
            **{name: (pl.col("standing") == name).sum().cast(pl.Int64) for name in STANDINGS},
            flagged=(pl.col("flags").list.len() > 0).sum().cast(pl.Int64),
        )
        .sort(rank("kind", KINDS), "kind")
    )
