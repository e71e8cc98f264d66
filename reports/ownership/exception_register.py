"""The register of exceptions: what was accepted, by whom, until when, and which of it no longer stands on its feet."""

from collections.abc import Mapping
from typing import Any

import msgspec
import polars as pl

from engine.model.document import Chart, Document, Table
from engine.model.report import Ask, Report
from reports.ownership import exception_rules as rules
from reports.shared.ordering import rank
from reports.shared.packs import pack
from reports.shared.wording import count

WORKSHEET = ("constraint", "objective", "risk", "definition", "validation", "maintenance")
STANDINGS = ("expired", "in_review", "draft", "approved", "rejected", "resolved")
KINDS = ("compensating", "accepted_risk", "gap", "drift")
LABELS = {
    "id": "Exception",
    "control_id": "Control",
    "compensating": "Compensating measure",
    "compensating_evidence_on": "Its evidence of",
    "evidence_freshness": "Its evidence is",
    "residual": "Residual rating",
    "approved_on": "Approved",
    "expires_on": "Expires",
    "control_state": "Control is",
    "todo": "What to do",
}
STATE = ("standing", "control_state", "residual", "evidence_freshness")
SHOWN = (
    *("id", "kind", "framework", "control_id", "title", "reason", "compensating", "compensating_evidence_on"),
    *("evidence_freshness", "residual", "approver", "approved_on", "expires_on", "days_left", "renewals", "standing"),
    *("control_state", "in_use", "flags"),
)


def build(exceptions: pl.DataFrame, control_status: pl.DataFrame, gaps: pl.DataFrame, ask: Ask) -> Document:
    register = rules.with_flags(exceptions, control_status, ask)
    flagged = rules.flag_rows(register)
    undeclared = rules.undeclared_exceptions(gaps, register)
    relied = register.filter("in_use", pl.col("standing") == "expired")
    soon = register.filter(pl.col("standing") == "approved", pl.col("days_left") <= 30)
    counts = {name: register.filter(pl.col("standing") == name).height for name in STANDINGS}
    return Document(
        headline=_headline(register, counts, relied, soon, undeclared),
        summary={
            "exceptions": register.height,
            **counts,
            "expiring_in_30_days": soon.height,
            "in_use_after_expiry": relied.height,
            **{f"flag_{name}": flagged.filter(pl.col("flag") == name).height for name in rules.FLAGS},
            "undeclared_measures": undeclared.height,
        },
        tables=(
            Table(
                "flags", "What to settle, most urgent first", flagged, labels=LABELS, state=("flag",), words=("kind",),
                note="An exception stands here once for each of its flags; resolved and rejected ones have none.",
            ),
            Table(
                "register", "Every exception", _register(register), labels=LABELS, state=STATE, words=("kind", "flags")
            ),
            Table(
                "undeclared", "Compensating measures in use without an approved exception", undeclared, labels=LABELS,
                state=("state", "severity"),
                note="The remediation names a measure meanwhile, and nobody has accepted the departure.",
            ),
            Table("by_kind", "By kind and standing", _by_kind(register), labels=LABELS, words=("kind",)),
            Table(
                "worksheets", "Compensating control worksheets (PCI DSS)", _worksheets(register), labels=LABELS,
                note="An empty field is not filled in; an assessor asks for all six.",
            ),
        ),
        charts=_charts(register),
        definitions=_definitions(ask),
        warnings=_warnings(flagged),
    )  # fmt: skip


def _register(register: pl.DataFrame) -> pl.DataFrame:
    return register.sort(rank("standing", STANDINGS), "expires_on", "id").select(SHOWN)


def _by_kind(register: pl.DataFrame) -> pl.DataFrame:
    return (
        register.group_by("kind")
        .agg(
            exceptions=pl.len().cast(pl.Int64),
            **{name: (pl.col("standing") == name).sum().cast(pl.Int64) for name in STANDINGS},
            flagged=(pl.col("flags").list.len() > 0).sum().cast(pl.Int64),
        )
        .sort(rank("kind", KINDS), "kind")
    )


def _worksheets(register: pl.DataFrame) -> pl.DataFrame:
    """The worksheet of each compensating control for a PCI DSS requirement, field by field."""
    rows = []
    for row in register.filter(rules.NEEDS_WORKSHEET).sort("id").iter_rows(named=True):
        filled: Mapping[str, Any] = rules.worksheet(row["worksheet"])
        texts = {name: _text(filled.get(name)) for name in WORKSHEET}
        missing = sum(text is None for text in texts.values())
        rows.append({"id": row["id"], "control_id": row["control_id"], **texts, "missing": missing})
    schema = {**dict.fromkeys(("id", "control_id", *WORKSHEET), pl.String), "missing": pl.Int64}
    return pl.DataFrame(rows, schema=schema, orient="row")


def _text(value: Any) -> str | None:
    if value is None or value == "":
        return None
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _headline(
    register: pl.DataFrame,
    counts: Mapping[str, int],
    relied: pl.DataFrame,
    soon: pl.DataFrame,
    undeclared: pl.DataFrame,
) -> str:
    if register.is_empty():
        if undeclared.height:
            measures = count(undeclared.height, "compensating measure")
            return f"No exception is on record, yet {measures} replace controls: have them approved with an end date."
        return "No exception is on record: either every departure is being fixed, or nobody has written one down."
    parts = [f"{count(register.height, 'exception')}, {counts['approved']:,} of them in force"]
    if relied.height:
        first = relied.sort("expires_on", "id").row(0, named=True)
        parts.append(
            f"{count(relied.height, 'expired one')} {'is' if relied.height == 1 else 'are'} still relied on: renew or "
            f"close {first['id']} ({pack(first['framework'])} {first['control_id']}, expired {first['expires_on']})"
        )
    elif soon.height:
        first = soon.sort("expires_on", "id").row(0, named=True)
        parts.append(f"{first['id']} ends first, on {first['expires_on']}: close its gap or renew it before")
    return f"{'; '.join(parts)}."


def _warnings(flagged: pl.DataFrame) -> list[str]:
    return [
        f"{count(number, 'exception')}: {rules.FLAGS[name][0]}"
        for name in rules.FLAGS
        if (number := flagged.filter(pl.col("flag") == name).height) and rules.FLAGS[name][1]
    ]


def _charts(register: pl.DataFrame) -> list[Chart]:
    if register.is_empty():
        return []
    frame = (
        register.group_by("kind", "standing")
        .agg(exceptions=pl.len())
        .sort(rank("kind", KINDS), rank("standing", STANDINGS))
        .with_columns(pl.col("kind", "standing").str.replace_all("_", " "))
    )
    alt = "Exceptions by kind, split by where they stand."
    return [Chart("stacked", "Exceptions by kind", frame, "kind", "exceptions", alt, series="standing")]


def _definitions(ask: Ask) -> dict[str, str]:
    return {
        "Exception": "An accepted departure from a control: a gap, a drift from policy, an accepted risk, or a "
        "compensating measure in place of the control.",
        "Expired": "Approved once, and the last day has passed. An exception lives at most "
        f"{ask.settings['exception_max_months']:g} months and is renewed at most "
        f"{ask.settings['exception_max_renewals']:g} times.",
        "In use": "The control is in scope and not effective, so only the exception stands for it.",
        "Its evidence is": "Age of the newest evidence of the compensating measure against the window of the control's "
        "cadence; quarterly where the control has none. Missing without any.",
        "Days left": "To the last day, negative after it.",
        "Worksheet": "What PCI DSS asks of a compensating control: constraint, objective, risk, definition, validation "
        "and maintenance.",
    }


REPORT = Report(
    name="exception-register",
    title="Exception register",
    description="Accepted gaps, drift, risks and compensating measures with approver, expiry, evidence and flags.",
    build=build,
)
