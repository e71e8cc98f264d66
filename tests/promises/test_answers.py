"""Whatever the records say: no answer is broken, none holds what is another's, none is more than text."""

import csv
import io
import re
import zipfile
from html.parser import HTMLParser

import msgspec
import pytest

from engine.render import RENDERERS
from tests.promises.conftest import COMPLIANCE, THEIRS
from tests.web.answers import check

pytestmark = pytest.mark.real

SPREADSHEET = RENDERERS["xlsx"].content_type
NUMBER = re.compile(r"-?[0-9][0-9,.]*( ?%)?")
STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(/[A-Za-z0-9][A-Za-z0-9._-]*)*")
WINDOWS = re.compile(r"(?i)(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?")
DISPOSITION = re.compile(r'(inline|attachment); filename="[A-Za-z0-9][A-Za-z0-9._-]*"')
CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]")


def of_type(world, kind):
    """What was answered as this type, the files of archives included."""
    for path, answer in world.answers.items():
        if answer.status == 200 and answer.headers["content-type"].startswith(kind):
            yield path, answer.body.decode()
    endings = {"text/csv": ".csv", "text/html": ".html", "text/markdown": ".md", "application/json": ".json"}
    for path, file in archives(world):
        for name in file.namelist():
            if name.endswith(endings.get(kind, ".none")):
                yield f"{path}: {name}", file.read(name).decode()


def archives(world, content_type="application/zip"):
    for path, answer in world.answers.items():
        if answer.status == 200 and answer.headers["content-type"] == content_type:
            yield path, zipfile.ZipFile(io.BytesIO(answer.body))


class Page(HTMLParser):
    """The tags of a page, and the names of their attributes; what an attribute leads to."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.tags, self.links, self.comments = set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.tags |= {(tag, name) for name, _ in attributes} | {(tag, "")}
        self.links += [value for name, value in attributes if name in ("href", "src", "action")]

    def handle_comment(self, data):
        self.comments.append(data)


def test_every_route_answers_and_none_breaks(world):
    broken = {path: answer.status for path, answer in world.answers.items() if answer.status not in (200, 404, 503)}
    expected = {"/api/billing/checkout": 400, "/api/reasoning/models": 502}
    assert broken == expected, "one needs a tier, behind the other nobody answers"
    missing = {path: answer.json["error"] for path, answer in world.answers.items() if answer.status == 503}
    assert set(missing.values()) == {"archive_missing"}, missing
    assert len(world.answers) > 350
    for path, answer in world.answers.items():
        check("GET", path.partition("?")[0], answer.status, answer.headers.get("content-type", ""), answer.body)


def test_no_answer_holds_what_another_organization_has(world):
    paths = [
        path for path, answer in world.answers.items() if THEIRS.encode() in answer.body or b"other-" in answer.body
    ]
    packed = [*archives(world), *archives(world, SPREADSHEET)]
    paths += [path for path, file in packed for name in file.namelist() if THEIRS.encode() in file.read(name)]
    assert paths == []


def test_its_owner_does_find_it(world):
    """Else the test before would show nothing."""
    client = world.client("owner@other.example", "other")
    for path in ("/api/governance/legal-holds", f"{COMPLIANCE}/evidence-requests", "/api/integrations/connections"):
        assert THEIRS.encode() in client.get(path).body, path


def test_no_cell_of_a_spreadsheet_is_a_formula(world):
    found = [(path, file.read(name)) for path, file in archives(world, SPREADSHEET) for name in file.namelist()]
    assert len(found) > 60
    assert [path for path, part in found if b"<f>" in part or b"<f " in part] == []


def test_no_cell_is_a_formula(world):
    seen, formulas = 0, []
    for path, text in of_type(world, "text/csv"):
        for row in csv.reader(io.StringIO(text.removeprefix("\ufeff"), newline="")):
            for cell in row:
                seen += "evil" in cell
                if cell.startswith(STARTS) and not NUMBER.fullmatch(cell):
                    formulas.append((path, cell))
    assert formulas == []
    assert seen > 1000


def test_no_text_becomes_a_part_of_a_page(world):
    """Tags and attributes are those of our templates; nothing leads anywhere but to what is there."""
    seen, wrong = 0, []
    for path, text in of_type(world, "text/html"):
        page = Page(text)
        seen += "evil" in text
        bad = {(tag, name) for tag, name in page.tags if name.startswith("on") or tag in ("img", "iframe", "object")}
        links = [
            link
            for link in page.links
            if not re.match(r"(#|/|data:,$|\./|https?://|mailto:|[A-Za-z0-9._-]+\.html)", link)
        ]
        scripts = re.findall(r"<script[^>]*>(.*?)</script>", text, re.S)
        if bad or links or page.comments or any("evil()" in script for script in scripts):
            wrong.append((path, bad, links, page.comments, [script[:80] for script in scripts]))
    assert wrong == []
    assert seen > 30


def test_no_text_becomes_markup(world):
    """Neither a tag nor a link nor a heading nor a row of a table of its own."""
    seen, wrong = 0, []
    for path, text in of_type(world, "text/markdown"):
        plain = re.sub(r"\\[!-/:-@\[-`{-~]", "", text)
        seen += "evil" in text
        found = re.findall(r"<script|<img|<!--|\]\(javascript:|^# evil|^X-Evil|forged line \||`evil`", plain, re.M)
        if found:
            wrong.append((path, found))
    assert wrong == []
    assert seen > 40


def test_no_text_becomes_a_line_of_a_calendar(world):
    seen = 0
    for path, text in of_type(world, "text/calendar"):
        lines = text.split("\r\n")
        assert [line for line in lines if CONTROL.search(line) or "\n" in line or "\r" in line] == [], path
        unfolded = text.replace("\r\n ", "").split("\r\n")
        assert [line for line in unfolded if line and not re.match(r"[A-Z][A-Z0-9-]*[;:]", line)] == [], path
        assert not [line for line in unfolded if line.startswith("X-Evil")]
        seen += text.count("evil")
    assert seen > 10


def test_json_stays_what_was_said(world):
    seen = 0
    for path, text in of_type(world, "application/json"):
        msgspec.json.decode(text)
        assert not CONTROL.search(text), path
        seen += "evil" in text
    assert seen > 60


def test_no_text_becomes_a_header(world):
    for path, answer in world.answers.items():
        for name, value in answer.headers.items():
            assert value.isprintable(), (path, name)
            assert "evil" not in name
        name = answer.headers.get("content-disposition")
        assert name is None or DISPOSITION.fullmatch(name), (path, name)


def test_no_text_becomes_a_path(world):
    found = list(archives(world))
    assert len(found) >= 4
    for path, file in found:
        names = file.namelist()
        assert len(names) == len({name.lower() for name in names}), path
        assert [name for name in names if not NAME.fullmatch(name) or ".." in name] == [], path
        assert [name for name in names if any(WINDOWS.fullmatch(part) for part in name.split("/"))] == [], path
    kept = [path.relative_to(world.folder).as_posix() for path in world.folder.rglob("*")]
    assert [name for name in kept if "evil" in name] == []


@pytest.mark.parametrize("odd", ["=1+1", "..", "CON", "a\r\nX-Evil: 1"])
def test_no_identifier_becomes_a_header(world, odd):
    from urllib.parse import quote

    answer = world.client().get(f"/api/incidents/{quote(odd, safe='')}/export")
    assert answer.status in (400, 404)
    assert all(value.isprintable() for value in answer.headers.values())
