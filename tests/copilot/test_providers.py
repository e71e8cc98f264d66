"""Providers are asked in order; what goes wrong before the first word is somebody else's turn."""

import gzip
import time
from dataclasses import replace
from functools import partial
from types import SimpleNamespace

import httpx
import msgspec
import pytest

from engine.copilot import providers
from engine.copilot.prompts import CONTEXT_CHARACTERS, figures, messages
from engine.copilot.providers import Completion, Provider, ProviderError, providers_of
from engine.copilot.turns import answer, look_up
from engine.runtime.settings import Settings
from tests.copilot.conftest import NOW
from tests.copilot.standin import backend

pytestmark = pytest.mark.usefixtures("fresh_connections")
ASKED = [{"role": "user", "content": "How is our posture?"}]


@pytest.fixture
def look(snapshots):
    """What the records of cobalt say to questions of a member."""
    services = SimpleNamespace(snapshots=snapshots)
    return lambda asker: partial(look_up, services, "cobalt", asker, NOW)


def completion_stream(*pieces, done=b"data: [DONE]\n\n"):
    """The bytes of a streamed completion."""
    events = [{"choices": [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]} for piece in pieces]
    events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]})
    events.append({"choices": [], "usage": {"total_tokens": 3}})
    return b"".join(b"data: " + msgspec.json.encode(event) + b"\n\n" for event in events) + done


def broken_off(piece):
    """The bytes of a completion that ends with an error after its first piece."""
    return completion_stream(piece).split(b"\n\n")[0] + b'\n\ndata: {"error": {"message": "gone"}}\n\n'


def completion(content, finish="stop"):
    return {"choices": [{"index": 0, "message": {"role": "assistant", "content": content}, "finish_reason": finish}]}


def streams(body):
    return lambda seen, wire: wire.answer(body, 200, ("Content-Type", "text/event-stream"))


def text_of(respond, *, stream=True):
    with backend(respond) as made:
        completion = Completion(Provider("llm", made.url, "", "m"), ASKED, stream=stream)
        return "".join(completion), completion.finish


def reason_of(respond, *, stream=True):
    with pytest.raises(ProviderError) as caught:
        text_of(respond, stream=stream)
    return caught.value.reason


def test_the_request_is_a_chat_completion():
    with backend(lambda seen, wire: wire.json(completion("yes"))) as made:
        provider = Provider("llm", f"{made.url}/v1", "sk-test", "small")
        assert "".join(Completion(provider, ASKED, stream=False)) == "yes"
    (seen,) = made.seen
    assert (seen.method, seen.target, seen.header("authorization")) == (
        "POST",
        "/v1/chat/completions",
        "Bearer sk-test",
    )
    assert seen.json == {"model": "small", "messages": ASKED, "stream": False}


def test_a_local_server_without_a_key_gets_none():
    with backend(lambda seen, wire: wire.json(completion("yes"))) as made:
        "".join(Completion(Provider("llm", made.url, "", "m"), ASKED, stream=False))
    assert made.seen[0].header("authorization") is None


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (completion_stream("Hel", "lo \u2028 é"), "Hello \u2028 é"),
        (completion_stream("a", "b", done=b""), "ab"),
        (b": wait\n\n" + completion_stream("a").replace(b"data: ", b"data:").replace(b"\n", b"\r\n"), "a"),
        (completion_stream("a", None, "", "b"), "ab"),
    ],
    ids=["plain", "no end mark", "CRLF, comment, no space", "null and empty content"],
)
def test_what_servers_do_differently_is_the_same_text(body, text):
    assert text_of(streams(body)) == (text, "stop")


def test_a_server_that_does_not_stream_is_read_all_the_same():
    assert text_of(lambda seen, wire: wire.json(completion("all", "length"))) == ("all", "length")


def test_a_packed_answer_is_unpacked():
    packed = gzip.compress(completion_stream("small"))
    headers = (("Content-Type", "text/event-stream"), ("Content-Encoding", "gzip"))
    assert text_of(lambda seen, wire: wire.answer(packed, 200, *headers)) == ("small", "stop")


@pytest.mark.parametrize("status", [301, 400, 401, 404, 429, 500, 503])
def test_another_status_is_a_failure_that_names_it(status):
    assert reason_of(lambda seen, wire: wire.json({"error": {"message": "secret"}}, status)) == f"http_{status}"


@pytest.mark.parametrize(
    ("respond", "reason"),
    [
        (lambda seen, wire: wire.hang_up(), "unreachable"),
        (lambda seen, wire: wire.answer(b"<html>", 200), "invalid_answer"),
        (lambda seen, wire: wire.json({"choices": []}), "invalid_answer"),
        (lambda seen, wire: wire.json([1]), "invalid_answer"),
        (streams(b"data: not json\n\n"), "invalid_answer"),
        (streams(b"data: [1]\n\n"), "invalid_answer"),
        (streams(b'data: {"error": {"message": "overloaded"}}\n\n'), "provider_error"),
        (lambda seen, wire: wire.answer(b" " * (providers.LONGEST_BODY + 1), 200), "answer_too_large"),
    ],
)
def test_what_is_no_completion_is_a_failure(respond, reason):
    assert reason_of(respond) == reason


def test_a_silent_server_is_given_up(monkeypatch):
    monkeypatch.setattr(providers, "TIMEOUT", httpx.Timeout(0.2))
    providers.client.cache_clear()
    assert reason_of(lambda seen, wire: time.sleep(1)) == "timeout"


def test_a_server_that_never_ends_is_given_up(monkeypatch):
    def drip(seen, wire):
        wire.start(200, ("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked"))
        for _ in range(100):
            wire.chunk(b": wait\n\n")
            time.sleep(0.02)

    monkeypatch.setattr(providers, "TOTAL_SECONDS", 0.1)
    assert reason_of(drip) == "timeout"


def test_an_endless_text_is_cut(monkeypatch):
    monkeypatch.setattr(providers, "LONGEST_ANSWER", 5)
    assert text_of(streams(completion_stream("abc", "def", "ghi"))) == ("abcde", "length")


# the order


def settings(llm="", reasoning=""):
    return Settings.of(
        {
            "SVC_LLM_URL": llm,
            "SVC_LLM_API_KEY": "sk",
            "SVC_LLM_MODEL": "small",
            "SVC_REASONING_URL": reasoning,
            "SVC_REASONING_TOKEN": "rt",
        }
    )


def test_providers_have_an_order():
    assert providers_of(settings()) == ()
    assert providers_of(settings("http://a/v1/", "http://b")) == (
        Provider("llm", "http://a/v1", "sk", "small"),
        Provider("reasoning", "http://b", "rt", "default"),
    )


@pytest.mark.parametrize("stream", [False, True])
def test_the_next_provider_answers_when_one_fails(stream, look):
    answers = {
        "broken": lambda seen, wire: wire.json({}, 503),
        "empty": lambda seen, wire: wire.json(completion("")),
        "good": lambda seen, wire: wire.json(completion("fine")),
    }
    with backend(answers["broken"]) as broken, backend(answers["empty"]) as empty, backend(answers["good"]) as good:
        turn = answer(settings(broken.url, good.url), ASKED, look(""), stream=stream)
        assert (turn.provider, turn.model, "".join(turn.pieces), turn.confidence) == (
            "reasoning",
            "default",
            "fine",
            None,
        )
        assert (turn.skipped, turn.providers_used) == (
            ({"provider": "llm", "reason": "http_503"},),
            ("llm", "reasoning"),
        )
        turn = answer(settings(empty.url), ASKED, look(""), stream=stream)
        assert (turn.provider, turn.skipped) == ("offline", ({"provider": "llm", "reason": "empty_answer"},))
        assert "".join(turn.pieces).startswith("Posture is ")


def test_an_answer_that_breaks_off_begins_again_elsewhere_only_when_nothing_was_streamed(look):
    with backend(streams(broken_off("half a sen"))) as made:
        turn = answer(settings(made.url), ASKED, look(""), stream=False)
        assert (turn.provider, turn.skipped) == ("offline", ({"provider": "llm", "reason": "provider_error"},))
        turn = answer(settings(made.url), ASKED, look(""), stream=True)
        assert next(turn.pieces) == "half a sen"
        with pytest.raises(ProviderError, match="provider_error"):
            next(turn.pieces)


def test_nothing_configured_means_that_nothing_leaves(look):
    turn = answer(settings(), ASKED, look(""), stream=True)
    assert (turn.provider, turn.skipped, turn.providers_used) == ("offline", (), ())


# what is told


def test_a_provider_is_told_figures_without_names_and_without_other_organizations(look):
    with backend(lambda seen, wire: wire.json(completion("fine"))) as made:
        answer(
            settings(made.url),
            [{"role": "user", "content": "my overdue attestations"}],
            look("dina.abrams@cobalt.example"),
            stream=False,
        )
    system, question = made.seen[0].json["messages"]
    assert question == {"role": "user", "content": "my overdue attestations"}
    assert "Posture score: Posture is " in system["content"]
    assert "/api/governance/compliance/attestations" in system["content"]
    assert "@cobalt.example" not in system["content"]
    assert "acme" not in system["content"].lower()
    assert len(system["content"]) < CONTEXT_CHARACTERS + 1000


def test_nobody_signed_in_means_no_figures():
    with backend(lambda seen, wire: wire.json(completion("fine"))) as made:
        asked = replace(settings(made.url), copilot_anonymous=True)
        turn = answer(asked, ASKED, None, stream=False)
    assert turn.citations == ()
    assert "Figures as of" not in made.seen[0].body.decode()


def test_figures_are_bounded(cobalt):
    from engine.copilot.answers.answers import OfflineAnswer

    assert len(figures(cobalt, OfflineAnswer("x" * 50_000, (), "high"))) == CONTEXT_CHARACTERS


def test_the_end_of_a_long_conversation_is_kept():
    conversation = [{"role": "user", "content": str(n) * 3000} for n in range(10)]
    told = messages(conversation, "figures")
    assert [message["content"][0] for message in told[1:]] == ["2", "3", "4", "5", "6", "7", "8", "9"]
    assert told[0]["role"] == "system"
