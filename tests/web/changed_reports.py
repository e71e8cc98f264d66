"""The routes of the reports that changed, for `make test-changed`; not collected by `make test`, which asks all of them."""

import os

import pytest

from reports import CATALOGUE
from tests.contract import REPORT_ROUTES

NAMES = [name for name in os.environ.get("TESTS_OF_REPORTS", "").split(",") if name in CATALOGUE]


@pytest.mark.parametrize("name", NAMES)
def test_its_route_answers_in_each_format_and_twice_the_same(sign_in, name):
    client = sign_in()
    path = REPORT_ROUTES.get(name)
    if path is None:
        pytest.skip("the report has no route of its own")
    for form in CATALOGUE[name].formats:
        first, second = (client.get(f"{path}?format={form}") for _ in range(2))
        assert (first.status, first.body[:300] if first.status != 200 else b"") == (200, b"")
        assert first.body == second.body
