"""The site that `make docs` builds: it opens as a folder, finds by itself, and asks the network for nothing."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from playwright.sync_api import sync_playwright

from tests.laws import share_of

pytest.importorskip("mkdocs", reason="`make docs` installs what builds the site")
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
ROOT = Path(__file__).resolve().parents[1]

pytestmark = [pytest.mark.real, pytest.mark.skipif(CHROMIUM is None, reason="the site is looked at in a browser")]


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    """That of `.ci/run` where there is one."""
    if built := os.environ.get("SVC_TEST_DOCS"):
        return Path(built)
    folder = tmp_path_factory.mktemp("documentation")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    assert (done.returncode, done.stderr if done.returncode else "") == (0, "")
    return folder


def test_the_search_works_without_a_server_and_asks_nobody(site):
    asked, said = [], []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.on("request", lambda request: asked.append(request.url))
        page.on("console", lambda message: said.append(message.text) if message.type == "error" else None)
        page.on("pageerror", lambda error: said.append(str(error)))
        page.goto((site / "how-to" / "assessor.html").as_uri())
        page.locator("input.md-search__input").click()
        page.keyboard.type("witness")
        page.locator("a.md-search-result__link").first.wait_for()
        found = page.locator("a.md-search-result__link").evaluate_all("all => all.map(each => each.href)")
        browser.close()
    assert any("explanation/history.html" in address for address in found)
    assert [address for address in asked if not address.startswith(("file:", "data:", "blob:"))] == []
    assert said == []


def test_no_page_is_wider_than_the_window(site):
    """Wide tables scroll in a box of their own, on a broad window and on a narrow one."""
    wide = []
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page()
        for width in (1280, 390):  # each page is opened at its width: one that was narrow settles only later
            page.set_viewport_size({"width": width, "height": 900})
            for path in share_of(sorted(site.rglob("*.html"))):
                page.goto(path.as_uri())
                if page.evaluate("document.documentElement.scrollWidth") > width:
                    wide.append((path.relative_to(site).as_posix(), width))
        browser.close()
    assert wide == []
