"""What building an organization is expected to cost."""

import json
import logging

import pytest

from engine.reporting.batch.build_costs import BASE_SECONDS, EVENT_SECONDS, BuildCosts


def test_what_was_never_built_is_estimated_by_its_events():
    costs = BuildCosts()
    assert [costs.seconds("acme", events) for events in (0, 100_000)] == [
        BASE_SECONDS,
        BASE_SECONDS + 100_000 * EVENT_SECONDS,
    ]
    costs.save({"acme": 1})


def test_what_was_measured_is_known_by_the_next_and_grows_with_its_events(tmp_path):
    path = tmp_path / "costs.json"
    costs = BuildCosts(path)
    costs.note("acme", 1000, 7.5004)
    costs.note("gone", 1, 1.0)
    costs.save({"acme": "Acme"})
    assert json.loads(path.read_bytes()) == {"acme": [1000, 7.5]}
    assert BuildCosts(path).seconds("acme", 2000) == 7.5 + 1000 * EVENT_SECONDS
    assert BuildCosts(path).seconds("gone", 0) == BASE_SECONDS


@pytest.mark.parametrize("content", ["", "[]", "{", '{"acme": 1}', '{"acme": ["a", "b"]}'])
def test_a_file_that_cannot_be_read_is_named_and_measured_anew(content, tmp_path, caplog):
    path = tmp_path / "costs.json"
    path.write_text(content)
    with caplog.at_level(logging.WARNING):
        assert BuildCosts(path).seconds("acme", 0) == BASE_SECONDS
    assert [record.getMessage() for record in caplog.records] == [
        f"{path} cannot be read: what building costs is measured anew."
    ]


def test_a_place_that_cannot_be_written_is_named(tmp_path, caplog):
    costs = BuildCosts(tmp_path / "none" / "costs.json")
    costs.note("acme", 1, 1.0)
    costs.save({"acme": 1})
    assert [record.getMessage().partition(" in ")[0] for record in caplog.records] == [
        "What building costs is not kept"
    ]
