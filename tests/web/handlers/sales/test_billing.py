"""From checkout to a paid plan and its end, as two payment providers tell it."""

import hmac
from datetime import timedelta
from hashlib import sha256
from itertools import permutations

import msgspec
import pytest

from engine.sales.billing import paypal as provider
from engine.sales.billing.ledger import lapse_all
from engine.store.rows import many
from engine.store.schema.commerce import orders, subscriptions
from engine.store.schema.organizations import organizations
from engine.store.schema.outputs import credentials
from engine.web.admission.credentials import digest, new_secret
from tests.conftest import NOW
from tests.sales.billing import certificates, standin

CHECKOUT, PAYPAL, LEMON = "/api/billing/checkout", "/api/webhooks/paypal", "/api/webhooks/lemonsqueezy"
ALERTS = "/api/integrations/alerts"
LEMON_SECRET = "lemon-signing-secret"


@pytest.fixture
def bank(environment, tmp_path):
    """PayPal, and a console that sells through it."""
    authority = tmp_path / "authority.pem"
    authority.write_bytes(certificates.pem(certificates.authority()))
    with standin.paypal() as made:
        environment |= {
            "SVC_PAYPAL_URL": made.url,
            "SVC_PAYPAL_CLIENT_ID": standin.CLIENT,
            "SVC_PAYPAL_CLIENT_SECRET": standin.SECRET,
            "SVC_PAYPAL_WEBHOOK_ID": standin.WEBHOOK,
            "SVC_PAYPAL_PLANS": "pro=P-PRO,team=P-TEAM",
            "SVC_PAYPAL_CA_FILE": str(authority),
            "SVC_TOP_UP_PRICE": "50.00 EUR",
            "SVC_ALERT_INGEST_PLANS": "pro,team",
            "SVC_BILLING_RETURN_URL": "https://console.example/plans",
        }
        yield made
    provider.client().close()
    provider.client.cache_clear()
    provider.paypal.cache_clear()


@pytest.fixture
def lemon(environment):
    environment |= {
        "SVC_LEMONSQUEEZY_SIGNING_SECRET": f"older-secret,{LEMON_SECRET}",
        "SVC_LEMONSQUEEZY_VARIANTS": "pro=111,team=222",
    }


def buy(client, tier="pro"):
    """Our order and the provider's name for it."""
    answer = client.post(CHECKOUT, {"tier": tier})
    assert answer.status == 201, answer.json
    (order,) = rows(client, orders, id=answer.json["orderId"])
    return order["id"], order["provider_ref"]


def rows(client, table, org="acme", **where):
    with client.console.services.store.reader() as connection:
        return many(connection, table, org, **where)


def plan(client, org="acme"):
    return client.console.services.store.plan(org)


def post_event(client, bank, event_type, resource, **changed):
    body, headers = bank.webhook(event_type, resource, **changed)
    return client.post(PAYPAL, body, cookie=False, **headers)


def actions(client, prefix, org="acme"):
    query = "SELECT action FROM audit_log WHERE org_id = ? AND action LIKE ? ORDER BY seq"
    with client.console.services.store.reader() as connection:
        return [row[0] for row in connection.exec_driver_sql(query, (org, f"{prefix}%"))]


def alert(client):
    """What alert ingest says to the organization's monitor."""
    secret = new_secret("ingest")
    store = client.console.services.store
    with store.revision("acme", "setup", now=NOW) as revision:
        revision.insert(
            credentials,
            [
                {
                    "id": secret[-12:],
                    "kind": "ingest",
                    "label": "monitor",
                    "owner": "owner@acme.example",
                    "prefix": "svc_ingest_",
                    "last_four": secret[-4:],
                    "secret_sha256": digest(secret),
                    "created_at": NOW,
                }
            ],
        )
        revision.record("ingest_token.created")
    body = {"title": "Disk full", "severity": "high", "source": "test", "dedupe_key": "disk", "status": "firing"}
    return client.post(ALERTS, body, cookie=False, authorization=f"Bearer {secret}")


def test_the_whole_path_from_checkout_to_active_to_cancelled(bank, sign_in):
    client = sign_in("member@acme.example")
    refused = alert(client)
    assert (refused.status, refused.json["message"]) == (
        403,
        "Alert ingest is part of the plans pro, team; the plan here is free.",
    )

    answer = client.post(CHECKOUT, {"tier": "pro"})
    (order,) = rows(client, orders)
    ref = order["provider_ref"]
    assert (answer.status, answer.json) == (
        201,
        {
            "orderId": order["id"],
            "tier": "pro",
            "approvalUrl": f"https://www.paypal.com/webapps/billing/subscriptions?ba_token=BA-{ref}",
        },
    )
    asked = next(seen for seen in bank.seen if seen.target == "/v1/billing/subscriptions")
    assert asked.header("paypal-request-id") == order["id"]
    assert asked.json == {
        "plan_id": "P-PRO",
        "custom_id": order["id"],
        "application_context": {
            "shipping_preference": "NO_SHIPPING",
            "user_action": "SUBSCRIBE_NOW",
            "return_url": "https://console.example/plans?checkout=approved",
            "cancel_url": "https://console.example/plans?checkout=cancelled",
        },
    }

    created = post_event(client, bank, "BILLING.SUBSCRIPTION.CREATED", bank.subscriptions[ref])
    assert (created.status, created.json, plan(client)) == (200, {"outcome": "applied"}, "free")
    activated = post_event(client, bank, "BILLING.SUBSCRIPTION.ACTIVATED", bank.move_subscription(ref, "ACTIVE"))
    assert (activated.status, activated.json, plan(client)) == (200, {"outcome": "applied"}, "pro")
    assert alert(client).status == 200
    assert [row["status"] for row in rows(client, orders)] == ["completed"]

    post_event(client, bank, "BILLING.SUBSCRIPTION.CANCELLED", bank.move_subscription(ref, "CANCELLED"))
    (subscription,) = rows(client, subscriptions)
    assert (subscription["status"], subscription["renews_at"], plan(client)) == (
        "cancelled",
        NOW + timedelta(days=30),
        "pro",
    )
    store = client.console.services.store
    assert lapse_all(store, now=NOW + timedelta(days=29)) == "0 cancelled subscriptions ended"
    assert plan(client) == "pro"
    assert lapse_all(store, now=NOW + timedelta(days=30)) == "1 cancelled subscriptions ended"
    assert (plan(client), alert(client).status) == ("free", 403)
    assert plan(client, "other") == "free"
    assert actions(client, "billing.") == [
        "billing.checkout.started",
        "billing.checkout.offered",
        "billing.event.received",
        "billing.event.received",
        "billing.order.completed",
        "billing.subscription.changed",
        "billing.plan.changed",
        "billing.event.received",
        "billing.subscription.changed",
        "billing.subscription.expired",
        "billing.plan.changed",
    ]
    assert store.verify("acme").problem is None


def test_get_redirects_to_the_approval_page(bank, sign_in):
    answer = sign_in().get(f"{CHECKOUT}?tier=team")
    assert (answer.status, answer.body) == (303, b"")
    assert (
        answer.headers["location"] == "https://www.paypal.com/webapps/billing/subscriptions?ba_token=BA-I-BW452GLLEP1"
    )


def test_one_token_serves_many_calls_until_it_ends(bank, sign_in, clock):
    client = sign_in()
    buy(client, "pro"), buy(client, "team")
    assert bank.tokens == 1
    clock.tick(timedelta(hours=8, minutes=59))
    buy(sign_in_again(client, clock), "top_up")
    assert bank.tokens == 2


def sign_in_again(client, clock):
    now = clock.time_to_freeze.replace(tzinfo=NOW.tzinfo)
    client.cookie = client.console.gate.sessions.issue("owner@acme.example", "acme", now=now)
    return client


def test_a_token_that_is_taken_back_is_replaced_once(bank, sign_in):
    client = sign_in()
    buy(client, "pro")
    bank.valid.clear()
    buy(client, "team")
    assert bank.tokens == 2


def test_a_second_click_and_a_lost_answer_find_the_same_subscription(bank, sign_in):
    client = sign_in()
    first = client.post(CHECKOUT, {"tier": "pro"})
    bank.fail["/v1/billing/subscriptions"] = "hang up"
    lost = client.post(CHECKOUT, {"tier": "pro"})
    assert (lost.status, lost.json["error"]) == (502, "payment_provider_failed")
    bank.fail.clear()
    again = client.post(CHECKOUT, {"tier": "pro"})
    assert (again.status, again.json) == (201, first.json)
    assert (len(bank.subscriptions), len(rows(client, orders))) == (1, 1)


def test_what_the_provider_refuses_is_over_and_the_next_try_is_new(bank, sign_in):
    client = sign_in()
    bank.fail["/v1/billing/subscriptions"] = 422
    refused = client.post(CHECKOUT, {"tier": "pro"})
    assert (refused.status, refused.json) == (
        502,
        {"error": "payment_provider_refused", "message": "The payment provider refuses this (SOMETHING_WRONG)."},
    )
    bank.fail.clear()
    buy(client)
    assert sorted(row["status"] for row in rows(client, orders)) == ["created", "failed"]


@pytest.mark.parametrize("status", [401, 429, 500, "hang up"])
def test_a_provider_in_trouble_leaves_no_offer(bank, status, sign_in):
    bank.fail["/v1/"] = status
    client = sign_in()
    answer = client.post(CHECKOUT, {"tier": "pro"})
    assert answer.status in (502, 503)
    assert answer.json["error"].startswith("payment_provider_")
    assert "private" not in answer.json["message"]
    assert [(row["status"], row["provider_ref"]) for row in rows(client, orders)] == [("created", None)]


@pytest.mark.parametrize(
    ("lacking", "tier", "word"),
    [
        ("SVC_PAYPAL_CLIENT_ID", "pro", "billing_not_configured"),
        ("SVC_PAYPAL_CLIENT_SECRET", "top_up", "billing_not_configured"),
        ("SVC_PAYPAL_PLANS", "team", "tier_not_configured"),
        ("SVC_TOP_UP_PRICE", "top_up", "tier_not_configured"),
    ],
)
def test_what_is_not_configured_says_so(lacking, tier, word, environment, bank, request):
    del environment[lacking]
    client = request.getfixturevalue("sign_in")()
    for answer in (client.post(CHECKOUT, {"tier": tier}), client.get(f"{CHECKOUT}?tier={tier}")):
        assert (answer.status, answer.json["error"]) == (503, word)
    assert (rows(client, orders), bank.seen) == ([], [])


@pytest.mark.parametrize("body", [{"tier": "gold"}, {}, {"tier": None}, {"tier": "pro", "price": 1}, []])
def test_a_tier_that_does_not_exist_is_refused(bank, body, sign_in):
    client = sign_in()
    answer = client.post(CHECKOUT, body)
    assert (answer.status, answer.json["error"], rows(client, orders)) == (400, "invalid_body", [])


def test_the_tiers_that_exist_are_named(bank, sign_in):
    answer = sign_in().post(CHECKOUT, {"tier": "gold"})
    assert answer.json["message"] == "The tier must be one of pro, team, top_up; got 'gold'."


@pytest.mark.parametrize("query", ["", "?tier=gold", "?tier=", "?tier=pro&tier=team", "?plan=pro"])
def test_a_tier_that_does_not_exist_in_the_query_is_refused(bank, query, sign_in):
    answer = sign_in().get(CHECKOUT + query)
    assert (answer.status, answer.json["error"], bank.seen) == (400, "invalid_parameter", [])


def test_nobody_buys_what_the_organization_has(bank, sign_in):
    client = sign_in()
    _, ref = buy(client, "team")
    post_event(client, bank, "BILLING.SUBSCRIPTION.ACTIVATED", bank.move_subscription(ref, "ACTIVE"))
    for tier in ("pro", "team"):
        answer = client.post(CHECKOUT, {"tier": tier})
        assert (answer.status, answer.json["error"]) == (409, "plan_in_force")
    buy(client, "top_up")


def test_a_better_plan_ends_the_one_before(bank, sign_in):
    client = sign_in()
    _, pro = buy(client, "pro")
    post_event(client, bank, "BILLING.SUBSCRIPTION.ACTIVATED", bank.move_subscription(pro, "ACTIVE"))
    _, team = buy_later(client, bank, "team")
    post_event(client, bank, "BILLING.SUBSCRIPTION.ACTIVATED", bank.move_subscription(team, "ACTIVE"))
    assert (plan(client), bank.subscriptions[pro]["status"]) == ("team", "CANCELLED")
    post_event(client, bank, "BILLING.SUBSCRIPTION.CANCELLED", bank.subscriptions[pro])
    assert plan(client) == "team"


def buy_later(client, bank, tier):
    """An order that was begun after the others, by the clock of the store."""
    order_id, ref = buy(client, tier)
    with client.console.services.store.revision("acme", "test", now=NOW) as revision:
        revision.update(orders, {"id": order_id}, {"created_at": NOW + timedelta(minutes=1)})
        revision.record("test.moved")
    return order_id, ref


# -- top-ups -------------------------------------------------------------------------------------------------------


def test_a_top_up_is_captured_once_the_buyer_approved_it(bank, sign_in):
    client = sign_in()
    answer = client.post(CHECKOUT, {"tier": "top_up"})
    (order,) = rows(client, orders)
    ref = order["provider_ref"]
    assert answer.json["approvalUrl"] == f"https://www.paypal.com/checkoutnow?token={ref}"
    asked = next(seen for seen in bank.seen if seen.target == "/v2/checkout/orders").json
    assert asked["purchase_units"] == [
        {
            "reference_id": order["id"],
            "custom_id": order["id"],
            "description": "Top-up",
            "amount": {"currency_code": "EUR", "value": "50.00"},
        }
    ]
    bank.orders[ref]["status"] = "APPROVED"
    post_event(client, bank, "CHECKOUT.ORDER.APPROVED", {"id": ref})
    (order,) = rows(client, orders)
    assert (order["status"], order["amount_cents"], order["currency"]) == ("completed", 5000, "EUR")
    capture = {"id": "3C1", "supplementary_data": {"related_ids": {"order_id": ref}}}
    assert post_event(client, bank, "PAYMENT.CAPTURE.COMPLETED", capture).json == {"outcome": "applied"}
    assert actions(client, "billing.order") == ["billing.order.completed"]
    bank.orders[ref]["purchase_units"][0]["payments"]["captures"][0]["status"] = "REFUNDED"
    post_event(client, bank, "PAYMENT.CAPTURE.REFUNDED", capture)
    assert [row["status"] for row in rows(client, orders)] == ["refunded"]
    post_event(client, bank, "CHECKOUT.ORDER.COMPLETED", {"id": ref})
    assert ([row["status"] for row in rows(client, orders)], plan(client)) == (["refunded"], "free")


@pytest.mark.parametrize(
    ("capture", "status"), [("PENDING", "approved"), ("DECLINED", "failed"), ("REFUSED", "failed")]
)
def test_approved_is_not_paid(bank, capture, status, sign_in):
    client = sign_in()
    _, ref = buy(client, "top_up")
    bank.orders[ref]["status"] = "APPROVED"
    bank.capture_status = capture
    post_event(client, bank, "CHECKOUT.ORDER.APPROVED", {"id": ref})
    assert [row["status"] for row in rows(client, orders)] == [status]


def test_another_amount_than_the_price_is_not_taken(bank, sign_in):
    client = sign_in()
    _, ref = buy(client, "top_up")
    bank.orders[ref]["status"] = "APPROVED"
    bank.orders[ref]["purchase_units"][0]["amount"]["value"] = "0.50"
    assert post_event(client, bank, "CHECKOUT.ORDER.APPROVED", {"id": ref}).json == {"outcome": "ignored"}
    assert ([row["status"] for row in rows(client, orders)], bank.orders[ref]["status"]) == (["created"], "APPROVED")


# -- events in any order, again and again, and of no effect -------------------------------------------------------


def test_a_replayed_event_changes_nothing(bank, sign_in):
    client = sign_in()
    _, ref = buy(client)
    body, headers = bank.webhook("BILLING.SUBSCRIPTION.ACTIVATED", bank.move_subscription(ref, "ACTIVE"))
    outcomes = [client.post(PAYPAL, body, cookie=False, **headers).json["outcome"] for _ in range(3)]
    assert outcomes == ["applied", "repeated", "repeated"]
    head = client.console.services.store.head("acme")
    bank.move_subscription(ref, "CANCELLED")
    post_event(client, bank, "BILLING.SUBSCRIPTION.CANCELLED", bank.subscriptions[ref])
    after = client.post(PAYPAL, body, cookie=False, **headers)
    assert (after.status, after.json, rows(client, subscriptions)[0]["status"]) == (
        200,
        {"outcome": "repeated"},
        "cancelled",
    )
    assert head != client.console.services.store.head("acme")


def test_the_simulator_uses_one_id_for_several_kinds(bank, sign_in):
    client = sign_in()
    _, ref = buy(client)
    active = bank.move_subscription(ref, "ACTIVE")
    for kind in ("BILLING.SUBSCRIPTION.CREATED", "BILLING.SUBSCRIPTION.ACTIVATED"):
        assert post_event(client, bank, kind, active, identifier="WH-SAME").json == {"outcome": "applied"}
    assert (
        post_event(client, bank, "BILLING.SUBSCRIPTION.CREATED", active, identifier="WH-SAME").json["outcome"]
        == "repeated"
    )


def test_events_that_arrive_in_the_wrong_order_end_in_the_same_state(bank, sign_in):
    client = sign_in()
    _, ref = buy(client)
    active = dict(bank.move_subscription(ref, "ACTIVE"))
    cancelled = bank.move_subscription(ref, "CANCELLED")
    post_event(client, bank, "BILLING.SUBSCRIPTION.CANCELLED", cancelled)
    post_event(client, bank, "BILLING.SUBSCRIPTION.ACTIVATED", active)
    post_event(client, bank, "BILLING.SUBSCRIPTION.CREATED", {**active, "status": "APPROVAL_PENDING"})
    assert ([row["status"] for row in rows(client, subscriptions)], plan(client)) == (["cancelled"], "free")


def test_an_event_is_not_believed_but_looked_up(bank, sign_in):
    """A CRC-32 is easily met by another body, so a signature alone must not give anybody a plan."""
    client = sign_in()
    _, ref = buy(client)
    claimed = {**bank.subscriptions[ref], "status": "ACTIVE", "plan_id": "P-TEAM"}
    assert post_event(client, bank, "BILLING.SUBSCRIPTION.ACTIVATED", claimed).status == 200
    assert (rows(client, subscriptions), plan(client)) == ([], "free")


def test_a_subscription_that_a_buyer_tied_to_somebody_elses_order_is_not_ours(bank, sign_in):
    client = sign_in()
    order_id, ref = buy(client, "team")
    forged = {**bank.subscriptions[ref], "id": "I-FORGED", "plan_id": "P-PRO"}
    bank.subscriptions["I-FORGED"] = forged
    assert post_event(
        client, bank, "BILLING.SUBSCRIPTION.ACTIVATED", bank.move_subscription("I-FORGED", "ACTIVE")
    ).json == {"outcome": "ignored"}
    assert (plan(client), forged["custom_id"]) == ("free", order_id)


def test_an_answer_that_never_reached_us_is_found_by_our_own_name(bank, sign_in):
    client = sign_in()
    order_id, ref = buy(client)
    with client.console.services.store.revision("acme", "test", now=NOW) as revision:
        revision.update(orders, {"id": order_id}, {"provider_ref": None})
        revision.record("test.lost")
    post_event(client, bank, "BILLING.SUBSCRIPTION.ACTIVATED", bank.move_subscription(ref, "ACTIVE"))
    assert (plan(client), rows(client, orders)[0]["provider_ref"]) == ("pro", ref)


def test_a_plan_that_we_do_not_sell_gives_nothing(bank, sign_in):
    client = sign_in()
    _, ref = buy(client)
    answer = post_event(
        client, bank, "BILLING.SUBSCRIPTION.ACTIVATED", bank.move_subscription(ref, "ACTIVE", plan_id="P-CHEAP")
    )
    assert (answer.json, plan(client)) == ({"outcome": "ignored"}, "free")


@pytest.mark.parametrize(
    ("event_type", "resource"),
    [
        ("CUSTOMER.DISPUTE.CREATED", {"dispute_id": "PP-D-1"}),
        ("BILLING.SUBSCRIPTION.ACTIVATED", {"id": "I-UNKNOWN"}),
        ("BILLING.SUBSCRIPTION.ACTIVATED", {"id": "../orders/x"}),
        ("BILLING.SUBSCRIPTION.ACTIVATED", {"id": 7}),
        ("PAYMENT.SALE.COMPLETED", {"id": "80021663DE681814L"}),
        ("PAYMENT.CAPTURE.COMPLETED", {"supplementary_data": []}),
    ],
)
def test_events_without_effect_are_recorded_and_answered_200(bank, event_type, resource, sign_in):
    client = sign_in()
    head = client.console.services.store.head("acme")
    answers = [post_event(client, bank, event_type, resource, identifier="WH-X") for _ in range(2)]
    assert [(a.status, a.json["outcome"]) for a in answers] == [(200, "ignored"), (200, "repeated")]
    assert actions(client, "billing.", "platform") == ["billing.event.ignored"]
    assert client.console.services.store.head("acme") == head


def test_an_event_waits_when_the_provider_cannot_be_asked(bank, sign_in):
    client = sign_in()
    _, ref = buy(client)
    body, headers = bank.webhook("BILLING.SUBSCRIPTION.ACTIVATED", bank.move_subscription(ref, "ACTIVE"))
    bank.fail["/v1/billing"] = 500
    assert client.post(PAYPAL, body, cookie=False, **headers).status == 502
    assert plan(client) == "free"
    bank.fail.clear()
    assert client.post(PAYPAL, body, cookie=False, **headers).json == {"outcome": "applied"}
    assert plan(client) == "pro"


def test_a_failed_payment_keeps_the_plan_and_a_suspension_ends_it(bank, sign_in):
    client = sign_in()
    _, ref = buy(client)
    post_event(client, bank, "BILLING.SUBSCRIPTION.ACTIVATED", bank.move_subscription(ref, "ACTIVE"))
    failing = bank.move_subscription(ref, "ACTIVE")
    failing["billing_info"]["failed_payments_count"] = 1
    post_event(client, bank, "BILLING.SUBSCRIPTION.PAYMENT.FAILED", failing)
    assert (rows(client, subscriptions)[0]["status"], plan(client)) == ("past_due", "pro")
    post_event(client, bank, "BILLING.SUBSCRIPTION.SUSPENDED", bank.move_subscription(ref, "SUSPENDED"))
    assert (rows(client, subscriptions)[0]["status"], plan(client)) == ("paused", "free")
    failing["billing_info"]["failed_payments_count"] = 0
    post_event(
        client,
        bank,
        "PAYMENT.SALE.COMPLETED",
        {"id": "80", "billing_agreement_id": ref, "x": bank.move_subscription(ref, "ACTIVE")["id"]},
    )
    assert (rows(client, subscriptions)[0]["status"], plan(client)) == ("active", "pro")


def test_a_refund_after_the_cancellation_ends_the_plan_at_once(bank, sign_in):
    client = sign_in()
    _, ref = buy(client)
    post_event(client, bank, "BILLING.SUBSCRIPTION.ACTIVATED", bank.move_subscription(ref, "ACTIVE"))
    post_event(client, bank, "BILLING.SUBSCRIPTION.CANCELLED", bank.move_subscription(ref, "CANCELLED"))
    assert plan(client) == "pro"
    post_event(client, bank, "PAYMENT.SALE.REFUNDED", {"id": "80", "billing_agreement_id": ref})
    assert plan(client) == "free"


def test_a_plan_that_was_agreed_on_otherwise_is_never_lowered(bank, sign_in):
    client = sign_in()
    _, ref = buy(client)
    with client.console.services.store.revision("acme", "sales", now=NOW) as revision:
        revision.update(organizations, {}, {"plan": "team"})
        revision.record("organization.changed")
    post_event(client, bank, "BILLING.SUBSCRIPTION.ACTIVATED", bank.move_subscription(ref, "ACTIVE"))
    post_event(client, bank, "BILLING.SUBSCRIPTION.SUSPENDED", bank.move_subscription(ref, "SUSPENDED"))
    assert plan(client) == "team"


# -- who says so ---------------------------------------------------------------------------------------------------

WRONG = {
    "another key": {"holder": "somebody"},
    "another webhook": {"webhook_id": "OTHER"},
    "simulator": {"webhook_id": "WEBHOOK_ID"},
    "old transmission": {"sent_at": standin.instant(NOW - timedelta(days=4, seconds=1))},
    "future transmission": {"sent_at": standin.instant(NOW + timedelta(minutes=6))},
    "month 19": {"sent_at": "2026-19-20T08:30:00Z"},
    "no time zone": {"sent_at": "2026-11-20T08:30:00"},
    "weaker algorithm": {"algorithm": "SHA1withRSA"},
    "missing certificate": {"cert_url": "CERT-2"},
    "foreign host": {"cert_url": "https://api.paypal.com.evil.example/v1/notifications/certs/CERT-1"},
    "foreign path": {"cert_url": "/v1/oauth2/token"},
    "way up": {"cert_url": "/v1/notifications/certs/../../oauth2/token"},
    "no address": {"cert_url": "https://[::1/v1/notifications/certs/CERT-1"},
}


@pytest.mark.parametrize("mode", ["certificate", "postback"])
@pytest.mark.parametrize("what", WRONG)
def test_a_webhook_that_is_not_paypals_is_refused(what, mode, environment, bank, request):
    environment["SVC_PAYPAL_VERIFY"] = mode
    client = request.getfixturevalue("sign_in")()
    _, ref = buy(client)
    changed = dict(WRONG[what])
    if (address := changed.get("cert_url", "")) and not address.startswith("https://"):
        changed["cert_url"] = bank.url + (address if address.startswith("/") else f"/v1/notifications/certs/{address}")
    if mode == "postback" and "cert_url" in changed:
        changed["holder"] = "somebody"  # PayPal looks at its own certificates; nothing is fetched from here
    answer = post_event(
        client, bank, "BILLING.SUBSCRIPTION.ACTIVATED", bank.move_subscription(ref, "ACTIVE"), **changed
    )
    assert (answer.status, answer.json["error"], plan(client)) == (401, "invalid_signature", "free")
    assert [seen.target for seen in bank.seen if seen.target.endswith("token") and seen.method == "GET"] == []


@pytest.mark.parametrize("mode", ["certificate", "postback"])
def test_both_ways_of_verifying_take_what_is_genuine(mode, environment, bank, request):
    environment["SVC_PAYPAL_VERIFY"] = mode
    client = request.getfixturevalue("sign_in")()
    _, ref = buy(client)
    bank.move_subscription(ref, "ACTIVE")
    body = (
        b'{ "resource" : {"id":"%s"},\n "event_type":"BILLING.SUBSCRIPTION.ACTIVATED", "id":"WH-1\\u00e9" }'
        % ref.encode()
    )
    answer = post_event(client, bank, "", {}, body=body)
    assert (answer.status, plan(client)) == (200, "pro")
    fetched = any(seen.target.startswith("/v1/notifications/certs/") for seen in bank.seen)
    asked = any(seen.target == "/v1/notifications/verify-webhook-signature" for seen in bank.seen)
    assert (fetched, asked) == (mode == "certificate", mode == "postback")


def test_a_changed_body_is_refused(bank, sign_in):
    client = sign_in()
    body, headers = bank.webhook("BILLING.SUBSCRIPTION.ACTIVATED", {"id": "I-1"})
    assert client.post(PAYPAL, body.replace(b"I-1", b"I-2"), cookie=False, **headers).status == 401


@pytest.mark.parametrize("header", ["id", "time", "sig"])
@pytest.mark.parametrize("value", ["", "é", "x" * 5000])
def test_odd_signature_headers_are_refused(bank, header, value, sign_in):
    body, headers = bank.webhook("BILLING.SUBSCRIPTION.ACTIVATED", {"id": "I-1"})
    headers[f"paypal_transmission_{header}"] = value
    assert sign_in(None).post(PAYPAL, body, **headers).status == 401


@pytest.mark.parametrize(
    "issued",
    [
        {"by": "Another Authority"},
        {"ends": -1},
        {"starts": 1},
        {"subject": "www.paypal.com"},
        {"subject": "messageverificationcerts.paypal.com.evil.example"},
    ],
)
def test_a_wrong_certificate_is_refused(bank, issued, sign_in):
    bank.certificates["CERT-1"] = certificates.pem(certificates.issue_certificate(**issued))
    answer = post_event(sign_in(), bank, "BILLING.SUBSCRIPTION.ACTIVATED", {"id": "I-1"})
    assert (answer.status, answer.json["error"]) == (401, "invalid_signature")


@pytest.mark.parametrize(
    "content", [b"", b"no certificate", b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"]
)
def test_what_is_no_certificate_is_refused(bank, content, sign_in):
    bank.certificates["CERT-1"] = content or b"\n"
    assert post_event(sign_in(), bank, "BILLING.SUBSCRIPTION.ACTIVATED", {"id": "I-1"}).status == 401


def test_a_certificate_is_fetched_once(bank, sign_in):
    client = sign_in()
    for number in range(3):
        post_event(client, bank, "CUSTOMER.DISPUTE.CREATED", {"dispute_id": str(number)})
    assert [seen.target for seen in bank.seen] == ["/v1/notifications/certs/CERT-1"]


def test_a_certificate_that_cannot_be_fetched_now_is_asked_for_again(bank, sign_in):
    client = sign_in()
    bank.fail["/certs/"] = 503
    body, headers = bank.webhook("CUSTOMER.DISPUTE.CREATED", {"dispute_id": "1"})
    assert client.post(PAYPAL, body, cookie=False, **headers).status == 502
    bank.fail.clear()
    assert client.post(PAYPAL, body, cookie=False, **headers).status == 200


@pytest.mark.parametrize("lacking", ["SVC_PAYPAL_WEBHOOK_ID", "SVC_PAYPAL_CLIENT_ID"])
def test_without_configuration_no_webhook_is_right(lacking, environment, bank, request):
    del environment[lacking]
    client = request.getfixturevalue("sign_in")()
    assert post_event(client, bank, "CUSTOMER.DISPUTE.CREATED", {}).status == 401
    assert client.post(LEMON, b"{}", x_signature="0" * 64).status == 401


@pytest.mark.parametrize("body", [b"", b"[]", b"nonsense", b'{"id":"WH-1"}', b'{"id":1,"event_type":"X"}'])
def test_a_signed_body_that_is_no_event_is_an_error(bank, body, sign_in):
    client = sign_in()
    answer = post_event(client, bank, "", {}, body=body)
    assert (answer.status, answer.json["error"]) == (400, "invalid_body")


# -- Lemon Squeezy -------------------------------------------------------------------------------------------------


def post_lemon(
    client,
    name="subscription_created",
    *,
    secret=LEMON_SECRET,
    type="subscriptions",
    id="1",
    org="acme",
    meta=(),
    **attributes,
):
    given = {
        "status": "active",
        "variant_id": 111,
        "updated_at": "2026-11-20T08:00:00.000000Z",
        "renews_at": "2026-12-20T08:00:00.000000Z",
        "ends_at": None,
        **attributes,
    }
    body = msgspec.json.encode(
        {
            "meta": {"event_name": name, "custom_data": {"org_id": org}, **dict(meta)},
            "data": {"type": type, "id": id, "attributes": given},
        }
    )
    signature = hmac.new(secret.encode(), body, sha256).hexdigest()
    return client.post(LEMON, body, cookie=False, x_signature=signature, x_event_name=name)


def test_a_lemon_squeezy_subscription_lives_and_ends(lemon, sign_in):
    client = sign_in()
    assert post_lemon(client).json == {"outcome": "applied"}
    assert (plan(client), post_lemon(client).json) == ("pro", {"outcome": "repeated"})
    post_lemon(client, "subscription_updated", variant_id="222", updated_at="2026-11-20T08:01:00.123456Z")
    assert plan(client) == "team"
    post_lemon(
        client,
        "subscription_cancelled",
        status="cancelled",
        variant_id=222,
        org="other",
        updated_at="2026-11-20T08:02:00Z",
        ends_at="2026-12-20T08:00:00Z",
    )
    assert (plan(client), plan(client, "other")) == ("team", "free")
    post_lemon(client, "subscription_expired", status="expired", variant_id=222, updated_at="2026-12-20T08:00:01Z")
    assert (plan(client), [row["status"] for row in rows(client, subscriptions)]) == ("free", ["expired"])


def test_a_late_lemon_squeezy_event_changes_nothing(lemon, sign_in):
    client = sign_in()
    post_lemon(client, "subscription_expired", status="expired", updated_at="2026-11-20T08:05:00Z")
    assert post_lemon(client).json == {"outcome": "applied"}
    assert (plan(client), rows(client, subscriptions)[0]["status"]) == ("free", "expired")


PAID = {"variant_id": 222, "updated_at": "2026-11-20T08:01:00Z"}
ENDING = {**PAID, "updated_at": "2026-11-20T08:02:00Z", "status": "cancelled", "ends_at": "2026-12-01T08:00:00Z"}
LIFE = (("subscription_created", {}), ("subscription_updated", PAID), ("subscription_cancelled", ENDING))


@pytest.mark.parametrize("order", [*permutations(LIFE)])
@pytest.mark.parametrize("agreed", ["free", "pro", "team"])
def test_events_in_any_order_and_told_twice_leave_the_agreed_plan_when_the_paid_time_ends(
    agreed, order, lemon, sign_in
):
    client = sign_in()
    store = client.console.services.store
    with store.revision("acme", "sales", now=NOW) as revision:
        revision.update(organizations, {}, {"plan": agreed})
        revision.record("organization.changed")
    for name, given in (*order, *order):
        post_lemon(client, name, **given)
    plans = [plan(client)]
    for days in (10, 12, 13):
        lapse_all(store, now=NOW + timedelta(days=days))
        plans.append(plan(client))
    post_lemon(client, "subscription_expired", status="expired", variant_id=222, updated_at="2026-12-01T08:00:01Z")
    assert [*plans, plan(client)] == ["team", "team", agreed, agreed, agreed]


@pytest.mark.parametrize(
    "given",
    [
        {"name": "order_created", "type": "orders"},
        {"name": "subscription_payment_success", "type": "subscription-invoices"},
        {"name": "brand_new_event", "type": "affiliates"},
        {"variant_id": 999},
        {"status": "dreaming"},
        {"updated_at": "yesterday"},
        {"org": "nobody"},
        {"org": "platform"},
        {"org": 7},
        {"meta": {"test_mode": True}.items()},
    ],
)
def test_lemon_squeezy_events_without_effect_are_recorded(given, lemon, sign_in):
    client = sign_in()
    answer = post_lemon(client, **given)
    assert (answer.status, answer.json, plan(client)) == (200, {"outcome": "ignored"}, "free")
    assert actions(client, "billing.", "platform") == ["billing.event.ignored"]


def test_test_purchases_count_where_they_are_meant_to(lemon, environment, request):
    environment["SVC_LEMONSQUEEZY_TEST_MODE"] = "on"
    client = request.getfixturevalue("sign_in")()
    post_lemon(client, meta={"test_mode": True}.items())
    assert plan(client) == "pro"


@pytest.mark.parametrize("signature", ["", "0" * 64, "é", "abc"])
def test_a_wrong_lemon_squeezy_signature_is_refused(signature, lemon, sign_in):
    assert sign_in(None).post(LEMON, b"{}", x_signature=signature).status == 401
    client = sign_in()
    assert (post_lemon(client, secret="another").status, plan(client)) == (401, "free")


def test_a_secret_may_be_rotated(lemon, sign_in):
    client = sign_in()
    assert post_lemon(client, secret="older-secret").status == 200


def test_a_signed_lemon_squeezy_body_that_is_no_event_is_an_error(lemon, sign_in):
    body = b'{"meta":{}}'
    signature = hmac.new(LEMON_SECRET.encode(), body, sha256).hexdigest()
    answer = sign_in(None).post(LEMON, body, x_signature=signature)
    assert (answer.status, answer.json["error"]) == (400, "invalid_body")
