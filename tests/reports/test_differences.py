"""A law of all reports: the difference of two of their documents leads from the one to the other."""

from datetime import timedelta

import pytest
from hypothesis import given

from engine.reporting.difference.documents import diff_documents
from engine.reporting.difference.tables import diff
from tests.factories import DAY
from tests.reporting.difference.application import apply
from tests.reports.organizations import ORGANIZATIONS
from tests.reports.test_one_value import ALL, Answers, few


@pytest.mark.real
@pytest.mark.parametrize("days", [0, 45])
@few
@given(before=ORGANIZATIONS, after=ORGANIZATIONS)
def test_the_difference_of_two_documents_leads_from_the_one_to_the_other(facts_with, days, before, after):
    old, new = (
        Answers(facts_with, before),
        Answers(facts_with, after if days == 0 else before, as_of=DAY + timedelta(days)),
    )
    for report in ALL.values():
        one, other = old.document(report), new.document(report)
        assert diff_documents(one, one, report.figures).is_empty
        tables = {table.name: table.frame for table in other.tables}
        for table in one.tables:
            if table.name in tables:
                found = apply(diff(table.frame, tables[table.name]), table.frame)
                assert (report.name, table.name, found.schema) == (report.name, table.name, tables[table.name].schema)
                assert found.equals(tables[table.name]), (report.name, table.name)
