"""The reference cohorts are what their programmes make of the catalogue, and never call themselves peers."""

import shutil

import pytest

from engine.catalogue import DATA, FRAMEWORKS
from engine.catalogue.benchmarks import benchmarks, load_benchmarks
from engine.model.errors import InvalidData


@pytest.fixture(scope="module")
def shipped_benchmarks():
    return benchmarks()


@pytest.fixture
def copy(tmp_path):
    return shutil.copytree(DATA / "benchmarks", tmp_path / "benchmarks")


def test_every_framework_has_a_cohort_of_nineteen_in_each_size(shipped_benchmarks):
    counts = shipped_benchmarks.members.group_by("size", "framework").len().sort("size", "framework")
    assert counts.rows() == [
        (size, framework, 19) for size in ("large", "medium", "small") for framework in sorted(FRAMEWORKS)
    ]


def test_cohorts_are_a_reference_with_provenance_and_date(shipped_benchmarks):
    assert shipped_benchmarks.cohorts["cohort_kind"].unique().to_list() == ["reference"]
    assert shipped_benchmarks.cohorts.select("provenance", "dated_on").null_count().row(0) == (0, 0)
    assert "peer" not in "".join(shipped_benchmarks.cohorts["provenance"]).lower()


def test_sizes_cover_every_headcount_once(shipped_benchmarks):
    assert shipped_benchmarks.cohorts.select("headcount_from", "headcount_to").rows() == [
        (0, 49),
        (50, 249),
        (250, None),
    ]


def test_readiness_follows_from_the_weights(copy):
    head = (copy / "programmes.csv").read_text(encoding="utf-8").splitlines()[0]
    (copy / "programmes.csv").write_text(
        f"{head}\nsmall,all,All,100,100,100,100,100,0\nsmall,five,Five,100,0,0,0,0,0\nsmall,half,Half,0,0,0,0,0,100\n",
        encoding="utf-8",
    )
    gdpr = load_benchmarks(copy).members.filter(framework="gdpr-art32").sort("programme")
    assert gdpr.select("programme", "strict_pct", "weighted_pct").rows() == [
        ("all", 100.0, 100.0),
        ("five", 50.0, 60.6),
        ("half", 0.0, 50.0),
    ]


def test_strict_readiness_never_exceeds_weighted(shipped_benchmarks):
    assert (shipped_benchmarks.members["strict_pct"] <= shipped_benchmarks.members["weighted_pct"]).all()


@pytest.mark.parametrize(
    ("file", "line", "column"),
    [
        ("cohorts.csv", "huge,Huge,0,,peers,2026-01-01,nobody", "cohort_kind"),
        ("programmes.csv", "huge,p,P,1,1,1,1,1,1", "size"),
        ("programmes.csv", "small,p,P,101,1,1,1,1,1", "effective_w5"),
        ("studies.csv", "s,S,soc9,all,m,1,1,2020,2020,x", "framework"),
    ],
)
def test_a_cell_that_does_not_hold_is_named(copy, file, line, column):
    with (copy / file).open("a", encoding="utf-8") as opened:
        opened.write(line + "\n")
    with pytest.raises(InvalidData) as refused:
        load_benchmarks(copy)
    assert (refused.value.details[0]["file"], refused.value.details[0]["column"]) == (f"benchmarks/{file}", column)
