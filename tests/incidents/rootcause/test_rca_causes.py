"""How many known causes the analysis finds: over drawn incidents, and over some that were written by hand."""

import pytest

from engine.store import Store
from tests.incidents.causes.cases import draw
from tests.incidents.causes.judging import Score, judge, judge_baseline, score
from tests.incidents.causes.strangers import strangers
from tests.incidents.causes.wordings import SECOND

DRAWN = 42


@pytest.fixture(scope="module")
def verdicts(sqlite_template, tmp_path_factory):
    """Verdicts on drawn incidents and on those written by hand."""
    path = tmp_path_factory.mktemp("causes") / "hq.db"
    path.write_bytes(sqlite_template.read_bytes())
    store = Store(f"sqlite:///{path}")
    yield judge(store, [draw(seed, SECOND) for seed in range(DRAWN)], "drawn"), judge(store, strangers(), "stranger")
    store.close()


def test_drawn_incidents_have_their_cause_first_and_seldom_another_one_with_certainty(verdicts):
    found = score(verdicts[0])
    assert found.first >= 0.7 * found.cases
    assert found.third >= 0.9 * found.cases
    assert found.wrong <= 0.05 * found.cases
    assert found.settled >= 0.5 * found.known


def test_incidents_written_by_hand_are_explained_better_than_by_a_walk_of_twenty_lines(verdicts):
    assert score(verdicts[1]) == Score(cases=26, known=22, first=26, third=26, wrong=0, settled=22)
    least = score(judge_baseline(strangers()))
    assert (least.first, least.third, least.wrong) == (20, 20, 0)


def test_a_case_is_the_same_for_the_same_seed():
    assert draw(7, SECOND) == draw(7, SECOND)
    assert draw(7, SECOND) != draw(8, SECOND)
