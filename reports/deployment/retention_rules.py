"""How long frameworks ask for records to be kept, held against how long they are."""

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl


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
_KEPT = ("record_class", "days", "approved_days")
_SCHEMA = {
    "framework": pl.String,
    "citation": pl.String,
    "record_class": pl.String,
    "required_days": pl.Int64,
    "days": pl.Int64,
    "difference_days": pl.Int64,
    "status": pl.String,
    "demand": pl.String,
}


def rules(retention: pl.DataFrame, organization: pl.DataFrame) -> pl.DataFrame:
    """What each framework in scope asks of each class of records, and whether it is met."""
    followed = organization["frameworks"].explode(empty_as_null=False).to_list()
    kept = {name: (days, approved) for name, days, approved in retention.select(*_KEPT).iter_rows()}
    mine = [rule for rule in RULES if rule.framework in followed and rule.record_class in kept]
    rows = [(*_verdict(rule, *kept[rule.record_class], mine), rule.demand) for rule in mine]
    return pl.DataFrame(rows, schema=_SCHEMA, orient="row").sort("framework", "citation", "record_class")


def _verdict(
    rule: Rule, days: int, approved: int, mine: Sequence[Rule]
) -> tuple[str, str, str, int | None, int, int | None, str]:
    """Kept long enough is what somebody approved; kept too long is what is kept, approved or not."""
    place = (rule.framework, rule.citation, rule.record_class)
    if rule.days is not None:
        return *place, rule.days, approved, approved - rule.days, "met" if approved >= rule.days else "too_short"
    demanded = [other.days for other in mine if other.record_class == rule.record_class and other.days is not None]
    if not demanded:
        return *place, None, days, None, "longer_than_needed"
    most = max(demanded)
    return (*place, None, days, days - most, "longer_than_needed") if days > most else (*place, None, days, None, "met")
