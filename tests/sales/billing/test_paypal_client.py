"""Where certificates may come from, and that secrets stay out of sight."""

import warnings
from pathlib import Path

import pytest

from engine.model.errors import Unavailable
from engine.runtime.settings import Settings
from engine.sales.billing.checkout import approval_url
from engine.sales.billing.paypal_account import Account, account
from engine.sales.billing.paypal_signature import anchors

LIVE, SANDBOX = "https://api-m.paypal.com", "https://api-m.sandbox.paypal.com"
CERTS = "/v1/notifications/certs"


@pytest.mark.parametrize(
    ("url", "address", "allowed"),
    [
        (LIVE, f"https://api.paypal.com{CERTS}/CERT-360caa42-fca2a594-df8cd2d5", True),
        (LIVE, f"https://api-m.paypal.com{CERTS}/CERT-1", True),
        (SANDBOX, f"https://api.sandbox.paypal.com{CERTS}/CERT-1", True),
        (LIVE, f"https://api.sandbox.paypal.com{CERTS}/CERT-1", False),
        (SANDBOX, f"https://api.paypal.com{CERTS}/CERT-1", False),
        (LIVE, f"http://api.paypal.com{CERTS}/CERT-1", False),
        (LIVE, f"https://api.paypal.com:8443{CERTS}/CERT-1", False),
        (LIVE, f"https://api.paypal.com@evil.example{CERTS}/CERT-1", False),
        (LIVE, f"https://user@api.paypal.com{CERTS}/CERT-1", False),
        (LIVE, f"https://evil-api.paypal.com{CERTS}/CERT-1", False),
        (LIVE, f"https://api.paypal.com.evil.example{CERTS}/CERT-1", False),
        (LIVE, f"https://api.paypal.com{CERTS}/../../oauth2/token", False),
        (LIVE, f"https://api.paypal.com{CERTS}/..", False),
        (LIVE, f"https://api.paypal.com{CERTS}/%2e%2e", False),
        (LIVE, f"https://api.paypal.com{CERTS}/CERT-1?x=1", False),
        (LIVE, f"https://api.paypal.com{CERTS}/CERT-1#x", False),
        (LIVE, f"https://api.paypal.com{CERTS}/", False),
        (LIVE, "https://api.paypal.com/elsewhere/CERT-1", False),
        (LIVE, "https://api.paypal.com:99999/x", False),
        (LIVE, "file:///etc/passwd", False),
        (LIVE, "", False),
    ],
)
def test_certificates_come_from_pinned_places_alone(url, address, allowed):
    assert Account(url, "client", "secret").may_hold_certificate(address) is allowed


def test_an_account_does_not_show_its_secret():
    assert "hush" not in repr(Account(LIVE, "client", "hush"))


def test_there_is_no_account_without_both_halves():
    assert account(Settings.of({"SVC_PAYPAL_CLIENT_ID": "x"})) is None
    assert account(Settings.of({"SVC_PAYPAL_CLIENT_ID": "x", "SVC_PAYPAL_CLIENT_SECRET": "y"})).url == LIVE


def test_the_public_authorities_can_be_read():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert anchors(None) is anchors(None)


@pytest.mark.parametrize("content", [None, b"", b"nothing"])
def test_authorities_that_cannot_be_read_are_named(content, tmp_path):
    path = Path(tmp_path / "authorities.pem")
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(Unavailable, match="SVC_PAYPAL_CA_FILE"):
        anchors(path)


@pytest.mark.parametrize(
    ("links", "url"),
    [
        (
            [{"rel": "self", "href": "https://a.example"}, {"rel": "approve", "href": "https://b.example"}],
            "https://b.example",
        ),
        ([{"rel": "payer-action", "href": "https://b.example/x?y=1"}], "https://b.example/x?y=1"),
        ([{"rel": "approve", "href": "javascript:alert(1)"}], None),
        ([{"rel": "approve", "href": "https://b.example\r\nX: y"}], None),
        ([{"rel": "approve", "href": "https://[::1"}], None),
        ([{"rel": "approve"}, 7], None),
        (None, None),
    ],
)
def test_the_page_to_approve_at_is_a_web_address(links, url):
    assert approval_url({"links": links}) == url
