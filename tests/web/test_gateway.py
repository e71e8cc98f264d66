"""The gateway's root: exactly the documented descriptor, and nothing else."""

import json
import re
import signal
import socket
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path
from wsgiref.util import setup_testing_defaults
from wsgiref.validate import validator

import httpx
import pytest

from engine.runtime.settings import Settings
from engine.web.gateway import gateway

# the interface as it is documented: keys in their order, then the values in theirs
KEYS = [
    "health",
    "healthReady",
    "healthAll",
    "heartbeat",
    "status",
    "intelligence",
    "chatApi",
    "chatUi",
    "llmApi",
    "openAiChat",
    "models",
    "gatewayRobot",
    "gatewaySh",
    "billing",
    "authSignup",
    "authKeys",
    "apiKeysPhase1",
    "testAuth",
    "healthServices",
    "healthModels",
    "workspace",
    "docs",
    "developers",
    "apiDocs",
    "sdk",
    "examples",
    "marketplace",
    "enterprise",
]
VALUES = [
    "/health",
    "/health/ready",
    "/health/all",
    "/heartbeat",
    "/v1/status",
    "/api/intelligence",
    "/api/chat",
    "/chat",
    "/api/llm/chat",
    "/v1/chat/completions",
    "/api/llm/models",
    "/v1/robot",
    "/v1/sh",
    "/billing/balance",
    "/api/auth/signup",
    "/api/keys",
    "/api-keys",
    "/v1/test-auth",
    "/health/services",
    "/health/models",
    "/workspace",
    "/docs",
    "/developers",
    "/api-docs",
    "/sdk",
    "/examples",
    "/marketplace",
    "/enterprise",
]


def call(path="/", method="GET", **settings):
    """Status, headers and body, through a checker of PEP 3333."""
    environ = {"REQUEST_METHOD": method, "PATH_INFO": path, "SCRIPT_NAME": "", "QUERY_STRING": ""}
    setup_testing_defaults(environ)
    seen = {}

    def start_response(status, headers, exc_info=None):
        seen["status"], seen["headers"] = int(status.split()[0]), dict(headers)
        return lambda data: None

    chunks = validator(gateway(Settings.of(settings)))(environ, start_response)
    body = b"".join(chunks)
    chunks.close()
    return seen["status"], seen["headers"], body


def test_the_root_is_the_documented_descriptor():
    status, headers, body = call()
    content = json.loads(body)
    assert (status, headers["Content-Type"], headers["Content-Length"]) == (200, "application/json", str(len(body)))
    assert list(content) == ["service", "brand", "role", "status", "message", "version", "links", "auth"]
    assert list(content["links"].items()) == list(zip(KEYS, VALUES, strict=True))
    assert len(content["links"]) == 28
    assert list(content["auth"]) == ["required", "header"]
    assert {type(content[name]) for name in content if name not in ("links", "auth")} == {str}
    assert (content["service"], content["brand"], content["role"], content["status"]) == (
        "hq-gateway",
        "HQ",
        "gateway",
        "online",
    )


def test_the_version_is_that_of_the_package_and_semantic():
    told = json.loads(call()[2])["version"]
    assert told == version("hq-console")
    assert re.fullmatch(r"\d+\.\d+\.\d+(-[0-9A-Za-z.-]+)?(\+[0-9A-Za-z.-]+)?", told)


def test_auth_says_what_the_routes_need():
    auth = json.loads(call()[2])["auth"]
    assert "API key or a JWT" in auth["required"]
    assert "intelligence route is public when the public-intelligence flag is enabled" in auth["required"]
    assert auth["header"].startswith("Authorization: Bearer sk_live_<API_KEY>")


def test_the_brand_is_a_setting():
    content = json.loads(call(SVC_BRAND="Northwind")[2])
    assert (content["brand"], content["message"].split()[0]) == ("Northwind", "Northwind")


def test_head_is_get_without_a_body():
    (status, headers, body), (_, of_get, _) = call(method="HEAD"), call()
    assert (status, body, headers["Content-Length"]) == (200, b"", of_get["Content-Length"])


@pytest.mark.parametrize(
    "path", [*VALUES, "/api/auth/../api-keys", "//", "/index.html", "/ü".encode().decode("latin-1"), "/\xff"]
)
def test_every_other_path_is_an_honest_404(path):
    status, headers, body = call(path)
    content = json.loads(body)
    assert (status, list(content), content["error"]) == (404, ["error", "message"], "no_such_route")
    assert ("does not serve" in content["message"]) is (path in VALUES)
    assert "X-Request-Id" in headers


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS"])
def test_the_root_is_read_only(method):
    status, headers, body = call(method=method)
    assert (status, headers["Allow"], json.loads(body)["error"]) == (405, "GET, HEAD", "method_not_allowed")


@pytest.mark.real
def test_the_command_serves_it_and_stops_cleanly(tmp_path):
    """A process of its own, without a store."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    command = [Path(sys.executable).with_name("hq"), "gateway", "--port", str(port)]
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr.readline() == f"Gateway on http://127.0.0.1:{port} (Ctrl-C stops)\n"
        answer = httpx.get(f"http://127.0.0.1:{port}/", trust_env=False)
        assert (answer.status_code, answer.json()) == (200, json.loads(call()[2]))
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=20)
    assert (process.returncode, list(tmp_path.iterdir())) == (0, [])
