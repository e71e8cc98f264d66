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
PROWLER = {"metadata": {"event_code": "iam_root_mfa_enabled"}, "finding_info": {"title": "Root"}, "status_code": "PASS"}
KUBE = {"Controls": [{"tests": [{"results": [{"test_number": "4.2.1", "test_desc": "Auth", "status": "FAIL"}]}]}]}
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
    "prowler": (json.dumps([PROWLER]), [("iam_root_mfa_enabled", "Root", 1, 0, 0)]),
    "kube-bench": (json.dumps(KUBE), [("4.2.1", "Auth", 0, 1, 0)]),
    "openscap": (XCCDF, [("r1", "One", 1, 1, 0), ("r3", "r3", 0, 0, 1)]),
    "semgrep": (json.dumps(SARIF), [("a", "a", 1, 1, 0)]),
}


@pytest.mark.parametrize("tool", RESULTS)
def test_results_are_counted_by_rule(tool):
    text, rules = RESULTS[tool]
    found = read_tool_results(text.encode())
    assert (found.tool, list(found.rules)) == (tool, [RuleCount(*one) for one in rules])


def test_the_csv_of_prowler_says_the_same():
    text = "AUTH_METHOD;CHECK_ID;CHECK_TITLE;STATUS\nx;iam_root_mfa_enabled;Root;FAIL\nx;iam_root_mfa_enabled;Root;MANUAL\n"
    assert read_tool_results(text.encode()).rules == (RuleCount("iam_root_mfa_enabled", "Root", 0, 1, 0),)


def test_what_is_no_result_is_left_to_others():
    failures = {**SARIF, "runs": [{**SARIF["runs"][0], "results": [{"ruleId": "a"}]}]}
    for text in ('{"findings": []}', "<NessusClientData_v2/>", "[", json.dumps(failures), "a,b\n1,2\n"):
        assert read_tool_results(text.encode()) is None


def test_every_rule_that_comes_along_names_a_control():
    with RULES.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) > 60
    assert [row for row in rows if not catalogue().has_control(row["framework"], row["control_id"])] == []


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
    said = "checkov.json: checkov, 3 rules, 4 tests of controls; 1 rules without a control: CKV2_OWN_1\n"
    assert capfd.readouterr().out == said
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
