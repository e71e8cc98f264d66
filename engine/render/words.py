"""How names and values of machines read to people: one function for headings, one for values, one for states."""

import re
from collections.abc import Callable
from typing import Any

from engine.model.columns import COLUMNS
from engine.model.days import duration, quarters, spelled_days
from engine.model.documents.document import Coverage, Document, Table
from engine.model.documents.tones import Tone
from engine.model.figures.formulas import odds
from engine.render.plain_values import plain_value

SPELLED = {
    "api": "API", "baa": "BAA", "cmmc": "CMMC", "csf": "CSF", "csv": "CSV", "cuec": "CUEC", "cuecs": "CUECs",
    "cve": "CVE", "dpia": "DPIA", "epss": "EPSS", "gdpr": "GDPR", "hhi": "HHI", "hipaa": "HIPAA", "html": "HTML",
    "ics": "ICS", "id": "ID", "ids": "IDs", "ig1": "IG1", "ig2": "IG2", "ig3": "IG3", "ii": "II", "iso": "ISO",
    "kev": "KEV", "mfa": "MFA", "mttd": "MTTD", "mttr": "MTTR", "nist": "NIST", "pci": "PCI", "poam": "POA&M",
    "raci": "RACI", "rag": "RAG", "rca": "RCA", "sla": "SLA", "sli": "SLI", "slo": "SLO", "soc": "SOC",
    "soc2": "SOC 2", "sprs": "SPRS", "url": "URL", "utc": "UTC",
}  # fmt: skip

_WORDS = {
    "baa": "BAA", "dpa": "DPA", "iso27001_certificate": "ISO 27001 certificate", "nda": "NDA", "pci_aoc": "PCI DSS AOC",
    "soc2_type1": "SOC 2 type 1", "soc2_type2": "SOC 2 type 2",
}  # fmt: skip
THEN = "scenario_"  # begins the name of what a figure would be, beside what it is
# where a word reads otherwise than elsewhere: what documents say of a vendor is no assessment by us
_WORDS_OF_COLUMN = {"assurance": {"not_assessed": "never assured"}}

_NUMBER_TEXT = re.compile(r"[+-]?\d+(?:\.\d+)?")
UNDECIDED = ("", "number")  # what the numbers of a column may be in anything under
DAYS_LEFT = "days_left"
LIKELY = "likely_pct"  # a share of draws
GROUPED = ("bytes", "count", "days", "hours", "percent", "points", "weeks")

# A tone is a colour and a shape; the word itself always stands beside it. What is under way or still ahead is neutral.
STATES: dict[Tone, str] = {
    "good": (
        "accepted active approved assessed assured at_target attested balanced better closed closed_on_time complete "
        "completed compliant covered current delivered done done_on_time effective equivalent_alternative final fixed "
        "fresh full green healthy implemented in_place linked met ok on_time on_track operated pass passed ready "
        "resolved satisfied sent succeeded success sufficient within_budget"
    ),
    "watch": (
        "acknowledged alternative amber at_risk below_target closed_late conditional contradicted "
        "cuec_unmapped degraded done_late done_undated due_soon excluded_without_reason existing_gap expiring "
        "false_positive imbalanced in_review late longer_than_needed new_gap no_accountable no_responsible "
        "not_implemented not_in_place not_met not_shown one_side own_approval partial past_due past_peak "
        "paused qualified_opinion returned rolled_back same_person several_accountable suggested "
        "too_many_consulted too_many_renewals undocumented_system unlinked waiting_on_requester warn warning "
        "worksheet_incomplete worse"
    ),
    "bad": (
        "accountable_without_authority blocked breach breached denied down error exhausted expired "
        "expired_in_use fail failed failure flow_unencrypted flow_without_agreement ineffective lapsed missed "
        "never non_compliant not_ready overdue red rejected review_overdue revoked shortfall too_short "
        "uncovered"
    ),
    "stale": "evidence_stale outdated slipped stale superseded",
    "unknown": (
        "evidence_missing insufficient_data insufficient_history missing never_assured no_data none "
        "not_assessed not_known not_meaningful not_rated not_tested unknown unplanned"
    ),
    "neutral": (
        "abandoned archived cancelled doing draft falls_away in_progress mitigated new not_applicable not_due open "
        "pending planned proposed retired skipped submitted todo tracked unchanged under_way upcoming withdrawn "
        # kinds, which judge nothing
        "borrow clarified defer descope extended framework_tier framework_week in_force kind_schedule mandatory merged "
        "pull_forward reassign spent"
    ),
    "calm": "due_30 low",
    "mild": "medium moderate",
    "grave": "high",
    "alarm": "critical",
}
TONES: dict[str, Tone] = {word: tone for tone, words in STATES.items() for word in words.split()}
# where a word means something else than it does elsewhere
OF_COLUMN: dict[str, dict[str, Tone]] = {
    "confidence": {"high": "good", "medium": "watch", "low": "bad"},
    "gap": {"none": "good"},
    "held_state": {"whole": "good", "changed": "bad", "missing": "bad", "erased": "neutral"},
    "mapping": {"none": "bad"},
    "overlay": {"both": "good", "none": "bad"},
    "posture_grade": {"a": "good", "b": "good", "c": "watch", "d": "bad", "f": "bad"},
    "standing": {"missed": "watch"},  # the window is over
}


def label(name: str) -> str:
    """``strict_pct`` is Strict, ``due_on`` is Due, ``sla_days`` is SLA days: the unit is told by the value."""
    parts = name.replace("-", "_").split("_")
    if len(parts) > 1 and parts[-1] in ("pct", "on", "at"):
        parts = parts[:-1]
    words = [SPELLED.get(part, part) for part in parts if part]
    text = " ".join(words)
    return text[:1].upper() + text[1:]


def heading(table: Table, name: str) -> str:
    """The heading of a column: the report's own word, else the column's, else its name with spaces."""
    if name in table.labels:
        return table.labels[name]
    if name in COLUMNS:
        return COLUMNS[name].label
    return f"{label(name)} (%)" if name.endswith("_pct") else label(name)


def meaning(table: Table, name: str) -> str:
    """What a column means; empty where the report has its own word for it, and so its own definition."""
    return COLUMNS[name].meaning if name in COLUMNS and name not in table.labels else ""


class Word(str):
    """A word of the program among the figures of a summary; any other text may have been typed by somebody."""

    __slots__ = ()


def figures(document: Document) -> dict[str, object]:
    """The summary as plain values; what the document declares as words, or in a unit, is a ``Word``."""
    plain = plain_value(document.summary, "summary")
    return {
        name: _spell_declared(content)
        if name in document.words
        else _with_unit(name, content, document.units.get(name, ""))
        for name, content in plain.items()
    }


def figures_to_show(document: Document) -> dict[str, object]:
    """The figures without those of a scenario that nobody asked for: none leads the page, and none is other than what
    it is beside."""
    every = figures(document)
    of_scenario = [name for name in every if name.startswith(THEN)]
    pairs = [(name.removeprefix(THEN), name) for name in of_scenario if name.removeprefix(THEN) in every]
    moved = any(every[now] != every[then] for now, then in pairs)
    if not pairs or moved or any(name in document.foremost for name in of_scenario):
        return every
    return {name: content for name, content in every.items() if name not in of_scenario}


def spell(word: str, column: str = "") -> str:
    """A word of the program as people read it, in the sense of its column."""
    return _WORDS_OF_COLUMN.get(column, {}).get(word) or _WORDS.get(word) or word.replace("_", " ")


def value(name: str, content: object) -> str:
    """A plain scalar or list of scalars under its name: ``41.2 %``, ``12,400``, ``yes``, ``no data``."""
    match content:
        case None:
            return "–"
        case bool():
            return "yes" if content else "no"
        case int() | float():
            return quantity(name, content)
        case list():
            return "; ".join(value(name, part) for part in content) or "–"
        case dict():
            return ", ".join(f"{label(part)} {value(part, inner)}" for part, inner in content.items()) or "–"
    return spelled_days(spell(content) if isinstance(content, Word) else str(content))


def quantity(name: str, number: float) -> str:
    """A number under a name that ends in its unit: ``41.2 %``, ``12,400``, ``7.5 h``, ``1 day``, ``2 h 10 min``."""
    *before, unit = name.split("_")
    counted = before and before[-1].isdigit()  # within so many days
    return in_unit(number, "" if counted else {"pct": "percent"}.get(unit, unit))


def in_unit(number: float, unit: str) -> str:
    """A number in its unit: a difference of percentages is in points, a span in what a person would say."""
    match unit:
        case "minutes":
            return duration(number)
        case "percent":
            return f"{number:,}\u00a0%"
        case "hours":
            return f"{quarters(number)}\u00a0h"
        case "days" | "weeks" | "points":
            return f"{number:,}\u00a0{unit[:-1] if abs(number) == 1 else unit}"
    return f"{number:,}"


def number_in_row(number: float, unit: str, column: str) -> str:
    """A number of a row that compares figures: of a count without decimals, a difference of percentages in points."""
    if unit == "percent" and column == "change":
        unit = "points"
    return in_unit(int(number) if unit == "count" and number == int(number) else number, unit)


def text_in_row(text: str, unit: str, column: str) -> str:
    """The same of a number that is a text already, with its sign; any other text as it is."""
    plain = text.replace(",", "")
    if not _NUMBER_TEXT.fullmatch(plain):
        return text
    sign = "+" if plain.startswith("+") else ""
    return f"{sign}{number_in_row(float(plain) if '.' in plain else int(plain), unit, column)}"


def has_own_unit(name: str) -> bool:
    """Whether the numbers of a column are in one unit whatever table they stand in."""
    return name not in COLUMNS or COLUMNS[name].unit not in UNDECIDED


def spelled_number(name: str) -> Callable[[str], str] | None:
    """How the numbers of a column read, from their texts: thousands grouped, minutes as a span; None: as they are."""
    unit = COLUMNS[name].unit if name in COLUMNS else ""
    if name == DAYS_LEFT:
        return days_to_due
    if name == LIKELY:
        return _odds
    if unit == "minutes":
        return _span
    if unit == "hours":
        return _hours
    return _group_digits if unit in GROUPED else None


def days_to_due(text: str) -> str:
    """Days to a due date as people say them: ``12``, ``today``, and ``25 late`` after it."""
    if text == "0":
        return "today"
    return f"{_group_digits(text[1:])} late" if text.startswith("-") else _group_digits(text)


def plain_number(text: str) -> str:
    """A whole number of a column of whole numbers, which has no decimals to show."""
    return _group_digits(text.removesuffix(".0"))


def tone(content: object, column: str = "") -> Tone | None:
    """The tone of a state word, in either spelling and in the sense of its column; None for any other value."""
    if not isinstance(content, str):
        return None
    word = content.lower().replace(",", "").replace(" ", "_")
    return OF_COLUMN.get(column, {}).get(word) or TONES.get(word)


def coverage(held: Coverage) -> str:
    """The statement that every percentage travels with."""
    if not held.total:
        return "Coverage: nothing was in scope to assess."
    text = f"Coverage: {held.assessed:,} of {held.total:,} {held.said} ({held.pct}\u00a0%)"
    return f"{text}." if held.sufficient else f"{text}, too little to grade."


def _with_unit(name: str, content: object, unit: str) -> object:
    if isinstance(content, bool) or not isinstance(content, int | float):
        return content
    if name == LIKELY:
        return Word(f"{odds(content)}\u00a0%")
    return Word(in_unit(content, unit)) if unit else content


def _odds(number: str) -> str:
    return odds(float(number))


def _hours(number: str) -> str:
    return quarters(float(number))


def _span(number: str) -> str:
    return duration(float(number))


def _group_digits(number: str) -> str:
    whole, point, rest = number.partition(".")
    return f"{int(whole):,}{point}{rest}" if len(whole) > 3 and whole.lstrip("-").isdigit() else number


def _spell_declared(content: object) -> Any:  # of the form of what came
    match content:
        case str():
            return Word(content)
        case list():
            return [_spell_declared(part) for part in content]
        case dict():
            return {name: _spell_declared(part) for name, part in content.items()}
    return content
