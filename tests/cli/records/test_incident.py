"""``hq incident``: what people do about an incident, typed."""

from datetime import timedelta

import pytest

from engine.store.rows import first
from engine.store.schema.organizations import memberships
from engine.store.schema.services import incidents
from tests.cli.records.test_ingest import house  # noqa: F401  # a fixture
from tests.conftest import NOW


@pytest.fixture
def cli(house, capfdbinary):  # noqa: F811  # the fixture
    from engine.cli import hq

    with house.revision("acme", "import", now=NOW) as revision:
        values = {"title": "Theft", "severity": "high", "status": "open"}
        began = NOW - timedelta(hours=1)
        revision.insert(incidents, [{"id": name, "opened_at": began, **values} for name in ("inc-1", "inc-2")])
        people = [{"email": f"{name}@acme.example", "role": "operator"} for name in ("ann", "bob")]
        revision.insert(memberships, [{**one, "status": "active"} for one in people])
        revision.record("import.completed")

    def run(*arguments):
        code = 0
        try:
            hq(["incident", *arguments, "--org", "acme"])
        except SystemExit as end:
            code = end.code or 0
        out = capfdbinary.readouterr()
        return code, out.out.decode(), out.err.decode()

    return run


@pytest.mark.real
def test_each_step_says_what_was_written(house, cli):  # noqa: F811  # the fixture
    at = ("--at", "2026-11-20T08:00:00Z", "--actor", "ann@acme.example")
    steps = [
        ("acknowledge", "inc-1"),
        ("assign", "--to", "bob@acme.example", "inc-1"),
        ("note", "inc-1", "--why", "Police informed"),
        ("cause", "inc-1", "--why", "A door stood open"),
        ("relate", "--to", "inc-1", "inc-2"),
        ("unrelate", "inc-2"),
        ("close", "inc-1"),
        ("reopen", "inc-1"),
        ("assess", "--under", "gdpr", "inc-1"),
    ]
    for step in steps:
        code, out, err = cli(*step, *at)
        assert (code, err) == (0, ""), step
        assert out.endswith("\t2026-11-20 08:00:00 UTC\tann@acme.example\n")
    with house.reader() as connection:
        row = first(connection, incidents, "acme", id="inc-1")
    assert (row["status"], row["owner"], row["acknowledged_by"]) == ("open", "bob@acme.example", "ann@acme.example")
    assert house.verify("acme").ok
    assert house.verify_rows("acme").ok


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("acknowledge", "inc-9"), "There is no incident 'inc-9'"),
        (("acknowledge", "inc-1", "--at", "noon"), "--at must be an ISO 8601 instant"),
        (("acknowledge", "inc-1", "--at", "2199-01-01"), "at must be no later than now"),
        (("acknowledge", "inc-1", "--actor", "eve@other.example"), "--actor must be an active member of acme"),
        (("assign", "inc-1", "--to", "eve@other.example"), "--to must be an active member of acme"),
        (("relate", "--to", "inc-1", "inc-1"), "That would be a cycle"),
        (("assess", "--under", "sox", "inc-1"), "'sox' is not one of"),
    ],
)
def test_wrong_usage_is_one_sentence_and_writes_nothing(arguments, said, house, cli):  # noqa: F811  # the fixture
    head = house.head("acme")
    code, out, err = cli(*arguments)
    assert (code, out) == (2, "")
    assert said in err
    assert house.head("acme") == head


def test_a_step_may_be_asked_for_in_the_chat(cli):
    code, out, _ = cli("close", "inc-1", "--ask")
    assert code == 0
    assert out.splitlines()[1].startswith("approve\tacme:apr_")
