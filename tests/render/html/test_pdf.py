"""PDF: the printed page, the same bytes each time, nothing fetched; honest where the extra is not installed."""

import re
import subprocess
import sys
import zlib

import pytest

from engine.model.errors import Unavailable
from engine.render.html import html, pdf
from tests.render.editions import posture

pytestmark = pytest.mark.real

SCRIPT = (
    "import hashlib\nfrom engine.render.html import pdf\nfrom tests.render.editions import posture\n"
    "print(hashlib.sha256(pdf.render(posture())).hexdigest())"
)


@pytest.mark.usefixtures("paper")
def test_the_same_page_is_the_same_file_in_any_process():
    outputs = {
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            env={"PYTHONHASHSEED": seed, "TZ": zone, "PYTHONPATH": ":".join(sys.path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed, zone in (("1", "UTC"), ("2", "Pacific/Auckland"))
    }
    assert len(outputs) == 1


@pytest.mark.usefixtures("paper")
def test_pages_follow_one_another_in_one_file():
    one, two = (pdf.of_pages([html.render(posture())] * times) for times in (1, 2))
    assert one.startswith(b"%PDF-")
    assert two.startswith(b"%PDF-")
    assert len(two) > len(one)
    assert b"/CreationDate" not in one


def _objects(file):
    """All objects of a file, those in compressed streams, too; the last byte of one may look like the end of a line."""
    streams = re.findall(rb"stream\r?\n(.*?)\r?\nendstream", file, re.DOTALL)
    return file + b"".join(zlib.decompressobj().decompress(stream) for stream in streams if stream[:1] == b"\x78")


@pytest.mark.usefixtures("paper")
def test_a_file_is_tagged_with_bookmarks_and_a_text_for_each_picture():
    objects = _objects(pdf.render(posture()))
    figures = objects.count(b"/S /Figure")
    assert figures == 3
    assert objects.count(b"/Alt") == figures
    assert all(word in objects for word in (b"/StructTreeRoot", b"/Marked true", b"/Lang (en)", b"/Outlines"))
    assert b"(Key figures)" in objects


@pytest.mark.usefixtures("paper")
def test_a_pack_is_one_document_whose_cover_says_where_each_part_begins(monkeypatch):
    covers = []
    parse = pdf._parse_page
    monkeypatch.setattr(pdf, "_parse_page", lambda page: covers.append(page.decode()) or parse(page))
    file = pdf.pack("Meeting pack", "Two parts.", [posture(), posture()])
    first, second, cover = covers
    assert re.findall(r'<a href="#(.*?)" data-page="(\d+)">(.*?)</a>', cover) == [
        ("part-1", "2", "Posture score"),
        ("part-2", "5", "Posture score"),
    ]
    assert [page.count(f'<header id="{part}">') for page, part in ((first, "part-1"), (second, "part-2"))] == [1, 1]
    assert set(re.findall(r' id="(.*?table-\d)"', first)).isdisjoint(re.findall(r' id="(.*?table-\d)"', second))
    assert "revision 81234" in cover
    assert "; 7 pages" in cover
    assert re.findall(rb"/Count (\d+)\b", _objects(file)).count(b"7") >= 1


@pytest.mark.usefixtures("paper")
def test_nothing_is_fetched(monkeypatch):
    asked = []
    monkeypatch.setattr("socket.socket.connect", lambda *given: asked.append(given))
    page = b'<p>Shown<img src="http://127.0.0.1:9/x.png"><link rel="stylesheet" href="file:///etc/hostname"></p>'
    assert pdf.of_pages([page]).startswith(b"%PDF-")
    assert asked == []


def test_without_the_extra_it_is_said_how_to_get_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "weasyprint", None)
    with pytest.raises(Unavailable, match=r"pip install 'hq-console\[pdf\]'") as raised:
        pdf.render(posture())
    assert (raised.value.status, raised.value.word) == (503, "format_unavailable")
