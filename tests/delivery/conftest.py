"""An organization with something to send, and the world that it is sent to."""

import socket
import ssl
from dataclasses import replace

import pytest

from engine.delivery import Message, content_hash, enqueue
from engine.delivery.outside import Outside
from engine.delivery.webhook import new_secret
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store.queries.sending.deliveries import list_deliveries, set_endpoint
from tests.conftest import NOW
from tests.delivery.processes import Process
from tests.delivery.world import PUBLIC, URL, Mailbox, Receiver, certificate

PAYLOAD = {
    "report": "mapping-digest",
    "headline": "Three mappings changed <since> the last digest",
    "changes": [1, 2, 3],
}


@pytest.fixture(scope="session")
def authority(tmp_path_factory):
    """Files of a certificate authority and of its certificate for hooks.example.com."""
    return certificate(tmp_path_factory.mktemp("tls"), ("hooks.example.com", "localhost"))


@pytest.fixture
def hooks(authority):
    """The HTTPS receiver behind hooks.example.com."""
    receiver = Receiver(authority[1])
    yield receiver
    receiver.close()


@pytest.fixture
def chat():
    """A chat service."""
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture
def mailbox():
    """A mail server."""
    box = Mailbox()
    yield box
    box.close()


class House:
    """The store of one or more organizations with what leaves it; ``outside`` may be replaced by a test."""

    def __init__(self, store, folder, authority):
        self.store = store
        self.folder = folder
        self.authority = authority
        self.connected = []
        self.environment = {"SVC_DATA_DIR": str(folder), "SVC_BASE_URL": "https://hq.example"}
        self.outside = Outside.of(Settings.of(self.environment))

    @property
    def services(self):
        return Services(Settings.of(self.environment), self.store, None, NOW)

    def mail(self, port, scheme="smtp", host="127.0.0.1", login=""):
        self.environment |= {
            "SVC_SMTP_URL": f"{scheme}://{login}{host}:{port}",
            "SVC_SMTP_FROM": "Acme Compliance <compliance@acme.example>",
        }
        self._renew()

    def chat(self, receiver, token=""):
        self.environment |= {"SVC_CHAT_BOT_TOKEN": token, "SVC_CHAT_API_URL": f"{receiver.url}/api"}
        self.environment |= {"SVC_CHAT_WEBHOOK_URL": "" if token else f"{receiver.url}/services/T/B/x"}
        self._renew()
        self.store.write("acme", "t", lambda revision: set_endpoint(revision, "chat", "#compliance", []), now=NOW)

    def webhook(self, receiver, url=URL, resolve=None, secrets=None):
        """Set acme's webhook; connections to the public address of its name reach ``receiver``."""
        secrets = secrets or [new_secret()]
        self.store.write("acme", "t", lambda revision: set_endpoint(revision, "webhook", url, secrets), now=NOW)

        def connect(address, port):
            self.connected.append((address, port))
            return socket.create_connection(("127.0.0.1", receiver.port), timeout=5)

        resolve = resolve or (lambda host, port: [PUBLIC])
        self.outside = replace(self.outside, resolve=resolve, connect=connect)
        return secrets[0]

    def _renew(self):
        fresh = Outside.of(Settings.of(self.environment))
        self.outside = replace(fresh, trust=lambda: ssl.create_default_context(cafile=self.authority[0]))

    def queue(self, *messages, org="acme", now=NOW):
        with self.store.revision(org, "t", now=now) as revision:
            answers = enqueue(revision, messages)
            revision.record("digest.decided")
        return answers

    def drain(self, now=NOW, **options):
        from engine.delivery import drain

        return drain(self.services, now=now, outside=options.pop("outside", self.outside), **options)

    def ledger(self, *names, org="acme"):
        """The named columns of each delivery, oldest first by period and recipient."""
        with self.store.reader() as connection:
            rows = list_deliveries(connection, org, None, 10_000)
        return [tuple(row[name] for name in names) for row in sorted(rows, key=lambda r: (r["period"], r["recipient"]))]


@pytest.fixture
def house(store, tmp_path, authority):
    house = House(store, tmp_path, authority)
    house._renew()
    return house


@pytest.fixture
def any_house(any_store, tmp_path, authority):
    house = House(any_store, tmp_path, authority)
    house._renew()
    return house


def message(channel="email", recipient=None, **values):
    recipient = recipient or {"email": "ann@acme.example", "chat": "#compliance", "webhook": URL}[channel]
    given = {
        "kind": "mapping-digest",
        "period": "2026-W47",
        "subject": "Mapping digest",
        "payload": PAYLOAD,
        "text": "Three mappings changed.",
        "html": "<p>Three mappings changed.</p>",
        **values,
    }
    return Message(channel=channel, recipient=recipient, content_hash=content_hash(given["payload"]), **given)


@pytest.fixture
def process(any_store):
    opened = []

    def start(**options):
        opened.append(Process(any_store.url, **options))
        return opened[-1]

    yield start
    for one in opened:
        one.store.close()
