"""A day at the desk in a real browser: from the morning mail to the board's page, and nothing of it in a shell."""

import os
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from contextlib import closing

import pytest
from axe_playwright_python.sync_playwright import Axe

from engine.accounts.sign_in_links import MAIL_LIFE, SignInLinks
from engine.runtime.settings import Settings
from engine.web.serving.server import ConsoleServer, listen
from tests.conftest import NOW
from tests.desk.conftest import Browser
from tests.reporting.site.test_in_a_browser import GRAVE, browser  # noqa: F401 - a fixture

pytestmark = pytest.mark.real
WORKBOOK = [["id", "name", "category", "tier", "onboarded on"], ["v7", "Seven", "saas", "hihg", "2026-13-40"]]
MEMBER, ADMIN = "member@acme.example", "admin@acme.example"


@pytest.fixture
def address(desk):
    """The desk behind a real port."""
    listening = listen("127.0.0.1", 0)
    server = ConsoleServer(desk.wsgi, listening, desk.lanes(), desk.lane_of)
    over = threading.Event()
    loop = threading.Thread(target=server.serve, args=(over.is_set,))
    loop.start()
    yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    over.set()
    loop.join(timeout=15)


def workbook(path):
    import xlsxwriter

    with xlsxwriter.Workbook(path) as book:
        sheet = book.add_worksheet("vendors")
        for number, line in enumerate(WORKBOOK):
            sheet.write_row(number, 0, line)
    return path


def row(store, table, key):
    from tests.desk.test_desk import row

    return row(store, table, id=key)


def test_a_day_at_the_desk(browser, address, desk, store, tmp_path):  # noqa: F811 - the fixture
    links = SignInLinks(desk.services.settings)

    def link(email, to="/"):
        token = links.new(email, "acme", now=NOW, life=MAIL_LIFE, to=to)
        return f"{address}/sign-in?link={token}"

    with browser.new_context(viewport={"width": 1280, "height": 900}, java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(link(MEMBER, "/tables/attestations/act/attest?key.id=a1&back=%2F"))
        page.get_by_role("button", name="Sign in").click()
        (tmp_path / "minutes.txt").write_text("reviewed")
        page.get_by_label("Evidence").set_input_files(tmp_path / "minutes.txt")
        page.get_by_role("button", name="Attest").click()
        assert "Attest: written." in page.inner_text("main")
        page.get_by_role("link", name="New date Keys are shared").click()
        page.get_by_label("Due").fill("2026-12-31")
        page.get_by_label("Why").fill("the supplier is late")
        page.get_by_role("button", name="New date").click()
        assert "New date: written." in page.inner_text("main")
        page.goto(f"{address}/tables/exceptions")
        assert page.get_by_role("link", name="Accept").count() == 0
        assert page.goto(f"{address}/tables/exceptions/act/accept?key.id=x1").status == 403
    with browser.new_context(viewport={"width": 1280, "height": 900}, java_script_enabled=False) as context:
        page = context.new_page()
        page.goto(link(ADMIN))
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("link", name="Accept").click()
        page.get_by_label("Expires").fill("2027-01-31")
        page.get_by_role("button", name="Accept").click()
        page.goto(f"{address}/import")
        page.get_by_label("Files").set_input_files(workbook(tmp_path / "vendors.xlsx"))
        page.get_by_role("button", name="Show what it would do").click()
        assert "2 cells do not hold" in page.inner_text("main")
        page.get_by_label("Instead, row 2, tier").fill("high")
        page.get_by_label("Instead, row 2, onboarded_on").fill("2026-10-13")
        page.get_by_role("button", name="Look again").click()
        page.get_by_role("button", name="Apply").click()
        assert "1 new, 0 changed" in page.inner_text("main")
    assert row(store, "attestations", "a1")["outcome"] == "attested"
    assert row(store, "remediations", "g1")["due_on"].isoformat() == "2026-12-31"
    accepted = row(store, "exceptions", "x1")
    assert (accepted["status"], accepted["approver"]) == ("approved", ADMIN)
    assert (row(store, "vendors", "v7")["tier"], store.verify("acme").problem) == ("high", None)
    assert store.verify_rows("acme").problem is None


@pytest.mark.parametrize("width", [1280, 390])
def test_pages_of_the_desk_fit_and_read_well(browser, address, desk, width):  # noqa: F811 - the fixture
    session = desk.gate.sessions.issue(ADMIN, "acme", now=NOW)
    with browser.new_context(viewport={"width": width, "height": 900}) as context:
        context.add_cookies([{"name": "svc_session", "value": session, "url": address}])
        page, axe = context.new_page(), Axe()
        for path in (
            *("/", "/tables", "/tables/remediations", "/tables/vendors/row?key.id=v1", "/tables/vendors/new"),
            *("/tables/exceptions/act/accept?key.id=x1", "/import", "/sign-in"),
        ):
            page.goto(address + path)
            assert page.evaluate("document.documentElement.scrollWidth") <= width, path
            grave = [one["id"] for one in axe.run(page).response["violations"] if one["impact"] in GRAVE]
            assert (path, grave) == (path, [])


def free_port():
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def test_the_desk_serves_beside_the_interface_and_its_worker_writes(store, tmp_path):
    """`hq serve --desk` as it is started: what a form says is written by a worker, and the interface answers as ever."""
    store.close()
    port, beside = free_port(), free_port()
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
    environment |= {"SVC_DATA_DIR": str(tmp_path / "var"), "SVC_DATABASE_URL": store.url}
    command = [sys.executable, "-m", "engine.cli", "serve", "--port", str(port), "--no-scheduler"]
    server = subprocess.Popen([*command, "--desk", f"127.0.0.1:{beside}"], env=environment)
    try:
        for one in (port, beside):
            _wait(f"http://127.0.0.1:{one}/{'health' if one == beside else 'api/health'}")
        settings = Settings.of({"SVC_DATA_DIR": str(tmp_path / "var")})
        desk = _Far(f"http://127.0.0.1:{beside}", settings)
        assert desk.fill("/tables/vendors/row?key.id=v1", region="EU") == 303
    finally:
        server.terminate()
        assert server.wait(timeout=20) == 0
    assert row(store, "vendors", "v1")["region"] == "EU"
    assert store.verify_rows("acme").problem is None


class _Far(Browser):
    """The same browser over a network."""

    def __init__(self, address, settings):
        from datetime import UTC, datetime

        from engine.web.admission.sessions import Sessions

        super().__init__(None, Sessions(settings).issue(ADMIN, "acme", now=datetime.now(UTC)))
        self.address = address

    def call(self, method, url, body=b"", **headers):
        class _NoRedirect(urllib.request.HTTPRedirectHandler):
            def redirect_request(self, *arguments):
                return None

        asked = urllib.request.Request(f"{self.address}{url}", body or None, method=method)
        asked.add_header("Cookie", f"svc_session={self.cookie}")
        try:
            with urllib.request.build_opener(_NoRedirect).open(asked, timeout=60) as answer:
                return _page(answer.status, answer.read())
        except urllib.error.HTTPError as error:
            return _page(error.code, error.read())

    def fill(self, url, **cells):
        return super().fill(url, **cells).status


def _page(status, body):
    from tests.desk.conftest import Page

    return Page(status, [], body.decode())


def _wait(address):
    end = time.monotonic() + 60
    while True:
        try:
            urllib.request.urlopen(address, timeout=5).close()
            return
        except urllib.error.HTTPError:
            return
        except OSError:
            assert time.monotonic() < end, f"{address} does not answer"
            time.sleep(0.2)
