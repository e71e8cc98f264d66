"""What a scanner's own catalogue says about its checks: Qualys reports a number, its KnowledgeBase has the words."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from engine.intake.findings.finding import CVES, DETAIL, Finding, cves, is_known_exploited, rate_by_score, score
from engine.intake.findings.nesting import texts_of, under
from engine.intake.refusals import MalformedRecord
from engine.intake.severity import WORDS, SeverityRating, severity
from engine.intake.values import fold, line, mapping
from engine.model.vocabulary import Severity

LEVELS: Mapping[str, Severity] = {
    **WORDS,
    "5": "critical",
    "4": "high",
    "3": "medium",
    "2": "low",
    "1": "info",
    "urgent": "critical",
    "critical": "high",
    "serious": "medium",
    "medium": "low",
    "minimal": "info",
}
SCORES = (
    *("cvss_v3", "cvss3_score", "cvss3_base", "cvss_v3_base", "cvss3", "cvssv3_1_base_(nvd)"),
    *("cvss", "cvss_score", "cvss_base", "cvssv2_base_(nvd)"),
)
LISTED = ("cve_list", "cve_id_list", "cve_id", "cveid", "cve", "cves")
# the names that lead to the entries of each catalogue
ENTRIES = ("vuln_list", "vuln")
GLOSSARY = ("glossary", "vuln_details_list", "vuln_details")
CATALOGUES = (
    ("knowledge_base_vuln_list_output", "response", *ENTRIES),
    ("host_list_vm_detection_output", "knowledge_base_vuln_list_output", "response", *ENTRIES),
    ("host_list_vm_detection_output", "response", "knowledge_base_vuln_list_output", "response", *ENTRIES),
    ("response", *ENTRIES),
    ENTRIES,
    ("asset_data_report", *GLOSSARY),
    ("qualys_report", *GLOSSARY),
    GLOSSARY,
)


@dataclass(frozen=True, slots=True)
class ScannerCheck:
    """An entry: what a finding of this check gets where it does not say so itself."""

    check: str
    title: str | None = None
    severity: Severity | None = None
    cves: tuple[str, ...] = ()
    cvss: float | None = None
    known_exploited: bool = False
    solution: str | None = None


def catalogue_entries(documents: Sequence[Mapping[str, object]]) -> list[tuple[str, object]]:
    """The entries in documents with folded names, each with the path that leads to it."""
    return [
        (f"{names[-1].upper()}[{number}]", entry)
        for names in CATALOGUES
        for number, entry in enumerate(_entries(documents, names))
    ]


def _entries(documents: Sequence[Mapping[str, object]], names: Sequence[str]) -> list[object]:
    """The entries at the end of a path; a list of them needs no element around each."""
    lists = under(documents, *names[:-1])
    bare = [one for one in lists if isinstance(one, dict) and "qid" in fold(one)]
    return [*bare, *under(lists, names[-1])]


def read_check(entry: object) -> ScannerCheck:
    """An entry of the catalogue; MalformedRecord for one without a number."""
    facts = texts_of(fold(mapping(entry)))
    number = check_number(facts.get("qid", facts.get("@id")))
    if number is None:
        raise MalformedRecord("QID", "the number of the check", facts.get("qid"))
    return check_of(number, facts)


def check_of(number: str, facts: Mapping[str, object]) -> ScannerCheck:
    """What these facts, under folded names, say of the check of that number."""
    stated = severity(facts.get("severity_level"), facts.get("severity"), words=LEVELS)
    return ScannerCheck(
        number,
        line(facts.get("title")),
        stated.level if stated.given else None,
        cves(*(facts.get(name) for name in LISTED)),
        score(*(facts.get(name) for name in SCORES)),
        is_known_exploited(facts),
        line(facts.get("solution"), DETAIL),
    )


def check_number(value: object) -> str | None:
    """The number, also out of an element whose attribute alone has it."""
    if isinstance(value, dict):
        value = value.get("#text", value.get("@id"))
    return (line(value, 100) or "").removeprefix("qid_") or None


def bare_title(check: str) -> str:
    """What a finding is called whose check nobody has named."""
    return f"QID {check}"


def describe(finding: Finding, check: ScannerCheck | None) -> Finding:
    """The finding with what its check has and it has not."""
    if check is None:
        return finding
    cvss = check.cvss if finding.cvss is None else finding.cvss
    rated = SeverityRating(finding.severity, finding.severity_text, finding.severity_given)
    if not rated.given:
        known = check.severity
        rated = rate_by_score(rated, cvss) if known is None else SeverityRating(known, rated.text, True)
    solution = {} if check.solution is None else {"solution": check.solution}
    return replace(
        finding,
        title=check.title if check.title and finding.title == bare_title(finding.check) else finding.title,
        severity=rated.level,
        severity_text=rated.text,
        severity_given=rated.given,
        cves=tuple(sorted({*finding.cves, *check.cves})[:CVES]),
        cvss=cvss,
        known_exploited=finding.known_exploited or check.known_exploited,
        details={**solution, **finding.details},
    )
