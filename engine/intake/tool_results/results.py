"""Results of Checkov, Prowler, OpenSCAP, kube-bench and of SARIF with results of kind pass, counted by rule.

What was not applicable, not selected or skipped is no result: nothing was looked at.
"""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias
from xml.parsers import expat

from engine.intake.values import as_list, line, mapping
from engine.model.errors import InvalidData

Verdict: TypeAlias = Literal["pass", "fail", "error"]
_WORDS: Mapping[str, Verdict] = {
    **{"pass": "pass", "passed": "pass", "fixed": "pass"},
    **{"fail": "fail", "failed": "fail"},
    **{"error": "error", "unknown": "error", "open": "error", "review": "error"},
}
_HEAD = 4096


class RuleResult(NamedTuple):
    """One thing that one rule looked at."""

    rule: str
    title: str
    verdict: Verdict


@dataclass(frozen=True)
class RuleCount:
    """What a rule came to over all that it looked at."""

    rule: str
    title: str
    passed: int
    failed: int
    errors: int

    @property
    def population(self) -> int:
        """All that it looked at."""
        return self.passed + self.failed + self.errors


@dataclass(frozen=True)
class ToolResults:
    """The results of a file: the tool, and its rules by name. ``has_findings``: its failures are findings, too."""

    tool: str
    rules: tuple[RuleCount, ...]
    has_findings: bool = False


def read_tool_results(data: bytes) -> ToolResults | None:
    """What a tool found in order; None for a file of another kind. InvalidData where it breaks off."""
    head = data[:_HEAD].removeprefix(b"\xef\xbb\xbf").lstrip()
    if head.startswith(b"<"):
        return _openscap(data) if b"xccdf" in data.lower() else None
    if head.startswith((b"{", b"[")):
        try:
            return _of_json(json.loads(data))
        except (ValueError, RecursionError):
            return None  # whoever reads findings says what is wrong with it
    return _prowler_csv(data) if is_prowler_csv(head) else None


def is_prowler_csv(head: bytes) -> bool:
    """Whether a CSV has Prowler's header."""
    names = head.partition(b"\n")[0].decode(errors="replace").upper().replace('"', "").strip().split(";")
    return {"CHECK_ID", "STATUS"} <= set(names)


def _count(tool: str, results: Iterable[RuleResult], *, has_findings: bool = False) -> ToolResults:
    counts: dict[str, dict[Verdict, int]] = {}
    titles: dict[str, str] = {}
    for one in results:
        counts.setdefault(one.rule, {"pass": 0, "fail": 0, "error": 0})[one.verdict] += 1
        titles.setdefault(one.rule, one.title)
    rules = (
        RuleCount(rule, titles[rule] or rule, count["pass"], count["fail"], count["error"])
        for rule, count in sorted(counts.items())
    )
    return ToolResults(tool, tuple(rules), has_findings)


def _of_json(body: object) -> ToolResults | None:
    entries = [mapping(one) for one in (body if isinstance(body, list) else [body])]
    if not entries:
        return None
    if all("check_type" in one and "results" in one for one in entries):
        return _count("checkov", _checkov(entries))
    if all("finding_info" in one and "status_code" in one for one in entries):
        return _count("prowler", _prowler(entries))
    controls = as_list(entries[0].get("Controls")) or entries  # without totals it is the list alone, be it of one
    if all("tests" in mapping(one) for one in controls):
        return _count("kube-bench", _kube_bench(controls))
    if "runs" in entries[0]:
        return _sarif(entries[0])
    return None


def _checkov(entries: Iterable[Mapping[str, object]]) -> Iterator[RuleResult]:
    for entry in entries:
        results = mapping(entry["results"])
        for member, verdict in (("passed_checks", "pass"), ("failed_checks", "fail"), ("unknown_checks", "error")):
            for one in as_list(results.get(member)):
                yield from _result(mapping(one).get("check_id"), mapping(one).get("check_name"), verdict)


def _prowler(entries: Iterable[Mapping[str, object]]) -> Iterator[RuleResult]:
    for entry in entries:
        rule = mapping(entry.get("metadata")).get("event_code")
        yield from _result(rule, mapping(entry.get("finding_info")).get("title"), entry.get("status_code"))


def _prowler_csv(data: bytes) -> ToolResults:
    text = io.StringIO(data.decode("utf-8-sig", errors="replace"), newline="")
    try:
        rows = [
            {name.upper(): cell for name, cell in row.items() if name} for row in csv.DictReader(text, delimiter=";")
        ]
    except csv.Error as error:
        raise InvalidData(f"The CSV of Prowler cannot be read: {error}.") from error
    results = (one for row in rows for one in _result(row.get("CHECK_ID"), row.get("CHECK_TITLE"), row.get("STATUS")))
    return _count("prowler", results)


def _kube_bench(controls: Iterable[object]) -> Iterator[RuleResult]:
    for control in controls:
        for group in as_list(mapping(control).get("tests")):
            for one in as_list(mapping(group).get("results")):
                result = mapping(one)
                yield from _result(result.get("test_number"), result.get("test_desc"), result.get("status"))


def _sarif(body: Mapping[str, object]) -> ToolResults | None:
    """Only of a file that says what passed: one that lists failures alone says nothing of what was in order."""
    results: list[RuleResult] = []
    tool = "sarif"
    for run in as_list(body["runs"]):
        tool = line(mapping(mapping(mapping(run).get("tool")).get("driver")).get("name"), 60) or tool
        for one in as_list(mapping(run).get("results")):
            result = mapping(one)
            title = mapping(result.get("message")).get("text")
            results += _result(result.get("ruleId"), title, result.get("kind") or "fail")
    if not any(one.verdict == "pass" for one in results):
        return None
    return _count(tool.lower(), results, has_findings=True)


def _result(rule: object, title: object, word: object) -> Iterator[RuleResult]:
    verdict = _WORDS.get(str(word).strip().lower())
    name = line(rule, 120)
    if verdict is not None and name:
        yield RuleResult(name, line(title, 200) or "", verdict)


class _RuleResults:
    """The rule results of an XCCDF document, wherever in it they stand; titles are those of its rules."""

    def __init__(self) -> None:
        self.results: list[tuple[str, str]] = []
        self.titles: dict[str, str] = {}
        self.parser = expat.ParserCreate(namespace_separator=" ")
        self.parser.buffer_text = True
        self.parser.StartElementHandler = self._begin
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._read
        self.parser.StartDoctypeDeclHandler = self._refuse
        self._path: list[str] = []
        self._rule = self._definition = ""
        self._text: list[str] = []

    def _refuse(self, *_: object) -> None:
        raise InvalidData("The file declares a document type, which no result of OpenSCAP does.")

    def _begin(self, name: str, attributes: dict[str, str]) -> None:
        element = name.rpartition(" ")[2]
        self._path.append(element)
        self._text.clear()
        if element == "rule-result":
            self._rule = attributes.get("idref", "")
        elif element == "Rule":
            self._definition = attributes.get("id", "")

    def _read(self, text: str) -> None:
        if self._path[-1:] in (["result"], ["title"]):
            self._text.append(text)

    def _end(self, name: str) -> None:
        parent = self._path[-2] if len(self._path) > 1 else ""
        element = self._path.pop()
        if element == "result" and parent == "rule-result":
            self.results.append((self._rule, "".join(self._text)))
        elif element == "title" and parent == "Rule":
            self.titles.setdefault(self._definition, "".join(self._text))


def _openscap(data: bytes) -> ToolResults | None:
    document = _RuleResults()
    try:
        document.parser.Parse(data, True)
    except expat.ExpatError as error:
        raise InvalidData(f"The file is not XML: {error}.") from error
    if not document.results:
        return None
    rule_results = (one for rule, word in document.results for one in _result(rule, document.titles.get(rule), word))
    return _count("openscap", rule_results)
