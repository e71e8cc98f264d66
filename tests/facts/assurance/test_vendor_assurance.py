"""The document that decides whether a vendor is assured, and one in force that does not count."""

from datetime import date

import pytest

from tests.facts.assurance.test_vendors import document, soc2, vendor

COLUMNS = ("assurance", "assured_by", "assured_dated_on", "unfit_kind", "unfit_until", "unfit", "soc2_valid_until")


@pytest.mark.parametrize(
    ("documents", "decided"),
    [
        ([], ("not_assessed", None, None, None, None, None, None)),
        (
            # the newer report does not cover what we use: neither the state nor the register's SOC 2 columns rest on it
            [soc2("2025-06-06", id="old"), soc2("2026-06-06", id="new", in_scope=False)],
            (
                *("lapsed", "soc2_type2", date(2025, 6, 6)),
                *("soc2_type2", date(2027, 6, 6), "wrong_scope", date(2026, 6, 6)),
            ),
        ),
        (
            [{**soc2("2026-06-06"), "opinion": None}],
            ("not_assessed", None, None, "soc2_type2", date(2027, 6, 6), "qualified_opinion", date(2027, 6, 6)),
        ),
        (
            # the best of several; what ended is no document in force
            [
                soc2("2025-06-06", in_scope=False),
                document("iso27001_certificate", issued_on="2026-01-01", expires_on="2028-12-31"),
                document("pci_aoc", issued_on="2026-02-01"),
            ],
            ("assured", "iso27001_certificate", date(2026, 1, 1), None, None, None, date(2026, 6, 6)),
        ),
        ([document("dpa", issued_on="2026-02-01")], ("not_assessed", None, None, None, None, None, None)),
    ],
)
def test_the_best_document_that_covers_what_we_use_decides(facts_with, documents, decided):
    assert vendor(facts_with, *COLUMNS, documents=documents) == decided
