"""Which reports there are, and their pages in a browser."""

import json
import webbrowser

import pytest

from reports import SECTIONS

pytestmark = [pytest.mark.real, pytest.mark.usefixtures("no_display")]  # whole sites


@pytest.fixture
def no_display(monkeypatch):
    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)


@pytest.fixture
def browser_addresses(monkeypatch):
    """The addresses that a browser was given."""
    given = []
    monkeypatch.setattr(webbrowser, "open", given.append)
    return given


def test_reports_are_listed_by_chapter_without_loading_them(start):
    printed, heavy = start("reports")
    assert heavy == set()
    assert [line for line in printed if line and not line.startswith(" ")] == list(SECTIONS)
    (line,) = [line for line in printed if line.strip().startswith("posture-score ")]
    assert "A blended score with its components" in line


def test_the_list_as_json_has_every_report_with_its_chapter(cli):
    code, out, _ = cli("reports", "--format", "json")
    listed = [(row["section"], row["name"]) for row in json.loads(out)]
    assert (code, listed) == (0, [(title, one.name) for title, section in SECTIONS.items() for one in section])


def test_pages_open_and_are_written_anew_only_once_the_records_moved(acme, cli, browser_addresses, monkeypatch):
    """Without a display it is printed where the page is, with one a browser is given it."""
    code, out, _ = cli("open", "posture-score")
    (page,) = (acme / "var" / "site" / "acme").glob("acme-posture-score-*.html")
    assert (code, out, browser_addresses) == (0, f"{page}\n", [])
    assert 'href="index.html"' in page.read_text()
    index = acme / "var" / "site" / "acme" / "index.html"
    index.write_text("as it was")
    monkeypatch.setenv("DISPLAY", ":0")
    code, out, _ = cli("open", "--org", "acme")
    assert (code, browser_addresses) == (0, [f"file://{out.strip()}"])
    assert out.strip().endswith("/site/acme/index.html")
    assert index.read_text() == "as it was"
    (acme / "sheets" / "attestations.csv").write_text(
        "framework,control_id,owner,due_on\nsoc2,CC6.2,bob@acme.example,2026-12-01\n"
    )
    assert cli("import", acme / "sheets", "--org", "acme")[0] == 0
    cli("open", "summary")
    assert index.read_text() != "as it was"


def test_a_report_that_does_not_exist_opens_nothing(acme, cli, browser_addresses):
    code, out, err = cli("open", "nonsense")
    assert (code, out, browser_addresses) == (2, "", [])
    assert "There is no report 'nonsense'" in err
    assert not (acme / "var" / "site").exists()
