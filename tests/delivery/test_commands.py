"""`hq deliveries`, `hq endpoints`, `hq scheduler --list`."""

import pytest

from engine.cli import hq
from engine.store import Store
from engine.store.database.migrations import migrate
from engine.store.queries.sending import jobs as runs
from tests.conftest import NOW
from tests.delivery.conftest import House, message


@pytest.fixture
def home(tmp_path, monkeypatch, authority, mailbox):
    """A data folder with the organization acme, its environment, and a mail server."""
    monkeypatch.setenv("SVC_DATA_DIR", str(tmp_path))
    url = f"sqlite:///{tmp_path}/hq.db"
    migrate(url)
    store = Store(url)
    for org in ("acme", "platform"):
        with store.revision(org, "setup", now=NOW, create={"name": org.title()}) as revision:
            revision.record("organization.created")
    house = House(store, tmp_path, authority)
    house.mail(mailbox.port)
    yield house
    store.close()


@pytest.fixture
def cli(capsys):
    def run(*arguments):
        code = 0
        try:
            hq(arguments)
        except SystemExit as end:
            code = end.code or 0
        found = capsys.readouterr()
        return code, found.out, found.err

    return run


def test_deliveries_are_listed_with_what_became_of_them(home, mailbox, cli):
    assert cli("deliveries") == (0, "", "No deliveries.\n")
    mailbox.refuse["bob@acme.example"] = "550 no"
    sent, failed = home.queue(message(), message(recipient="bob@acme.example"))
    home.drain()
    code, out, _ = cli("deliveries", "--org", "acme")
    assert (code, sorted(out.splitlines())) == (
        1,
        sorted(
            [
                f"{sent['id']}\tsent\tmapping-digest\t2026-W47\temail\tann@acme.example\t"
                "1 attempts, sent 2026-11-20 08:30 UTC",
                f"{failed['id']}\tfailed\tmapping-digest\t2026-W47\temail\tbob@acme.example\t"
                "1 attempts, queued 2026-11-20 08:30 UTC\tThe mail server answered 550 to the recipient.",
            ]
        ),
    )
    assert cli("deliveries", "--status", "sent")[1].count("\n") == 1
    assert cli("deliveries", "--status", "skipped")[2] == "No deliveries that are skipped.\n"
    assert cli("deliveries", "--resend", failed["id"]) == (0, f"{failed['id']} is queued again\n", "")
    assert cli("deliveries", "--resend", sent["id"])[0] == 2
    assert cli("deliveries", "--resend", "dlv_0") == (2, "", "hq: There is no delivery 'dlv_0'.\n")
    assert cli("deliveries", "--status", "lost")[0] == 2


def test_the_platforms_own_letters_are_listed_too(home, cli):
    home.queue(message(), org="platform")
    assert cli("deliveries", "--org", "platform")[1].count("\n") == 1
    assert cli("deliveries", "--org", "nobody")[0] == 2


def test_endpoints_are_set_shown_and_forgotten(home, cli, monkeypatch):
    monkeypatch.setenv("SVC_CHAT_BOT_TOKEN", "xoxb-1")
    code, out, _ = cli("endpoints", "--webhook", "https://hooks.example.com/in", "--chat", "#compliance")
    lines = out.splitlines()
    assert code == 0
    assert lines[:3] == [
        "email\tstays\tNo mail server is configured (SVC_SMTP_URL): no e-mail leaves.",
        "chat\tleaves\tChat messages are posted to #compliance.",
        "webhook\tleaves\tThe webhook at hooks.example.com is called, signed.",
    ]
    assert lines[3].startswith("signing secret, shown this once:\twhsec_")
    assert cli("endpoints")[1].splitlines() == lines[:3]
    assert "whsec_" in cli("endpoints", "--rotate")[1]
    assert cli("endpoints", "--remove", "webhook")[1].splitlines()[2].startswith("webhook\tstays")
    assert cli("endpoints", "--remove", "webhook") == (2, "", "hq: The organization has set no webhook.\n")
    code, _, err = cli("endpoints", "--webhook", "https://localhost/")
    assert (code, err) == (
        2,
        "hq: The webhook cannot be set: its address must have a public name, such as hooks.example.com.\n",
    )


def test_the_scheduler_lists_what_runs_when_and_what_ran_last(home, cli):
    runs.begin(home.store, "run_1", "retention", now=NOW)
    runs.begin(home.store, "run_2", "outbox", now=NOW)
    runs.finish(home.store, "run_2", "succeeded", "2 sent", now=NOW.replace(second=3))
    lines = cli("scheduler", "--list")[1].splitlines()
    assert [
        line
        for line in lines
        if line.split("\t")[0] in ("outbox", "nightly-build", "retention", "pruning", "checkpoint")
    ] == [
        "outbox\tevery minute\tlast 2026-11-20 08:30:00 UTC, succeeded in 3.0 s: 2 sent",
        "nightly-build\tdaily at 02:30 UTC\tnever ran",
        "retention\tdaily at 03:30 UTC\trunning since 2026-11-20 08:30:00 UTC",
        "pruning\tdaily at 04:30 UTC\tnever ran",
        "checkpoint\tevery 60 minutes\tnever ran",
    ]
