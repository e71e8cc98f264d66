"""Whether a framework is good enough to go on: what a pipeline asks before it releases."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from xml.etree import ElementTree

import polars as pl

from engine.facts.controls.gaps import SEVERITY_SCORES
from engine.model.errors import Usage
from engine.model.vocabulary import FRAMEWORK_NAMES
from engine.reporting.snapshot.snapshot import Snapshot


@dataclass(frozen=True)
class Condition:
    """One condition on a framework; ``found`` says what there is, ``holds`` whether that is good enough."""

    framework: str
    says: str
    found: str
    holds: bool
    org_id: str = ""  # where several are asked
    name: str = ""  # what people call the framework
    new: int = field(default=0, compare=False)  # how many gaps are new


def least(snapshot: Snapshot, framework: str, measure: str, percent: float) -> Condition:
    """Readiness of at least so many percent; ``measure`` is strict or weighted (F3).

    Usage where the organization does not have the framework in scope. Where nothing applies the condition fails.
    """
    rows = snapshot.fact("readiness")
    row = next(iter(rows.filter(framework=framework).iter_rows(named=True)), None)
    if row is None:
        scope = ", ".join(rows.get_column("framework")) or "none"
        raise Usage(f"{snapshot.framework_name(framework)} is not in scope of {snapshot.org_id}; in scope: {scope}.")
    value = row[f"{measure}_pct"]
    found = "nothing applies" if value is None else f"{value:g} %, {row['effective']} of {row['applicable']} effective"
    return Condition(
        framework, f"{measure} readiness is at least {percent:g} %", found, value is not None and value >= percent
    )


def no_new(snapshot: Snapshot, before: Snapshot, framework: str, severity: str) -> Condition:
    """No gap of that severity or a graver one that was not there, or was less grave, in ``before``."""
    now, then = (_grave(one, framework, severity) for one in (snapshot, before))
    new = now.join(then, on="gap_id", how="anti").sort("severity_score", "gap_id", descending=[True, False])
    told = [f"{row['severity']} {row['title']} ({row['control_id']})" for row in new.iter_rows(named=True)]
    text = "; ".join(told) if told else f"{now.height} open, none of them new"
    return Condition(
        framework, f"no new {severity} gap since {before.as_of.isoformat()}", text, not told, new=len(told)
    )


def _grave(snapshot: Snapshot, framework: str, severity: str) -> pl.DataFrame:
    rows = snapshot.fact("gaps").filter(
        pl.col("framework") == framework, pl.col("severity_score") >= SEVERITY_SCORES[severity]
    )
    return rows.select("gap_id", "control_id", "title", "severity", "severity_score")


def junit(conditions: Sequence[Condition], at: datetime) -> bytes:
    """JUnit XML, as pipelines read it: a suite for each framework, a case for each condition."""
    failures = sum(not one.holds for one in conditions)
    root = ElementTree.Element("testsuites", name="hq gate", tests=str(len(conditions)), failures=str(failures))
    for org_id, framework in dict.fromkeys((one.org_id, one.framework) for one in conditions):
        own = [one for one in conditions if (one.org_id, one.framework) == (org_id, framework)]
        named = f"{org_id}: " if org_id else ""
        suite = ElementTree.SubElement(
            root,
            "testsuite",
            name=named + (own[0].name or FRAMEWORK_NAMES.get(framework, framework)),
            tests=str(len(own)),
            failures=str(sum(not one.holds for one in own)),
            errors="0",
            skipped="0",
            timestamp=at.strftime("%Y-%m-%dT%H:%M:%S"),
            time="0",
        )
        for one in own:
            case = ElementTree.SubElement(
                suite,
                "testcase",
                classname=".".join(filter(None, ["hq.gate", org_id, framework])),
                name=one.says,
                time="0",
            )
            if one.holds:
                ElementTree.SubElement(case, "system-out").text = one.found
            else:
                ElementTree.SubElement(case, "failure", message=one.found, type="condition").text = one.found
    ElementTree.indent(root)
    written: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return written + b"\n"
