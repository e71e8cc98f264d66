"""The index says of reports and digests what they say of themselves."""

import dataclasses

import pytest

from engine.model.declarations.report_loader import load_report
from engine.reporting.index import INDEX, index, parts_of
from reports import CATALOGUE, REPORTS
from reports.digests import DIGESTS
from tests.digests.registry import CHAIN
from tests.reports.accept_index import index_bytes


def test_the_index_follows_from_the_declarations():
    assert INDEX.read_bytes() == index_bytes(), "on purpose? python -m tests.reports.accept_index"


def test_the_index_has_every_report_in_the_order_of_the_catalogue():
    assert list(index().catalogue) == list(CATALOGUE)
    assert [load_report(entry) for entry in index().reports] == list(REPORTS)


@pytest.mark.parametrize("name", CATALOGUE)
def test_a_report_is_asked_and_named_in_the_same_way_with_and_without_it(name):
    entry, report = index().catalogue[name], CATALOGUE[name]
    for query in ({}, {"explain": report.figure_ids[0]} if report.figures else {}):
        assert entry.parse(query) == report.parse(query)
        assert entry.formats_of(query) == report.formats_of(query)
    assert (entry.explain, entry.parameters, entry.has_period) == (report.explain, report.parameters, report.has_period)
    assert set(parts_of(entry)) == set(parts_of(report))


def test_the_digests_of_the_index_are_those_that_are_declared():
    def digest_fields(digest):
        return {
            field.name: getattr(digest, field.name) for field in dataclasses.fields(digest) if field.name != "report"
        }

    assert [digest_fields(digest) for digest in index().digests] == [digest_fields(digest) for digest in DIGESTS]
    assert [load_report(digest.report) for digest in index().digests] == [digest.report for digest in DIGESTS]
    assert [digest.name for digest in index().chain] == [digest.name for digest in CHAIN]
