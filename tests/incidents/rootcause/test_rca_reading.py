"""What the words of records are taken for."""

from datetime import UTC, datetime, timedelta

import pytest

from engine.incidents.rootcause.rca_reading import (
    PlaceNames,
    blames,
    cause_kind,
    expiry,
    nature,
    plain,
    same_symptom,
    service_names,
    vendor_names,
)

AT = datetime(2026, 11, 20, 8, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Certificate of payments expired", "certificate"),
        ("CERT_HAS_EXPIRED talking to ledger", "certificate"),
        ("x509: certificate has expired or is not yet valid", "certificate"),
        ("Renew the TLS cert within 3 days", "certificate"),
        ("Certificate validity ended", "certificate"),
        ("Root CA expires 2026-11-20", "certificate"),
        ("Let's Encrypt renewal failed", "certificate"),
        ("TLS cert valid until 2026-11-20", "certificate"),
        ("TLS handshake ended early", "symptom"),
        ("TLS handshake failures", "symptom"),
        ("Pods pending: insufficient cpu", "capacity"),
        ("Low disk space on db-1", "capacity"),
        ("Ingest buffer 97% used", "capacity"),
        ("remaining connection slots are reserved", "capacity"),
        ("Network partition in zone b", "symptom"),
        ("AWS us-east-1 outage", "vendor_outage"),
        ("External API unavailable", "vendor_outage"),
        ("Sign-in with GitHub is slow", "symptom"),
        ("Disk full on db-1", "capacity"),
        ("max_connections reached", "capacity"),
        ("filesystem at 100 percent", "capacity"),
        ("OOMKilled: api", "capacity"),
        ("Too many open files", "capacity"),
        ("Consumer lag keeps rising", "capacity"),
        ("IOPS limit hit", "capacity"),
        ("Time limit of the meeting", "symptom"),
        ("Upstream provider degraded", "vendor_outage"),
        ("High latency in checkout", "symptom"),
        ("orders-db does not accept connections", "symptom"),
        ("99 % of requests fail", "symptom"),
        ("Browsers refuse the connection", "symptom"),
        ("Identity provider slow", "symptom"),
        ("", "symptom"),
    ],
)
def test_the_nature_of_trouble(text, found):
    assert nature(plain(text)) == found


@pytest.mark.parametrize(
    ("text", "due"),
    [
        ("expires in 3 days", AT + timedelta(days=3)),
        ("will expire within 12 hours", AT + timedelta(hours=12)),
        ("expires tomorrow", AT + timedelta(days=1)),
        ("expires 2026-11-30", datetime(2026, 11, 30, tzinfo=UTC)),
        ("expires 2026-13-30", None),
        ("has expired", AT),
        ("past its end date", AT),
        ("close to expiry", None),
    ],
)
def test_when_a_certificate_ends(text, due):
    assert expiry(plain(text), AT) == due


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("A configuration change", "deploy"),
        ("Connections exhausted", "capacity"),
        ("Upstream timeouts", "upstream"),
        ("an outage at a vendor", "vendor_outage"),
        ("a certificate renewal that waited", "certificate"),
        ("Somebody tripped", None),
        ("", None),
    ],
)
def test_an_established_cause_has_the_kind_that_its_words_say(text, kind):
    assert cause_kind(text) == kind


def test_names_are_found_as_words_and_the_longest_counts():
    names = PlaceNames(
        {
            "svc-orders": service_names("svc-orders", "Orders"),
            "svc-orders-db": service_names("svc-orders-db", "orders_db"),
            "v1": vendor_names("VEN-1", "Tarnfield Cloud, Inc."),
        }
    )
    assert dict(names.within(plain("orders-db is slow"))) == {"svc-orders-db": "orders db"}
    assert dict(names.within(plain("Orders wait for Tarnfield"))) == {"svc-orders": "orders", "v1": "tarnfield"}
    assert dict(names.within(plain("reorders"))) == {}
    assert dict(PlaceNames({}).within("orders")) == {}
    assert names.without(plain("Orders-DB: queue of orders full")) == "queue of full"


def test_a_service_that_is_called_like_a_resource_or_a_provider_says_nothing_of_one():
    names = PlaceNames({name: service_names(name, name) for name in ("cache", "provider-directory")})
    assert nature(plain("cache latency high")) == "capacity"
    assert nature(names.without(plain("cache latency high"))) == "symptom"
    assert nature(names.without(plain("provider-directory: slow answers"))) == "symptom"


def test_blame_is_more_than_a_name():
    assert blames(plain("Upstream orders 5xx"), "orders")
    assert blames(plain("timeouts calling the orders"), "orders")
    assert not blames(plain("orders are slow"), "orders")


def test_the_service_of_its_own_name_is_no_likeness():
    assert same_symptom("checkout error rate", "Error rate of checkout", ("checkout",))
    assert not same_symptom("checkout card vault down", "checkout card vault slow mail", ("checkout card vault",))
    assert not same_symptom("checkout", "checkout", ("checkout",))
