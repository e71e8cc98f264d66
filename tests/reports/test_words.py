"""What people read of a report, beside the cells: words, not names of machines, and no abbreviation unexplained."""

import re

import pytest

from engine.model.columns import COLUMNS
from engine.model.documents.abbreviations import ABBREVIATIONS, LETTERS
from reports import REPORTS
from tests.reports.test_columns import tables
from tests.reports.test_leads import empty_document

# names that everybody knows by their letters, words of standards that are written in capitals, and places
NAMES = {
    *(
        "AICPA",
        "AND",
        "CISA",
        "CIS",
        "CSV",
        "DSS",
        "FedRAMP",
        "GDPR",
        "HIPAA",
        "HTML",
        "HTTP",
        "ID",
        "IEC",
        "II",
        "ISO",
        "IR",
        "JSON",
    ),
    *("MET", "NIST", "NOT", "OSCAL", "PCI", "POAM", "RA", "RFC", "SHA", "SOC", "SP", "UTC"),
}
# what is looked up or sent: files to import, routes, parameters of a report
ADDRESSES = re.compile(r"/api/[\w/?=&-]+|\b\w+\.(?:csv|html)\b|\b\w+=\w+")
MACHINE_WORDS = re.compile(r"\w_\w|\b(?:Mape|Hhi|Sla|Slo|Kev|Epss|Poam|Pct|dict|frame|null|boolean|uuid|sha256)\b")
SOURCES = {"executive-summary"}  # each of its numbers is footnoted to the figure that it is


def texts(document):
    """All that people read of a document beside the cells and the summary's values."""
    yield from (document.headline, document.next_step, *document.warnings)
    yield from document.titles.values()
    yield from document.definitions.keys()
    yield from document.definitions.values()
    for table in document.tables:
        yield from (table.title, table.note)
        names = (name for name in table.frame.columns if name not in table.unseen)
        yield from (table.labels.get(name) or COLUMNS[name].label for name in names)
    for chart in document.charts:
        yield from (chart.title, chart.alt)


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.name)
def test_no_word_of_a_machine_is_read_by_people(report):
    document = empty_document(report)
    read = [report.title, report.description, *texts(document)]
    read += [] if report.name in SOURCES else document.footnotes
    assert [text for text in read if MACHINE_WORDS.search(ADDRESSES.sub("", text))] == []


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.name)
def test_every_abbreviation_is_explained_on_its_page(report):
    document = empty_document(report)
    read = " ".join([report.title, report.description, *texts(document)])
    found = {letters.removesuffix("s") for letters in LETTERS.findall(ADDRESSES.sub("", read))}
    assert found - NAMES - ABBREVIATIONS.keys() == set()
    explained = " ".join(document.definitions)
    assert [letters for letters in found & ABBREVIATIONS.keys() if letters not in explained] == []


def test_no_heading_or_meaning_of_a_column_is_a_word_of_a_machine():
    named = {name: f"{column.label} {column.meaning}" for name, column in COLUMNS.items()}
    assert [name for name, text in named.items() if MACHINE_WORDS.search(ADDRESSES.sub("", text))] == []


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.name)
def test_every_view_of_a_report_has_words_for_its_titles(report):
    read = [text for table in tables(report.name) for text in (table.title, table.note)]
    assert [text for text in read if MACHINE_WORDS.search(ADDRESSES.sub("", text))] == []


def test_what_persons_read_names_weeks_by_their_monday_and_not_by_the_standard():
    """A cell says ``week of 28 Dec``; no definition, parameter or column speaks of ISO weeks."""
    said = {
        **{name: column.meaning for name, column in COLUMNS.items()},
        **{figure.id: figure.definition for report in REPORTS for figure in report.figures},
        **{f"{report.name}/{each.name}": each.help for report in REPORTS for each in report.parameters},
    }
    assert [name for name, text in said.items() if "ISO week" in text] == []


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.name)
def test_a_page_with_hours_by_week_says_that_each_is_rounded_by_itself(report):
    made = empty_document(report)
    shown = [[name for name in table.frame.columns if name not in table.hidden] for table in made.tables]
    by_week = [name for names in shown if "week" in names for name in names if _is_of_hours(name)]
    assert not by_week or "Hours shown" in made.definitions


def _is_of_hours(name):
    return name in COLUMNS and COLUMNS[name].unit == "hours"
