"""Laws of all facts: declared columns, and one organization alone has the rows that it has among others."""

from datetime import UTC, datetime

import pytest

from engine.facts import FACTS, SCHEMAS, FactQuestion, Facts
from engine.facts.table import has_period
from engine.model.thresholds import Thresholds
from engine.replica.replica import Replica
from engine.store import Store
from engine.store.schema import REPLICATED
from tests.demo import demo_store

NOW = datetime(2026, 11, 20, 12, tzinfo=UTC)
ORGS = {"brightline": "Europe/Dublin", "cobalt": "America/Chicago", "empty": "Pacific/Auckland"}
PUBLIC = [name for name in FACTS if name in SCHEMAS]


def question(org, zone, days=30):
    return FactQuestion(org, zone, NOW.date(), days, Thresholds())


@pytest.fixture(scope="module")
def replica(tmp_path_factory):
    """Two demo organizations and an empty one."""
    url = demo_store(tmp_path_factory.mktemp("laws"), "brightline", "cobalt", now=NOW)
    store = Store(url)
    with store.revision("empty", "setup", now=NOW, create={}) as revision:
        revision.record("organization.created")
    opened = Replica(url, None)
    opened.sync(ORGS)
    yield opened
    opened.close()
    store.close()


@pytest.fixture(scope="module")
def together(replica):
    with replica.view() as view:
        yield Facts(view, [question(*pair) for pair in ORGS.items()])


@pytest.mark.real
@pytest.mark.parametrize("org", ORGS)
def test_an_organization_alone_has_the_rows_it_has_among_others(org, replica, together):
    with replica.view() as view:
        alone = Facts(view, [question(org, ORGS[org])])
        different = [name for name in PUBLIC if not alone[name].equals(together.of(org, name), null_equal=True)]
    assert different == []


@pytest.mark.parametrize("name", PUBLIC)
def test_a_fact_has_exactly_its_declared_columns(name, together):
    assert together[name].columns == list(SCHEMAS[name])
    assert list(together[name].dtypes) == [
        dtype() if isinstance(dtype, type) else dtype for dtype in SCHEMAS[name].values()
    ]


@pytest.mark.real
def test_what_no_period_matters_to_is_taken_from_another_period(replica, together):
    asked = [question(*pair, days=365) for pair in ORGS.items()]
    with replica.view() as view:
        beside, alone = Facts(view, asked, of_day=together), Facts(view, asked)
        different = [name for name in PUBLIC if not beside[name].equals(alone[name], null_equal=True)]
        taken = {name for name in FACTS if beside[name] is together[name]}
    assert different == []
    assert taken == {name for name in FACTS if not has_period(name)}


def test_every_declared_fact_is_made():
    assert set(SCHEMAS) - set(FACTS) == set()


def test_gaps_are_what_applies_and_is_not_effective(together):
    status, gaps = together["control_status"], together["gaps"]
    wanted = status.filter("applicable", status["state"] != "effective").height
    assert gaps.height == wanted
    assert together["readiness"]["applicable"].sum() == status["applicable"].sum()


def test_contributions_sum_to_the_score(together):
    for _, part in together["posture"].drop_nulls("value").group_by("org_id"):
        exact = (part["weight"] * part["value"]).sum() / part["weight"].sum()
        assert abs(part["contribution"].sum() - exact) <= 0.05 + 1e-9


@pytest.mark.real
def test_the_order_of_stored_rows_does_not_matter(replica, together):
    mixed = Replica("sqlite:///nowhere", None)
    with replica.view() as stored, mixed.view() as view:
        for table in REPLICATED:
            view.offer("given", stored.frame(f"SELECT * FROM {table}").sample(fraction=1, shuffle=True, seed=7))
            view._cursor.execute(f"INSERT INTO {table} SELECT * FROM given")
        facts = Facts(view, [question("cobalt", ORGS["cobalt"])])
        different = [name for name in PUBLIC if not facts[name].equals(together.of("cobalt", name), null_equal=True)]
    mixed.close()
    assert different == []
