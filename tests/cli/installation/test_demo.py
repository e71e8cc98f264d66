"""How the demo ends: what to do next; and its one bar."""

import http.cookiejar
import os
import stat
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from data.demo.operations import senders
from engine.accounts.tokens import INGEST, list_credentials
from engine.cli.installation.demo import _issue_tokens, _write_cookie
from engine.cli.one_bar import OneBar
from engine.runtime.settings import Settings
from engine.web.admission.sessions import Sessions
from tests.conftest import NOW


def test_the_cookie_file_signs_in_and_is_for_its_owner_alone(tmp_path):
    settings = Settings.of({"SVC_DATA_DIR": str(tmp_path)})
    file = tmp_path / "demo-owner.cookies"
    _write_cookie(settings, file, "owner@aurora.example", "aurora", "127.0.0.1")
    jar = http.cookiejar.MozillaCookieJar(file)
    jar.load()
    (cookie,) = jar
    session = Sessions(settings).read(cookie.value, now=datetime.now(UTC))
    assert (cookie.name, cookie.domain, cookie.path) == ("svc_session", "127.0.0.1", "/")
    assert (session.email, session.org_id, session.expires) == ("owner@aurora.example", "aurora", cookie.expires)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_one_bar_says_how_much_of_all_is_done():
    bar = OneBar({"fill": 30.0, "build": 10.0})
    bar.move("fill", 1, 2)
    assert bar.share == 0.375
    bar.move("fill", 2, 2)
    bar.move("build", 1, 1)
    assert bar.share == 1.0


def test_a_part_with_nothing_to_do_is_done():
    bar = OneBar({"fill": 30.0, "build": 10.0})
    bar.move("fill", 0, 0)
    assert bar.share == 0.75


def run_demo(folder):
    """What the demo printed, run in ``folder``: that of `.ci/run` where there is one."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
    return subprocess.run(
        [sys.executable, "-m", "engine.cli", "demo", "--no-serve"],
        env={**environment, "SVC_DATA_DIR": "var"},
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=True,
    ).stdout


def test_the_senders_of_the_demo_have_tokens_to_revoke(store):
    with store.revision(senders.ORG, "demo", now=NOW, create={"name": "Aurora"}) as revision:
        revision.record("import.completed")
    _issue_tokens(store)
    labels = [one["label"] for one in list_credentials(store, senders.ORG, INGEST)]
    assert sorted(labels) == sorted(token for token, _ in (senders.PROMETHEUS, senders.PROBES))


@pytest.mark.real
def test_the_demo_ends_with_what_to_open_how_to_sign_in_and_how_to_stop(tmp_path):
    folder = Path(os.environ.get("SVC_TEST_DEMO", tmp_path))
    printed = (folder / "printed").read_text() if folder != tmp_path else run_demo(folder)
    first, second, third = printed.splitlines()[-3:]
    assert Path(first.partition("file://")[2]).is_file()
    assert second.startswith("sign in  curl -b var/demo-owner.cookies 'http://127.0.0.1:8080/api/")
    assert third.startswith("stop     ")
    assert "eyJ" not in printed, "no token is on the screen"
    assert {file.name for file in (folder / "var").glob("*.cookies")} == {"demo-owner.cookies", "demo-admin.cookies"}
