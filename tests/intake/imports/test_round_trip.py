"""Rows written as CSV in any dialect come back equal."""

import csv
import io
import tempfile
from datetime import UTC, date, datetime
from pathlib import Path

import polars as pl
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from engine.intake.imports.batches import SheetRows
from engine.intake.imports.files.headers import ROW
from engine.intake.imports.files.sources import sheets
from engine.intake.imports.problems import Problems
from engine.intake.imports.staged_file import check_sheet
from tests.conftest import NOW
from tests.laws import examples

COLUMNS = ("title", "impact", "loss_high", "status", "identified_on")
CONTROL_CHARACTERS = "".join(map(chr, range(127, 161)))
LATIN = (
    st.text(
        st.characters(min_codepoint=32, max_codepoint=0xFF, exclude_characters=CONTROL_CHARACTERS) | st.just("\n"),
        min_size=1,
        max_size=30,
    )
    .map(str.strip)
    .filter(bool)
)
RISK = st.fixed_dictionaries(
    {
        "title": LATIN.filter(lambda text: not text.startswith("#")),
        "impact": st.none() | st.integers(1, 5),
        "loss_high": st.none() | st.floats(0, 1e9),
        "status": st.sampled_from(["open", "closed"]),
        "identified_on": st.none() | st.dates(date(1900, 1, 1), date(2199, 12, 31)),
    }
)
DAYS = {"iso": "%Y-%m-%d", "dots": "%d.%m.%Y", "day first": "%d/%m/%Y", "month first": "%m/%d/%Y"}
DIALECT = st.fixed_dictionaries(
    {
        "delimiter": st.sampled_from([",", ";", "\t", "|"]),
        "encoding": st.sampled_from(["utf-8", "utf-8-sig", "cp1252", "utf-16"]),
        "lineterminator": st.sampled_from(["\n", "\r\n"]),
        "quoting": st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
        "day": st.sampled_from(sorted(DAYS)),
        "comma": st.booleans(),
        "header": st.sampled_from([str, str.upper, str.title, lambda name: name.replace("_", " ")]),
    }
)


def write_dialect(rows, dialect):
    """The rows in the dialect, with a last row that shows which of day and month comes first, and the decimal mark."""
    out = io.StringIO()
    writer = csv.writer(
        out, delimiter=dialect["delimiter"], lineterminator=dialect["lineterminator"], quoting=dialect["quoting"]
    )
    writer.writerow([dialect["header"](name) for name in ("id", *COLUMNS)])
    for number, row in enumerate(rows):
        day, loss = row["identified_on"], "" if row["loss_high"] is None else repr(row["loss_high"])
        cells = row | {
            "identified_on": "" if day is None else day.strftime(DAYS[dialect["day"]]).zfill(10),
            "loss_high": loss.replace(".", ",") if dialect["comma"] else loss,
        }
        writer.writerow([f"R-{number}", *(cells[name] for name in COLUMNS)])
    return out.getvalue().encode(dialect["encoding"])


def is_utf8(data):
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


@pytest.mark.real
@settings(max_examples=examples(150), deadline=None)
@given(rows=st.lists(RISK, max_size=5), dialect=DIALECT)
def test_rows_written_in_any_dialect_come_back_equal(rows, dialect):
    last = {"title": "t", "impact": 1, "loss_high": 0.5, "status": "open", "identified_on": date(2026, 11, 20)}
    rows = [*rows, last]
    data = write_dialect(rows, dialect)
    assume(dialect["encoding"] != "cp1252" or data.isascii() or not is_utf8(data))  # else it is two texts at once
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "risks.csv"
        path.write_bytes(data)
        (sheet,) = sheets([path], now=NOW)
        assert isinstance(sheet, SheetRows)
        problems = Problems()
        checked = check_sheet(sheet, Path(folder), None, "acme", problems, lambda *_: None)
        problems.raise_any()
        read = pl.concat(checked.spool).drop(ROW).to_dicts()
    assert [row | {"id": f"R-{number}"} for number, row in enumerate(rows)] == read


FIRST, LAST = datetime.fromisoformat("1900-01-01"), datetime.fromisoformat("2199-12-31")


@settings(max_examples=examples(100), deadline=None)
@given(moments=st.lists(st.datetimes(FIRST, LAST), min_size=1, max_size=5))
def test_moments_come_back_to_the_microsecond(moments):
    lines = [f"s{n},{moment.isoformat()}Z,1,0" for n, moment in enumerate(moments)]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "slo_buckets.csv"
        path.write_text("\n".join(["service_id,bucket_at,total,bad", *lines]))
        checked = check_sheet(sheets([path], now=NOW)[0], Path(folder), None, "acme", Problems(), lambda *_: None)
        assert pl.concat(checked.spool)["bucket_at"].to_list() == [moment.replace(tzinfo=UTC) for moment in moments]
