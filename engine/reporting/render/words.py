"""How names and values of machines read to people: one function for headings, one for values, one for states."""

from typing import Any

from engine.model.columns import COLUMNS
from engine.model.document import Coverage, Document, Table
from engine.reporting.render.plain_values import plain_value

SPELLED = {
    "api": "API", "baa": "BAA", "cmmc": "CMMC", "csf": "CSF", "csv": "CSV", "cuec": "CUEC", "cuecs": "CUECs",
    "cve": "CVE", "dpia": "DPIA", "epss": "EPSS", "gdpr": "GDPR", "hhi": "HHI", "hipaa": "HIPAA", "html": "HTML",
    "id": "ID", "ids": "IDs", "ig1": "IG1", "ig2": "IG2", "ig3": "IG3", "iso": "ISO", "kev": "KEV", "mfa": "MFA",
    "mttd": "MTTD", "mttr": "MTTR", "nist": "NIST", "pci": "PCI", "poam": "POA&M", "raci": "RACI", "rag": "RAG",
    "rca": "RCA", "sla": "SLA", "sli": "SLI", "slo": "SLO", "soc": "SOC", "soc2": "SOC 2", "sprs": "SPRS",
    "url": "URL", "utc": "UTC",
}  # fmt: skip

# A tone is a colour and a shape; the word itself always stands beside it.
STATES = {
    "good": (
        "effective fresh green ready ok pass passed met healthy on_time on_track closed done completed covered active "
        "approved accepted sufficient delivered sent low resolved compliant full within_budget"
    ),
    "watch": (
        "partial amber due_soon at_risk warn warning medium moderate expiring pending in_progress degraded late "
        "conditional planned open"
    ),
    "bad": (
        "ineffective red overdue failed fail critical high breach breached expired revoked rejected error down "
        "not_met not_ready missing shortfall uncovered exhausted non_compliant"
    ),
    "stale": "stale outdated superseded slipped",
    "unknown": "no_data insufficient_data unknown none not_assessed not_meaningful",
    "neutral": "not_applicable cancelled skipped draft archived",
}
TONES = {word: tone for tone, words in STATES.items() for word in words.split()}


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
    """The summary as plain values; what the document declares as words is a ``Word``."""
    plain = plain_value(document.summary, "summary")
    return {name: _declared(content) if name in document.words else content for name, content in plain.items()}


def spell(word: str) -> str:
    """A word of the program as people read it."""
    return word.replace("_", " ")


def value(name: str, content: object) -> str:
    """A plain scalar or list of scalars under its name: ``41.2 %``, ``12,400``, ``yes``, ``no data``."""
    match content:
        case None:
            return "–"
        case bool():
            return "yes" if content else "no"
        case int() | float():
            number = f"{content:,}" if abs(content) >= 10_000 else str(content)
            return f"{number}\u00a0%" if name.endswith("_pct") else number
        case list():
            return "; ".join(value(name, part) for part in content) or "–"
        case dict():
            return ", ".join(f"{label(part)} {value(part, inner)}" for part, inner in content.items()) or "–"
    return spell(content) if isinstance(content, Word) else str(content)


def tone(content: object) -> str:
    """The tone of a state word, empty for any other value."""
    return TONES.get(content, "") if isinstance(content, str) else ""


def coverage(held: Coverage) -> str:
    """The statement that every percentage travels with."""
    if not held.total:
        return "Coverage: nothing was in scope to assess."
    text = f"Coverage: {held.assessed:,} of {held.total:,} assessed ({held.pct}\u00a0%)"
    return f"{text}." if held.sufficient else f"{text}, too little to grade."


def _declared(content: object) -> Any:  # of the form of what came
    match content:
        case str():
            return Word(content)
        case list():
            return [_declared(part) for part in content]
        case dict():
            return {name: _declared(part) for name, part in content.items()}
    return content
