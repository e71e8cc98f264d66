from datetime import date

import pytest

from engine.model.documents.document import Coverage
from reports.programme.packs.benchmarking import REPORT
from tests import factories
from tests.factories import ask, explained_rows, lead, rows
from tests.reports.explanations import values_follow

BANDS = {"small": (0, 49), "medium": (50, 249), "large": (250, None)}
SOC2 = {
    **{"framework": "soc2", "applicable": 10, "effective": 6, "assessed": 9, "strict_pct": 60.0, "weighted_pct": 72.0}
}


def member(strict, programme, size="medium", framework="soc2"):
    low, high = BANDS[size]
    return {
        **{"size": size, "title": f"{size} ones", "headcount_from": low, "headcount_to": high, "framework": framework},
        **{"programme": programme, "strict_pct": strict, "weighted_pct": strict + 10, "cohort_kind": "reference"},
        **{"dated_on": date(2026, 11, 1), "provenance": "A model"},
    }


def cohort(*values, size="medium", framework="soc2"):
    return [member(value, f"p{n}", size, framework) for n, value in enumerate(values)]


GOLDEN = cohort(40.0, 50.0, 60.0, 60.0, 70.0)


def frames(members=GOLDEN, readiness=(SOC2,), studies=(), frameworks=("soc2",), headcount=100, sector="health"):
    return {
        "organization": rows(
            "organization", {"frameworks": list(frameworks), "headcount": headcount, "sector": sector}
        ),
        "readiness": rows("readiness", *readiness),
        "benchmark_members": rows("benchmark_members", *members),
        "benchmark_studies": rows("benchmark_studies", *studies),
    }


def document(*given, cohort="auto", **more):
    return factories.document(REPORT, ask(cohort=cohort), **frames(*given, **more))


def one(held, *names):
    (row,) = held.tables[0].frame.select(names).rows()
    return row if len(names) > 1 else row[0]


def test_the_percentile_is_that_of_the_worked_example():
    held = document()
    assert one(held, "n", "p25_pct", "median_pct", "p75_pct", "percentile", "gap_controls") == (
        5,
        50.0,
        60.0,
        60.0,
        60.0,
        0,
    )
    assert one(held, "cohort", "cohort_kind", "provenance", "dated_on") == (
        "medium ones",
        "reference",
        "A model",
        date(2026, 11, 1),
    )
    assert lead(held) == (
        "Strict readiness is at or above the median of the reference programmes of 1 framework; these are a "
        "model, not peers.",
        "",
    )


def test_a_cohort_of_four_is_refused_with_the_reason():
    held = document(cohort(40.0, 50.0, 60.0, 70.0))
    assert one(held, "n", "median_pct", "percentile", "reason") == (
        4,
        None,
        None,
        "the cohort has 4 members, at least 5 are needed",
    )
    assert one(held, "strict_pct") == 60.0
    assert held.warnings == ["No percentile for SOC 2: the table says why."]
    assert lead(held) == ("Nothing can be compared: no framework has both readiness and a cohort.", "")


def test_the_gap_is_in_whole_controls_to_the_median():
    held = document(cohort(40.0, 50.0, 81.0, 90.0, 95.0))
    assert one(held, "gap_controls", "percentile") == (3, 40.0)
    assert lead(held) == (
        "1 of 1 framework is below the median of the reference programmes, a model and not peers.",
        "Start with SOC 2, furthest behind: 3 controls short.",
    )
    assert held.summary == {
        **{"benchmark_cohort": "medium", "benchmark_cohort_kind": "reference", "benchmark_programmes": 5},
        **{"organization_headcount": 100, "organization_sector": "health", "packs_in_scope": 1},
        **{"benchmark_at_or_above_median": 0, "benchmark_below_median": 1, "benchmark_without_percentile": 0},
        **{"benchmark_dated_on": date(2026, 11, 1), "provenance": "A model"},
    }


def test_every_number_follows_from_its_rows():
    values_follow(REPORT, **frames(frameworks=("soc2", "fedramp-poam")))
    values_follow(REPORT)


def test_a_framework_that_is_not_compared_is_explained_with_the_reason():
    given = frames(frameworks=("soc2", "fedramp-poam"))
    assert explained_rows(REPORT, "benchmark_without_percentile", **given)["reason"].to_list() == [
        "FedRAMP POA&M: no applicable control, so there is no readiness"
    ]


def test_weighted_readiness_has_a_percentile_of_its_own():
    assert one(document(), "weighted_pct", "weighted_median_pct", "weighted_percentile") == (72.0, 70.0, 80.0)


@pytest.mark.parametrize(
    ("headcount", "size"), [(0, "small"), (49, "small"), (50, "medium"), (249, "medium"), (250, "large"), (None, "all")]
)
def test_the_cohort_is_that_of_the_headcount(headcount, size):
    members = [one for name in BANDS for one in cohort(*range(5), size=name)]
    held = document(members, headcount=headcount)
    assert held.summary["benchmark_cohort"] == size
    assert held.summary["benchmark_programmes"] == (15 if size == "all" else 5)


def test_an_unknown_headcount_is_said():
    assert document(headcount=None).warnings == [
        "The organization's headcount is not recorded: the programmes of all sizes are the cohort."
    ]


def test_the_reader_can_choose_the_cohort():
    members = [*GOLDEN, *cohort(*[90.0] * 5, size="large")]
    assert one(document(members, cohort="large"), "percentile") == 0.0
    assert one(document(members, cohort="all"), "n", "cohort") == (10, "All sizes")


def test_a_pack_without_readiness_has_a_row_with_the_reason():
    held = document(frameworks=("soc2", "fedramp-poam"))
    assert held.tables[0].frame.select("name", "percentile", "reason").rows() == [
        ("SOC 2", 60.0, None),
        ("FedRAMP POA&M", None, "no applicable control, so there is no readiness"),
    ]


def test_studies_are_those_of_frameworks_in_scope_and_of_the_sector():
    studies = [
        {"study": str(n), "title": "Study", "framework": framework, "sector": sector, "measure": str(n)}
        for n, (framework, sector) in enumerate(
            [("soc2", "all"), ("soc2", "health"), ("soc2", "payments"), ("hipaa", "all")]
        )
    ]
    assert document(studies=studies).tables[2].frame["measure"].to_list() == ["0", "1"]


def test_nothing_in_scope_is_said():
    held = document((), (), frameworks=())
    assert lead(held) == (
        "Nothing can be compared: no framework is in scope.",
        "Put a framework in scope: import organization_frameworks.csv with hq import.",
    )
    assert held.coverage == Coverage(0, 0)
    assert held.charts == []


def test_each_framework_names_the_gap_to_close_first_with_its_owner():
    gap = {"framework": "soc2", "owner": "ann@acme.example", "due_on": date(2026, 12, 1)}
    gaps = [
        {**gap, "gap_id": "soc2:CC1.1", "control_id": "CC1.1", "title": "One", "priority": 1.0},
        {**gap, "gap_id": "soc2:CC6.1", "control_id": "CC6.1", "title": "Six", "priority": 9.0},
    ]
    held = factories.document(REPORT, ask(cohort="auto"), **frames(), gaps=rows("gaps", *gaps))
    assert one(held, "control_id", "title", "owner", "due_on") == (
        *("CC6.1", "Six", "ann@acme.example"),
        date(2026, 12, 1),
    )
    assert one(document(), "control_id") is None


def test_the_page_leaves_to_the_next_step_what_to_begin_with():
    """The gap that gains most and what the plan begins with can be two controls: a page says one of them."""
    assert {"control_id", "title", "owner", "due_on", "blocked_by"} <= set(document().tables[0].hidden)
