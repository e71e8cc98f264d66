"""PDF: the printed page, the same bytes each time, nothing fetched; honest where the extra is not installed."""

import subprocess
import sys

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
