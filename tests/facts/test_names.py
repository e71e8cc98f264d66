"""Facts are bound by name: a parameter is the fact or scan of its name, whatever its place."""

import ast
import inspect
import textwrap

import polars as pl
import pytest

from engine.facts import FACTS, check_names, inputs
from engine.model.declarations.report import Report
from engine.model.documents.document import Document
from engine.replica.scans.registry import SCANS
from reports import REPORTS
from reports.digests import DIGESTS
from tests.factories import ask

BUILDS = {report.name: report.build for report in (*REPORTS, *(digest.report for digest in DIGESTS))}


def test_a_name_that_is_no_fact_is_refused_with_a_sentence():
    def build(control_status, contrl_evidence, ask):
        raise AssertionError("never called")

    with pytest.raises(TypeError) as refusal:
        check_names({"typo": build})
    assert str(refusal.value) == (
        "typo takes 'contrl_evidence', which is no fact and no scan; facts are in FACTS of engine/facts, "
        "scans are named <name>_rows."
    )


def test_every_report_takes_facts_alone():
    assert {name for build in BUILDS.values() for name in inputs(build)} <= set(FACTS)


def test_no_name_is_a_fact_and_a_scan():
    assert set(FACTS) & set(SCANS) == set()
    assert [name for name in SCANS if not name.endswith("_rows")] == []
    assert [name for name in FACTS if name.endswith("_rows") or name in ("ask", "asked")] == []


def test_swapping_two_parameters_changes_nothing():
    seen = []

    def build(gaps, controls, ask):
        seen.append((gaps["what"].item(), controls["what"].item()))
        return Document(headline="", summary={})

    def swapped_order(controls, gaps, ask):
        return build(gaps, controls, ask)

    frames = {name: pl.DataFrame({"what": [name]}) for name in ("controls", "gaps", "vendors")}
    for one in (build, swapped_order):
        Report("x", "X", "x", one).document(frames, ask())
    assert seen == [("gaps", "controls")] * 2


@pytest.mark.parametrize("name", [*FACTS, *BUILDS])
def test_a_local_does_not_rebind_a_parameter(name):
    function = FACTS.get(name) or BUILDS[name]
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    stored = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}
    assert stored & set(inspect.signature(function).parameters) == set()
