"""What is kept for how long, what the next purge takes, what holds it back, which frameworks ask for another time."""

import polars as pl

from engine.model.days import spelled_day
from engine.model.declarations.ask import Ask
from engine.model.declarations.report import Report
from engine.model.documents.document import Alarm, Document, Opening, Table
from engine.model.figures.figure import Figures
from reports.deployment import retention_rules
from reports.figures import select
from reports.shared.wording import count_of, some_of

WORDS = {"audit_log": "audit log", "incidents": "closed incidents"}
LABELS = {"days": "Kept for (days)", "held": "Past it, kept by a legal hold"}
DEFINITIONS = {
    "in force": "The organization's override, else the default of its deployment tier. A record that is exactly so "
    "many days of the calendar old is still kept. The age of an incident runs from when it was closed.",
    "too short": "The framework asks for more days than are kept.",
    "longer than needed": "Kept for longer than any followed framework asks: GDPR wants a purpose for that, or less.",
    "at hand": "All that is kept is in the store and answers at once; nothing is moved to an archive.",
}


def build(retention: pl.DataFrame, figures: Figures, ask: Ask) -> Document:
    classes = retention.select(
        *("record_class", "tier", "default_days", "override_days", "days", "approved_days", "source", "reason"),
        *(
            "approved_by",
            "approved_on",
            "override_approved",
            "rows",
            "oldest_on",
            "eligible",
            "purgeable",
            "held",
            "waiting",
            "next_purge_on",
        ),
    ).sort("record_class")
    rules, conflicts = figures.rows(retention_rules.rules), figures.counted_rows("retention_conflicts")
    return Document(
        *_opening(classes, conflicts, ask),
        tables=(
            Table(
                "classes",
                "Records and their retention",
                classes,
                labels=LABELS,
                words=("record_class", "source"),
                hidden=(
                    *("tier", "default_days", "override_days", "approved_days", "source", "approved_by", "approved_on"),
                    *("override_approved", "waiting"),
                ),
            ),
            Table(
                "conflicts",
                "Conflicts with frameworks in scope",
                conflicts,
                labels=LABELS,
                state=["status"],
                words=("record_class",),
                part_of=("rules",),
            ),
            Table(
                "rules",
                "What frameworks in scope ask for",
                rules,
                labels=LABELS,
                state=["status"],
                words=("record_class",),
            ),
        ),
        definitions=DEFINITIONS,
        warnings=_warnings(classes, conflicts, ask),
    )


def _opening(classes: pl.DataFrame, conflicts: pl.DataFrame, ask: Ask) -> Opening:
    if classes.is_empty():
        return Opening("No retention is known: there is no deployment that would say how long records are kept.")
    kept = " and ".join(
        f"the {WORDS[name]} for {days:,} days" for name, days in classes.select("record_class", "days").iter_rows()
    )
    if conflicts.is_empty():
        return Opening(f"The console keeps {kept}; no framework in scope asks for another time.")
    short = conflicts.filter(pl.col("status") == "too_short")
    worst = short.sort("difference_days", "framework", "record_class").head(1)
    if worst.is_empty():
        return Opening(
            f"The console keeps {kept}.", "Write down why records are kept that long: GDPR asks for a reason."
        )
    framework, citation, missing = worst.select("framework", "citation", "difference_days").row(0)
    name, many = ask.framework_name(framework), short["record_class"].n_unique()
    concerned = classes.filter(pl.col("record_class").is_in(short["record_class"].to_list()))
    purges = concerned["next_purge_on"].drop_nulls().sort()
    before = f" before the purge of {spelled_day(purges[0])}" if len(purges) else ""
    which = "which is" if many == 1 else "both"
    return Opening(
        f"The console keeps {kept}, {which} shorter than {name} asks.",
        f"An administrator sets a longer retention{before}: {worst['required_days'][0]:,} days for what {name} "
        f"{citation} names, {-missing:,} more than now.",
    )


def _warnings(classes: pl.DataFrame, conflicts: pl.DataFrame, ask: Ask) -> list[str]:
    warnings: list[str] = []
    short = conflicts.filter(pl.col("status") == "too_short")
    if short.height:
        names = [
            f"{ask.framework_name(f)} {c} ({WORDS[r]})"
            for f, c, r in short.select("framework", "citation", "record_class").iter_rows()
        ]
        warnings.append(Alarm(f"Kept for a shorter time than asked for: {some_of(names)}."))
    unsigned = classes.filter(pl.col("override_days").is_not_null(), ~pl.col("override_approved"))
    if unsigned.height:
        warnings.append(
            Alarm(
                f"{count_of(unsigned.height, 'override')} that nobody approved on a day that has come: shortens "
                "nothing, and fulfils no framework."
            )
        )
    return warnings


REPORT = Report(
    name="deployment-retention",
    title="Retention",
    description="Effective retention of the audit log and closed incidents, the next purge, holds and conflicts.",
    build=build,
    figures=select(
        *("deployment_tier", "audit_log_days", "incidents_days", "records_past_retention", "records_next_purge"),
        *("records_held_back", "records_behind_younger", "next_purge_on", "holds_active", "retention_conflicts"),
    ),
    parameters=(),
    schema_version=2,
)
