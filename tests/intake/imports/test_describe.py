"""The page that documents the tables, and the tables as files see them."""

import pytest

from engine.catalogue import FRAMEWORKS
from engine.intake.imports import describe_tables
from engine.intake.imports.tables import importable
from engine.intake.imports.values.controls import ALIASES, control, framework
from engine.intake.imports.values.names import squash
from engine.model.thresholds import DEFAULTS
from engine.store.schema import IMPORTABLE

WORKSPACES = """## workspaces

A team's part of an organization: ingest tokens and policies belong to one.

Key: `id`. Without an `id` it is made from `name`.

| column | kind | required | takes | meaning |
|---|---|---|---|---|
| id | scope | no | text of up to 200 characters | identifier |
| name | scope | yes | text of up to 100,000 characters | name |

```
id,name
```
"""


def test_the_page_has_every_table_column_and_setting():
    page = describe_tables()
    for name, table in IMPORTABLE.items():
        assert f"\n## {name}\n\n{table.comment}\n" in page
        assert f"\n{','.join(importable(name).fields)}\n" in page
    assert WORKSPACES in page
    assert all(f"\n| {name} |" in page for name in DEFAULTS)


def test_the_page_says_what_is_required_allowed_and_default():
    page = describe_tables()
    assert "| tier | scope | yes | one of critical, high, medium, low | risk tier |" in page
    assert "| vendor_id | scope | yes | the `id` of a row of vendors | vendor |" in page
    assert "| in_scope | claim | no, else true | true or false | covers the service that we use |" in page
    assert "| likelihood | claim | no | a whole number from 1 to 5 | inherent likelihood, 1 to 5 |" in page


def test_the_console_fills_in_its_own_columns():
    given = {name: set(importable(name).fields) for name in IMPORTABLE}
    assert not any({"org_id", "revision"} & columns for columns in given.values())
    assert not {"seq", "recorded_at", "hash"} & given["audit_log"]
    assert not any("moves" in columns for columns in given.values())


@pytest.mark.parametrize("name", IMPORTABLE)
def test_no_two_columns_or_choices_look_the_same_in_any_spelling(name):
    table = importable(name)
    assert len({squash(column) for column in table.fields}) == len(table.fields)
    for field in table.fields.values():
        assert len({squash(word) for word in field.choices}) == len(field.choices)


def test_every_framework_has_aliases_of_its_own():
    assert tuple(ALIASES) == (*FRAMEWORKS, "fedramp-poam")
    spellings = [(squash(text), name) for name, texts in ALIASES.items() for text in texts]
    assert len({spelling for spelling, _ in spellings}) == len({*spellings})
    assert framework("COBIT") is None


@pytest.mark.parametrize(
    ("pack", "text", "expected"),
    [
        ("soc2", "CC6.1", "CC6.1"),
        ("soc2", "cc 6.1", "CC6.1"),
        ("iso27001", "A5.15", "A.5.15"),
        ("iso27001", "Annex A 5.15", "A.5.15"),
        ("iso27001", "5.1", "5.1"),
        ("iso27001", "5.15", None),
        ("nist-csf", "gv.oc-1", "GV.OC-01"),
        ("pci-dss", "Req. 1.1.1", "1.1.1"),
        ("cmmc-l2", "ac l2 3.1.1", "AC.L2-3.1.1"),
        ("hipaa", "§164.308(a)(1)(ii)(A)", "164.308(a)(1)(ii)(A)"),
        ("gdpr-art32", "Art. 32 (1)(a)", "Art.32(1)(a)"),
        ("soc2", "nothing", None),
    ],
)
def test_controls_are_found_as_people_write_them(pack, text, expected):
    assert control(pack, text) == expected
