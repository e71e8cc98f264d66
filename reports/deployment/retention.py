"""What is kept for how long, what the next purge takes, what holds it back, which frameworks ask for another time."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from engine.model.document import Document, Table
from engine.model.report import Ask, Report
from reports.shared.packs import pack
from reports.shared.wording import count_of, some_of


@dataclass(frozen=True)
class Rule:
    """A framework keeps a class of records for at least ``days``; None: for no longer than needed."""

    framework: str
    citation: str
    record_class: str
    days: int | None
    demand: str


RULES: tuple[Rule, ...] = (
    Rule("pci-dss", "10.5.1", "audit_log", 365, "12 months of audit history, the last 3 at hand at once"),
    Rule("hipaa", "164.316(b)(2)(i)", "audit_log", 2192, "6 years for documentation of actions and activities"),
    Rule("hipaa", "164.316(b)(2)(i)", "incidents", 2192, "6 years for documentation of security incidents"),
    Rule("gdpr-art32", "Article 5(1)(e)", "audit_log", None, "personal data no longer than needed"),
    Rule("gdpr-art32", "Article 5(1)(e)", "incidents", None, "personal data no longer than needed"),
)
WORDS = {"audit_log": "audit log", "incidents": "closed incidents"}
LABELS = {
    "record_class": "Records",
    "default_days": "Default of the tier (days)",
    "override_days": "Override (days)",
    "days": "In force (days)",
    "rows": "Kept",
    "eligible": "Past retention",
    "purgeable": "Next purge takes",
    "held": "Held by legal hold",
    "waiting": "Behind younger events",
    "next_purge_on": "Next purge",
    "framework": "Framework",
    "required_days": "Asked for (days)",
    "difference_days": "Difference (days)",
}
DEFINITIONS = {
    "in force": "The organization's override, else the default of its deployment tier. A record that is exactly so "
    "many business days old is still kept. The age of an incident runs from when it was closed.",
    "past retention": "Records older than that: those that the next purge takes, those that a legal hold keeps (in the "
    "audit log also those behind the first held event) and those behind a younger event, because only the oldest part "
    "of the chain can go.",
    "next purge": "The day on which the nightly job next removes something; empty while there is nothing, or while a "
    "legal hold keeps all of it.",
    "too_short": "The framework asks for more days than are kept.",
    "longer_than_needed": "Kept for longer than any followed framework asks: GDPR wants a purpose for that, or less.",
    "at hand": "All that is kept is in the store and answers at once; nothing is moved to an archive.",
}


def build(retention: pl.DataFrame, organization: pl.DataFrame, legal_holds: pl.DataFrame, ask: Ask) -> Document:
    followed = organization["frameworks"][0].to_list()
    classes = retention.select(
        *("record_class", "tier", "default_days", "override_days", "days", "source", "reason", "approved_by"),
        *("approved_on", "rows", "oldest_on", "eligible", "purgeable", "held", "waiting", "next_purge_on"),
    ).sort("record_class")
    rules = _rules(retention, followed)
    conflicts = rules.filter(pl.col("status") != "met")
    active = legal_holds.filter("active").height
    return Document(
        headline=_headline(classes, conflicts),
        summary={
            "tier": classes["tier"][0],
            **{f"{row['record_class']}_days": row["days"] for row in classes.iter_rows(named=True)},
            "eligible": int(classes["eligible"].sum()),
            "next_purge_takes": int(classes["purgeable"].sum()),
            "held": int(classes["held"].sum()),
            "waiting": int(classes["waiting"].sum()),
            "next_purge_on": classes["next_purge_on"].min(),
            "active_holds": active,
            "conflicts": conflicts.height,
        },
        tables=(
            Table("classes", "Records and their retention", classes, labels=LABELS, words=("record_class", "source")),
            Table(
                "conflicts",
                "Conflicts with frameworks in scope",
                conflicts,
                labels=LABELS,
                state=["status"],
                words=("record_class",),
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
        warnings=_warnings(classes, conflicts),
    )


def _rules(retention: pl.DataFrame, followed: Sequence[str]) -> pl.DataFrame:
    kept = dict(retention.select("record_class", "days").iter_rows())
    mine = [rule for rule in RULES if rule.framework in followed and rule.record_class in kept]
    rows = [(*_judged(rule, kept[rule.record_class], mine), rule.demand) for rule in mine]
    schema = {
        "framework": pl.String, "citation": pl.String, "record_class": pl.String, "required_days": pl.Int64,
        "days": pl.Int64, "difference_days": pl.Int64, "status": pl.String, "demand": pl.String,
    }  # fmt: skip
    return pl.DataFrame(rows, schema=schema, orient="row").sort("framework", "citation", "record_class")


def _judged(rule: Rule, days: int, rules: Sequence[Rule]) -> tuple[str, str, str, int | None, int, int | None, str]:
    place = (rule.framework, rule.citation, rule.record_class)
    if rule.days is not None:
        return *place, rule.days, days, days - rule.days, "met" if days >= rule.days else "too_short"
    asked = [other.days for other in rules if other.record_class == rule.record_class and other.days is not None]
    if not asked:
        return *place, None, days, None, "longer_than_needed"
    most = max(asked)
    return (*place, None, days, days - most, "longer_than_needed") if days > most else (*place, None, days, None, "met")


def _headline(classes: pl.DataFrame, conflicts: pl.DataFrame) -> str:
    kept = " and ".join(
        f"the {WORDS[name]} for {days:,} days" for name, days in classes.select("record_class", "days").iter_rows()
    )
    if conflicts.is_empty():
        return f"The console keeps {kept}; no framework in scope asks for another time."
    short = conflicts.filter(pl.col("status") == "too_short")
    worst = short.sort("difference_days", "framework", "record_class").head(1)
    if worst.is_empty():
        return f"The console keeps {kept}; GDPR asks for a reason to keep them that long."
    framework, citation, missing = worst.select("framework", "citation", "difference_days").row(0)
    return f"The console keeps {kept}; {pack(framework)} {citation} asks for {-missing:,} days more."


def _warnings(classes: pl.DataFrame, conflicts: pl.DataFrame) -> list[str]:
    warnings = []
    short = conflicts.filter(pl.col("status") == "too_short")
    if short.height:
        names = [
            f"{pack(f)} {c} ({WORDS[r]})"
            for f, c, r in short.select("framework", "citation", "record_class").iter_rows()
        ]
        warnings.append(f"Kept for a shorter time than asked for: {some_of(names)}.")
    unsigned = classes.filter(pl.col("override_days").is_not_null(), pl.col("approved_by").is_null())
    if unsigned.height:
        warnings.append(f"{count_of(unsigned.height, 'override')} without an approver.")
    return warnings


REPORT = Report(
    name="deployment-retention",
    title="Retention",
    description="Effective retention of the audit log and closed incidents, the next purge, holds and conflicts.",
    build=build,
    parameters=(),
)
