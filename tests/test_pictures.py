"""Pictures of the documentation: the drawn ones are up to date, those of pages are such as a page bears."""

import struct
import subprocess
import sys
from pathlib import Path

import pytest

from docs.pictures import architecture, make, terminal

pytestmark = pytest.mark.real

ROOT = Path(__file__).resolve().parents[1]
FOLDER = ROOT / "docs" / "pictures"
TAKEN = sorted([make.FRONT, *make.QUESTIONS])


def test_the_picture_of_the_architecture_is_up_to_date():
    """`make pictures` writes it."""
    assert architecture.PICTURE.read_text() == architecture.picture()


def test_the_architecture_names_no_outside_address():
    text = architecture.picture() + terminal.PICTURE.read_text()
    assert text.replace("http://www.w3.org/2000/svg", "").count("http") == 0


def test_the_recording_is_what_the_commands_print(tmp_path):
    """`python -m docs.pictures.terminal` writes it; the same code gives the same bytes."""
    written = tmp_path / "terminal.svg"
    subprocess.run([sys.executable, "-m", "docs.pictures.terminal", written], cwd=ROOT, check=True, capture_output=True)
    assert written.read_text() == terminal.PICTURE.read_text()


def test_ten_pages_are_taken():
    assert sorted(path.stem for path in FOLDER.glob("*.png")) == TAKEN
    assert len(TAKEN) == 10


@pytest.mark.parametrize("name", TAKEN)
def test_a_picture_of_a_page_is_of_its_width_and_not_too_large(name):
    data = (FOLDER / f"{name}.png").read_bytes()
    width, height = struct.unpack(">II", data[16:24])
    assert (width, len(data) <= make.BYTES) == (make.WIDTH, True)
    assert make.LEAST - 100 < height <= make.HEIGHT


@pytest.mark.parametrize("name", [*(f"{name}.png" for name in TAKEN), "terminal.svg", "architecture.svg"])
def test_every_picture_is_shown_somewhere(name):
    pages = [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
    assert any(f"pictures/{name}" in page.read_text() for page in pages)
