"""A process of its own that drains the outbox, for tests that kill it: ``python -m tests.delivery.sender JSON``."""

import json
import socket
import ssl
import sys
from dataclasses import replace
from datetime import datetime

from engine.delivery import drain
from engine.delivery.outside import Outside
from engine.runtime.services import Services
from engine.runtime.settings import Settings
from engine.store import Store
from tests.delivery.world import PUBLIC


def main(given):
    settings = Settings.of(given["environment"])
    store = Store(given["url"])
    outside = replace(
        Outside.of(settings),
        resolve=lambda host, port: [PUBLIC] if host == "hooks.example.com" else [host],
        connect=lambda address, port: socket.create_connection(
            ("127.0.0.1", given["hooks"] if address == PUBLIC else port), timeout=5
        ),
        trust=lambda: ssl.create_default_context(cafile=given["authority"]),
    )
    now = datetime.fromisoformat(given["now"])
    print("ready", flush=True)
    print(drain(Services(settings, store, None, now), now=now, outside=outside), flush=True)
    store.close()


if __name__ == "__main__":
    main(json.loads(sys.argv[1]))
