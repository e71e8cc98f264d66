"""What could not be read is listed, and read again: ``hq ingest``."""

import json
import os

import pytest

from engine.cli import hq
from engine.incidents.alerts.bodies import IngestDoor
from engine.incidents.alerts.ingest import receive_alerts
from engine.intake.alerts import formats
from engine.intake.payloads import InboundBody
from engine.model.errors import BadRequest
from engine.store import Store
from engine.store.database.migrations import migrate
from engine.store.queries.operations.payloads import dead_letters, note_reason
from engine.store.rows import many
from engine.store.schema.services import incident_timeline, incidents
from tests.conftest import NOW

OTHER = {"problem": "Disk full", "password": "hunter2"}  # a monitor that nobody knows yet


@pytest.fixture
def house(tmp_path, monkeypatch, sqlite_template):
    """A store with acme and other, in the data folder of the command line."""
    for name in [name for name in os.environ if name.startswith("SVC_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("SVC_DATA_DIR", str(tmp_path))
    (tmp_path / "hq.db").write_bytes(sqlite_template.read_bytes())
    migrate(f"sqlite:///{tmp_path / 'hq.db'}")
    opened = Store(f"sqlite:///{tmp_path / 'hq.db'}")
    for org in ("acme", "other"):
        with opened.revision(org, "setup", now=NOW, create={"name": org.title()}) as revision:
            revision.record("organization.created")
    yield opened
    opened.close()


@pytest.fixture
def cli(capfdbinary):
    """(exit code, standard output, standard error) of a command."""

    def run(*arguments):
        code = 0
        try:
            hq(["ingest", *arguments])
        except SystemExit as end:
            code = end.code or 0
        out = capfdbinary.readouterr()
        return code, out.out.decode(), out.err.decode()

    return run


def dead_letter(store, org, body):
    """The identifier of the dead letter that a body becomes."""
    with pytest.raises(BadRequest):
        receive_alerts(
            IngestDoor(store, org, NOW, 10, 10, 10, 1_000_000), InboundBody("alerts", body, NOW, "token:am", "ops")
        )
    with store.reader() as connection:
        return dead_letters(connection, org)[-1][0]


def test_dead_letters_are_listed_with_where_when_and_why(house, cli):
    assert cli("dead-letters") == (0, "", "No dead letters.\n")
    first, second = dead_letter(house, "acme", b"<html>"), dead_letter(house, "other", b"{}")
    dead_letter(house, "acme", b"<html>")
    code, out, _ = cli("dead-letters")
    lines = {line.split("\t")[0]: line.split("\t")[1:] for line in out.splitlines()}
    assert (code, set(lines)) == (0, {first, second})
    assert lines[first][:4] == ["acme", "2026-11-20 08:30:00 UTC, 2 times", "/api/integrations/alerts", "6 bytes"]
    assert lines[first][4].startswith("The body must be JSON")
    assert cli("dead-letters", "--org", "other")[1].startswith(second)


def test_a_reason_of_a_dead_letter_fits_a_line(house, cli):
    dead_letter(house, "acme", json.dumps(OTHER).encode())
    reason = cli("dead-letters")[1].rstrip("\n").split("\t")[-1]
    assert reason == "The body is no alert that is known here. Got an object with 'problem', 'password'."


def test_a_long_reason_of_a_dead_letter_is_cut(house, cli):
    identifier = dead_letter(house, "acme", b"<html>")
    with house.unversioned_transaction() as connection:
        note_reason(connection, "acme", identifier, "word " * 400)
    shown = cli("dead-letters")[1].rstrip("\n").split("\t")[-1]
    assert (len(shown) <= 300, shown[-2:]) == (True, " …")


def test_a_dead_letter_is_read_once_its_format_is_known(house, cli, monkeypatch):
    identifier = dead_letter(house, "acme", json.dumps(OTHER).encode())
    code, out, _ = cli("replay", identifier)
    assert code == 1
    assert out.startswith(f"{identifier}\tstill unread: The body is no alert that is known here.")
    assert cli("dead-letters")[1].startswith(identifier)

    def read(body, received_at):
        return formats.normalized.read({"title": body["problem"], "status": "firing"}, received_at)

    taught = formats.AlertFormat(
        "other", lambda body: "problem" in body, lambda body, at: formats.AlertReading([read(body, at)], []), "other: …"
    )
    monkeypatch.setattr(formats, "FORMATS", (taught, *formats.FORMATS))
    assert cli("replay", identifier) == (0, f"{identifier}\treceived 1, created 1\n", "")
    assert cli("dead-letters") == (0, "", "No dead letters.\n")
    with house.reader() as connection:
        (incident,) = many(connection, incidents, "acme")
        (line,) = many(connection, incident_timeline, "acme")
    assert (incident["title"], incident["opened_at"], incident["workspace_id"]) == ("Disk full", NOW, "ops")
    assert line["payload_id"] == identifier
    code, out, _ = cli("show", identifier, "--org", "acme")
    assert (code, json.loads(out)) == (0, {"problem": "Disk full", "password": "[redacted]"})


def test_all_are_read_again_and_one_that_cannot_be_read_says_no(house, cli, monkeypatch):
    assert cli("replay", "--all") == (0, "", "")
    good = dead_letter(
        house, "acme", json.dumps({"alerts": [{"title": "x", "status": "firing"}] * 2, "x": 1}).encode()[:-1]
    )
    bad = dead_letter(house, "acme", b"<html>")
    code, out, _ = cli("replay", "--all", "--org", "acme")
    assert (code, [line.split("\t")[0] for line in out.splitlines()]) == (1, sorted((good, bad)))
    assert cli("replay", "--all", "--org", "other") == (0, "", "")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("replay",), "Name dead letters, or say --all"),
        (("replay", "--all", "pay_1"), "Name dead letters, or say --all"),
        (("replay", "pay_1"), "There is no dead letter 'pay_1'"),
        (("dead-letters", "--org", "nobody"), "There is no organization 'nobody'"),
        (("show", "pay_1", "--org", "acme"), "There is no body 'pay_1' of acme"),
    ],
)
def test_wrong_usage_says_what_is_wrong(arguments, said, house, cli):
    code, out, err = cli(*arguments)
    assert (code, out) == (2, "")
    assert said in err


def test_what_is_shown_cannot_steer_a_terminal(house, cli):
    identifier = dead_letter(house, "acme", b"\x1b[2J no json \xff")
    assert cli("show", identifier, "--org", "acme") == (0, "\\x1b[2J no json \\xff\n", "")
