"""Who sent a payment webhook: checked over the raw body before anything reads it."""

import hmac
import logging
from hashlib import sha256

import msgspec

from engine.model.errors import Unauthorized
from engine.sales.billing.paypal import paypal
from engine.sales.billing.paypal_account import Account, account
from engine.sales.billing.paypal_signature import Transmission, UntrustedSignature, anchors, check
from engine.web.admission.gate import Gate
from engine.web.admission.limits import Limit
from engine.web.http import Request

# checking may mean asking PayPal, so whoever is not PayPal may not have it done without end
CHECKS = Limit("payments", 300, 60, by="address")
log = logging.getLogger("hq.billing")


def check_paypal(gate: Gate, request: Request) -> None:
    """Unauthorized unless PayPal sent this for our webhook, as a certificate shows or PayPal itself says."""
    configured = account(gate.services.settings)
    try:
        if configured is None or not configured.webhook_id:
            raise UntrustedSignature("no account or webhook is configured")
        transmission = Transmission.of(request.headers, now=request.now)
        gate.limiter.check(CHECKS, request.address)
        verify = _check_with_provider if configured.verify == "postback" else _check_certificate
        verify(configured, transmission, request)
    except UntrustedSignature as reason:
        log.warning("request %s: PayPal webhook refused: %s", request.id, reason)
        raise _refusal() from reason


def check_lemonsqueezy(gate: Gate, request: Request) -> None:
    """Unauthorized unless ``X-Signature`` is the hex HMAC-SHA256 of the body with one of our secrets."""
    given = request.headers.get("x-signature", "")
    secrets = gate.services.settings.lemonsqueezy_signing_secret
    if not secrets or not given or not given.isascii():
        raise _refusal()
    right = [hmac.new(secret.encode(), request.body, sha256).hexdigest() for secret in secrets]
    if not any(hmac.compare_digest(one, given.lower()) for one in right):
        raise _refusal()


def _check_certificate(configured: Account, transmission: Transmission, request: Request) -> None:
    if not configured.may_hold_certificate(transmission.cert_url):
        raise UntrustedSignature("the certificate is not at an address of PayPal")
    certificate = paypal(configured).certificate(transmission.cert_url)
    if certificate is None:
        raise UntrustedSignature("there is no certificate at the address")
    authorities = anchors(configured.ca_file)
    check(transmission, request.body, configured.webhook_id, certificate, authorities, now=request.now)


def _check_with_provider(configured: Account, transmission: Transmission, request: Request) -> None:
    try:
        msgspec.json.decode(request.body, type=dict)  # what is no object would be another question
        request.body.decode()
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise UntrustedSignature("the body is no JSON object") from error
    fields = {
        "auth_algo": transmission.algorithm,
        "cert_url": transmission.cert_url,
        "transmission_id": transmission.id,
        "transmission_sig": transmission.signature,
        "transmission_time": transmission.time,
        "webhook_id": configured.webhook_id,
    }
    if not paypal(configured).verifies(fields, request.body, now=request.now):
        raise UntrustedSignature("PayPal does not know the transmission")


def _refusal() -> Unauthorized:
    return Unauthorized("The signature of this request is missing, wrong or too old.", word="invalid_signature")
