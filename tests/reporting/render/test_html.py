import re
from datetime import date

import polars as pl
import pytest
from markupsafe import escape as reference

from engine.model.document import (
    Chart,
    Coverage,
    Document,
    Organization,
    Position,
)
from engine.reporting.render import CONTENT_SECURITY_POLICY
from engine.reporting.render.html import css_string, render
from engine.reporting.render.rows import escape
from tests.reporting.render.editions import (
    edition,
    of_tables,
    posture,
    table,
)
from tests.reporting.render.parsing import Page

EVIL = '</style></title></svg><script>alert(1)</script><img src=x onerror="y">\'&amp;*/'
STRUCTURE = (
    "html head meta title link style body header p h1 time main span section h2 ul li dl div dt dd ol b figure "
    "figcaption svg desc rect text line path circle table caption thead tr th tbody td footer code"
)


def page(content) -> Page:
    return Page(render(content).decode())


def evil_edition():
    frame = pl.DataFrame(
        {
            EVIL: [EVIL],
            "state": [EVIL],
            "list": [[EVIL, EVIL]],
            "kind": pl.Series([EVIL], dtype=pl.Categorical),
            "n": [1],
        }
    )
    bars = pl.DataFrame({"x": [EVIL, "b"], "y": [1, 2], "s": [EVIL, "t"]})
    document = Document(
        headline=EVIL,
        summary={EVIL: EVIL, "map": {EVIL: EVIL}, "list": [EVIL], "maps": [{EVIL: EVIL}]},
        tables=[table(frame, title=EVIL, note=EVIL, labels={"n": EVIL}, state=("state",), heat=("n",))],
        coverage=Coverage(1, 2),
        charts=[Chart(kind, EVIL, bars, "x", "y", EVIL, series="s") for kind in ("bars", "lines", "stacked")],
        definitions={EVIL: EVIL},
        warnings=[EVIL],
        footnotes=[EVIL],
    )
    return edition(
        document,
        title=EVIL,
        description=EVIL,
        organization=Organization(EVIL, EVIL),
        revision=Position(1, EVIL),
        parameters={EVIL: EVIL},
    )


def test_text_of_users_never_becomes_markup():
    answer = page(evil_edition())
    assert answer.names <= set(STRUCTURE.split())
    assert [tag for tag, _ in answer.tags].count("style") == 1
    assert not [name for _, attributes in answer.tags for name in attributes if name.startswith("on")]
    assert answer.text.count(EVIL) >= 25


def test_the_page_loads_nothing_and_runs_nothing():
    text = render(posture()).decode()
    assert "<script" not in text
    assert "url(" not in text
    assert "@import" not in text
    links = [attributes for tag, attributes in Page(text).tags if {"src", "href"} & set(attributes)]
    assert links == [{"rel": "icon", "href": "data:,"}]


def test_the_policy_stands_in_the_page_too():
    metas = [attributes for tag, attributes in page(posture()).tags if tag == "meta"]
    assert {"http-equiv": "Content-Security-Policy", "content": CONTENT_SECURITY_POLICY} in metas


def test_the_day_the_organization_and_the_revision_stand_in_the_printed_footer():
    style = re.search(r"@bottom-left \{ content: (\".*?\");", render(posture()).decode())
    plain = re.sub(r"\\([0-9a-f]+) ", lambda match: chr(int(match[1], 16)), style[1])
    assert plain == '"Aurora Health · 2026-11-20 · revision 81234 · 9f2c7a1e5b3d"'


def test_a_css_string_cannot_end():
    assert css_string('a"};</style>\n') == r'"a\22 \7d \3b \3c \2f style\3e \a "'


def test_headings_of_tables_tell_their_scope():
    answer = page(of_tables(table(pl.DataFrame({"control_id": ["CC6.1"], "strict_pct": [41.2]}))))
    assert answer.tables == [[["Control", "Strict (%)"], ["CC6.1", "41.2"]]]
    assert [attributes["scope"] for tag, attributes in answer.tags if tag == "th"] == ["col", "col", "row"]
    assert "caption" in answer.names


def test_a_heading_says_what_its_column_means_unless_the_report_has_its_own_word():
    rows = table(pl.DataFrame({"due_on": ["2026-11-20"], "owner": ["ann"], "a": [1]}), labels={"owner": "With"})
    headings = [attributes for tag, attributes in page(of_tables(rows)).tags if tag == "th"][:3]
    assert [attributes.get("title") for attributes in headings] == ["Last day on which it is in time.", None, None]


def test_labels_replace_headings_and_hidden_columns_are_left_out():
    rows = table(pl.DataFrame({"a": [1], "b": [2]}), labels={"a": "First"}, hidden=("b",))
    assert page(of_tables(rows)).tables == [[["First"], ["1"]]]


@pytest.mark.parametrize("frame", [pl.DataFrame(), pl.DataFrame(schema={"a": pl.Int64})])
def test_an_empty_table_says_so(frame):
    answer = page(of_tables(table(frame)))
    assert "No rows." in answer.text
    assert answer.tables == []


def test_a_state_is_a_badge_with_its_word():
    rows = table(pl.DataFrame({"state": ["no_data", "effective", "odd_word", None]}), state=("state",))
    answer = page(of_tables(rows))
    assert answer.tables == [[["State"], ["no data"], ["effective"], ["odd word"], [""]]]
    badges = [attributes["class"] for tag, attributes in answer.tags if tag == "span"]
    assert badges == ["state unknown", "state good", "state neutral"]


def test_heat_counts_have_fixed_shades_and_keep_their_number():
    rows = table(pl.DataFrame({"f": list("abcdefgh"), "n": [0, 1, 2, 3, 6, 9, 10, None]}), heat=("n",))
    answer = page(of_tables(rows))
    shades = [attributes["class"] for tag, attributes in answer.tags if tag == "td"]
    assert shades == [*(f"heat h{shade}" for shade in (0, 1, 1, 2, 3, 3, 4)), "heat"]
    assert [row[1] for row in answer.tables[0][1:]] == ["0", "1", "2", "3", "6", "9", "10", ""]


def test_heat_percentages_are_cut_in_fifths():
    rows = table(pl.DataFrame({"f": ["a", "b", "c"], "n_pct": [20.0, 20.1, 100.0]}), heat=("n_pct",))
    cells = [attributes["class"] for tag, attributes in page(of_tables(rows)).tags if tag == "td"]
    assert cells == ["heat h0", "heat h1", "heat h4"]


@pytest.mark.parametrize(
    ("width", "height", "layout"),
    [(8, 40, ""), (9, 40, "wide"), (9, 3, "short dense"), (12, 3, "short wide"), (15, 40, "wide dense"), (9, 0, "")],
)
def test_wide_tables_get_paper_that_fits(width, height, layout):
    frame = pl.DataFrame({f"c{index}": [1] * height for index in range(width)})
    sheets = [a["class"] for t, a in page(of_tables(table(frame))).tags if t == "section" and "sheet" in a["class"]]
    expected = layout if height else "short dense"
    assert sheets == [f"sheet {expected}"]


def test_figures_read_like_words():
    summary = {"strict_pct": 41.2, "open_gaps": 12400, "due_on": date(2026, 1, 2), "ok": True, "rag": "at_risk"}
    text = "".join(page(edition(Document("", summary, words=("rag",)))).text.split())
    assert "Strict41.2%Opengaps12,400Due2026-01-02OkyesRAGatrisk" in text


def test_thin_coverage_is_said():
    assert "too little to grade" in page(edition(Document("", {}, coverage=Coverage(1, 3)))).text
    assert "nothing was in scope" in page(edition(Document("", {}, coverage=Coverage(0, 0)))).text


def test_rows_are_escaped_as_markupsafe_does():
    text = EVIL + "\"'<>&&lt;"
    assert pl.select(escape(pl.lit(text))).item() == str(reference(text))


def test_control_characters_are_shown_as_replaced():
    rows = table(pl.DataFrame({"a": ["x\0y\x1b\r\nz"]}))
    assert page(of_tables(rows)).tables[0][1] == ["x\ufffdy\ufffd\nz"]
