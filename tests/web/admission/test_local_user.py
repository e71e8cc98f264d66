"""Session-mode for one local user: which organization it is, and that no web page speaks for that user."""

import pytest

KEYS = "/api/user/api-keys"
REPORT = "/api/governance/compliance/summary"


def test_the_organization_of_the_local_user_must_exist(environment, request):
    environment |= {"SVC_SESSION_AUTH": "off", "SVC_LOCAL_ORG": "nobody"}
    answer = request.getfixturevalue("sign_in")(None).get(REPORT)
    assert (answer.status, answer.json) == (
        404,
        {"error": "unknown_organization", "message": "SVC_LOCAL_ORG names 'nobody', which does not exist."},
    )


def test_the_local_user_works_in_the_organization_that_is_set(environment, request):
    environment |= {"SVC_SESSION_AUTH": "off", "SVC_LOCAL_ORG": "other"}
    assert request.getfixturevalue("sign_in")(None).get(REPORT).json["organization"]["id"] == "other"


@pytest.fixture
def local(environment, request):
    """A client in the browser of the local user."""
    environment["SVC_SESSION_AUTH"] = "off"
    return request.getfixturevalue("sign_in")(None)


def refusal(answer):
    return answer.status, answer.json["error"]


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://["},
        {"origin": "http://localhost:3000"},
        {"origin": "https://localhost.evil.example:8080"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site"},
        {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate", "sec_fetch_dest": "document"},
    ],
)
def test_a_web_page_makes_no_api_key(headers, local):
    """A form, or fetch() without asking first: what the page sends it may send, though it cannot read the answer."""
    assert refusal(local.post(KEYS, {"label": "theirs"}, content_type="text/plain", **headers)) == (403, "cross_origin")
    assert local.get(KEYS).json == {"api_keys": []}


@pytest.mark.parametrize(
    ("host", "status"),
    [
        ("localhost:8080", 200),
        ("localhost", 200),
        ("LOCALHOST:8080", 200),
        ("127.0.0.1:8080", 200),
        ("[::1]:8080", 200),
        ("127.8.8.8", 200),
        ("evil.example", 403),
        ("localhost.evil.example", 403),
        ("127.0.0.1.evil.example", 403),
        ("10.0.0.1", 403),
        ("0.0.0.0", 403),
        ("evil@localhost", 403),
        ("localhost/evil", 403),
        ("[::1", 403),
        ("", 403),
    ],
)
def test_a_name_of_the_outside_that_leads_to_this_machine_is_refused(host, status, local):
    """DNS rebinding: to the browser it is one site, so it may read what comes back."""
    answer = local.get(REPORT, host=host)
    assert answer.status == status
    if status == 403:
        assert answer.json["error"] == "foreign_host"


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"sec_fetch_site": "none"}, 200),
        ({"sec_fetch_site": "same-origin", "origin": "http://localhost:8080"}, 200),
        ({"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate", "sec_fetch_dest": "document"}, 200),
        ({"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate", "sec_fetch_dest": "iframe"}, 403),
        ({"sec_fetch_site": "cross-site", "sec_fetch_mode": "no-cors", "sec_fetch_dest": "image"}, 403),
        ({"sec_fetch_site": "cross-site"}, 403),
        ({"origin": "https://evil.example"}, 403),
    ],
)
def test_a_page_elsewhere_may_link_to_a_report_and_do_no_more(headers, status, local):
    assert local.get(REPORT, **headers).status == status


def test_routes_without_a_session_are_as_closed_to_other_pages(local):
    assert refusal(local.get("/api/health", origin="https://evil.example")) == (403, "cross_origin")
    assert local.get("/api/health").status == 200
