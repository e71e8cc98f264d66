"""Files for the tools that people have, over HTTP: spreadsheets, paper, and their names."""

import sys
from io import BytesIO

import openpyxl
import pytest

from tests.web.handlers.test_report_routes import BASE, TYPES

XLSX, PDF = TYPES["xlsx"], "application/pdf"


@pytest.mark.parametrize("wanted", [{"query": "?format=xlsx"}, {"query": "", "accept": XLSX}])
def test_a_report_comes_as_a_spreadsheet(with_people, sign_in, wanted):
    client = sign_in()
    query = wanted.pop("query")
    answer = client.get(f"{BASE}summary{query}", **wanted)
    assert (answer.status, answer.headers["content-type"]) == (200, XLSX)
    assert answer.headers["content-disposition"] == 'attachment; filename="acme-summary-2026-11-20.xlsx"'
    assert openpyxl.load_workbook(BytesIO(answer.body)).sheetnames[0] == "Summary"
    assert client.get(f"{BASE}summary?format=xlsx", if_none_match=answer.headers["etag"]).status == 304


def test_a_spreadsheet_of_one_table_has_that_sheet(with_people, sign_in):
    book = openpyxl.load_workbook(BytesIO(sign_in().get(f"{BASE}summary?format=xlsx&table=frameworks").body))
    assert len(book.sheetnames) == 3


@pytest.mark.real
def test_the_workbook_comes_as_one_spreadsheet(with_people, sign_in):
    client = sign_in()
    answer = client.get(f"{BASE}workbook?format=xlsx")
    assert (answer.status, answer.headers["content-type"]) == (200, XLSX)
    assert answer.headers["content-disposition"] == 'attachment; filename="acme-workbook-2026-11-20.xlsx"'
    book = openpyxl.load_workbook(BytesIO(answer.body))
    assert {"SOC 2 Every criterion", "FedRAMP POA&M Open items"} & set(book.sheetnames)
    assert max(map(len, book.sheetnames)) <= 31
    assert len({name.lower() for name in book.sheetnames}) == len(book.sheetnames) > 30
    assert client.get(f"{BASE}workbook?format=xlsx", if_none_match=answer.headers["etag"]).status == 304
    assert client.get(f"{BASE}workbook").headers["content-type"] == "application/zip"


@pytest.mark.usefixtures("paper")
@pytest.mark.parametrize("name", ["executive-summary", pytest.param("committee-meeting-pack", marks=pytest.mark.real)])
def test_what_a_board_holds_in_its_hands_comes_as_pdf(with_people, sign_in, name):
    answer = sign_in().get(f"{BASE}{name}?format=pdf")
    assert (answer.status, answer.headers["content-type"]) == (200, PDF)
    assert answer.headers["content-disposition"] == f'attachment; filename="acme-{name}-2026-11-20.pdf"'
    assert answer.body.startswith(b"%PDF-")


@pytest.mark.real
def test_without_the_extra_a_pdf_is_refused_in_a_sentence(with_people, sign_in, monkeypatch):
    monkeypatch.setitem(sys.modules, "weasyprint", None)
    for name in ("executive-summary", "committee-meeting-pack"):
        answer = sign_in().get(f"{BASE}{name}?format=pdf")
        assert (answer.status, answer.json["error"]) == (503, "format_unavailable")
        assert "pip install 'hq-console[pdf]'" in answer.json["message"]


def test_other_formats_are_refused_with_those_that_there_are(with_people, sign_in):
    for path, expected in (("program?format=pdf", "json, csv, html, md, xlsx"), ("workbook?format=pdf", "zip, xlsx")):
        answer = sign_in().get(f"{BASE}{path}")
        assert (answer.status, expected in answer.json["message"]) == (400, True)
