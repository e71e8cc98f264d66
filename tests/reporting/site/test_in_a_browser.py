"""Pages in a browser: nothing is cut off on a broad screen or a narrow one, nothing fails, and screen readers get along."""

import os
import re
import shutil

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import sync_playwright

from engine.reporting.site.things import LISTS
from tests.laws import share_of
from tests.reporting.site.test_site import pages

pytestmark = pytest.mark.real

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
QUIET = ("--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update")
BROAD = 1280  # what tables are laid out for
GRAVE = {"critical", "serious", "moderate"}
CUT = """() => {
    document.querySelectorAll("details").forEach(one => one.open = true);
    const room = document.documentElement.clientWidth, cut = [];
    if (document.documentElement.scrollWidth > room) cut.push("the page is " + document.documentElement.scrollWidth);
    for (const one of document.querySelectorAll("table, th, td, svg, dl, figure")) {
        if (!one.getClientRects().length) continue;
        const name = one.tagName + " " + one.className + ": " + one.textContent.trim().slice(0, 40);
        if (one.getBoundingClientRect().right > room + 0.5) cut.push(name);
        else if (one.scrollWidth > one.clientWidth + 1 && one.clientWidth && getComputedStyle(one).display !== "inline"
            && one.tagName !== "svg") cut.push("inside " + name);
    }
    return cut.slice(0, 5);
}"""

BROKEN = """() => {
    const broken = new Set();
    for (const head of document.querySelectorAll("thead th")) {
        const texts = document.createTreeWalker(head, NodeFilter.SHOW_TEXT);
        while (texts.nextNode()) for (const word of texts.currentNode.data.matchAll(/[\\p{L}\\d]+/gu)) {
            const range = document.createRange();
            range.setStart(texts.currentNode, word.index);
            range.setEnd(texts.currentNode, word.index + word[0].length);
            if (new Set([...range.getClientRects()].map(one => Math.round(one.top))).size > 1) broken.add(word[0]);
        }
    }
    return [...broken];
}"""


@pytest.fixture(scope="module")
def browser():
    """A browser of this machine; where services are required it is required, too."""
    if CHROMIUM is None:
        if os.environ.get("SVC_TEST_REQUIRE_SERVICES"):
            pytest.fail("there is no Chromium on this machine")
        pytest.skip("there is no Chromium on this machine")
    with sync_playwright() as driver:
        opened = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", *QUIET])
        yield opened
        opened.close()


def sample_pages(folder):
    """All reports and lists, and of each kind of thing the longest page and the two shortest."""
    found = pages(folder)
    kinds = {
        kind: sorted((len(text), name) for name, text in found.items() if name.startswith(f"{kind}-")) for kind in LISTS
    }
    things = {name for pages_of_kind in kinds.values() for _, name in pages_of_kind}
    chosen = {name for every in kinds.values() for _, name in [*every[:2], *every[-1:]]}
    return sorted(chosen | (found.keys() - things))


def open_pages(browser, folder, names):
    """Each page, opened; what went wrong with it is in the list beside it."""
    with browser.new_context() as context:
        page, wrong = context.new_page(), []
        page.on("console", lambda said: wrong.append(said.text) if said.type in ("error", "warning") else None)
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.on(
            "request", lambda asked: wrong.append(asked.url) if not asked.url.startswith(("file:", "data:")) else None
        )
        for name in names:
            wrong.clear()
            widen(page, BROAD)
            page.goto((folder / name).as_uri())
            yield name, page, wrong


def widen(page, width):
    page.set_viewport_size({"width": width, "height": 900})


def barriers(page):
    """What axe finds that keeps people out."""
    violations = Axe().run(page).response["violations"]
    return [f"{one['id']}: {one['nodes'][0]['html'][:120]}" for one in violations if one["impact"] in GRAVE]


def broken_words(page):
    """Words of column headings that are broken, on a screen that tables are laid out for and on one a seventh narrower."""
    for width in (BROAD, 1100):
        widen(page, width)
        yield from (f"broken at {width}: {word}" for word in page.evaluate(BROKEN))


def cut_off(page):
    """What is broader than its page; it opens what is folded."""
    for width in (BROAD, 390):
        widen(page, width)
        yield from (f"cut off at {width}: {part}" for part in page.evaluate(CUT))


def too_many_sheets(page, most=10):
    """On how many sheets of A4 a page prints, where these are too many."""
    number = len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4", prefer_css_page_size=True)))
    return [f"{number} sheets"] if number > most else []


def test_reports_lists_and_things_are_whole_on_every_screen_and_on_paper_and_bar_nobody(sites, browser):
    """Each page in one visit. A plan takes two sheets more: it has every step of the work, and who has which."""
    folder, problems = sites["brightline"][0], {}
    names = sample_pages(folder)
    reports = [name for name in names if name.startswith("brightline-")]
    heard = share_of(names)
    printed = {*share_of(reports), *(name for name in reports if "-plan-" in name)}
    for name, page, wrong in open_pages(browser, folder, names):
        sheets = too_many_sheets(page, 12 if "-plan-" in name else 10) if name in printed else []
        barred = barriers(page) if name in heard else []
        broken = broken_words(page) if name in reports else []
        if found := [*sheets, *barred, *broken, *cut_off(page), *wrong]:
            problems[name] = found
    assert problems == {}


def test_every_other_page_fits_bars_nobody_and_prints_on_at_most_ten_sheets(sites, browser):
    folder, problems = sites["brightline"][0], {}
    others = share_of(sorted(pages(folder).keys() - set(sample_pages(folder))), 12)
    for name, page, wrong in open_pages(browser, folder, others):
        sheets = [] if name.startswith(("control-", "incident-")) else too_many_sheets(page)
        if found := [*sheets, *barriers(page), *cut_off(page), *wrong]:
            problems[name] = found
    assert problems == {}


def test_a_table_is_filtered_and_sorted(sites, browser):
    folder, _ = sites["brightline"]
    with browser.new_context() as context:
        page = context.new_page()
        page.goto((folder / "brightline-gap-remediations-2026-11-20.html").as_uri())
        gaps = page.locator(".sheet", has=page.get_by_role("heading", name="Open gaps, most worthwhile first"))
        rows = gaps.locator("tbody tr:not(.more):visible")
        every = rows.count()
        gaps.locator("input[type=search]").fill("critical")
        assert 0 < rows.count() < every
        assert all("critical" in text for text in rows.all_inner_texts())
        gaps.locator("input[type=search]").fill("")
        gaps.locator("th button").first.click()
        names = [text.split("\t")[0] for text in rows.all_inner_texts()]
        assert len(names) == every
        assert names == page.evaluate(
            "names => names.toSorted((a, b) => a.localeCompare(b, 'en', {numeric: true}))", names
        )


def test_the_search_finds_a_control(sites, browser):
    folder, _ = sites["brightline"]
    with browser.new_context() as context:
        page = context.new_page()
        page.goto((folder / "search.html").as_uri())
        page.fill("#asked", "soc 2 cc6.1")
        assert page.locator("#found a").first.get_attribute("href") == "control-soc2-CC6.1.html"
        page.locator("#found a").first.click()
        assert page.url.endswith("control-soc2-CC6.1.html")


@pytest.mark.parametrize("paper", ["A4", "Letter"])
@pytest.mark.parametrize("org", ["brightline", "empty"])
def test_the_board_gets_two_sheets(browser, sites, org, paper):
    folder, snapshot = sites[org]
    file = folder / f"{org}-executive-summary-{snapshot.as_of.isoformat()}.html"
    page = browser.new_page()
    page.goto(file.as_uri())
    printed = page.pdf(format=paper)
    page.close()
    assert 1 <= len(re.findall(rb"/Type /Page\b(?!s)", printed)) <= 2
