from datetime import date

import polars as pl
import pytest

from engine.model.declarations.declaration import FORMATS, HEAVY
from engine.render import RENDERERS, download_name
from tests.render.editions import of_tables, table

DAY = date(2026, 11, 20)


def test_every_format_of_a_report_has_a_renderer():
    assert set(FORMATS) <= set(RENDERERS)


def test_downloads_are_attachments_and_pages_are_not():
    assert {name for name, renderer in RENDERERS.items() if renderer.attachment} == {
        *("csv", "md", "ics", "oscal"),
        *HEAVY,
    }


def test_a_file_is_named_after_organization_report_and_day():
    assert download_name("aurora", "posture-score", DAY, "csv") == "aurora-posture-score-2026-11-20.csv"


@pytest.mark.parametrize("name", ["../..", 'a"b\r\nX: y', "Ärzte & Söhne", "", "a.b;c"])
def test_a_file_name_holds_safe_characters_only(name):
    safe = download_name(name, "posture-score", DAY, "html")
    assert safe.removesuffix(".html").replace("-", "").isalnum()
    assert safe.isascii()
    assert safe[0] not in "-."


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("value", [float("nan"), float("-inf"), [float("inf")], {"a": 1}])
def test_no_format_shows_what_is_not_a_finite_scalar(name, value):
    with pytest.raises(ValueError, match="Table rows, column a: expected"):
        RENDERERS[name].render(of_tables(table(pl.DataFrame({"a": [value]}))))
