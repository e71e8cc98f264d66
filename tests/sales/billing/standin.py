"""A stand-in for PayPal: its documented requests, answers and webhook deliveries, over real HTTP."""

import base64
import zlib
from contextlib import contextmanager
from datetime import timedelta
from urllib.parse import parse_qs

import msgspec
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import padding

from tests.conftest import NOW
from tests.copilot.standin import backend
from tests.sales.billing import certificates

CLIENT, SECRET, WEBHOOK = "client-1", "client-secret", "8PT597110X687430LKGECATA"
PLANS = {"P-PRO": "pro", "P-TEAM": "team"}


def instant(at):
    return at.strftime("%Y-%m-%dT%H:%M:%SZ")


class PayPal:
    """Subscriptions, orders and what was asked. ``fail`` makes the next calls of a path answer with that status."""

    def __init__(self):
        self.url = ""
        self.clock = NOW
        self.tokens = 0
        self.valid = set()
        self.subscriptions, self.orders, self.requests = {}, {}, {}
        self.certificates = {"CERT-1": certificates.pem(certificates.issue_certificate())}
        self.fail = {}
        self.capture_status = "COMPLETED"
        self.deliveries = 0

    # -- the interface ---------------------------------------------------------------------------------------------

    def respond(self, seen, wire):
        path = seen.target
        failing = next((status for part, status in self.fail.items() if part in path), None)
        if failing == "hang up":
            wire.hang_up()
        elif failing is not None:
            issue = {"name": "UNPROCESSABLE_ENTITY", "details": [{"issue": "SOMETHING_WRONG"}], "message": "private"}
            wire.json(issue, failing)
        elif path.startswith("/v1/notifications/certs/"):
            found = self.certificates.get(path.rpartition("/")[2])
            wire.answer(found or b"", 200 if found else 404)
        elif path == "/v1/oauth2/token":
            self._token(seen, wire)
        elif (seen.header("authorization") or "").removeprefix("Bearer ") not in self.valid:
            wire.json({"error": "invalid_token", "error_description": "Token signature verification failed"}, 401)
        else:
            self._is_authorized(seen, wire, path)

    def _token(self, seen, wire):
        basic = base64.b64encode(f"{CLIENT}:{SECRET}".encode()).decode()
        if seen.header("authorization") != f"Basic {basic}":
            wire.json({"error": "invalid_client", "error_description": "Client Authentication failed"}, 401)
            return
        assert parse_qs(seen.body.decode()) == {"grant_type": ["client_credentials"]}
        self.tokens += 1
        token = f"A21AA-{self.tokens}"
        self.valid.add(token)
        wire.json(
            {"access_token": token, "token_type": "Bearer", "expires_in": 32400, "scope": "https://uri.paypal.com"}
        )

    def _is_authorized(self, seen, wire, path):
        parts = path.strip("/").split("/")
        if path == "/v1/notifications/verify-webhook-signature":
            wire.json({"verification_status": "SUCCESS" if self._is_authentic(seen.body) else "FAILURE"})
            return
        kept = self.subscriptions if parts[1] == "billing" else self.orders
        if seen.method == "POST" and len(parts) == 3:
            self._create(seen, wire, kept, parts[1] == "billing")
            return
        found = kept.get(parts[3])
        if found is None:
            wire.json({"name": "RESOURCE_NOT_FOUND", "details": [{"issue": "INVALID_RESOURCE_ID"}]}, 404)
        elif seen.method == "GET":
            wire.json(found)
        elif parts[4] == "cancel":
            self._cancel(seen, wire, found)
        else:
            self._capture(seen, wire, found)

    def _create(self, seen, wire, kept, subscription):
        request_id = seen.header("paypal-request-id")
        assert request_id
        assert seen.header("content-type") == "application/json"
        if request_id in self.requests:
            wire.json(self.requests[request_id], 200)
            return
        body = seen.json
        made = self._subscription(body) if subscription else self._order(body)
        kept[made["id"]] = made
        self.requests[request_id] = dict(made)
        wire.json(made, 201)

    def _subscription(self, body):
        assert body["plan_id"] in PLANS
        assert set(body["application_context"]) >= {"return_url", "cancel_url"}
        assert len(body["custom_id"]) <= 127
        ref = f"I-BW452GLLEP{len(self.subscriptions) + 1}"
        links = [
            {"href": f"{self.url}/v1/billing/subscriptions/{ref}", "rel": "self", "method": "GET"},
            {
                "href": f"https://www.paypal.com/webapps/billing/subscriptions?ba_token=BA-{ref}",
                "rel": "approve",
                "method": "GET",
            },
        ]
        return {
            "id": ref,
            "status": "APPROVAL_PENDING",
            "plan_id": body["plan_id"],
            "custom_id": body["custom_id"],
            "create_time": instant(self.clock),
            "links": links,
        }

    def _order(self, body):
        assert body["intent"] == "CAPTURE"
        ref = f"5O190127TN36471{len(self.orders) + 1}"
        links = [
            {"href": f"{self.url}/v2/checkout/orders/{ref}", "rel": "self", "method": "GET"},
            {"href": f"https://www.paypal.com/checkoutnow?token={ref}", "rel": "payer-action", "method": "GET"},
        ]
        return {
            "id": ref,
            "status": "PAYER_ACTION_REQUIRED",
            "intent": "CAPTURE",
            "links": links,
            "purchase_units": body["purchase_units"],
        }

    def _cancel(self, seen, wire, found):
        if found["status"] not in ("ACTIVE", "SUSPENDED") or not seen.json["reason"]:
            wire.json({"name": "UNPROCESSABLE_ENTITY", "details": [{"issue": "SUBSCRIPTION_STATUS_INVALID"}]}, 422)
            return
        self.move_subscription(found["id"], "CANCELLED")
        wire.answer(b"", 204)

    def _capture(self, seen, wire, found):
        assert seen.header("paypal-request-id")
        if found["status"] != "APPROVED" or self.capture_status == "REFUSED":
            issue = "INSTRUMENT_DECLINED" if found["status"] == "APPROVED" else "ORDER_ALREADY_CAPTURED"
            wire.json({"name": "UNPROCESSABLE_ENTITY", "details": [{"issue": issue}]}, 422)
            return
        unit = found["purchase_units"][0]
        capture = {
            "id": f"3C67936{len(self.requests)}",
            "status": self.capture_status,
            "amount": unit["amount"],
            "custom_id": unit["custom_id"],
        }
        found["status"] = "COMPLETED"
        unit["payments"] = {"captures": [capture]}
        wire.json(found, 201)

    def _is_authentic(self, body):
        """Whether it signed that: the event must come back as the very bytes that were sent."""
        asked = msgspec.json.decode(body)
        event = body.partition(b',"webhook_event":')[2][:-1]
        text = f"{asked['transmission_id']}|{asked['transmission_time']}|{WEBHOOK}|{zlib.crc32(event)}".encode()
        return asked["webhook_id"] == WEBHOOK and asked["transmission_sig"] == signature(text)

    # -- what buyers do, and what PayPal tells of it ---------------------------------------------------------------

    def move_subscription(self, ref, status, **more):
        """A subscription changes; each change is a minute after the one before."""
        self.clock += timedelta(minutes=1)
        subscription = self.subscriptions[ref]
        subscription |= {"status": status, "update_time": instant(self.clock), **more}
        if status == "ACTIVE":
            subscription.setdefault("billing_info", {"failed_payments_count": 0})
            subscription["billing_info"]["next_billing_time"] = instant(NOW + timedelta(days=30))
        elif status == "CANCELLED":
            subscription.pop("billing_info", None)
        return subscription

    def webhook(self, event_type, resource, *, identifier=None, **changed):
        """Body and headers of a delivery; ``changed`` replaces parts of the signature for the worse."""
        self.deliveries += 1
        event = {
            "id": identifier or f"WH-{self.deliveries}",
            "event_version": "1.0",
            "create_time": instant(self.clock),
            "resource_type": "subscription",
            "event_type": event_type,
            "summary": "…",
            "resource": resource,
            "links": [],
        }
        body = changed.get("body", msgspec.json.encode(event))
        sent = changed.get("sent_at", instant(NOW))
        text = f"T-{self.deliveries}|{sent}|{changed.get('webhook_id', WEBHOOK)}|{zlib.crc32(body)}".encode()
        return body, {
            "paypal_transmission_id": f"T-{self.deliveries}",
            "paypal_transmission_time": sent,
            "paypal_transmission_sig": signature(text, changed.get("holder", "paypal")),
            "paypal_cert_url": changed.get("cert_url", f"{self.url}/v1/notifications/certs/CERT-1"),
            "paypal_auth_algo": changed.get("algorithm", "SHA256withRSA"),
            "paypal_auth_version": "v2",
        }


def signature(text, holder="paypal"):
    signed = certificates.key(holder).sign(text, padding.PKCS1v15(), hashes.SHA256())
    return base64.b64encode(signed).decode()


@contextmanager
def paypal():
    made = PayPal()
    with backend(made.respond) as server:
        made.url, made.seen = server.url, server.seen
        yield made
