"""What can leave, and what the preview says of the rest."""

import pytest

from engine.delivery import channels_of, endpoints
from engine.delivery.endpoint_changes import forget, rotate_secret, set_chat, set_webhook
from engine.delivery.secret_keys import SecretKeys
from engine.model.errors import BadRequest, NotFound, Usage
from engine.runtime.settings import Settings
from engine.store.queries.sending.deliveries import Endpoint
from engine.store.rows import many
from engine.store.schema.audit import audit_log
from tests.conftest import NOW

URL = "https://hooks.example.com/in"
SMTP = {"SVC_SMTP_URL": "smtps://mail.example", "SVC_SMTP_FROM": "a@b.example"}
CHAT = {"SVC_CHAT_BOT_TOKEN": "xoxb-1"}


def test_nothing_configured_means_that_nothing_leaves():
    channels = channels_of(Settings(), {})
    assert channels.leaving == ()
    assert channels.as_dicts() == [
        {
            "name": "email",
            "leaves": False,
            "recipients": [],
            "reason": "No mail server is configured (SVC_SMTP_URL): no e-mail leaves.",
        },
        {
            "name": "chat",
            "leaves": False,
            "recipients": [],
            "reason": "No chat service is configured (SVC_CHAT_BOT_TOKEN or SVC_CHAT_WEBHOOK_URL): nothing is posted.",
        },
        {
            "name": "webhook",
            "leaves": False,
            "recipients": [],
            "reason": "The organization has set no webhook address: none is called.",
        },
    ]


def test_everything_configured():
    known = {"chat": Endpoint("#compliance"), "webhook": Endpoint(URL, ("whsec_x",))}
    channels = channels_of(Settings.of({**SMTP, **CHAT}), known)
    assert [(one.name, one.leaves, one.recipients) for one in channels.leaving] == [
        ("email", True, ()),
        ("chat", True, ("#compliance",)),
        ("webhook", True, (URL,)),
    ]


@pytest.mark.parametrize(
    ("environment", "known", "name", "reason"),
    [
        ({"SVC_SMTP_URL": "smtp://mail.example"}, {}, "email", "SVC_SMTP_FROM"),
        (CHAT, {}, "chat", "has named no chat channel"),
        (CHAT, {"chat": Endpoint("#x", disabled=True)}, "chat", "switched off"),
        ({}, {"chat": Endpoint("#x")}, "chat", "No chat service"),
        ({}, {"webhook": Endpoint(URL, ("whsec_x",), disabled=True)}, "webhook", "switched off"),
        ({}, {"webhook": Endpoint(URL)}, "webhook", "no signing secret"),
        ({}, {"webhook": Endpoint("http://hooks.example.com/", ("whsec_x",))}, "webhook", "https://"),
    ],
)
def test_a_channel_that_lacks_something_says_what(environment, known, name, reason):
    channel = getattr(channels_of(Settings.of(environment), known), name)
    assert (channel.leaves, channel.recipients) == (False, ())
    assert reason in channel.reason


def test_setting_rotating_and_forgetting_a_webhook(any_store, tmp_path):
    keys = SecretKeys(tmp_path / "webhook.key")

    def write(change, *given):
        return any_store.write("acme", "ann", lambda revision: change(revision, *given), now=NOW)

    def endpoints_now():
        with any_store.reader() as connection:
            return endpoints(connection, "acme")

    def signing():
        return [keys.open(URL, stored) for stored in endpoints_now()["webhook"].secrets]

    first = write(set_webhook, keys, URL)
    assert (first[:6], list(endpoints_now()), signing()) == ("whsec_", ["webhook"], [first])
    second, third = write(rotate_secret, keys), write(rotate_secret, keys)
    assert signing() == [third, second]
    write(set_chat, "#compliance")
    assert endpoints_now()["chat"] == Endpoint("#compliance")
    write(forget, "webhook")
    assert set(endpoints_now()) == {"chat"}
    with pytest.raises(NotFound, match="set no webhook"):
        write(forget, "webhook")
    with pytest.raises(NotFound, match="no secret to rotate"):
        write(rotate_secret, keys)
    with any_store.reader() as connection:
        told = [(row["action"], row["object_id"], row["details"]) for row in many(connection, audit_log, "acme")]
    assert told[1:] == [
        *[("delivery_endpoint.set", "webhook", None)] * 3,
        ("delivery_endpoint.set", "chat", None),
        ("delivery_endpoint.removed", "webhook", None),
    ]


@pytest.mark.parametrize(
    "url", ["http://hooks.example.com/", "https://10.0.0.1.local/", "https://a@b.example/", "", URL + "a" * 2000]
)
def test_a_url_that_would_not_be_called_is_not_kept(store, url, tmp_path):
    keys = SecretKeys(tmp_path / "webhook.key")
    with pytest.raises(BadRequest) as caught:
        store.write("acme", "ann", lambda revision: set_webhook(revision, keys, url), now=NOW)
    assert caught.value.word == "invalid_webhook"


@pytest.mark.parametrize("channel", ["", " ", "#a\nb", "x" * 81, " #a"])
def test_a_chat_channel_is_a_short_name(store, channel):
    with pytest.raises(BadRequest, match="1 to 80 printable"):
        store.write("acme", "ann", lambda revision: set_chat(revision, channel), now=NOW)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("SVC_SMTP_URL", "http://mail.example"),
        ("SVC_SMTP_URL", "smtp://"),
        ("SVC_SMTP_URL", "smtp://user:secret@mail.example"),
        ("SVC_SMTP_URL", "smtps://mail.example:x"),
        ("SVC_SMTP_URL", "smtps://mail.example/box"),
        ("SVC_SMTP_FROM", "nobody"),
        ("SVC_SMTP_FROM", "a@b.example\r\nBcc: c@d.example"),
        ("SVC_SMTP_FROM", "a@b.example, c@d.example"),
        ("SVC_CHAT_WEBHOOK_URL", "hooks.slack.com"),
    ],
)
def test_a_setting_that_cannot_work_is_refused_at_the_door(name, value):
    with pytest.raises(Usage, match=name) as caught:
        Settings.of({name: value})
    assert "secret@" not in caught.value.message
