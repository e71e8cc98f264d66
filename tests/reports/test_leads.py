"""What a person reads first, in every report: one short thought, and what to do now or what would bring data."""

import re
from pathlib import Path

import pytest
from hypothesis import given

from engine.model.declarations.ask import Ask
from engine.model.documents.document import MOST_WORDS, at_most
from engine.store.schema import IMPORTABLE
from reports import REPORTS
from tests.factories import DAY
from tests.reports.organizations import ORGANIZATIONS
from tests.reports.test_columns import LONGEST, NOTHING
from tests.reports.test_one_value import ALL, Answers, few

ROUTES = {line.split()[1] for line in Path("tests/golden/routes.txt").read_text(encoding="utf-8").splitlines()}
COMMANDS = ("hq import", "hq scheduler")
# what the console itself says, whatever is recorded: how long records are kept
ALWAYS_SAID = {"deployment-retention"}


def test_what_has_no_room_in_a_headline_stays_outside():
    assert at_most("one two", ": three") == "one two: three"
    assert at_most(" ".join(["word"] * MOST_WORDS), ": one") == " ".join(["word"] * MOST_WORDS)


def empty_document(report):
    """What a report says of an organization without any record."""
    defaults = {one.name: one.default for one in report.parameters}
    return report.document({name: NOTHING[name] for name in report.facts}, Ask(DAY, 30, LONGEST, defaults))


def faults(document):
    """What is wrong with the first lines of a document."""
    headline, step = document.headline, document.next_step
    if not headline.endswith("."):
        yield "no full stop"
    if len(headline.split()) > MOST_WORDS:
        yield "too long"
    if len(re.split(r"(?<=[a-z0-9)%][.!?]) (?=[A-Z])", headline)) > 1:
        yield "two sentences"
    if headline.count(";") > 1:
        yield "three thoughts"
    if step and not step.endswith((".", "!", "?")):
        yield "no full stop after the next step"
    if "\n" in headline + step or "  " in headline + step:
        yield "blanks"


@pytest.mark.real
@few
@given(drawn=ORGANIZATIONS)
def test_every_headline_is_one_short_thought(facts_with, drawn):
    answers = Answers(facts_with, drawn)
    documents = {name: answers.document(report) for name, report in ALL.items()}
    found = {name: [*faults(document)] for name, document in documents.items()}
    found["executive-summary"] = [one for one in found["executive-summary"] if one != "three thoughts"]  # the board's
    assert {name: (documents[name].headline, wrong) for name, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.name)
def test_a_report_without_data_says_what_brings_some(report):
    document = empty_document(report)
    assert [*faults(document)] == []
    files, routes = re.findall(r"\b(\w+)\.csv\b", document.next_step), re.findall(r"/api/[\w/-]+", document.next_step)
    assert [name for name in files if name not in IMPORTABLE] == []
    assert [route for route in routes if route not in ROUTES] == []
    assert not files or any(command in document.next_step for command in COMMANDS)
    assert files or routes or report.name in ALWAYS_SAID, (document.headline, document.next_step)
