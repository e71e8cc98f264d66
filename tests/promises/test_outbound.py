"""What opens a connection is known: a new place must say whom it may reach, and be tested for it."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
OPENS = re.compile(
    r"httpx\.|http\.client|HTTPS?Connection|smtplib\.SMTP|socket\.create_connection|urlopen|urllib\.request|PyJWKClient|aiohttp|"
    r"socket\.socket\("
)
KNOWN = {  # and by what it is held
    "engine/delivery/webhook.py",  # tests/delivery/test_webhook.py, test_addresses.py: only public addresses
    "engine/delivery/outside.py",  # the same
    "engine/delivery/post.py",  # the same
    "engine/delivery/time_stamps.py",  # tests/delivery/test_time_stamps.py: the address that a setting names
    "engine/delivery/chat.py",  # tests/delivery/test_chat.py: the address that a setting names
    "engine/delivery/witness.py",  # tests/runtime/heads: the address that a setting names
    "engine/operations/pulls.py",  # tests/evidence/pulls: public addresses, and hosts that SVC_PULL_HOSTS names
    "engine/delivery/mail.py",  # tests/delivery/test_mail.py: the server that a setting names
    "engine/sales/billing/paypal.py",  # tests/web/handlers/sales/test_billing.py: the address that a setting names; no redirects
    "engine/copilot/providers.py",  # tests/copilot: the addresses that settings name
    "engine/reporting/artifacts/bucket.py",  # tests/runtime/test_open_artifacts.py: the bucket that a setting names
    "engine/web/handlers/proxy.py",  # tests/web/handlers/test_proxy.py: no path leaves its base
    "engine/web/handlers/connectors.py",  # the same addresses, probed
}


def test_what_opens_a_connection_is_known():
    found = {
        path.relative_to(ROOT).as_posix()
        for folder in ("engine", "reports")
        for path in (ROOT / folder).rglob("*.py")
        if OPENS.search(path.read_text())
    } | {name for name in ("api.py", "scheduler.py") if OPENS.search((ROOT / name).read_text())}
    assert found == KNOWN
