"""The doors of the copilot: who gets in, what is kept and noted, and what a client of OpenAI reads."""

import json
from datetime import UTC, datetime

import httpx
import msgspec
import pytest

from engine.copilot import providers, threads
from engine.store.rows import many
from engine.store.schema.audit import audit_log
from engine.store.schema.automation import copilot_messages
from tests.conftest import NOW
from tests.copilot.standin import backend, serve
from tests.copilot.test_providers import broken_off, completion, completion_stream, streams
from tests.web.client import Client

CHAT = "/api/copilot/chat"
THREADS = "/api/copilot/threads"
HELP = "I answer from an organization's own reports"


@pytest.fixture(autouse=True)
def fresh_connections():
    yield
    providers.client().close()
    providers.client.cache_clear()


@pytest.fixture
def respond():
    """What the provider does; a test may replace ``respond["with"]``."""
    return {"with": lambda seen, wire: wire.json(completion("fine"))}


@pytest.fixture
def llm(respond, environment):
    with backend(lambda seen, wire: respond["with"](seen, wire)) as made:
        environment.update(SVC_LLM_URL=f"{made.url}/v1", SVC_LLM_API_KEY="sk-secret", SVC_LLM_MODEL="small")
        yield made


def chat_body(content="How is our posture?", **more):
    return {"messages": [{"role": "user", "content": content}], **more}


def events(answer):
    """The JSON values of an answer in events; the end mark stays text."""
    return [
        part if part == "[DONE]" else json.loads(part)
        for part in (line.removeprefix("data: ") for line in answer.body.decode().split("\n\n") if line)
    ]


def copilot_events(store, org="acme"):
    with store.reader() as connection:
        rows = many(connection, audit_log, org)
    return [(row["action"], row["actor"], row["details"]) for row in rows if row["action"].startswith("copilot.")]


def begin_thread(client):
    answer = client.post(THREADS, {"title": "Posture"})
    assert answer.status == 201
    return answer.json["thread"]["id"]


# a chat


@pytest.mark.real
def test_without_a_provider_the_reports_answer(sign_in, with_people):
    head = with_people.head("acme")
    got = sign_in().post(CHAT, chat_body()).json
    text = got["choices"][0]["message"]["content"]
    assert {name: got[name] for name in ("object", "created", "model", "provider", "skipped", "confidence")} == {
        "object": "chat.completion",
        "created": int(NOW.timestamp()),
        "model": "offline",
        "provider": "offline",
        "skipped": [],
        "confidence": "none",
    }
    assert text.startswith("I have no data on the posture.")
    assert got["choices"][0]["finish_reason"] == "stop"
    assert got["citations"] == [
        {
            "number": 1,
            "report": "posture-score",
            "route": "/api/governance/compliance/posture-score",
            "row": None,
            "as_of": "2026-11-20",
            "revision": head.seq,
        }
    ]
    assert with_people.head("acme") == head


@pytest.mark.real
def test_the_stream_says_the_same_in_chunks(sign_in):
    whole_text = sign_in().post(CHAT, chat_body()).json["choices"][0]["message"]["content"]
    answer = sign_in().post(CHAT, chat_body(stream=True))
    assert answer.headers["content-type"] == "text/event-stream; charset=utf-8"
    assert int(answer.headers["content-length"]) == len(answer.body), "it is all there: nobody has to wait for it"
    first, *middle, last, end = events(answer)
    assert {chunk["object"] for chunk in (first, *middle, last)} == {"chat.completion.chunk"}
    assert (first["choices"][0]["delta"], first["provider"]) == ({"role": "assistant", "content": ""}, "offline")
    assert "".join(chunk["choices"][0]["delta"]["content"] for chunk in middle) == whole_text
    assert (last["choices"][0], last["confidence"], end) == (
        {"index": 0, "delta": {}, "finish_reason": "stop"},
        "none",
        "[DONE]",
    )


@pytest.mark.real
def test_a_provider_answers_and_that_figures_left_is_noted(llm, sign_in, with_people):
    got = sign_in().post(CHAT, chat_body()).json
    assert (got["choices"][0]["message"]["content"], got["model"], got["provider"]) == ("fine", "small", "llm")
    assert (got["confidence"], got["citations"][0]["report"]) == (None, "posture-score")
    assert copilot_events(with_people) == [("copilot.figures.sent", "owner@acme.example", {"sent_to": ["llm"]})]
    assert b"sk-secret" not in json.dumps(got).encode()


@pytest.mark.real
def test_a_provider_that_fails_is_named_with_its_reason(llm, respond, sign_in):
    respond["with"] = lambda seen, wire: wire.json({"error": {"message": "inside"}}, 500)
    answer = sign_in().post(CHAT, chat_body(stream=True))
    assert events(answer)[0]["provider"] == "offline"
    assert events(answer)[0]["skipped"] == [{"provider": "llm", "reason": "http_500"}]
    assert b"inside" not in answer.body


@pytest.mark.real
def test_a_stream_that_breaks_off_ends_with_an_error_and_no_end_mark(llm, respond, sign_in, with_people):
    respond["with"] = streams(broken_off("half"))
    client = sign_in()
    thread = begin_thread(client)
    got = events(client.post(CHAT, chat_body(stream=True, thread_id=thread)))
    assert got[1]["choices"][0]["delta"] == {"content": "half"}
    assert got[2:] == [
        {"error": {"message": "The provider broke off its answer.", "type": "provider_error", "code": "provider_error"}}
    ]
    assert client.get(f"{THREADS}/{thread}/messages").json["messages"] == []


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ({}, "`messages`"),
        ({"messages": []}, "length >= 1"),
        ({"messages": "hi"}, "array"),
        ({"messages": [{"role": "tool", "content": "x"}]}, "tool"),
        ({"messages": [{"role": "user"}]}, "content"),
        ({"messages": [{"role": "user", "content": ""}]}, "length >= 1"),
        ({"messages": [{"role": "user", "content": "x" * 8001}]}, "length <= 8000"),
        ({"messages": [{"role": "user", "content": "  \n"}]}, "only space"),
        ({"messages": [{"role": "user", "content": "x"}] * 51}, "length <= 50"),
        ({"messages": [{"role": "user", "content": "x" * 8000}] * 6}, "40,000 characters"),
        ({"messages": [{"role": "user", "content": "x"}, {"role": "assistant", "content": "y"}]}, "the user's"),
        (chat_body(stream="yes"), "bool"),
        (chat_body(thread_id=""), "length >= 1"),
        (b"{", "not JSON"),
        (b"[]", "array"),
        (b'{"messages": [{"role": "user", "content": "\\ud800"}]}', "not JSON"),
        (b'{"messages": [{"role": "user", "content": "a\\u0000"}]}', "U+0000"),
    ],
)
def test_a_bad_body_is_400_and_asks_nobody(body, says, llm, sign_in, with_people):
    head = with_people.head("acme")
    answer = sign_in().post(CHAT, body)
    assert (answer.status, answer.json["error"]) == (400, "invalid_body")
    assert says in answer.json["message"]
    assert (llm.seen, with_people.head("acme")) == ([], head)


# who gets in


def test_nobody_signed_in_gets_general_help_without_any_figure(sign_in):
    got = sign_in(None).post(CHAT, chat_body()).json
    assert got["choices"][0]["message"]["content"].startswith(HELP)
    assert (got["citations"], got["provider"]) == ([], "offline")


def test_with_a_key_and_sessions_a_session_is_needed(llm, sign_in):
    assert sign_in(None).post(CHAT, chat_body()).status == 401
    assert llm.seen == []


@pytest.mark.parametrize("stream", [False, True])
def test_nobody_signed_in_makes_us_ask_no_provider_and_hold_no_stream(stream, llm, environment, request):
    """A model without a key is asked for members alone: others would use it up, and wait for it on our threads."""
    del environment["SVC_LLM_API_KEY"]
    environment["SVC_REASONING_URL"] = environment["SVC_LLM_URL"]
    answer = request.getfixturevalue("sign_in")(None).post(CHAT, chat_body(stream=stream))
    got = events(answer)[0] if stream else answer.json
    assert (answer.status, got["provider"], got["skipped"], llm.seen) == (200, "offline", [], [])
    assert int(answer.headers["content-length"]) == len(answer.body)


def test_a_model_without_a_key_is_told_nothing_of_an_organization_by_nobody(llm, environment, request):
    del environment["SVC_LLM_API_KEY"]
    environment["SVC_COPILOT_ANONYMOUS"] = "on"
    answer = request.getfixturevalue("sign_in")(None).post(CHAT, chat_body())
    assert answer.json["provider"] == "llm"
    assert "Nobody is signed in" in llm.seen[0].json["messages"][0]["content"]
    assert "Figures as of" not in llm.seen[0].body.decode()


def test_without_a_session_twenty_turns_a_minute_are_for_each_address(console):
    client = Client(console)
    assert {client.post(CHAT, chat_body("help")).status for _ in range(20)} == {200}
    for _ in range(3):  # a minute may have turned meanwhile
        answer = client.post(CHAT, chat_body("help"))
    assert (answer.status, answer.json["error"]) == (429, "rate_limited")
    assert int(answer.headers["retry-after"]) > 0
    member = Client(console, console.gate.sessions.issue("member@acme.example", "acme", now=datetime.now(UTC)))
    assert member.post(CHAT, chat_body("help")).status == 200


def test_a_thread_needs_a_session(sign_in):
    answer = sign_in(None).post(CHAT, chat_body(thread_id="thr_1"))
    assert (answer.status, answer.json["error"]) == (401, "unauthorized")


# threads


@pytest.mark.real
def test_a_turn_keeps_both_messages_and_notes_no_content(sign_in, with_people):
    client = sign_in()
    thread = begin_thread(client)
    answer = client.post(f"{THREADS}/{thread}/messages", {"content": "How is our posture? password=hunter2"})
    assert (answer.status, answer.json["thread_id"], answer.json["provider"]) == (201, thread, "offline")
    asked, answered = client.get(f"{THREADS}/{thread}/messages").json["messages"]
    assert answer.json["messages"] == [asked, answered]
    assert (asked["role"], asked["content"]) == ("user", "How is our posture? password=[redacted]")
    assert (answered["role"], answered["confidence"], answered["provider"]) == ("assistant", "low", "offline")
    assert answered["content"].startswith("I have no data on the posture.")
    assert answered["citations"][0]["route"] == "/api/governance/compliance/posture-score"
    assert copilot_events(with_people) == [
        ("copilot.thread.created", "owner@acme.example", None),
        ("copilot.message.answered", "owner@acme.example", {"provider": "offline", "sent_to": []}),
    ]


def test_threads_are_listed_newest_first(sign_in, clock):
    client = sign_in()
    made = []
    for _ in range(3):
        made.append(begin_thread(client))
        clock.tick()
    listed = client.get(THREADS).json["threads"]
    assert [thread["id"] for thread in listed] == made[::-1]
    assert listed[0] == {"id": made[2], "title": "Posture", "created_at": "2026-11-20T08:30:02Z"}
    assert [thread["id"] for thread in client.get(f"{THREADS}?limit=1").json["threads"]] == made[2:]
    assert client.post(THREADS).json["thread"]["title"] == "New conversation"


@pytest.mark.real
def test_a_model_is_told_what_was_said_before(llm, sign_in):
    client = sign_in()
    thread = begin_thread(client)
    client.post(f"{THREADS}/{thread}/messages", {"content": "first"})
    client.post(
        CHAT,
        {
            "messages": [{"role": "user", "content": "made up"}, {"role": "user", "content": "second"}],
            "thread_id": thread,
        },
    )
    told = [(message["role"], message["content"]) for message in llm.seen[-1].json["messages"][1:]]
    assert told == [("user", "first"), ("assistant", "fine"), ("user", "second")]
    kept = client.get(f"{THREADS}/{thread}/messages").json["messages"]
    assert [message["content"] for message in kept] == ["first", "fine", "second", "fine"]


@pytest.mark.real
def test_a_streamed_turn_is_kept_once_it_is_over(llm, respond, sign_in):
    respond["with"] = streams(completion_stream("one ", "two"))
    client = sign_in()
    thread = begin_thread(client)
    *_, last, end = events(client.post(CHAT, chat_body(stream=True, thread_id=thread)))
    assert (last["thread_id"], end) == (thread, "[DONE]")
    kept = client.get(f"{THREADS}/{thread}/messages").json["messages"]
    assert [message["content"] for message in kept] == ["How is our posture?", "one two"]


@pytest.mark.parametrize(("who", "org"), [("admin@acme.example", "acme"), ("owner@other.example", "other")])
def test_another_members_thread_does_not_exist(who, org, sign_in, with_people):
    thread = begin_thread(sign_in())
    heads = with_people.head("acme"), with_people.head("other")
    stranger = sign_in(who, org)
    for answer in (
        stranger.get(f"{THREADS}/{thread}/messages"),
        stranger.post(f"{THREADS}/{thread}/messages", {"content": "x"}),
        stranger.post(CHAT, chat_body(thread_id=thread)),
    ):
        assert (answer.status, answer.json["error"]) == (404, "not_found")
    assert stranger.get(THREADS).json == {"threads": []}
    assert (with_people.head("acme"), with_people.head("other")) == heads


def test_a_full_thread_is_409_and_keeps_nothing(sign_in, with_people, monkeypatch):
    client = sign_in()
    thread = begin_thread(client)
    monkeypatch.setattr(threads, "MOST_MESSAGES", 3)
    assert client.post(f"{THREADS}/{thread}/messages", {"content": "one"}).status == 201
    head = with_people.head("acme")
    answer = client.post(f"{THREADS}/{thread}/messages", {"content": "two"})
    assert (answer.status, answer.json["error"], with_people.head("acme")) == (409, "thread_full", head)
    with with_people.reader() as connection:
        assert len(many(connection, copilot_messages, "acme")) == 2


@pytest.mark.parametrize(
    ("path", "body", "error"),
    [
        (THREADS, {"title": ""}, "invalid_body"),
        (THREADS, {"title": "x" * 201}, "invalid_body"),
        (THREADS, {"titel": "x"}, "invalid_body"),
        (THREADS, {"title": " "}, "invalid_body"),
        (THREADS + "?x=1", {}, "invalid_parameter"),
    ],
)
def test_a_bad_thread_is_400_and_changes_nothing(path, body, error, sign_in, with_people):
    head = with_people.head("acme")
    answer = sign_in().post(path, body)
    assert (answer.status, answer.json["error"], with_people.head("acme")) == (400, error, head)


@pytest.mark.parametrize("query", ["limit=0", "limit=201", "limit=x", "page=2"])
def test_a_bad_list_is_400(query, sign_in):
    assert sign_in().get(f"{THREADS}?{query}").json["error"] == "invalid_parameter"


# a real client


@pytest.mark.real
def test_the_openai_client_streams_through(llm, respond, console, sign_in):
    openai = pytest.importorskip("openai")
    from openai.types.chat import ChatCompletion, ChatCompletionChunk

    def model(seen, wire):
        if not seen.json["stream"]:
            return wire.json(completion("Posture is fine."))
        wire.start(200, ("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked"))
        for part in completion_stream("Posture ", "is ", "fine.").split(b"\n\n")[:-1]:
            wire.chunk(part + b"\n\n")
        return wire.chunk(b"")

    respond["with"] = model
    with serve(console) as address:
        client = openai.OpenAI(
            api_key="unused",
            base_url=address,
            max_retries=0,
            default_headers={"Authorization": "", "Cookie": f"svc_session={sign_in().cookie}"},
        )
        with client:
            got = client.post(CHAT, cast_to=ChatCompletion, body=chat_body(model="any"))
            stream = client.post(
                CHAT,
                cast_to=ChatCompletion,
                body=chat_body(stream=True),
                stream=True,
                stream_cls=openai.Stream[ChatCompletionChunk],
            )
            chunks = list(stream)
    assert (got.choices[0].message.content, got.model, got.choices[0].finish_reason) == (
        "Posture is fine.",
        "small",
        "stop",
    )
    assert [chunk.choices[0].delta.content for chunk in chunks] == ["", "Posture ", "is ", "fine.", None]
    assert (chunks[-1].choices[0].finish_reason, chunks[0].provider) == ("stop", "llm")


@pytest.mark.real
def test_the_stream_arrives_while_the_model_still_writes(llm, respond, console, sign_in):
    from threading import Event

    go_on = Event()

    def model(seen, wire):
        first, rest = completion_stream("one ", "two").split(b"\n\n", 1)
        wire.start(200, ("Content-Type", "text/event-stream"), ("Transfer-Encoding", "chunked"))
        wire.chunk(first + b"\n\n")
        go_on.wait(10)
        wire.chunk(rest)
        wire.chunk(b"")

    respond["with"] = model
    headers = {"cookie": f"svc_session={sign_in().cookie}"}
    with (
        serve(console) as address,
        httpx.stream(
            "POST", f"{address}{CHAT}", headers=headers, content=msgspec.json.encode(chat_body(stream=True))
        ) as got,
    ):
        seen = b""
        for chunk in got.iter_raw():
            seen += chunk
            if b'"one "' in seen and not go_on.is_set():
                assert b'"two"' not in seen
                go_on.set()
    assert seen.endswith(b"data: [DONE]\n\n")
