"""SQLite takes whatever it is given: what is stored in another form than its column's is named, and who wrote it."""

from contextlib import closing
from datetime import date

import pytest

from engine.store import Store
from engine.store.log.stored_forms import undecodable, wrong_form
from engine.store.schema.services import services
from tests.conftest import NOW
from tests.store.log.test_row_check import attest, by_hand


@pytest.fixture
def written_store(store):
    attest(store, "a", attested_at=NOW)
    with store.revision("acme", "me", now=NOW) as revision:
        revision.insert(
            services,
            [{"id": "s", "name": "S", "owner": "ann@acme.example", "criticality": 1, "holds_customer_data": True}],
        )
        revision.record("service.made")
    return store


def form_problems(store, look=wrong_form):
    with store.reader() as connection:
        return look(connection, "acme")


@pytest.mark.real
def test_what_the_console_writes_is_of_its_form(any_store):
    attest(any_store, "a", attested_at=NOW, due_on=date(2026, 12, 1))
    assert (form_problems(any_store), form_problems(any_store, undecodable)) == (None, None)


@pytest.mark.parametrize(
    ("statement", "problem"),
    [
        (
            "UPDATE attestations SET due_on = '2026-W49-2'",
            'attestations ["a"] has in due_on what is none of it: expected a day as YYYY-MM-DD, found the text '
            "'2026-W49-2'; revision 2 wrote it last",
        ),
        (
            "UPDATE attestations SET attested_at = '2026-11-20T09:30:00.000000+01:00'",
            'attestations ["a"] has in attested_at what is none of it: expected a moment as '
            "YYYY-MM-DDTHH:MM:SS.ffffffZ, found the text '2026-11-20T09:30:00.000000+01:00'; revision 2 wrote it last",
        ),
        (
            "UPDATE services SET holds_customer_data = 2",
            'services ["s"] has in holds_customer_data what is none of it: expected 0 or 1, found the integer '
            "'2'; revision 3 wrote it last",
        ),
        (
            "UPDATE attestations SET framework = X'b2873d'",  # its base64 is soc9
            'attestations ["a"] has in framework what is none of it: expected a text, found the blob '
            "'\\\\xb2\\\\x87='; revision 2 wrote it last",
        ),
        (
            "UPDATE audit_log SET changes = X'6162' WHERE seq = 2 AND org_id = 'acme'",
            "audit_log [\"hq:2\"] has in changes what is none of it: expected a text, found the blob 'ab'",
        ),
        (
            "UPDATE heads SET last_seq = 'abc' WHERE org_id = 'acme'",
            "heads [] has in last_seq what is none of it: expected a whole number, found the text 'abc'",
        ),
    ],
)
def test_another_form_is_named_with_the_write(written_store, statement, problem):
    by_hand(written_store, statement)
    assert form_problems(written_store) == problem


@pytest.mark.parametrize(
    ("assignment", "problem"),
    [
        ("due_on = 'infinity'", "due_on what is none of it: expected a day of the years 1 to 9999, found 'infinity'"),
        (
            "due_on = '99999-01-01'",
            "due_on what is none of it: expected a day of the years 1 to 9999, found '99999-01-01'",
        ),
        (
            "attested_at = '-infinity'",
            "attested_at what is none of it: expected a day of the years 1 to 9999, found '-infinity'",
        ),
    ],
)
def test_a_day_that_no_calendar_has_is_named_on_postgresql(postgresql_url, assignment, problem):
    with closing(Store(postgresql_url)) as store:
        with store.revision("acme", "me", now=NOW, create={"name": "Acme"}) as revision:
            revision.record("organization.created")
        attest(store, "a", attested_at=NOW)
        assert form_problems(store) is None
        by_hand(store, f"UPDATE attestations SET {assignment}")
        assert form_problems(store) == f'attestations ["a"] has in {problem}; revision 2 wrote it last'


@pytest.mark.real
def test_a_text_that_nobody_can_read_is_named(written_store):
    by_hand(written_store, "UPDATE attestations SET owner = CAST(X'61ff' AS TEXT)")
    assert form_problems(written_store) is None
    assert form_problems(written_store, undecodable) == (
        'attestations ["a"] has in owner what is none of it: expected UTF-8, found the text '
        "'a\\\\xff'; revision 2 wrote it last"
    )


def test_a_row_that_nobody_wrote_has_no_write(written_store):
    by_hand(
        written_store,
        "INSERT INTO attestations (org_id, id, framework, control_id, owner, due_on, moves, revision) VALUES "
        "('acme', 'z', 'soc2', 'CC1.1', 'a', 'soon', 0, 2)",
    )
    assert form_problems(written_store) == (
        "attestations [\"z\"] has in due_on what is none of it: expected a day as YYYY-MM-DD, found the text 'soon'"
    )


@pytest.mark.real
def test_what_others_have_is_theirs(written_store):
    by_hand(written_store, "UPDATE attestations SET due_on = 'soon', org_id = 'globex'")
    assert form_problems(written_store) is None
