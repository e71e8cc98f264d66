"""A pipeline asks whether frameworks are ready enough: the exit code says so, JUnit XML says why."""

from datetime import UTC, date, datetime
from types import SimpleNamespace
from xml.etree import ElementTree

import polars as pl
import pytest

from engine.model.errors import Usage
from engine.reporting.gate import Condition, junit, least, no_new
from tests.conftest import NOW


def snapshot(strict=None, gaps=(), day=NOW.date()):
    facts = {
        "readiness": pl.DataFrame(
            {
                "framework": ["soc2"],
                "strict_pct": [strict],
                "weighted_pct": [50.0],
                "effective": [4],
                "applicable": [10],
            },
            schema_overrides={"strict_pct": pl.Float64},
        ),
        "gaps": pl.DataFrame(
            [("soc2", f"soc2:{control}", control, f"Title {control}", word, score) for control, word, score in gaps],
            schema=["framework", "gap_id", "control_id", "title", "severity", "severity_score"],
            orient="row",
        ),
    }
    names = {"nist-csf": "NIST CSF", "soc2": "SOC 2"}
    return SimpleNamespace(fact=facts.__getitem__, org_id="acme", as_of=day, framework_name=names.__getitem__)


@pytest.mark.parametrize(("strict", "asked", "holds"), [(40.0, 40, True), (39.9, 40, False), (None, 0, False)])
def test_readiness_is_at_least_what_is_asked_and_nothing_is_no_readiness(strict, asked, holds):
    condition = least(snapshot(strict), "soc2", "strict", asked)
    assert (condition.says, condition.holds) == (f"strict readiness is at least {asked} %", holds)
    assert condition.found == ("nothing applies" if strict is None else f"{strict:g} %, 4 of 10 effective")


def test_a_framework_out_of_scope_is_told():
    with pytest.raises(Usage, match="NIST CSF is not in scope of acme; in scope: soc2"):
        least(snapshot(1.0), "nist-csf", "strict", 1)


def test_a_gap_is_new_where_it_was_not_there_or_was_less_grave():
    then = snapshot(gaps=[("A1", "high", 4), ("A2", "critical", 5), ("A3", "critical", 5)], day=date(2026, 10, 1))
    now = snapshot(gaps=[("A1", "critical", 5), ("A2", "critical", 5), ("A4", "critical", 5), ("A5", "high", 4)])
    assert no_new(now, then, "soc2", "critical") == Condition(
        "soc2", "no new critical gap since 2026-10-01", "critical Title A1 (A1); critical Title A4 (A4)", False
    )
    assert [no_new(now, one, "soc2", "critical").new for one in (then, now)] == [2, 0]
    assert no_new(then, then, "soc2", "critical").found == "2 open, none of them new"
    assert no_new(now, then, "soc2", "high").found == "critical Title A4 (A4); high Title A5 (A5)"
    assert no_new(now, then, "hipaa", "low").holds


def test_junit_has_a_suite_for_each_framework_and_a_case_for_each_condition():
    checks = [
        Condition("soc2", "a", "fine", True),
        Condition("soc2", "b", "2 < 3 & bad", False),
        Condition("hipaa", "a", "", True),
    ]
    root = ElementTree.fromstring(junit(checks, datetime(2026, 11, 20, 9, 5, tzinfo=UTC)))
    assert (root.tag, root.get("tests"), root.get("failures")) == ("testsuites", "3", "1")
    assert [(one.get("name"), one.get("failures"), one.get("timestamp")) for one in root] == [
        ("SOC 2", "1", "2026-11-20T09:05:00"),
        ("HIPAA", "0", "2026-11-20T09:05:00"),
    ]
    assert [(case.get("classname"), case.get("name")) for case in root.iter("testcase")] == [
        ("hq.gate.soc2", "a"),
        ("hq.gate.soc2", "b"),
        ("hq.gate.hipaa", "a"),
    ]
    assert [one.text for one in root.iter("failure")] == ["2 < 3 & bad"]


@pytest.mark.real
def test_the_exit_code_says_it(acme, cli, tmp_path):
    file = tmp_path / "gate.xml"
    code, out, err = cli("gate", "--framework", "soc2", "--min-strict", 0, "--output", file)
    assert (code, out, err) == (0, "", "")
    assert ElementTree.parse(file).getroot().get("failures") == "0"
    code, out, err = cli("gate", "--framework", "soc2", "--min-strict", 10, "--min-weighted", 0)
    assert (code, ElementTree.fromstring(out.encode()).get("failures")) == (1, "1")
    assert err.startswith("soc2: strict readiness is at least 10 % does not hold: 0 %, 0 of ")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--framework", "soc2"), "Say what is to hold"),
        (("--framework", "soc2", "--min-strict", 1, "--since", "2026-11-01"), "--since says since when"),
        (("--framework", "gdpr-art32", "--min-strict", 1), "GDPR Article 32 is not in scope of acme"),
        (("--framework", "soc3", "--min-strict", 1), "soc3"),
        (
            ("--all", "--framework", "soc2", "--framework", "soc3", "--min-strict", 0),
            "soc3 is in scope of no organization",
        ),
        (("--framework", "soc2", "--no-new", "critical", "--since", "yesterday"), "since"),
        (("--framework", "soc2", "--no-new", "critical"), "there is no earlier day that a gap could be new since"),
    ],
)
def test_what_cannot_be_asked_is_refused(acme, cli, arguments, says):
    code, out, err = cli("gate", *arguments)
    assert (code, out, says in err) == (2, "", True), err
