"""Results of analyses as SARIF 2.1.0."""

import pytest

from engine.intake.findings import Finding, read_findings
from tests.intake.bodies import RECEIVED, at

RULE = {
    "id": "py/sql-injection",
    "shortDescription": {"text": "SQL query built from user input"},
    "helpUri": "https://rules.example/sql",
    "defaultConfiguration": {"level": "error"},
    "messageStrings": {"default": {"text": "The value {0} reaches {1}."}},
    "properties": {"security-severity": "8.8", "tags": ["security", "external/cwe/cwe-089"]},
}
PLACE = {"physicalLocation": {"artifactLocation": {"uri": "shop/orders.py"}, "region": {"startLine": 42}}}
PRINTS = {"primaryLocationLineHash": "39fa2ee980eb94b0:1"}


def result(**changes):
    given = {
        "ruleId": "py/sql-injection",
        "ruleIndex": 0,
        "message": {"text": "It depends on a value that a user gave."},
        "locations": [PLACE],
        "partialFingerprints": PRINTS,
        **changes,
    }
    return {name: value for name, value in given.items() if value is not None}


def sarif(*results, driver=None, **run):
    tool = {"driver": {"name": "CodeQL", "rules": [RULE], **(driver or {})}, **run.pop("tool", {})}
    return {"version": "2.1.0", "runs": [{"tool": tool, "results": list(results), **run}]}


def read(body, header=None):
    return read_findings(body, source_header=header, received_at=RECEIVED)


def one(body):
    (finding,) = read(body).findings
    return finding


def key(**changes):
    return one(sarif(result(**changes))).key


def test_a_result_with_its_rule():
    origin = {"versionControlProvenance": [{"repositoryUri": "https://git.example/shop"}]}
    ended = {"invocations": [{"endTimeUtc": "2026-11-19T04:00:00Z"}]}
    seen = {"provenance": {"firstDetectionTimeUtc": "2026-10-01T04:00:00Z"}}
    batch = read(sarif(result(**seen), **origin, **ended))
    assert batch.findings == [
        Finding(
            source="codeql",
            key=batch.findings[0].key,
            check="py/sql-injection",
            host="https://git.example/shop",
            title="SQL query built from user input",
            severity="high",
            severity_text="CVSS 8.8",
            severity_given=True,
            status="open",
            first_seen_at=at(4, day=1).replace(month=10),
            last_seen_at=at(4, day=19),
            cvss=8.8,
            details={
                "rule": "py/sql-injection",
                "location": "shop/orders.py:42",
                "message": "It depends on a value that a user gave.",
                "help": "https://rules.example/sql",
            },
        )
    ]
    assert (batch.source, batch.received, batch.origins) == ("sarif", 1, {"codeql"})
    assert batch.findings[0].key.startswith("sarif:codeql|https://git.example/shop|py/sql-injection|shop/orders.py|")


@pytest.mark.parametrize(
    ("changes", "properties", "level"),
    [
        ({}, {"security-severity": "9.8"}, "critical"),
        ({"level": "note"}, {"security-severity": "5.0"}, "medium"),
        ({"level": "error"}, {}, "medium"),
        ({"level": "warning"}, {}, "medium"),
        ({"level": "note"}, {}, "low"),
        ({"level": "none"}, {}, "info"),
        ({}, {}, "high"),
        ({"kind": "informational"}, {"security-severity": "9.8"}, "info"),
        ({"properties": {"security-severity": "3.1"}}, {}, "low"),
    ],
)
def test_the_security_severity_goes_before_the_level(changes, properties, level):
    finding = one(sarif(result(**changes), driver={"rules": [{**RULE, "properties": properties}]}))
    assert (finding.severity, finding.severity_given) == (level, True)


def test_a_result_of_no_known_rule_is_a_warning():
    finding = one(sarif(result(ruleId=None, ruleIndex=None), driver={"rules": []}))
    assert (finding.check, finding.severity) == ("no rule", "medium")
    assert finding.title == "It depends on a value that a user gave."


@pytest.mark.parametrize(
    ("changes", "status"),
    [
        ({}, "open"),
        ({"baselineState": "new"}, "open"),
        ({"baselineState": "unchanged"}, "open"),
        ({"baselineState": "updated"}, "open"),
        ({"baselineState": "absent"}, "fixed"),
        ({"kind": "pass"}, "fixed"),
        ({"kind": "notApplicable"}, "fixed"),
    ],
)
def test_what_is_absent_from_the_baseline_is_fixed(changes, status):
    finding = one(sarif(result(**changes)))
    assert (finding.status, finding.fixed_at) == (status, RECEIVED if status == "fixed" else None)


@pytest.mark.parametrize(
    ("suppressions", "disposition"),
    [
        (None, None),
        ([], None),
        ([{"kind": "inSource"}], "accepted"),
        ([{"kind": "external", "status": "accepted"}], "accepted"),
        ([{"kind": "external", "status": "underReview"}], None),
        ([{"kind": "external", "status": "rejected"}], None),
        ([{"kind": "inSource"}, {"kind": "external", "status": "rejected"}], None),
    ],
)
def test_a_suppression_counts_once_it_is_accepted(suppressions, disposition):
    finding = one(sarif(result(suppressions=suppressions)))
    assert (finding.status, finding.disposition, finding.opens_incident) == ("open", disposition, disposition is None)


def test_a_result_is_known_again_by_its_fingerprints():
    moved = [{"physicalLocation": {"artifactLocation": {"uri": "shop/orders.py"}, "region": {"startLine": 99}}}]
    elsewhere = [{"physicalLocation": {"artifactLocation": {"uri": "shop/other.py"}}}]
    other = {"message": {"text": "Other words."}, "locations": moved}
    assert key(**other) == key()
    assert key(partialFingerprints={"primaryLocationLineHash": "1"}) != key()
    assert key(locations=elsewhere) != key()
    whole = {"fingerprints": {"0": "abc"}}
    assert key(**whole, locations=elsewhere) != key(**whole)
    named = {"partialFingerprints": None, "correlationGuid": "b5d3e1f0"}
    assert key(**named, **other) == key(**named) == "sarif:codeql|b5d3e1f0"
    bare = {"partialFingerprints": None}
    assert key(**bare) == key(**bare)
    assert key(**bare, locations=moved) != key(**bare)


def test_complete_fingerprints_of_one_repository_outlive_a_move():
    origin = {"versionControlProvenance": [{"repositoryUri": "https://git.example/shop"}]}
    moved = [{"physicalLocation": {"artifactLocation": {"uri": "shop/other.py"}}}]
    whole = result(fingerprints={"v1": "abc"})
    assert one(sarif(whole, **origin)).key == one(sarif({**whole, "locations": moved}, **origin)).key


@pytest.mark.parametrize(
    ("pointer", "tool"),
    [
        ({"ruleIndex": 0}, {"driver": {"rules": [RULE]}}),
        ({"ruleIndex": None}, {"driver": {"rules": [{"id": "other"}, RULE]}}),
        ({"ruleIndex": 7}, {"driver": {"rules": [RULE]}}),
        ({"ruleId": "py/sql-injection/1", "ruleIndex": None}, {"driver": {"rules": [RULE]}}),
        ({"ruleIndex": None}, {"driver": {}, "extensions": [{"rules": [RULE]}]}),
        (
            {"ruleId": None, "ruleIndex": None, "rule": {"index": 1, "toolComponent": {"index": 0}}},
            {"driver": {"rules": [{"id": "a"}, {"id": "b"}]}, "extensions": [{"rules": [{"id": "c"}, RULE]}]},
        ),
    ],
)
def test_the_rule_is_found_in_the_tool_or_its_extensions(pointer, tool):
    body = sarif(
        result(**pointer), driver=tool["driver"] | {"name": "CodeQL"}, tool={"extensions": tool.get("extensions")}
    )
    if "rules" not in tool["driver"]:
        del body["runs"][0]["tool"]["driver"]["rules"]
    assert (one(body).check, one(body).cvss) == ("py/sql-injection", 8.8)


def test_an_index_that_names_another_rule_is_not_believed():
    rules = [{"id": "other", "properties": {"security-severity": "1.0"}}, RULE]
    assert one(sarif(result(ruleIndex=0), driver={"rules": rules})).cvss == 8.8


def test_a_message_may_stand_at_the_rule():
    finding = one(sarif(result(message={"id": "default", "arguments": ["q", "execute"]})))
    assert finding.details["message"] == "The value q reaches execute."


@pytest.mark.parametrize(
    ("changes", "run", "host", "location"),
    [
        ({}, {}, "shop/orders.py", "shop/orders.py:42"),
        ({}, {"properties": {"imageName": "shop:4"}}, "shop:4", "shop/orders.py:42"),
        (
            {"locations": [{"logicalLocations": [{"fullyQualifiedName": "shop.orders"}]}]},
            {},
            "shop.orders",
            "shop.orders",
        ),
        (
            {"locations": [{"physicalLocation": {"artifactLocation": {"index": 0}}}]},
            {"artifacts": [{"location": {"uri": "a.py"}}]},
            "a.py",
            "a.py",
        ),
        ({"locations": []}, {}, "CodeQL", None),
    ],
)
def test_what_a_result_is_about(changes, run, host, location):
    finding = one(sarif(result(**changes), **run))
    assert (finding.host, finding.details.get("location")) == (host, location)


def test_cves_stand_in_rules_and_tags():
    rules = [{"id": "CVE-2024-0001", "properties": {"tags": ["CVE-2024-0002", "HIGH"]}}]
    assert one(sarif(result(ruleId="CVE-2024-0001"), driver={"rules": rules})).cves == (
        "CVE-2024-0001",
        "CVE-2024-0002",
    )


def test_several_runs_are_one_batch():
    body = sarif(result())
    body["runs"] += sarif(result(), driver={"name": "Trivy"})["runs"]
    assert [finding.source for finding in read(body, "sarif").findings] == ["codeql", "trivy"]
