"""The texts of ``hq new``: the shortest report and monitor that pass every test, to be changed from there."""

REPORT = '''"""{title}: say in one sentence which question this answers."""

import polars as pl

from engine.model.declarations.report import Report
from engine.model.documents.document import Document, Opening, Table
from reports.shared import setup
from reports.shared.wording import count_of

COLUMNS = ("framework", "control_id", "title")


def build(control_status: pl.DataFrame) -> Document:
    listed = control_status.filter("applicable").select(COLUMNS).sort("framework", "control_id")
    return Document(*_opening(listed), tables=(Table("controls", "Controls in scope", listed),))


def _opening(listed: pl.DataFrame) -> Opening:
    if listed.is_empty():
        return Opening("No control is in scope.", setup.IN_SCOPE)
    return Opening(f"{{count_of(listed.height, 'control')}} in scope.", "Say what to do first.")


REPORT = Report(
    name="{name}",
    title="{title}",
    description="Say what the report shows, in one sentence.",
    build=build,
)
'''

REPORT_TEST = '''"""What the report {name} says."""

from reports.{chapter}.{module} import REPORT
from tests.factories import document, lead, rows


def test_without_controls_it_says_what_brings_some():
    empty = document(REPORT)
    assert lead(empty) == (
        "No control is in scope.",
        "Put a framework in scope: import organization_frameworks.csv with hq import.",
    )
    assert [table.frame.height for table in empty.tables] == [0]


def test_a_control_in_scope_is_listed():
    status = rows("control_status", {{"framework": "soc2", "control_id": "A1", "title": "Backups", "applicable": True}})
    listed = document(REPORT, control_status=status)
    assert listed.table("controls").frame.rows() == [("soc2", "A1", "Backups")]
'''

MONITOR = '''"""{title}: say which of its webhooks sends this, and what is odd about it."""

from collections.abc import Iterator, Mapping
from datetime import datetime

from engine.intake.alerts.alert import Alert, compose
from engine.intake.keys import join_key
from engine.intake.refusals import MalformedRecord
from engine.intake.severity import severity
from engine.intake.values import plain
from engine.model.vocabulary import AlertState

SHAPE = "{title}: {{{name}_id, status, title}}"
STATES: Mapping[str, AlertState] = {{"open": "firing", "closed": "resolved"}}


def matches(body: Mapping[str, object]) -> bool:
    return "{name}_id" in body and "status" in body


def records(body: Mapping[str, object]) -> Iterator[tuple[str, Mapping[str, object]]]:
    yield "", body


def read(body: Mapping[str, object], received_at: datetime) -> Alert:
    identity, word = plain(body["{name}_id"]), (plain(body["status"]) or "").lower()
    if identity is None:
        raise MalformedRecord("{name}_id", "the identifier of the problem", body["{name}_id"])
    if word not in STATES:
        raise MalformedRecord("status", "open or closed", body["status"])
    return compose(
        source="{name}",
        key=join_key("{name}", identity),
        state=STATES[word],
        title=body.get("title"),
        received_at=received_at,
        severity=severity(body.get("severity")),
        started_at=body.get("opened_at"),
        ended_at=body.get("closed_at"),
        address=body.get("url"),
    )
'''

SAMPLE = """{{
  "{name}_id": "1",
  "status": "open",
  "title": "Checkout answers slowly",
  "severity": "critical",
  "opened_at": "2026-11-20T08:12:00Z",
  "url": "https://monitor.example/problems/1"
}}
"""

MONITOR_TEST = '''"""{title}, as it sends."""

import pytest

from engine.intake.alerts import Alert, read_alerts
from engine.model.errors import BadRequest
from tests.intake.bodies import RECEIVED, at, sample


def read(**changes):
    (alert,) = read_alerts({{**sample("{name}"), **changes}}, received_at=RECEIVED)
    return alert


def test_a_problem_opens_an_incident():
    assert read() == Alert(
        source="{name}",
        dedupe_key="{name}:1",
        state="firing",
        title="Checkout answers slowly",
        severity="critical",
        severity_text="critical",
        severity_given=True,
        started_at=at(8, 12),
        link="https://monitor.example/problems/1",
        links={{"source": "https://monitor.example/problems/1"}},
        origin="{name}",
    )


def test_its_end_resolves_it():
    closed = read(status="closed", closed_at="2026-11-20T08:20:00Z")
    assert (closed.state, closed.ended_at) == ("resolved", at(8, 20))


@pytest.mark.parametrize("changes", [{{"{name}_id": None}}, {{"status": "unheard of"}}])
def test_what_cannot_be_read_is_refused(changes):
    with pytest.raises(BadRequest):
        read(**changes)
'''
