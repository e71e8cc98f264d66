"""What scanners found in order: tests of controls, by rule, from the files that they write."""

import csv
import json
import shutil
import sqlite3

import pytest

from engine.catalogue import catalogue
from engine.cli import hq
from engine.intake.tool_results import RuleCount, read_tool_results
from engine.programme.tool_results import RULES

CHECKOV = {
    "check_type": "terraform",
    "results": {
        "passed_checks": [
            {"check_id": "CKV_AWS_24", "check_name": "No SSH from everywhere", "resource": "a"},
            {"check_id": "CKV_AWS_18", "check_name": "Access is logged", "resource": "a"},
        ],
        "failed_checks": [{"check_id": "CKV_AWS_18", "check_name": "Access is logged", "resource": "b"}],
        "skipped_checks": [{"check_id": "CKV_AWS_21", "check_name": "Versions", "resource": "a"}],
    },
}
# the members that Prowler 5 and kube-bench 0.9 write, with values of our own
PROWLER = {
    "message": "The root user has a second factor.",
    "metadata": {
        "event_code": "iam_root_mfa_enabled",
        "product": {"name": "Prowler", "uid": "prowler", "vendor_name": "Prowler", "version": "5.4.0"},
        "profiles": ["cloud", "datetime"],
        "version": "1.4.0",
    },
    "severity_id": 4,
    "severity": "High",
    "status": "New",
    "status_code": "PASS",
    "status_detail": "The root user has a second factor.",
    "status_id": 1,
    "unmapped": {"compliance": {"CIS-1.8": ["1.5"]}, "categories": []},
    "finding_info": {"created_time": 1739539658, "desc": "Root", "title": "Root", "types": [], "uid": "p-1"},
    "resources": [{"group": {"name": "iam"}, "labels": [], "name": "root", "type": "Other", "uid": "arn:root"}],
    "class_name": "Detection Finding",
    "class_uid": 2004,
    "time": 1739539658,
    "type_uid": 200401,
}
PROWLER_MANUAL = {**PROWLER, "status_code": "MANUAL"}
PROWLER_CSV = (
    "AUTH_METHOD;TIMESTAMP;ACCOUNT_UID;ACCOUNT_NAME;ACCOUNT_EMAIL;ACCOUNT_ORGANIZATION_UID;ACCOUNT_ORGANIZATION_NAME;"
    "ACCOUNT_TAGS;FINDING_UID;PROVIDER;CHECK_ID;CHECK_TITLE;CHECK_TYPE;STATUS;STATUS_EXTENDED;MUTED;SERVICE_NAME;"
    "SUBSERVICE_NAME;SEVERITY;RESOURCE_TYPE;RESOURCE_UID;RESOURCE_NAME;RESOURCE_DETAILS;RESOURCE_TAGS;PARTITION;REGION;"
    "DESCRIPTION;RISK;RELATED_URL;REMEDIATION_RECOMMENDATION_TEXT;REMEDIATION_RECOMMENDATION_URL;"
    "REMEDIATION_CODE_NATIVEIAC;REMEDIATION_CODE_TERRAFORM;REMEDIATION_CODE_CLI;REMEDIATION_CODE_OTHER;COMPLIANCE;"
    "CATEGORIES;DEPENDS_ON;RELATED_TO;NOTES;PROWLER_VERSION"
)
KUBE_RESULT = {
    "test_number": "4.2.1",
    "test_desc": "Auth",
    "audit": "ps -ef | grep kubelet",
    "AuditEnv": "",
    "AuditConfig": "",
    "type": "",
    "remediation": "Set it.",
    "test_info": ["Set it."],
    "status": "FAIL",
    "actual_value": "",
    "scored": True,
    "IsMultiple": False,
    "expected_result": "",
}
KUBE = {
    "Controls": [
        {
            "id": "4",
            "version": "cis-1.9",
            "detected_version": "1.29",
            "text": "Worker Node Security Configuration",
            "node_type": "node",
            "tests": [
                {
                    "section": "4.2",
                    "type": "",
                    "pass": 0,
                    "fail": 1,
                    "warn": 1,
                    "info": 0,
                    "desc": "Kubelet",
                    "results": [KUBE_RESULT, {**KUBE_RESULT, "test_number": "4.2.9", "status": "WARN"}],
                }
            ],
            "total_pass": 0,
            "total_fail": 1,
            "total_warn": 1,
            "total_info": 0,
        }
    ],
    "Totals": {"total_pass": 0, "total_fail": 1, "total_warn": 1, "total_info": 0},
}
XCCDF = """<Benchmark xmlns="http://checklists.nist.gov/xccdf/1.2"><Rule id="r1"><title>One</title></Rule><TestResult>
<rule-result idref="r1"><result>pass</result></rule-result><rule-result idref="r1"><result>fail</result></rule-result>
<rule-result idref="r2"><result>notapplicable</result></rule-result><rule-result idref="r3"><result>error</result>
</rule-result></TestResult></Benchmark>"""
SARIF = {
    "version": "2.1.0",
    "runs": [
        {
            "tool": {"driver": {"name": "Semgrep"}},
            "results": [{"ruleId": "a", "kind": "pass"}, {"ruleId": "a"}, {"ruleId": "b", "kind": "notApplicable"}],
        }
    ],
}
RESULTS = {
    "checkov": (
        json.dumps(CHECKOV),
        [("CKV_AWS_18", "Access is logged", 1, 1, 0), ("CKV_AWS_24", "No SSH from everywhere", 1, 0, 0)],
    ),
    "prowler": (json.dumps([PROWLER, PROWLER_MANUAL], indent=2), [("iam_root_mfa_enabled", "Root", 1, 0, 0)]),
    "kube-bench": (json.dumps(KUBE), [("4.2.1", "Auth", 0, 1, 0)]),
    "openscap": (XCCDF, [("r1", "One", 1, 1, 0), ("r3", "r3", 0, 0, 1)]),
    "semgrep": (json.dumps(SARIF), [("a", "a", 1, 1, 0)]),
}


@pytest.mark.parametrize("tool", RESULTS)
def test_results_are_counted_by_rule(tool):
    text, rules = RESULTS[tool]
    tool_results = read_tool_results(text.encode())
    assert (tool_results.tool, list(tool_results.rules)) == (tool, [RuleCount(*one) for one in rules])


def test_the_csv_of_prowler_says_the_same():
    names = PROWLER_CSV.split(";")

    def line(status):
        values = {"CHECK_ID": "iam_root_mfa_enabled", "CHECK_TITLE": "Root", "STATUS": status, "PROVIDER": "aws"}
        return ";".join(values.get(name, "") for name in names)

    for form in ("{}\n{}\n{}\n", "\ufeff{}\r\n{}\r\n{}\r\n"):
        text = form.format(PROWLER_CSV, line("FAIL"), line("MANUAL"))
        assert read_tool_results(text.encode()).rules == (RuleCount("iam_root_mfa_enabled", "Root", 0, 1, 0),)


def test_what_kube_bench_writes_without_totals_is_read():
    assert read_tool_results(json.dumps(KUBE["Controls"]).encode()) == read_tool_results(json.dumps(KUBE).encode())


def test_what_is_no_result_is_left_to_others():
    failures = {**SARIF, "runs": [{**SARIF["runs"][0], "results": [{"ruleId": "a"}]}]}
    for text in ('{"findings": []}', "<NessusClientData_v2/>", "[", json.dumps(failures), "a,b\n1,2\n"):
        assert read_tool_results(text.encode()) is None


def test_every_rule_that_comes_along_names_a_control():
    with RULES.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 60
    assert [row for row in rows if not catalogue().has_control(row["framework"], row["control_id"])] == []


@pytest.fixture
def head(tmp_path, monkeypatch, acme_template):
    """``head()`` is the number of the newest revision of acme, in a store of its own that commands write to."""
    (tmp_path / "var").mkdir(mode=0o700)
    shutil.copy(acme_template, tmp_path / "var" / "hq.db")
    monkeypatch.setenv("SVC_DATA_DIR", str(tmp_path / "var"))

    def newest():
        with sqlite3.connect(tmp_path / "var" / "hq.db") as database:
            (found,) = database.execute("SELECT max(seq) FROM audit_log WHERE org_id = 'acme'").fetchone()
        database.close()
        return found

    return newest


@pytest.mark.real
@pytest.mark.parametrize("tool", [*RESULTS, "prowler-csv"])
def test_the_same_file_twice_is_no_revision(tool, head, tmp_path, capfd):
    """SARIF has findings, too, whose last sighting would move; its rules here have no control at all."""
    path = tmp_path / f"result.{'csv' if tool == 'prowler-csv' else 'xml' if tool == 'openscap' else 'json'}"
    path.write_text(f"{PROWLER_CSV}\n" if tool == "prowler-csv" else RESULTS[tool][0])
    before = head()
    hq(["import", str(path), "--org", "acme"])
    after = head()
    assert after > before
    hq(["import", str(path), "--org", "acme"])
    assert head() == after
    assert "as before" in capfd.readouterr().out


@pytest.mark.real
def test_a_rule_that_came_since_tests_by_a_file_that_was_there(head, tmp_path, capfd):
    path, rules = tmp_path / "semgrep.json", tmp_path / "tool_rules.csv"
    path.write_text(RESULTS["semgrep"][0])
    hq(["import", str(path), "--org", "acme"])
    rules.write_text("tool,rule,framework,control_id\nsemgrep,a,soc2,CC7.1\n")
    hq(["import", str(rules), "--org", "acme"])
    capfd.readouterr()
    hq(["import", str(path), "--org", "acme"])
    assert capfd.readouterr().out == "semgrep.json: semgrep, 1 rule, 1 test of controls\n"
    after = head()
    hq(["import", str(path), "--org", "acme"])
    assert head() == after


@pytest.mark.real
def test_a_file_is_held_and_tests_its_controls_once(tmp_path, monkeypatch, acme_template, capfd):
    (tmp_path / "var").mkdir(mode=0o700)
    shutil.copy(acme_template, tmp_path / "var" / "hq.db")
    monkeypatch.setenv("SVC_DATA_DIR", str(tmp_path / "var"))
    path = tmp_path / "checkov.json"
    path.write_text(json.dumps({**CHECKOV, "results": {**CHECKOV["results"], "unknown_checks": []}}))
    own = {"check_id": "CKV2_OWN_1", "check_name": "Own"}
    document = json.loads(path.read_text())
    document["results"]["passed_checks"].append(own)
    path.write_text(json.dumps(document))
    hq(["import", str(path), "--org", "acme"])
    text = "checkov.json: checkov, 3 rules, 4 tests of controls; 1 rule without a control: CKV2_OWN_1\n"
    assert capfd.readouterr().out == text
    hq(["import", str(path), "--org", "acme"])
    assert "as before" in capfd.readouterr().out
    with sqlite3.connect(tmp_path / "var" / "hq.db") as database:
        runs = database.execute("SELECT outcome, population, deviations FROM test_runs ORDER BY id").fetchall()
        links = database.execute(
            "SELECT i.run_id IS NULL, l.framework FROM evidence_items i JOIN evidence_links l ON l.evidence_id = i.id"
        ).fetchall()
    database.close()
    assert sorted(runs) == [("failed", 2, 1), ("failed", 2, 1), ("passed", 1, 0), ("passed", 1, 0)]
    assert sorted(links) == [(0, "iso27001"), (0, "soc2"), (1, "iso27001"), (1, "soc2")]
    hq(["verify", "--org", "acme"])
    assert capfd.readouterr().out.startswith("ok: acme")
