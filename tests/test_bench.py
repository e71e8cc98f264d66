"""The bench: which figures miss their targets, and the page that says what was measured."""

from datetime import date
from xml.etree import ElementTree

from tests.bench import release, results
from tests.bench.picture import picture
from tests.bench.release import Cost, Release, worse_rows
from tests.bench.results import Part, page
from tests.bench.table import Figure, Point, growth_text
from tests.bench.targets import TARGETS, misses


def test_without_figures_nothing_is_missed():
    assert misses([]) == []


def test_a_tenth_below_the_target_is_let_through_and_more_is_named():
    seals = [Figure(f"seal a bundle: {ratio}", "1 s", "zip", "1 s", ratio) for ratio in (0.85, 0.77, 0.76)]
    assert misses(seals) == ["seal a bundle: 0.76: ratio 0.76, target 0.85"]


def test_memory_has_targets_too_and_a_figure_without_one_misses_none():
    figures = [Figure("nightly batch: 50", "9 s", peak_mb=peak) for peak in (880, 881)]
    assert misses([*figures, Figure("hq verify of it", "9 s", ratio=0.01)]) == [
        "nightly batch: 50: 881 MB, target 800 MB"
    ]


def test_no_target_hides_another():
    starts = [target.what for target in TARGETS]
    assert [(a, b) for a in starts for b in starts if a != b and b.startswith(a)] == []


def test_the_page_and_the_picture_are_those_of_what_was_measured():
    kept = results.read()
    points = [point for part in kept.values() for point in part.points]
    assert (results.PAGE.read_text(), results.PICTURE.read_text()) == (page(kept), picture(points))


def test_a_part_says_when_it_was_measured_its_targets_and_which_were_missed():
    figures = (Figure("nightly batch: 50", "9 s", peak_mb=900.0), Figure("hq verify of it", "9 s"))
    found = page({"nightly batch": Part(date(2026, 11, 23), "2 cores", figures)})
    assert "## Nightly batch\n\n2 cores, 23 November 2026.\n" in found
    assert "Targets: nightly batch at most 800 MB." in found
    assert "Missed by more than a tenth: nightly batch: 50: 900 MB, target 800 MB." in found


def test_growth_has_a_column_for_each_size_and_leaves_out_what_was_not_measured():
    points = [Point("import", "events", 1000, 0.5, 90), Point("import", "events", 10_000, 5, 95)]
    points.append(Point("copy", "events", 1000, 0.25, 80))
    assert growth_text(points).splitlines() == [
        "| events | 1,000  | 10,000 | peak memory |",
        "| ------ | ------ | ------ | ----------- |",
        "| import | 500 ms | 5.0 s  | 90 / 95 MB  |",
        "| copy   | 250 ms |        | 80 MB       |",
    ]


def test_the_picture_is_drawn_for_one_size_and_for_none():
    one = ElementTree.fromstring(picture([Point("import", "events", 1000, 0.5, 90)]))
    assert next(one.iter("{http://www.w3.org/2000/svg}text")).text == "seconds by events"
    assert ElementTree.fromstring(picture([])).tag.endswith("svg")


def test_a_row_that_costs_a_tenth_more_than_at_the_last_release_is_let_through_and_more_is_named():
    kept = Release("0.1.0", {"hq report": Cost(1.0, 10.0, 90.0), "import": Cost(5.0, 50.0, 90.0)})
    now = {"hq report": Cost(9.9, 11.0, 500.0), "import": Cost(1.0, 55.1, 90.0), "new": Cost(9.0, 90.0, 90.0)}
    assert worse_rows(now, kept) == ["import: 55.1 yards, 50.0 at version 0.1.0"]
    assert worse_rows(now, None) == []


def test_what_a_release_cost_is_kept_by_row_and_other_rows_stay(tmp_path, monkeypatch):
    monkeypatch.setattr(release, "KEPT", tmp_path / "release.json")
    assert release.read() is None
    release.keep({"b": Cost(2.0, 20.0, 80.0)})
    release.keep({"a": Cost(1.0, 10.0, 90.0)})
    assert dict(release.read().rows) == {"a": Cost(1.0, 10.0, 90.0), "b": Cost(2.0, 20.0, 80.0)}


def test_the_repository_has_what_rows_cost_at_the_last_release():
    assert "hq report, kept, 30,000 events" in release.read().rows
