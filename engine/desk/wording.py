"""How tables, columns and values are called on pages: words, days and times as people read them."""

from collections.abc import Mapping
from datetime import date, datetime

from engine.model.days import spelled_day
from engine.model.vocabulary import FRAMEWORK_NAMES
from engine.store.types import canonical_json

TABLES: Mapping[str, str] = {
    "audit_log": "Audit log",
    "remediations": "Gaps and their repair",
    "evidence_requests": "Requests for evidence",
    "evidence_items": "Evidence",
    "evidence_links": "Evidence and its controls",
    "plays": "Accepted plays",
    "poam_items": "POA&M items",
    "slo_profiles": "Service objectives",
    "slo_buckets": "Measurements of services",
    "users": "People",
    "memberships": "Members and roles",
    "organizations": "The organization",
    "organization_settings": "Settings",
    "organization_frameworks": "Frameworks in scope",
    "test_links": "Tests linked to controls",
    "staffing_actions": "Staffing actions",
}
COLUMNS: Mapping[str, str] = {
    **{"id": "Identifier", "control_id": "Control", "raci": "RACI", "cvss": "CVSS", "epss": "EPSS", "cve": "CVE"},
    **{"email": "E-mail", "pci_class": "PCI class", "handles_phi": "Handles PHI", "due_on": "Due", "sha256": "SHA-256"},
}
SUFFIXES = ("_on", "_at")


def table_title(name: str) -> str:
    """What a table is called."""
    return TABLES.get(name) or name.replace("_", " ").capitalize()


def column_title(name: str) -> str:
    """What a column is called; the days and moments without their preposition."""
    if name in COLUMNS:
        return COLUMNS[name]
    text = name
    for suffix in SUFFIXES:
        text = text.removesuffix(suffix)
    text = text.removesuffix("_id").replace("_pct", " (percent)").replace("_hours", " (hours)").replace("_", " ")
    return text[:1].upper() + text[1:]


def person_title(name: str) -> str:
    """What a column is called where it shows people by name."""
    return "Person" if name == "email" else column_title(name)


def word(value: str) -> str:
    """A word of the vocabulary as people read it."""
    return FRAMEWORK_NAMES.get(value) or value.replace("_", " ").capitalize()


def display(value: object, column: str, people: Mapping[str, str], choices: frozenset[str]) -> str:
    """A value as it stands in a list."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "Yes" if value else "No"
    if isinstance(value, datetime):
        return f"{spelled_day(value.date())}, {value:%H:%M} UTC"
    if isinstance(value, date):
        return spelled_day(value)
    if isinstance(value, float):
        return f"{value:g}"
    if isinstance(value, dict | list):
        return canonical_json(value)
    text = str(value)
    if column == "framework" or text in choices:
        return word(text)
    return "; ".join(people.get(part.strip(), part.strip()) for part in text.split(";")) if "@" in text else text


def count(number: int, one: str, many: str = "") -> str:
    """1 thing, 2 things."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"
