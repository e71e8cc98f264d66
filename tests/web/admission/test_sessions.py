"""Sessions end when their key is withdrawn, when somebody ends them, and where they were meant for somebody else."""

import json
import os
from datetime import timedelta
from functools import cache

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from jwt.utils import base64url_decode, base64url_encode

from engine.model.errors import Unavailable, Usage
from engine.runtime.settings import Settings
from engine.store.queries.accounts.sessions import end_sessions
from engine.web.admission.sessions import Sessions
from tests.conftest import NOW
from tests.web.client import Client
from tests.web.conftest import SECRET

REPORT = "/api/governance/compliance/summary"
P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551
CLAIMS = {"sub": "Owner@Acme.example", "org": "acme", "exp": NOW + timedelta(hours=1)}


@cache
def private_key(name, algorithm="ES256"):
    return rsa.generate_private_key(65537, 2048) if algorithm == "RS256" else ec.generate_private_key(ec.SECP256R1())


def public(name, algorithm="ES256"):
    kind = jwt.algorithms.RSAAlgorithm if algorithm == "RS256" else jwt.algorithms.ECAlgorithm
    return json.loads(kind.to_jwk(private_key(name, algorithm).public_key())) | {"kid": name, "alg": algorithm}


def signed_token(name, algorithm="ES256", kid=None, **claims):
    return jwt.encode({**CLAIMS, **claims}, private_key(name, algorithm), algorithm, headers={"kid": kid or name})


def own(**claims):
    return jwt.encode({**CLAIMS, **claims}, SECRET, algorithm="HS256")


def status(console, token):
    answer = Client(console, token).get(REPORT)
    return answer.status if answer.status == 200 else (answer.status, answer.json["error"])


@pytest.fixture
def key_set(environment, tmp_path):
    """Writes the key set of the identity provider, which the console under test reads."""
    path = tmp_path / "keys.json"
    environment["SVC_SESSION_JWKS_FILE"] = str(path)

    def write(*keys):
        path.write_text(json.dumps({"keys": list(keys)}))
        return path

    return write


@pytest.fixture
def open_console(request):
    """The console, once the environment is as the test wants it."""

    def open_console():
        request.getfixturevalue("clock")
        return request.getfixturevalue("console")

    return open_console


@pytest.mark.parametrize("algorithm", ["RS256", "ES256"])
def test_an_identity_provider_may_issue_sessions(algorithm, key_set, open_console):
    key_set(public("k1", algorithm))
    console = open_console()
    assert status(console, signed_token("k1", algorithm)) == 200
    assert status(console, signed_token("k1", algorithm, kid="k2")) == (401, "invalid_session")
    assert status(console, own()) == (401, "invalid_session"), "our own secret no longer signs"


def test_a_key_that_is_withdrawn_ends_the_sessions_that_it_signed_with_the_next_request(key_set, open_console):
    """They were seen good before, and their own time is not over."""
    path = key_set(public("k1"), public("k2"))
    console = open_console()
    assert [status(console, signed_token(name)) for name in ("k1", "k2")] == [200, 200]
    before = path.stat()
    key_set(public("k2"))
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))  # as a copy that keeps the date leaves it
    assert [status(console, signed_token(name)) for name in ("k1", "k2")] == [(401, "invalid_session"), 200]
    key_set()
    assert [status(console, signed_token(name)) for name in ("k1", "k2")] == [(401, "invalid_session")] * 2
    key_set(public("k1"))
    assert status(console, signed_token("k1")) == 200


def test_a_key_set_that_cannot_be_read_lets_nobody_in(key_set, open_console):
    path = key_set(public("k1"))
    console = open_console()
    assert status(console, signed_token("k1")) == 200
    path.write_text('{"keys": [')
    assert status(console, signed_token("k1")) == (503, "session_keys_unreadable")
    path.unlink()
    assert status(console, signed_token("k1")) == (503, "session_keys_unreadable")
    key_set(public("k1"))
    assert status(console, signed_token("k1")) == 200


def test_an_empty_secret_signs_nothing(tmp_path):
    (tmp_path / "session.secret").write_text("")
    with pytest.raises(Unavailable, match=r"session\.secret in SVC_DATA_DIR is empty"):
        Sessions(Settings(data_dir=tmp_path))


@pytest.mark.parametrize("text", ["", "[]", "null", '{"keys": 1}', '{"keys": [1]}', '{"keys": [{"kty": "x"}]}'])
def test_what_is_no_key_set_is_said_at_the_start(text, tmp_path):
    (tmp_path / "keys.json").write_text(text)
    with pytest.raises(Usage, match=r"SVC_SESSION_JWKS_FILE must be a readable JSON Web Key Set; .*keys\.json"):
        Sessions(Settings(session_secret=SECRET, session_jwks_file=tmp_path / "keys.json"))


@pytest.mark.parametrize(
    ("settings", "claims", "expected"),
    [
        ({}, {}, 200),
        ({}, {"iss": "https://anybody.example"}, 200),
        ({}, {"aud": "wiki"}, (401, "invalid_session")),
        ({"AUDIENCE": "hq"}, {"aud": "hq"}, 200),
        ({"AUDIENCE": "hq"}, {"aud": ["wiki", "hq"]}, 200),
        ({"AUDIENCE": "hq"}, {"aud": "wiki"}, (401, "invalid_session")),
        ({"AUDIENCE": "hq"}, {}, (401, "invalid_session")),
        ({"ISSUER": "https://id.example"}, {"iss": "https://id.example"}, 200),
        ({"ISSUER": "https://id.example"}, {"iss": "https://id.example.evil"}, (401, "invalid_session")),
        ({"ISSUER": "https://id.example"}, {}, (401, "invalid_session")),
    ],
)
def test_a_session_is_for_us_and_from_whom_we_trust(settings, claims, expected, environment, open_console):
    environment |= {f"SVC_SESSION_{name}": value for name, value in settings.items()}
    assert status(open_console(), own(**claims)) == expected


def test_our_own_sessions_name_audience_and_issuer(environment, open_console):
    environment |= {"SVC_SESSION_AUDIENCE": "hq", "SVC_SESSION_ISSUER": "https://hq.acme.example"}
    console = open_console()
    assert status(console, console.gate.sessions.issue("owner@acme.example", "acme", now=NOW)) == 200


def end(store, email="owner@acme.example", *session_id, org="acme", now=NOW):
    store.write(org, "console", lambda revision: end_sessions(revision, email, *session_id), now=now)


@pytest.mark.real
def test_one_session_is_ended_and_the_others_go_on(open_console, with_people):
    console = open_console()
    first, second, bare = own(jti="a"), own(jti="b"), own()
    assert [status(console, token) for token in (first, second, bare)] == [200, 200, 200]
    end(with_people, "owner@acme.example", "a")
    assert [status(console, token) for token in (first, second, bare)] == [(401, "session_ended"), 200, 200]
    assert status(console, own(jti="a", sub="admin@acme.example")) == 200, "the identifier is that person's"
    end(with_people, "owner@acme.example", console.gate.sessions.read(bare, now=NOW).id)
    assert [status(console, token) for token in (second, bare)] == [200, (401, "session_ended")]


def test_a_session_without_identifier_is_not_brought_back_by_another_form_of_its_signature(
    key_set, open_console, with_people
):
    """Who knows one ECDSA signature (r, s) knows another, (r, -s), of the same words."""
    key_set(public("k1"))
    console = open_console()
    token = signed_token("k1")
    words, _, signature = token.rpartition(".")
    raw = base64url_decode(signature)
    mirrored = (P256_ORDER - int.from_bytes(raw[32:], "big")).to_bytes(32, "big")
    again = f"{words}.{base64url_encode(raw[:32] + mirrored).decode()}"
    assert status(console, again) == 200
    end(with_people, "owner@acme.example", console.gate.sessions.read(token, now=NOW).id)
    assert [status(console, one) for one in (token, again)] == [(401, "session_ended")] * 2


@pytest.mark.real
def test_all_sessions_of_a_person_that_had_begun_are_ended(open_console, with_people, clock):
    console = open_console()
    old, undated = own(iat=NOW - timedelta(minutes=5)), own()
    end(with_people, "owner@acme.example")
    assert [status(console, token) for token in (old, undated)] == [(401, "session_ended")] * 2
    clock.tick(timedelta(seconds=1))
    assert status(console, own(iat=NOW + timedelta(seconds=1))) == 200
    assert status(console, own(sub="admin@acme.example", iat=NOW - timedelta(minutes=5))) == 200
    assert status(console, own(sub="owner@other.example", org="other", iat=NOW - timedelta(minutes=5))) == 200
