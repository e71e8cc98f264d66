"""Links that sign in: their GET does nothing, their POST works once, and they are no sessions."""

from datetime import timedelta
from urllib.parse import quote

import pytest

from engine.accounts.sign_in_links import MAIL_LIFE, SignInLinks
from engine.model.errors import Unauthorized
from tests.conftest import NOW
from tests.desk.conftest import Browser

MEMBER = "member@acme.example"


@pytest.fixture
def links(desk):
    return SignInLinks(desk.services.settings)


def test_a_link_shows_a_button_and_the_button_works_once(desk, links, store):
    token = links.new(MEMBER, "acme", now=NOW, to="/tables/attestations/act/attest?key.id=a1")
    visitor, head = Browser(desk), store.head("acme")
    for _ in range(3):  # scanners of mail follow links
        page = visitor.get(f"/sign-in?link={quote(token)}")
        assert (page.status, f"Sign in as {MEMBER}" in page.words, store.head("acme")) == (200, True, head)
    answer = visitor.post("/sign-in", page.fields)
    assert (answer.status, answer.header("Location")) == (303, "/tables/attestations/act/attest?key.id=a1")
    cookie = answer.header("Set-Cookie")
    assert ("HttpOnly" in cookie, "SameSite=Lax" in cookie) == (True, True)
    signed = Browser(desk, cookie.partition("=")[2].partition(";")[0])
    assert signed.get(answer.header("Location")).status == 200
    again = visitor.post("/sign-in", page.fields)
    assert (again.status, "was used already" in again.words) == (409, True)
    head = store.head("acme")
    page = visitor.get(f"/sign-in?link={quote(token)}")
    assert (page.status, "This link was used already; ask for a new one." in page.words) == (409, True)
    assert ("<button" in page.text, store.head("acme")) == (False, head)
    assert store.verify("acme").problem is None


def test_a_link_lasts_ten_minutes_or_a_day(links):
    for life in (timedelta(minutes=10), MAIL_LIFE):
        token = links.new(MEMBER, "acme", now=NOW, life=life)
        assert links.read(token, now=NOW + life - timedelta(seconds=1)).email == MEMBER
        with pytest.raises(Unauthorized, match="expired"):
            links.read(token, now=NOW + life)


def test_a_link_is_no_session_and_a_session_is_no_link(desk, links):
    with pytest.raises(Unauthorized):
        desk.gate.sessions.read(links.new(MEMBER, "acme", now=NOW), now=NOW)
    with pytest.raises(Unauthorized):
        links.read(desk.gate.sessions.issue(MEMBER, "acme", now=NOW), now=NOW)


@pytest.mark.parametrize("email", ["stranger@acme.example", "owner@other.example"])
def test_a_link_for_nobody_who_is_a_member_signs_nobody_in(desk, links, email):
    token = links.new(email, "acme", now=NOW)
    page = Browser(desk).get(f"/sign-in?link={quote(token)}")
    assert (page.status, "is not a member now" in page.words, "<button" in page.text) == (401, True, False)
    answer = Browser(desk).post("/sign-in", {"link": token})
    assert (answer.status, answer.header("Set-Cookie")) == (401, None)


def test_a_link_that_is_over_has_no_button(desk, links):
    token = links.new(MEMBER, "acme", now=NOW - timedelta(minutes=11))
    page = Browser(desk).get(f"/sign-in?link={quote(token)}")
    assert (page.status, "has expired" in page.words, "<button" in page.text) == (401, True, False)


def test_another_site_signs_nobody_in(desk, links):
    fields = {"link": links.new(MEMBER, "acme", now=NOW)}
    assert Browser(desk).post("/sign-in", fields, sec_fetch_site="cross-site").status == 403
    assert Browser(desk).post("/sign-in", fields, origin="https://evil.example").status == 403


def test_a_link_leads_nowhere_else(desk, links):
    answer = Browser(desk).post("/sign-in", {"link": links.new(MEMBER, "acme", now=NOW, to="//evil.example")})
    assert (answer.status, answer.header("Location")) == (303, "/")
