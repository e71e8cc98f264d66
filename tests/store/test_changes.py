"""What the bulk read gives is what is stored, whatever stands in a cell."""

import shutil
import sqlite3
from contextlib import closing

from hypothesis import given, settings
from hypothesis import strategies as st

from engine.store.changes import changes
from engine.store.schema import metadata

TEXTS = st.one_of(
    st.sampled_from(["", "NULL", "null", "'", "''", '"', ",", "\n", "\r\n", " x ", "\\", 'a\'b,"c"\nd', "\U0001f600"]),
    st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"])),
)
REALS = st.floats(allow_nan=False, allow_infinity=False)
WHOLE = st.integers(-(2**63), 2**63 - 1)


@settings(max_examples=40, deadline=None)
@given(names=st.lists(st.one_of(st.none(), TEXTS), max_size=5), hours=st.lists(REALS, max_size=5), number=WHOLE)
def test_every_cell_comes_as_it_is_stored(acme_template, tmp_path_factory, names, hours, number):
    """Texts with quotes, commas and line ends, an empty one beside none, reals and whole numbers to the last bit."""
    path = tmp_path_factory.mktemp("changes") / "hq.db"
    shutil.copy(acme_template, path)
    with closing(sqlite3.connect(path)) as plain:
        plain.execute("PRAGMA ignore_check_constraints = ON")
        users = [("acme", f"{n}@acme.example", name, n % 2, abs(number) % 2**62 + 1) for n, name in enumerate(names)]
        capacity = [("acme", "ann", f"2026-W{n:02}", value, value, 1) for n, value in enumerate(hours)]
        plain.executemany("INSERT INTO users (org_id, email, name, active, revision) VALUES (?, ?, ?, ?, ?)", users)
        plain.executemany(
            "INSERT INTO owner_capacity (org_id, email, week, hours, absence_hours, revision) VALUES (?, ?, ?, ?, ?, ?)",
            capacity,
        )
        plain.commit()
    assert sorted(rows_of(path, "users")) == users
    assert sorted(rows_of(path, "owner_capacity"), key=lambda row: row[2]) == capacity


def rows_of(path, name):
    with changes(f"sqlite:///{path}", [("acme", 0)]) as found:
        (change,) = found
        batches = list(change.batches(metadata.tables[name]))
    wanted = {"users": ("org_id", "email", "name", "active", "revision"),
              "owner_capacity": ("org_id", "email", "week", "hours", "absence_hours", "revision")}[name]  # fmt: skip
    return [tuple(row[column] for column in wanted) for batch in batches for row in batch.to_pylist()]
