"""Whatever a file holds, it is read or refused in words: nothing else comes out."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from engine.intake.imports.files.sources import sheets
from engine.intake.imports.problems import Problems
from engine.intake.imports.staged_file import check_sheet
from engine.intake.imports.tables import importable
from engine.model.errors import InvalidData
from engine.store.schema import IMPORTABLE
from tests.conftest import NOW
from tests.laws import examples

TABLES = sorted(name for name in IMPORTABLE if name != "audit_log")
ODD = [
    "",
    " ",
    "1",
    "-1",
    "1,5",
    "1.234",
    "3.0",
    "x",
    "yes",
    "soc2",
    "SOC 2",
    "CC6.1",
    "ä",
    "#N/A",
    "a@b",
    "{}",
    "[1",
    "2026-11-20",
    "31.02.2026",
    "03/04/2026",
    "20/11/2026",
    "46346",
    "2026-11-20T08:30:00Z",
    "2026-11-20 25:00",
    "7%",
    "1e999",
    "1e100",
    "99999999999999999999",
    "2026-W47",
    "open",
    "\x00",
    "\ud7ff",
    "٣",
    "１",
    "²",
    "nan",
    "inf",
    "'",
    '"',
    "20261120",
    "0000-00-00",
    "2026-11-20T08:30:00+99:99",
    "1e-5",
    "+",
    ".",
    ",",
    "hq:1",
    "UTC",
    "low",
]
CELLS = st.sampled_from([*ODD, "9" * 400]) | st.text(max_size=12)


def refuse_or_read(name, content):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        path.write_bytes(content)
        problems = Problems()
        try:
            (sheet,) = sheets([path], now=NOW)
            check_sheet(sheet, Path(folder), None, "acme", problems, lambda *_: None)
            problems.raise_any()
        except InvalidData:
            return


@settings(max_examples=examples(60), deadline=None)
@given(st.sampled_from(TABLES), st.binary(max_size=80))
@example("services", b"\xfe\xff\x00")  # half of a character
def test_any_bytes_are_read_or_refused(table, content):
    refuse_or_read(f"{table}.csv", ",".join(importable(table).fields).encode() + b"\n" + content)
    refuse_or_read(f"{table}.jsonl", content)
    refuse_or_read(f"{table}.csv", content)


@pytest.mark.real
@settings(max_examples=examples(100), deadline=None)
@given(st.data())
def test_any_cells_are_read_or_refused(data):
    table = data.draw(st.sampled_from(TABLES))
    columns = list(importable(table).fields)
    records = data.draw(st.lists(st.fixed_dictionaries(dict.fromkeys(columns, CELLS)), max_size=4))
    lines = "\n".join(json.dumps(record) for record in records)
    refuse_or_read(f"{table}.jsonl", lines.encode())


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | CELLS,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=2), inner, max_size=2),
    max_leaves=4,
)


@pytest.mark.real
@settings(max_examples=examples(80), deadline=None)
@given(st.data())
def test_any_json_values_are_read_or_refused(data):
    table = data.draw(st.sampled_from(TABLES))
    columns = list(importable(table).fields)
    records = data.draw(st.lists(st.fixed_dictionaries(dict.fromkeys(columns, VALUES)), max_size=3))
    refuse_or_read(f"{table}.jsonl", "\n".join(json.dumps(record) for record in records).encode())
