"""The register of exceptions: what was accepted, by whom, until when, and which of it no longer stands on its feet."""

import polars as pl

from engine.model.days import spelled_day
from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Alarm, Document, FrameRow, Opening, Table
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.ownership import exception_rules as rules
from reports.ownership.exception_rules import STANDINGS
from reports.shared import setup
from reports.shared.ordering import rank
from reports.shared.wording import count, part_of, sentence, some_of, with_whom

LABELS = {"id": "Exception", "evidence_freshness": "Its evidence is", "residual": "Residual rating"}
STATE = ("standing", "control_state", "residual", "evidence_freshness")
SHOWN = ("framework", "control_id", "title", "standing", "expires_on", "approver", "kind", "reason", "id")
UNSHOWN = (
    *("compensating", "compensating_evidence_on", "evidence_freshness", "residual", "approved_on", "days_left"),
    *("renewals", "control_state", "in_use", "flags"),
)
DEFINITIONS = {
    "In use": "The control is in scope and not effective, so only the exception stands for it.",
    "Its evidence is": "Age of the newest evidence of the compensating measure against the window of the control's "
    "cadence; quarterly where the control has none. Missing without any.",
    "Days left": "To the last day, negative after it.",
    "Worksheet": "What PCI DSS asks of a compensating control: constraint, objective, risk, definition, validation and "
    "maintenance.",
}

FLAGGED = ("flag", "framework", "control_id", "todo", "approver", "expires_on", "id")
ALARMING = ("expired_in_use", "no_approver", "own_approval")


def build(figures: Figures, ask: Ask) -> Document:
    register = figures.rows(rules.register)
    flagged = rules.flag_rows(register)
    undeclared = figures.rows(rules.undeclared_measures)
    return Document(
        *_opening(figures, ask),
        tables=(
            Table(
                "flags",
                "What to settle, most urgent first",
                flagged.select(*FLAGGED, pl.exclude(FLAGGED)),
                labels=LABELS,
                state=("flag",),
                words=("kind",),
                hidden=("kind", "days_left", "renewals"),
                note="An exception stands here once for each of its flags; resolved and rejected ones have none.",
            ),
            Table(
                "register",
                "Every exception",
                register.sort(rank("standing", STANDINGS), "expires_on", "id").select(*SHOWN, *UNSHOWN),
                labels=LABELS,
                state=STATE,
                words=("kind", "flags"),
                hidden=UNSHOWN,
            ),
            Table(
                "undeclared",
                "Compensating measures in use without an approved exception",
                undeclared,
                note="The remediation names a measure meanwhile, and nobody has accepted the departure.",
                state=("state", "severity"),
                hidden=("gap_id", "age_days"),
            ),
            Table("by_kind", "By kind and standing", rules.by_kind(register), words=("kind",)),
            Table(
                "worksheets",
                "Compensating control worksheets (PCI DSS)",
                rules.worksheets(register),
                labels=LABELS,
                note="An empty field is not filled in; an assessor asks for all six.",
                hidden=("missing",),
                part_of=("register",),
            ),
        ),
        definitions=DEFINITIONS,
        warnings=_warnings(figures, ask),
    )


def _opening(figures: Figures, ask: Ask) -> Opening:
    if not figures["exceptions"]:
        if figures["measures_undeclared"]:
            measures = count(figures["measures_undeclared"], "compensating measure")
            verb = "replaces" if figures["measures_undeclared"] == 1 else "replace"
            them = "it" if figures["measures_undeclared"] == 1 else "them"
            return Opening(
                f"No exception is on record, yet {measures} {verb} controls.", f"Have {them} approved with an end date."
            )
        return Opening(
            "No exception is on record: either every departure is being fixed, or nobody has written one down.",
            setup.fill("exceptions"),
        )
    start = f"{part_of(figures['exceptions_approved'], figures['exceptions'], 'exception')} in force"
    if relied := figures["exceptions_expired_in_use"]:
        first = figures.counted_rows("exceptions_expired_in_use").sort("expires_on", "id").row(0, named=True)
        ended = spelled_day(first["expires_on"])
        return Opening(
            f"{start}; {count(relied, 'expired one')} {'is' if relied == 1 else 'are'} still relied on.",
            f"Renew or close the exception from {_control(first, ask)}, which expired on {ended} "
            f"({first['id']}, {with_whom(first['approver'])}).",
        )
    if figures["exceptions_expiring_in_30_days"]:
        first = figures.counted_rows("exceptions_expiring_in_30_days").sort("expires_on", "id").row(0, named=True)
        ends = spelled_day(first["expires_on"])
        return Opening(
            f"{start}.",
            f"Close the gap of {_control(first, ask)} or renew its exception before it ends on {ends} "
            f"({first['id']}, {with_whom(first['approver'])}).",
        )
    return Opening(f"{start}.")


def _control(row: FrameRow, ask: Ask) -> str:
    """The control of an exception, with its title where the catalogue has one."""
    return " ".join(filter(None, (ask.framework_name(row["framework"]), row["control_id"], row["title"])))


def _warnings(figures: Figures, ask: Ask) -> list[str]:
    return [
        (Alarm if name in ALARMING else str)(_warning(figures.counted_rows(f"exceptions_{name}"), text, todo, ask))
        for name, (text, warned, todo) in rules.FLAGS.items()
        if warned and figures[f"exceptions_{name}"]
    ]


def _warning(flagged: pl.DataFrame, text: str, todo: str, ask: Ask) -> str:
    """What is wrong, with which exceptions, and who has to do what about it."""
    rows = flagged.sort("expires_on", "id").iter_rows(named=True)
    named = [
        f"{row['id']} from {ask.framework_name(row['framework'])} {row['control_id']} ({with_whom(row['approver'])})"
        for row in rows
    ]
    return f"{sentence(text.removesuffix('.'))}: {some_of(named, 3)}. {todo}"


REPORT = Report(
    name="exception-register",
    title="Exception register",
    description="Accepted gaps, drift, risks and compensating measures with approver, expiry, evidence and flags.",
    build=build,
    figures=select(
        "exceptions",
        *(f"exceptions_{standing}" for standing in STANDINGS),
        "exceptions_expiring_in_30_days",
        *(f"exceptions_{flag}" for flag in rules.FLAGS),
        "measures_undeclared",
        "measures_unapproved",
    ),
    schema_version=2,
    evidence_dates=False,
)
