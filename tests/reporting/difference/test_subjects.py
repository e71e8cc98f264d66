"""What rows that were written can be about is known by their table."""

from engine.reporting.difference.subjects import subjects_of_write, tables_about
from engine.store.queries.history.writes import RowWrite
from engine.store.schema import LOGGED


def full_row(name):
    """A row of the table with a text in every column."""
    table = LOGGED[name]
    values = {column.name: f"some {column.name}" for column in table.columns}
    return RowWrite(1, name, tuple(values[column] for column in table.info["primary"]), None, values)


def test_no_row_is_about_what_its_table_is_not_about():
    for name in LOGGED:
        for subject in subjects_of_write(full_row(name)):
            assert tables_about({subject}, LOGGED) >= {name}


def test_tables_that_cannot_be_about_it_are_left_out():
    names = ("slo_buckets", "findings", "control_owners", "memberships", "organization_frameworks")
    about = {
        subject: sorted(tables_about({subject}, names))
        for subject in (
            ("record", "", "F-1"),
            ("record", "services", "dns"),
            ("control", "soc2", "CC6.1"),
            ("framework", "soc2"),
            ("person", "amy@acme.example"),
        )
    }
    assert about == {
        ("record", "", "F-1"): ["findings"],
        ("record", "services", "dns"): ["findings", "slo_buckets"],
        ("control", "soc2", "CC6.1"): ["control_owners"],
        ("framework", "soc2"): ["control_owners", "organization_frameworks"],
        ("person", "amy@acme.example"): ["control_owners", "memberships"],
    }
    assert tables_about((), LOGGED) == frozenset()
