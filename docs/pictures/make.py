"""``make pictures``: ten pages of the demo as Chromium shows them, and the drawn pictures.

Those of a folder that ``hq export`` or ``hq demo`` wrote: ``python -m docs.pictures.make var/site/aurora``.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, sync_playwright

from docs.pictures import architecture, terminal

FOLDER = Path(__file__).parent
# the name of a picture, and the question of the front page whose answer it shows
QUESTIONS = {
    "board": "What do I tell the board?",
    "gaps": "Which gaps first, and who?",
    "freshness": "What goes stale in 30 days?",
    "load": "Who is overloaded, when?",
    "vendors": "Which vendors block us?",
    "auditors": "What did auditors ask that is late?",
    "whatif": "What if we drop PCI?",
    "changes": "What changed since last month?",
    "control": "What proves CC6.1?",
}
FRONT = "index"
WIDTH, HEIGHT, LEAST = 1280, 1400, 480  # pixels; a picture is as high as it may be
BYTES = 200_000
# what is to be seen whole or not at all
WHOLE = "tr, p, li, dl > div, h1, h2, h3, h4, figure, summary"
# the lowest place above the limit that goes through none of them and follows no heading, with a little air
CUT = """([whole, limit]) => {
    const seen = [...document.querySelectorAll(whole)]
        .map(element => [element.tagName, element.getBoundingClientRect()]).filter(([, box]) => box.height > 0);
    const good = ([tag, box]) => !/^(H[1-4]|SUMMARY)$/.test(tag) && box.bottom <= limit
        && seen.every(([, other]) => other.bottom <= box.bottom + 1 || other.top >= box.bottom - 1);
    const end = Math.max(...seen.filter(good).map(([, box]) => box.bottom));
    const next = Math.min(limit, ...seen.map(([, box]) => box.top).filter(top => top > end));
    return Math.floor(end + Math.min(16, (next - end) / 2));
}"""


def take(site: Path) -> None:
    """The ten pictures of an exported site."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        page = browser.new_page(
            viewport={"width": WIDTH, "height": HEIGHT}, color_scheme="light", reduced_motion="reduce"
        )
        front = (site / "index.html").resolve().as_uri()
        page.goto(front)
        keep(page, FRONT)
        for name, question in QUESTIONS.items():
            page.goto(front)
            page.get_by_role("link", name=question, exact=True).click()
            keep(page, name)
        browser.close()


def keep(page: Page, name: str) -> None:
    """The head of the page: as much as there is room for."""
    for limit in range(HEIGHT, LEAST, -40):
        cut = page.evaluate(CUT, [WHOLE, limit])
        height = cut if cut >= LEAST else limit  # columns end at different places: no line goes through none of them
        data = page.screenshot(clip={"x": 0, "y": 0, "width": WIDTH, "height": height})
        if len(data) <= BYTES:
            (FOLDER / f"{name}.png").write_bytes(data)
            print(f"{name}.png: {height} pixels high, {len(data):,} bytes")
            return
    raise SystemExit(f"{name}: even {LEAST} pixels of it take more than {BYTES:,} bytes")


def chromium() -> str:
    """The browser of the system."""
    found = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
    return found or sys.exit("Chromium is needed for the pictures, and is not here.")


def demo(folder: str) -> Path:
    """The pages of aurora, as the demo writes them into an empty folder."""
    hq = Path(sys.executable).parent / "hq"
    environment = os.environ | {"SVC_DATA_DIR": folder}
    subprocess.run([hq, "demo", "--no-serve"], env=environment, check=True)  # noqa: S603 - our own command
    return Path(folder) / "site" / "aurora"


def main() -> None:
    """Write all of them."""
    architecture.PICTURE.write_text(architecture.picture())
    subprocess.run([sys.executable, "-m", terminal.__name__], check=True)  # noqa: S603 - for its frozen clock alone
    if sys.argv[1:]:
        take(Path(sys.argv[1]))
    else:
        with tempfile.TemporaryDirectory() as folder:
            take(demo(folder))


if __name__ == "__main__":
    main()
