import re
from base64 import b64encode
from datetime import date
from hashlib import sha256

import polars as pl
import pytest
from markupsafe import escape as reference

from engine.model.documents.document import Chart, ChartMark, Coverage, Document, Organization, Position
from engine.model.documents.heat import SHARE_OF_GOOD, HeatScale
from engine.model.documents.pictures import GraphPicture, GraphPoint
from engine.render import CONTENT_SECURITY_POLICY
from engine.render.html.escaping import css_string, escape_text
from engine.render.html.html import render
from engine.render.html.rows import sheet
from engine.render.links import Links
from tests.render.editions import edition, of_tables, posture, table
from tests.render.parsing import Page

EVIL = '</style></title></svg><script>alert(1)</script><img src=x onerror="y">\'&amp;*/'
STRUCTURE = (
    "html head meta title link style body header p h1 time main span section h2 ul li dl div dt dd ol b figure "
    "figcaption svg defs pattern desc rect text line path circle table caption colgroup col thead tr th tbody td footer code script details summary small "
    "i label input"
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
    assert [[tag for tag, _ in answer.tags].count(name) for name in ("style", "script")] == [1, 1]
    assert not [name for _, attributes in answer.tags for name in attributes if name.startswith("on")]
    assert answer.text.count(EVIL) >= 25


def test_the_page_loads_nothing_and_runs_our_own_script_alone():
    text = render(posture()).decode()
    (script,) = re.findall("<script>(.*?)</script>", text, re.DOTALL)
    assert f"script-src 'sha256-{b64encode(sha256(script.encode()).digest()).decode()}'" in CONTENT_SECURITY_POLICY
    assert text.count("<script") == 1
    assert set(re.findall(r"url\((.)", text)) <= {"#"}  # the hatchings of its own pictures
    assert "@import" not in text
    addresses = [a.get("src") or a["href"] for _, a in Page(text).tags if {"src", "href"} & set(a)]
    assert [address for address in addresses if not address.startswith(("#", "/api/"))] == ["data:,"]


def test_the_policy_stands_in_the_page_too():
    metas = [attributes for tag, attributes in page(posture()).tags if tag == "meta"]
    assert {"http-equiv": "Content-Security-Policy", "content": CONTENT_SECURITY_POLICY} in metas


def test_the_day_the_organization_and_the_revision_stand_in_the_printed_footer():
    style = re.search(r"@bottom-left \{ content: (\".*?\");", render(posture()).decode())
    plain = re.sub(r"\\([0-9a-f]+) ", lambda match: chr(int(match[1], 16)), style[1])
    assert plain == '"Aurora Health · 20 Nov 2026 · revision 81234 · 9f2c7a1e5b3d"'


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
    assert "Nothing on record for: Rows." in answer.text
    assert answer.tables == []


def test_a_state_is_a_badge_with_its_word():
    rows = table(pl.DataFrame({"state": ["no_data", "effective", "odd_word", None]}), state=("state",))
    answer = page(of_tables(rows))
    assert answer.tables == [[["State"], ["no data"], ["effective"], ["odd word"], [""]]]
    badges = [attributes["class"] for tag, attributes in answer.tags if tag == "span"]
    assert badges == ["state unknown", "state good", "state neutral"]


def shades(cells, name="n", **changes):
    """The classes of the cells of a heat column, and the legend under the table."""
    rows = table(pl.DataFrame({"f": [str(n) for n in range(len(cells))], name: cells}), heat=(name,), **changes)
    answer = page(of_tables(rows))
    legend = re.findall('<span class="([ah][0-4])">([^<]+)</span>', render(of_tables(rows)).decode())
    strips = [attributes["class"].removeprefix("heat").strip() for tag, attributes in answer.tags if tag == "td"]
    return strips, legend, [row[1] for row in answer.tables[0][1:]]


def test_numbers_that_judge_nothing_are_amounts_with_fixed_bands():
    found, _, cells = shades([0, 1, 2, 3, 6, 9, 10, None])
    assert found == ["a0", "a1", "a1", "a2", "a3", "a3", "a4", ""]
    assert cells == ["0", "1", "2", "3", "6", "9", "10", ""]


def test_shares_without_bands_are_cut_in_fifths():
    assert shades([19.9, 20.0, 100.0], "n_pct")[0] == ["a0", "a1", "a4"]


def test_shades_follow_the_bands_of_the_report_and_the_legend_says_them():
    found, legend, _ = shades([50.0, 70.0, 85.0, 100.0, 589.3, None], "n_pct", scale=HeatScale((70, 85, 100, 150)))
    assert found == ["h0", "h1", "h2", "h3", "h4", ""]
    assert legend == [
        ("h0", "under 70\u00a0%"),
        ("h1", "70 to 85\u00a0%"),
        ("h2", "85 to 100\u00a0%"),
        ("h3", "100 to 150\u00a0%"),
        ("h4", "150\u00a0% and more"),
    ]


def test_where_more_is_better_the_lowest_band_is_the_alarming_one():
    assert shades([10.0, 50.0, 100.0], "n_pct", scale=SHARE_OF_GOOD)[0] == ["h4", "h3", "h0"]


def test_other_figures_of_a_row_may_decide_on_its_shade():
    by = pl.DataFrame({"n": [4, 1]})
    scale = HeatScale((1, 2, 3, 4), names=("", "low", "medium", "high", "critical"), by=by)
    found, legend, cells = shades([1, 100], scale=scale)
    assert (found, cells) == (["h4", "h1"], ["1", "100"])
    assert [name for _, name in legend] == ["low", "medium", "high", "critical"]


@pytest.mark.parametrize(
    ("width", "height", "layout"), [(8, 40, ""), (14, 40, "wide"), (8, 3, "short"), (14, 3, "short wide")]
)
def test_broad_tables_get_paper_that_fits(width, height, layout):
    frame = pl.DataFrame({f"c{index}": range(height) for index in range(width)})
    sheets = [a["class"] for t, a in page(of_tables(table(frame))).tags if t == "section" and "sheet" in a["class"]]
    assert sheets == [f"sheet {layout}"]


def test_what_does_not_fit_stands_below_its_row_with_its_heading():
    words = {f"word_{index}": ["incomprehensibilities " * 2, None] for index in range(8)}
    rows = table(
        pl.DataFrame({"owner": ["Ann", "Bo"], "footnote": ["R3", None], **words, "due_on": ["2026-11-20", ""]})
    )
    answer = page(of_tables(rows))
    shown = answer.tables[0]
    assert shown[0][0] == "Owner"
    assert "Due" in shown[0]
    assert "Note" not in shown[0]  # of the least rank
    assert len(shown) == 3
    assert len(answer.below) == 1  # the second row has nothing that would fold
    assert "Note R3" in answer.below[0][0]


def test_widths_of_columns_are_all_of_the_page():
    rows = table(pl.DataFrame({"owner": ["ann"], "title": ["Access " * 30], "n": [1]}))
    widths = [float(a["style"].removeprefix("width:").rstrip("%")) for t, a in page(of_tables(rows)).tags if t == "col"]
    assert len(widths) == 3
    assert sum(widths) == pytest.approx(100, abs=0.1)


@pytest.mark.parametrize(("height", "behind"), [(25, 0), (26, 1)])
def test_rows_after_the_first_25_are_behind_a_disclosure(height, behind):
    answer = page(of_tables(table(pl.DataFrame({"n": range(height)}))))
    assert [len(rows) for rows in answer.tables] == [height + 1]
    assert answer.behind == behind
    assert ("details" in answer.names, "All 26 rows" in answer.text) == (height == 26, height == 26)


def test_identifiers_that_are_hashes_are_on_no_page():
    rows = table(pl.DataFrame({"title": ["a"], "action_id": ["0d88143a26d6640a"]}))
    assert page(of_tables(rows)).tables == [[["Title"], ["a"]]]


def test_controls_people_and_vendors_lead_to_the_reports_about_them():
    frame = pl.DataFrame(
        {
            "framework": ["soc2", "nist-csf"],
            "control_id": ["CC6.1", None],
            "owner": ["ann@acme.example", "the board"],
            "controls": [["pci-dss:8.2.5", "soc2:CC6.1"], None],
            "vendor_id": ["VEN-1", None],
        }
    )
    answer = page(of_tables(table(frame)))
    base = "/api/governance/compliance"
    assert [a["href"] for t, a in answer.tags if t == "a"] == [
        f"{base}/type-ii?format=html",
        f"{base}/type-ii?format=html&control=CC6.1",
        f"{base}/obligation-load-balancing?format=html&owner=ann%40acme.example",
        f"{base}/pci-dss?format=html&control=8.2.5",
        f"{base}/type-ii?format=html&control=CC6.1",
        "/api/governance/third-party/vendors?format=html&vendor=VEN-1",
        f"{base}/nist-csf?format=html",
    ]
    assert answer.tables[0][1:] == [
        [
            "SOC 2",
            "Logical access security architecture CC6.1",
            "ann@acme.example",
            "PCI DSS 8.2.5; SOC 2 CC6.1",
            "VEN-1",
        ],
        ["NIST CSF", "", "the board", "", ""],
    ]


def test_a_column_that_counts_names_nothing():
    rows = table(pl.DataFrame({"name": ["a"], "controls": [12], "owners": [3]}))
    assert "a" not in page(of_tables(rows)).names


def test_more_than_six_names_in_a_cell_are_behind_a_disclosure():
    rows = table(pl.DataFrame({"title": ["t"], "owners": [[f"p{n}@acme.example" for n in range(7)]]}))
    assert page(of_tables(rows)).tables[0][1][1].startswith("7p0@acme.example; p1@acme.example")


def test_figures_read_like_words():
    summary = {"strict_pct": 41.2, "open_gaps": 12400, "due_on": date(2026, 1, 2), "ok": True, "rag": "at_risk"}
    text = "".join(page(edition(Document("", summary=summary, words=("rag",)))).text.split())
    assert "Strict41.2%Opengaps12,400Due2Jan2026OkyesRAGatrisk" in text


def test_coverage_says_what_it_counts():
    covered = Document("Tests.", summary={}, coverage=Coverage(30, 40, "tested"))
    assert "Coverage: 30 of 40 tested (75.0\u00a0%)." in page(edition(covered)).text


def test_thin_coverage_is_said():
    assert "too little to grade" in page(edition(Document("", summary={}, coverage=Coverage(1, 3)))).text
    assert "nothing was in scope" in page(edition(Document("", summary={}, coverage=Coverage(0, 0)))).text


def test_rows_are_escaped_as_markupsafe_does():
    text = EVIL + "\"'<>&&lt;"
    assert escape_text(text) == str(reference(text))


def test_control_characters_are_shown_as_replaced():
    rows = table(pl.DataFrame({"a": ["x\0y\x1b\r\nz"]}))
    assert page(of_tables(rows)).tables[0][1] == ["x\ufffdy\ufffd\nz"]


def test_people_are_called_by_name_in_charts_lists_and_sentences():
    frame = pl.DataFrame({"who": ["ann@acme.example", "bo@acme.example"], "n": [1, 2]})
    people = pl.DataFrame({"title": ["Review of the quarter"], "told": [["ann@acme.example", "bo@acme.example"]]})
    document = Document(
        "Ask ann@acme.example.",
        summary={},
        tables=[table(people)],
        charts=[Chart("bars", "Who", frame, "who", "n", "Who has how many.")],
    )
    text = page(edition(document, people={"ann@acme.example": "Ann Lee"})).text
    assert ("ann@acme.example" in text, text.count("Ann Lee"), "Ask Ann Lee." in text) == (False, 4, True)
    assert text.count("bo@acme.example") == 3  # of a chart that is drawn twice, and of a cell


def test_records_are_called_by_name_in_charts():
    frame = pl.DataFrame({"playbook": ["rotate-key"], "n": [1]})
    document = Document("Nothing.", charts=[Chart("bars", "Which", frame, "playbook", "n", "How many.")])
    text = page(edition(document, titles={"rotate-key": "Rotate a key"})).text
    assert ("Rotate a key" in text, "rotate-key" in text) == (True, False)


def test_the_first_table_with_rows_stands_beside_the_picture():
    empty = table(pl.DataFrame({"name": []}, schema={"name": pl.String}), "none", title="Nothing here")
    rows = pl.DataFrame({"name": ["a"], "n": [1]})
    document = Document("Yes.", tables=[empty, table(rows)], charts=[Chart("bars", "Bars", rows, "name", "n", "One.")])
    text = render(edition(document)).decode()
    lead = text[text.index('<div class="lead">') :]
    assert lead.index("<figcaption>Bars") < lead.index("Rows</h2>") < lead.index("Nothing on record for:")


def test_a_picture_that_wants_the_breadth_of_a_page_follows_the_chart_and_its_table():
    rows = pl.DataFrame({"name": ["a"], "n": [1]})
    points = [GraphPoint("a", "Left", 0, "main", 1), GraphPoint("b", "Right", 1, "good", 1)]
    graph = GraphPicture("What rests on what", "One edge.", points, [("a", "b")], {"left": "main"})
    bars = Chart("bars", "Bars", rows, "name", "n", "One.")
    tables = [table(rows), table(rows, "more", title="More")]
    text = render(edition(Document("Yes.", tables=tables, charts=[bars], pictures=[graph]))).decode()
    lead = text[text.index('<div class="lead">') :]
    places = [lead.index(part) for part in ("<figcaption>Bars", "Rows</h2>", "<figcaption>What rests", "More</h2>")]
    assert places == sorted(places)


def test_identifiers_that_are_hashes_are_no_key_figures():
    assert "a5a58f56" not in page(edition(Document("Nothing.", summary={"scenario_id": "a5a58f56", "n": 1}))).text


def test_a_mark_stands_where_its_week_is_although_pages_spell_that_as_a_day():
    frame = pl.DataFrame({"week": ["2026-W47", "2026-W48"], "n": [1, 2]})
    marked = Chart("lines", "Load", frame, "week", "n", "Load.", marks=[ChartMark("2026-W48", "the last day")])
    text = page(edition(Document("Load.", summary={}, charts=[marked]))).text
    assert text.count("the last day") == 2  # a chart is drawn twice


def test_what_is_the_same_in_every_row_is_said_once():
    frame = pl.DataFrame(
        {"control_id": ["CC1", "CC2", "CC3"], "kind": ["a"] * 3, "owner": [None] * 3, "days_left": [-25, 0, 2]},
        schema_overrides={"owner": pl.String},
    )
    shown = sheet(table(frame), "t", Links())
    assert [column.heading for column in shown.columns] == ["Control", "Days left"]
    assert shown.same == "<span><b>Kind</b> a</span>", "nothing in every row is nothing to say"
    text = render(of_tables(table(frame))).decode()
    assert 'class="same">The same in every row: <span><b>Kind</b> a</span>' in text
    assert all(f">{left}</td>" in text for left in ("25 late", "today", "2"))


def test_what_the_rows_are_sorted_by_stands_beside_their_name():
    others = {f"other_number_{number}": [3, 9, 1, number] for number in range(20)}
    frame = pl.DataFrame({"control_id": list("abcd"), **others, "points": [9, 7, 7, 1]})
    shown = sheet(table(frame), "t", Links())
    assert shown.columns[-1].heading == "Points gained"
    assert shown.folded == 22 - len(shown.columns) > 0


def test_a_column_of_names_is_not_headed_as_identifiers():
    frame = pl.DataFrame({"vendor_id": ["V-1", "V-2"], "vendor": ["Acme", "Globex"]})
    assert [column.heading for column in sheet(table(frame), "t", Links()).columns] == ["Vendor"]


def test_two_rows_and_shades_keep_their_columns():
    frame = pl.DataFrame({"control_id": ["CC1", "CC2", "CC3"], "n_pct": [50.0] * 3})
    assert (
        sheet(table(frame.head(2)), "t", Links()).same,
        sheet(table(frame, heat=("n_pct",)), "t", Links()).same,
    ) == (*("", ""),)
