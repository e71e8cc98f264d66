"""PayPal's REST interface, as far as billing needs it: token, subscriptions, orders, webhook verification.

The token is kept until shortly before its end, certificates as long as the process. Calls that create or move money
carry ``PayPal-Request-Id``, so that a repeat after a lost answer finds what the first one made.
"""

import base64
import logging
import re
import threading
from datetime import datetime, timedelta
from functools import cache
from typing import TypeAlias

import httpx
import msgspec

from engine.model.errors import Problem, Unavailable
from engine.sales.billing.paypal_account import Account

log = logging.getLogger("hq.billing")
TIMEOUT = httpx.Timeout(15.0, connect=5.0)
EARLY = timedelta(minutes=1)
LONGEST_ANSWER = 1024 * 1024
MOST_CERTIFICATES = 20
# the object in an answer of PayPal's; what it holds is still to be looked at
PaypalAnswer: TypeAlias = dict[str, object]
_ISSUE = re.compile(r"[A-Z0-9_]{1,80}")


class ProviderFailure(Problem):
    """The payment provider cannot be reached or answers with an error of its own."""

    status = 502
    word = "payment_provider_failed"


class ProviderRefusal(Problem):
    """The payment provider does not do what it was asked; ``issue`` is its own word for why."""

    status = 502
    word = "payment_provider_refused"

    def __init__(self, message: str, status_code: int, issue: str) -> None:
        super().__init__(message)
        self.status_code = status_code
        self.issue = issue


@cache
def client() -> httpx.Client:
    """The connections of this process to PayPal. Redirects are not followed, proxies of the environment not used."""
    return httpx.Client(timeout=TIMEOUT, trust_env=False, follow_redirects=False)


@cache
def paypal(account: Account) -> "Paypal":
    """The one client of an account in this process, so that its token and certificates are shared."""
    return Paypal(account)


class Paypal:
    """An account at PayPal. Threads may share one."""

    def __init__(self, account: Account) -> None:
        self.account = account
        self._guard = threading.Lock()
        self._token: tuple[str, datetime] | None = None
        self._certificates: dict[str, bytes] = {}

    def create_subscription(self, plan_id: str, order_id: str, back: tuple[str, str], *, now: datetime) -> PaypalAnswer:
        """Begin a subscription that the buyer has yet to approve; ``back`` is where the buyer returns to."""
        body = {
            "plan_id": plan_id,
            "custom_id": order_id,
            "application_context": {
                "shipping_preference": "NO_SHIPPING",
                "user_action": "SUBSCRIBE_NOW",
                "return_url": back[0],
                "cancel_url": back[1],
            },
        }
        return self._call("POST", "/v1/billing/subscriptions", now, body, order_id)

    def create_order(
        self, value: str, currency: str, order_id: str, back: tuple[str, str], description: str, *, now: datetime
    ) -> PaypalAnswer:
        """Begin a payment that the buyer has yet to approve."""
        unit = {
            "reference_id": order_id,
            "custom_id": order_id,
            "description": description,
            "amount": {"currency_code": currency, "value": value},
        }
        experience = {
            "shipping_preference": "NO_SHIPPING",
            "user_action": "PAY_NOW",
            "return_url": back[0],
            "cancel_url": back[1],
        }
        source = {"paypal": {"experience_context": experience}}
        body = {"intent": "CAPTURE", "purchase_units": [unit], "payment_source": source}
        return self._call("POST", "/v2/checkout/orders", now, body, order_id)

    def subscription(self, ref: str, *, now: datetime) -> PaypalAnswer | None:
        """A subscription as it stands; None where PayPal knows none of that name for this account."""
        return self._get_if_there(f"/v1/billing/subscriptions/{ref}", now)

    def order(self, ref: str, *, now: datetime) -> PaypalAnswer | None:
        """An order as it stands; None where PayPal knows none of that name for this account."""
        return self._get_if_there(f"/v2/checkout/orders/{ref}", now)

    def capture(self, ref: str, order_id: str, *, now: datetime) -> None:
        """Take the money of an approved order; ProviderRefusal when the buyer's means of payment does not give it."""
        self._call("POST", f"/v2/checkout/orders/{ref}/capture", now, {}, f"{order_id}-capture")

    def cancel(self, ref: str, reason: str, *, now: datetime) -> None:
        """End a subscription; one that is over already stays so."""
        try:
            self._call("POST", f"/v1/billing/subscriptions/{ref}/cancel", now, {"reason": reason})
        except ProviderRefusal as refusal:
            if refusal.status_code not in (404, 422):
                raise

    def verifies(self, fields: dict[str, str], event: bytes, *, now: datetime) -> bool:
        """Ask PayPal whether a webhook is its own; ``event`` is sent on byte for byte, because anything else fails."""
        body = msgspec.json.encode(fields)[:-1] + b',"webhook_event":' + event + b"}"
        answer = self._call("POST", "/v1/notifications/verify-webhook-signature", now, body)
        return answer.get("verification_status") == "SUCCESS"

    def certificate(self, address: str) -> bytes | None:
        """The certificates at an address that ``may_hold_certificate``; None where there is nothing."""
        known = self._certificates.get(address)
        if known is None:
            answer = self._send(client().build_request("GET", address))
            if answer.status_code >= 500:
                raise ProviderFailure("The payment provider's certificate cannot be fetched now.")
            if answer.status_code != 200:
                return None
            if len(self._certificates) >= MOST_CERTIFICATES:
                self._certificates.clear()
            known = self._certificates[address] = answer.content
        return known

    # -- the wire --------------------------------------------------------------------------------------------------

    def _get_if_there(self, path: str, now: datetime) -> PaypalAnswer | None:
        try:
            return self._call("GET", path, now)
        except ProviderRefusal as refusal:
            if refusal.status_code == 404:
                return None
            raise

    def _call(
        self, method: str, path: str, now: datetime, body: object = None, request_id: str | None = None
    ) -> PaypalAnswer:
        """The JSON answer of a call; a token that is no longer taken is replaced once."""
        headers = {"Accept": "application/json", "Prefer": "return=representation"}
        if request_id is not None:
            headers["PayPal-Request-Id"] = request_id
        content = None
        if body is not None:
            headers["Content-Type"] = "application/json"
            content = body if isinstance(body, bytes) else msgspec.json.encode(body)
        for fresh in (False, True):
            headers["Authorization"] = f"Bearer {self._bearer(now, fresh=fresh)}"
            answer = self._send(
                client().build_request(method, self.account.url + path, headers=headers, content=content)
            )
            if answer.status_code != 401:
                break
        return self._read(answer)

    def _bearer(self, now: datetime, *, fresh: bool) -> str:
        with self._guard:
            if self._token is None or fresh or self._token[1] <= now:
                who = f"{self.account.client_id}:{self.account.client_secret}".encode()
                headers = {"Authorization": f"Basic {base64.b64encode(who).decode()}", "Accept": "application/json"}
                form = {"grant_type": "client_credentials"}
                url = f"{self.account.url}/v1/oauth2/token"
                came = self._read(self._send(client().build_request("POST", url, headers=headers, data=form)))
                token, seconds = came.get("access_token"), came.get("expires_in")
                if not isinstance(token, str) or not isinstance(seconds, int | float):
                    raise ProviderFailure("The payment provider gave no token.")
                self._token = (token, now + timedelta(seconds=min(seconds, 86_400)) - EARLY)
            return self._token[0]

    def _send(self, request: httpx.Request) -> httpx.Response:
        try:
            answer = client().send(request, stream=True)
            try:
                parts, size = [], 0
                for part in answer.iter_bytes():
                    parts.append(part)
                    size += len(part)
                    if size > LONGEST_ANSWER:
                        raise ProviderFailure("The payment provider's answer is too long.")
            finally:
                answer.close()
        except httpx.HTTPError as error:
            log.warning("payment provider: %s", type(error).__name__)
            raise ProviderFailure("The payment provider does not answer; try again later.") from error
        return httpx.Response(answer.status_code, content=b"".join(parts), request=request)

    def _read(self, answer: httpx.Response) -> PaypalAnswer:
        """The object in an answer. What PayPal writes about an error may name people: only its code word is kept."""
        value: object = {}
        if answer.content:
            try:
                value = msgspec.json.decode(answer.content)
            except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
                value = None
        if answer.is_success and isinstance(value, dict):
            return value
        issue = _issue(value)
        log.warning("payment provider: %s %s", answer.status_code, issue)
        if 400 <= answer.status_code < 500 and answer.status_code not in (401, 403, 408, 429):
            raise ProviderRefusal(
                f"The payment provider refuses this ({issue}).", status_code=answer.status_code, issue=issue
            )
        if answer.status_code in (401, 403):
            raise Unavailable(
                "The payment provider does not accept our account; SVC_PAYPAL_CLIENT_ID and SVC_PAYPAL_CLIENT_SECRET "
                "name it.",
                word="payment_provider_account",
            )
        raise ProviderFailure("The payment provider has a problem of its own; try again later.")


def _issue(value: object) -> str:
    """PayPal's code word for an error: that of the first detail, else its name."""
    if not isinstance(value, dict):
        return "UNREADABLE"
    details = value.get("details")
    first = details[0].get("issue") if isinstance(details, list) and details and isinstance(details[0], dict) else None
    word = first or value.get("name") or value.get("error")
    return word if isinstance(word, str) and _ISSUE.fullmatch(word) else "UNKNOWN"
