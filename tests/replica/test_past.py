"""Records as they were: views of the replica equal the tables of then, however and whenever the past was built."""

import random
from datetime import UTC, date, datetime, timedelta

import pytest
from sqlalchemy import create_engine, text

from engine.facts import Facts
from engine.model.declarations.as_of import AsOf
from engine.model.documents.document import Position
from engine.model.errors import BadRequest
from engine.replica.past import VERSIONED, look_back
from engine.replica.replica import Replica
from engine.replica.scans.registry import SCANS
from engine.replica.view import frame_view
from engine.reporting.artifacts.artifacts import Artifacts
from engine.reporting.snapshot.snapshots import Snapshots
from engine.store import EventRow
from engine.store.log.history import begin_history
from engine.store.removal.retention import purge_audit_log
from engine.store.schema import REPLICATED
from engine.store.schema.controls import attestations
from engine.store.schema.organizations import organizations
from engine.store.schema.risk import vendors
from reports import CATALOGUE
from tests.conftest import NOW
from tests.laws import examples
from tests.store import random_rows
from tests.store.together import together

ROW = {"framework": "soc2", "control_id": "CC6.1", "owner": "ada@acme.example", "due_on": date(2026, 12, 1)}
CATALOGUED = {"chain_cuts", "bundles"}  # a cut or a bundle that nobody made would mean something to others


def content(view):
    """Every row of every table in a stable order, but for what the log does without."""
    result = {}
    for name, table in REPLICATED.items():
        columns = [column.name for column in table.columns if not column.info.get("unlogged")]
        frame = view.frame(f"SELECT {', '.join(columns)} FROM {name}")
        result[name] = frame.sort(frame.columns).rows()
    return result


def present(replica):
    """The tables as they are, copied anew."""
    anew = Replica(replica._source.url, None)
    anew.sync(["acme"])
    with anew.view() as view:
        found = content(view), view.position("acme")
    anew.close()
    return found


def different(replica, saved):
    """Which saved states the replica sees otherwise."""
    replica.sync(["acme"], with_past=True)
    wrong = []
    for tables, position in saved:
        with replica.view() as view:
            assert view.look_back("acme", position)
            assert view.position("acme") == position
            seen = content(view)
            wrong += [(position.seq, name) for name in tables if seen[name] != tables[name]]
    return wrong


@pytest.fixture
def make_replica(request):
    """Makes replicas in memory, and closes them."""
    replicas = []

    def make(url):
        replicas.append(Replica(url, None))
        return replicas[-1]

    yield make
    for replica in replicas:
        replica.close()


def drawn_change(draw, tables):
    """A write to three tables, now and then to the organization, and some events."""

    def change(revision):
        random_rows.random_write(draw, revision, tables)
        if draw.random() < 0.2:
            revision.update(organizations, {"id": "acme"}, {"name": f"Acme {draw.random()}"})
        revision.append_events(
            EventRow(f"e{draw.random()}", revision.now, "me", "drawn") for _ in range(draw.randrange(1, 4))
        )

    return change


@pytest.mark.real
@pytest.mark.parametrize("seed", range(1, examples(3) + 1))
def test_every_tenth_revision_is_seen_as_it_was(any_store, make_replica, seed):
    """Kept step by step, built in the middle, or built in the end: the past is the same."""
    draw, writes, every = random.Random(seed), examples(200), 10
    tables = [VERSIONED[name] for name in sorted(VERSIONED.keys() - CATALOGUED - {"organizations"})]
    stepwise, late, plain = (make_replica(any_store.url) for _ in range(3))
    saved, number = [present(plain)], 0
    while number < writes:
        if number % 7 == 0:
            together(any_store, *((drawn_change(draw, tables), ()) for _ in range(3)))
            number += 3
        else:
            with any_store.revision("acme", "me", now=NOW) as revision:
                drawn_change(draw, tables)(revision)
            number += 1
        if len(saved) <= number // every:
            saved.append(present(plain))
        if draw.random() < 0.1:
            stepwise.sync(["acme"], with_past=number > writes // 10)
        if number in range(writes // 2, writes // 2 + 4):
            late.sync(["acme"], with_past=True)
    assert different(stepwise, saved) == []
    assert different(late, saved[::5]) == []
    assert different(make_replica(any_store.url), saved[2::5]) == []


@pytest.mark.real
def test_no_scan_reads_what_the_log_does_without():
    assert set(REPLICATED) - set(VERSIONED) == {"audit_log", "table_heads"}
    with frame_view({}) as view:
        for name, table in REPLICATED.items():
            for column in table.columns:
                if column.info.get("unlogged"):
                    view._cursor.execute(f"ALTER TABLE {name} DROP COLUMN {column.name}")
        facts = Facts(view, [])
        for name in SCANS:
            assert facts[name].height == 0


@pytest.mark.real
def test_every_scan_can_look_back(make_replica):
    replica = make_replica("sqlite:///nowhere")
    with replica.view() as view:
        look_back(view._cursor, "o'mally", Position(5, "x"))
        facts = Facts(view, [])
        assert [name for name in SCANS if facts[name].height] == []


# -- questions -----------------------------------------------------------------------------------------------------


@pytest.fixture
def snapshots(store, tmp_path, make_replica):
    made = Snapshots(store, make_replica(store.url), Artifacts(tmp_path / "artifacts"), CATALOGUE)
    yield made
    made.close()


def attest(store, name, at=NOW, **values):
    with store.revision("acme", "me", now=at) as revision:
        revision.upsert(attestations, [{"id": name, **ROW, **values}])
        revision.append_events(EventRow(f"{name}-{at}-{n}", at, "me", "attestation.made") for n in range(2))


def snapshot_at(snapshots, now=NOW, **at):
    with snapshots.open("acme", now=now, at=AsOf(**at)) as snapshot:
        snapshot.fact("attestations")
        return snapshot.revision.seq, snapshot.as_of, snapshot.subject.revision.seq


TODAY = NOW.date()
DAY = timedelta(days=1)


def refusal_of(snapshots, now=NOW, **at):
    with pytest.raises(BadRequest) as problem:
        snapshot_at(snapshots, now, **at)
    assert problem.value.details[0].keys() == {"parameter", "expected", "got"}
    return problem.value.message


@pytest.fixture
def three_days(store):
    """acme made today (1), attested twice on the next day (2, 3 and 4, 5), and once three days on (6, 7)."""
    attest(store, "a", NOW + DAY)
    attest(store, "b", NOW + DAY)
    attest(store, "a", NOW + 3 * DAY, outcome="attested", attested_at=NOW + 3 * DAY)
    return store


LATER = NOW + 5 * DAY


@pytest.mark.parametrize(
    ("at", "found"),
    [
        ({"day": TODAY}, (1, TODAY)),
        ({"day": TODAY + DAY}, (5, TODAY + DAY)),
        ({"day": TODAY + 2 * DAY}, (5, TODAY + 2 * DAY)),
        ({"day": TODAY + 3 * DAY}, (7, TODAY + 3 * DAY)),
        ({"day": TODAY + 4 * DAY}, (7, TODAY + 4 * DAY)),
        ({"day": TODAY + 5 * DAY}, (7, TODAY + 5 * DAY)),
        ({"revision": 1}, (1, TODAY)),
        ({"revision": 2}, (1, TODAY)),  # inside of a write
        ({"revision": 3}, (3, TODAY + DAY)),
        ({"revision": 4}, (3, TODAY + DAY)),
        ({"revision": 7}, (7, TODAY + 3 * DAY)),
        ({"revision": 3, "day": TODAY + 4 * DAY}, (3, TODAY + 4 * DAY)),
        ({"revision": 3, "day": TODAY + 5 * DAY}, (3, TODAY + 5 * DAY)),
    ],
)
def test_a_question_stands_where_its_day_or_revision_does(three_days, snapshots, at, found):
    assert snapshot_at(snapshots, LATER, **at) == (*found, found[0])
    attest(three_days, "c", LATER)
    if at != {"day": TODAY + 5 * DAY}:  # that is the present
        assert snapshot_at(snapshots, LATER, **at) == (*found, found[0])


@pytest.mark.parametrize(
    ("at", "said"),
    [
        (
            {"day": TODAY + 6 * DAY},
            "asOf must be a day from 2026-11-20 to 2026-11-25: later days are still to come; got '2026-11-26'.",
        ),
        (
            {"day": TODAY - DAY},
            "asOf must be a day from 2026-11-20 to 2026-11-25: the records begin then; got '2026-11-19'.",
        ),
        ({"revision": 8}, "revision must be an integer from 1 to 7: the head is 7; got '8'."),
        (
            {"revision": 6, "day": TODAY},
            "asOf must be a day from 2026-11-21 to 2026-11-25: revision 5 was recorded on 2026-11-21; got '2026-11-20'.",
        ),
        (
            {"revision": 3, "day": TODAY + 6 * DAY},
            "asOf must be a day from 2026-11-20 to 2026-11-25: later days are still to come; got '2026-11-26'.",
        ),
    ],
)
def test_what_has_no_answer_is_refused_and_the_days_that_have_one_are_named(three_days, snapshots, at, said):
    assert refusal_of(snapshots, LATER, **at) == f"The parameter {said}"


@pytest.mark.real
def test_what_retention_took_has_no_answer(three_days, snapshots):
    assert snapshot_at(snapshots, LATER, day=TODAY + DAY)[0] == 5
    with three_days.revision("acme", "retention", now=LATER) as revision:
        assert purge_audit_log(revision, NOW + 2 * DAY).rows == 5
    assert refusal_of(snapshots, LATER, day=TODAY + DAY) == (
        "The parameter asOf must be a day from 2026-11-23 to 2026-11-25: retention removed what was before; "
        "got '2026-11-21'."
    )
    assert refusal_of(snapshots, LATER, revision=6) == (
        "The parameter revision must be an integer from 7 to 8: retention removed what was before; got '6'."
    )
    assert snapshot_at(snapshots, LATER, revision=7) == (7, TODAY + 3 * DAY, 7)


@pytest.mark.real
def test_a_store_from_before_the_log_answers_from_its_first_record_on(three_days, snapshots, make_replica):
    engine = create_engine(three_days.url)
    with engine.begin() as connection:
        connection.execute(text("DELETE FROM change_log"))
        connection.execute(text("UPDATE audit_log SET changes = NULL"))
        begin_history(connection, NOW + 4 * DAY)
    engine.dispose()
    assert refusal_of(snapshots, LATER, day=TODAY + 3 * DAY) == (
        "The parameter asOf must be a day from 2026-11-24 to 2026-11-25: what was before is not in the change log; "
        "got '2026-11-23'."
    )
    assert snapshot_at(snapshots, LATER, day=TODAY + 4 * DAY) == (8, TODAY + 4 * DAY, 8)
    assert three_days.verify_rows("acme").problem is None
    anew = make_replica(three_days.url)
    saved = [present(anew)]
    attest(three_days, "b", LATER, outcome="attested")
    assert different(snapshots.replica, saved) == []  # rows have the revision that wrote them, older than the log
    assert different(anew, saved) == []
    assert three_days.verify_rows("acme").problem is None


def test_the_day_ends_where_the_organization_lives(three_days, snapshots):
    with three_days.revision("acme", "me", now=LATER) as revision:
        revision.update(organizations, {"id": "acme"}, {"time_zone": "Pacific/Auckland"})
        revision.record("organization.moved")
    midnight = datetime(2026, 11, 26, 11, tzinfo=UTC)  # in Auckland the 27th begins
    attest(three_days, "c", midnight - timedelta(microseconds=1))
    attest(three_days, "d", midnight)
    assert snapshot_at(snapshots, midnight + DAY, day=date(2026, 11, 26))[0] == 10
    assert snapshot_at(snapshots, midnight + DAY, day=date(2026, 11, 27))[0] == 12


def test_today_is_the_plain_request(three_days, snapshots):
    def attestations_at(at):
        with snapshots.open("acme", now=LATER, at=at) as snapshot:
            return snapshot.bytes("attestations", {})

    plain = attestations_at(None)
    assert (
        attestations_at(AsOf(LATER.date()))
        == attestations_at(AsOf(LATER.date(), 7))
        == attestations_at(AsOf(None))
        == type(plain)(plain.name, plain.etag, plain.data)
    )
    (mark,) = snapshots.replica._opened.connection.execute("SELECT has_past FROM watermarks").fetchall()
    assert mark == (False,)


@pytest.mark.real
def test_two_editions_of_two_revisions_stand_side_by_side(three_days, snapshots):
    with (
        snapshots.open("acme", now=LATER, at=AsOf(TODAY + DAY)) as before,
        snapshots.open("acme", now=LATER) as after,
        snapshots.open("acme", now=LATER, at=AsOf(revision=1)) as empty,
    ):
        outcomes = [each.fact("attestations_rows").sort("id")["outcome"].to_list() for each in (empty, before, after)]
        assert outcomes == [[], [None, None], ["attested", None]]
        edition = before.edition("attestations", {})
        assert (edition.revision.seq, edition.as_of, edition.parameters) == (5, TODAY + DAY, {"periodDays": 30})


@pytest.mark.real
def test_a_present_that_moves_leaves_the_past_where_it_was(three_days, snapshots):
    with snapshots.open("acme", now=LATER, at=AsOf(revision=5)) as before:
        was = before.bytes("attestations", {}).data
    with three_days.revision("acme", "me", now=LATER) as revision:
        revision.upsert(vendors, [{"id": "v", "name": "V", "category": "saas", "tier": "high"}])
        revision.delete(attestations, attestations.c.id == "b")
        revision.record("vendor.added")
    with snapshots.open("acme", now=LATER) as after:
        assert after.fact("attestations_rows")["id"].to_list() == ["a"]
    snapshots.artifacts = Artifacts(snapshots.artifacts.folder / "anew")
    with snapshots.open("acme", now=LATER, at=AsOf(revision=5)) as again:
        assert again.bytes("attestations", {}).data == was
