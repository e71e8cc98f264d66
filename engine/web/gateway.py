"""The root of the central gateway: one descriptor at ``/``, as a WSGI application of its own.

The paths that it links to belong to the gateway's other services; a request for one is answered with an honest 404.
"""

import random
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from wsgiref.types import StartResponse, WSGIApplication, WSGIEnvironment

import msgspec

from engine.runtime.settings import Settings

LINKS: Mapping[str, str] = {
    "health": "/health",
    "healthReady": "/health/ready",
    "healthAll": "/health/all",
    "heartbeat": "/heartbeat",
    "status": "/v1/status",
    "intelligence": "/api/intelligence",
    "chatApi": "/api/chat",
    "chatUi": "/chat",
    "llmApi": "/api/llm/chat",
    "openAiChat": "/v1/chat/completions",
    "models": "/api/llm/models",
    "gatewayRobot": "/v1/robot",
    "gatewaySh": "/v1/sh",
    "billing": "/billing/balance",
    "authSignup": "/api/auth/signup",
    "authKeys": "/api/keys",
    "apiKeysPhase1": "/api-keys",
    "testAuth": "/v1/test-auth",
    "healthServices": "/health/services",
    "healthModels": "/health/models",
    "workspace": "/workspace",
    "docs": "/docs",
    "developers": "/developers",
    "apiDocs": "/api-docs",
    "sdk": "/sdk",
    "examples": "/examples",
    "marketplace": "/marketplace",
    "enterprise": "/enterprise",
}
AUTH: Mapping[str, str] = {
    "required": "Most routes need an API key or a JWT; the intelligence route is public when the public-intelligence "
    "flag is enabled.",
    "header": "Authorization: Bearer sk_live_<API_KEY> or Authorization: Bearer <JWT>",
}
METHODS = "GET, HEAD"
HEADERS = (
    ("Content-Type", "application/json"),
    ("Cache-Control", "no-store"),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'"),
)


def descriptor(settings: Settings) -> dict[str, object]:
    """What the root answers."""
    brand = settings.brand
    return {
        "service": "hq-gateway",
        "brand": brand,
        "role": "gateway",
        "status": "online",
        "message": f"{brand} central gateway for frontend intelligence: chat, LLM, robot and other backends",
        "version": version("hq-console"),
        "links": dict(LINKS),
        "auth": dict(AUTH),
    }


def gateway(settings: Settings) -> WSGIApplication:
    """The WSGI application. Its answer never changes while it runs, so it is made once."""
    content = msgspec.json.encode(descriptor(settings)) + b"\n"

    def application(environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        method, path = environ["REQUEST_METHOD"], environ.get("PATH_INFO", "")
        if path not in ("", "/"):
            status, body = "404 Not Found", _error("no_such_route", _not_here(path))
        elif method not in ("GET", "HEAD"):
            status = "405 Method Not Allowed"
            body = _error("method_not_allowed", f"The root answers {METHODS}; got {method[:20]}.")
        else:
            status, body = "200 OK", content
        allow = [("Allow", METHODS)] if status.startswith("405") else []
        identifier = f"{random.getrandbits(96):024x}"  # a label, no secret
        headers = [*HEADERS, *allow, ("X-Request-Id", identifier), ("Content-Length", str(len(body)))]
        start_response(status, headers)
        return [] if method == "HEAD" else [body]

    return application


def _not_here(path: str) -> str:
    text = path.encode("latin-1", "replace").decode("utf-8", "replace")[:200]
    if path in LINKS.values():
        return f"{text} is a route of the gateway that this program does not serve: it answers / alone."
    return f"There is no route {text}; this program answers / alone."


def _error(word: str, message: str) -> bytes:
    return msgspec.json.encode({"error": word, "message": message}) + b"\n"
