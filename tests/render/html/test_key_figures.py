"""Six figures stand at once with what changed; the others wait, and what is compared is one table."""

from dataclasses import replace

import polars as pl
import pytest

from engine.model.documents.document import Alarm, Chart, Coverage, Document
from engine.render import words
from engine.render.html.html import render
from engine.render.html.key_figures import FigurePair, key_figures
from engine.render.text.json import render as render_json
from tests.render.editions import edition, table
from tests.render.parsing import Page

ROWS = pl.DataFrame({"name": ["a", "b"], "number": [1, 2]})


def names(figures):
    return [figure.name for figure in figures]


def test_what_is_wrong_comes_before_what_counts_and_a_good_zero_last():
    summary = {"late_0": 0, "weeks": 13, **{f"late_{number}": number for number in range(1, 5)}, "unknown": None}
    figures = key_figures(Document("", summary=summary, better={f"late_{number}": "less" for number in range(5)}))
    assert names(figures.first) == ["late_1", "late_2", "late_3", "late_4", "weeks", "late_0"]
    assert [figure.tone for figure in figures.first] == [*["watch"] * 4, None, "good"]
    assert names(figures.rest) == ["unknown"]


def test_what_is_past_its_day_or_critical_is_bad_and_none_of_it_is_good():
    summary = {"duties_overdue": 2, "gaps_critical": 1, "gaps_open": 3, "exceptions_expired": 0, "overdue_share": 4}
    better = {name: "less" for name in summary if name != "overdue_share"}
    figures = key_figures(Document("", summary=summary, better=better))
    tones = {figure.name: figure.tone for figure in figures.first}
    assert [tones[name] for name in summary] == ["bad", "bad", "watch", "good", None]


def test_late_items_and_what_deciding_document_leavers_wait_for_somebody():
    late = ("poam_items_late", "controls_accountable_without_authority", "claims_hash_mismatch", "evidence_not_whole")
    summary = dict.fromkeys((*late, "poam_items_high"), 1)
    figures = key_figures(Document("", summary=summary, better=dict.fromkeys(summary, "less")))
    assert [figure.tone for figure in figures.first] == [*["bad"] * 4, "watch"]


@pytest.mark.parametrize(
    ("figure", "word", "expected"),
    [
        ("attestations_rejected", "rejected", "bad"),
        ("scope_flow_unencrypted", "flow_unencrypted", "bad"),
        ("scope_flow_without_agreement", "flow_without_agreement", "bad"),
        ("scope_undocumented_system", "undocumented_system", "watch"),
        ("controls_no_accountable", "no_accountable", "watch"),
        ("controls_several_accountable", "several_accountable", "watch"),
        ("pci_not_in_place", "not_in_place", "watch"),
        ("csf_below_target", "below_target", "watch"),
    ],
)
def test_a_figure_and_the_word_of_its_rows_judge_alike(figure, word, expected):
    card = key_figures(Document("", summary={figure: 1}, better={figure: "less"})).first[0]
    assert (card.tone, words.tone(word, "finding")) == (expected, expected)


def test_what_nothing_is_on_record_for_is_neither_good_nor_first():
    summary = {"requests_overdue": 0, "duties_overdue": 0}
    document = Document("", summary=summary, better=dict.fromkeys(summary, "less"), unfounded=("requests_overdue",))
    figures = key_figures(document)
    assert [(figure.name, figure.tone) for figure in figures.first] == [("duties_overdue", "good")]
    assert [(figure.name, figure.tone) for figure in figures.rest] == [("requests_overdue", None)]
    assert "2 figures" in render(edition(replace(document, unfounded=tuple(summary)))).decode()


def test_a_week_that_warns_waits_for_nobody_yet():
    summary = {"density_breaches": 10, "density_breaches_warning": 3, "density_breaches_critical": 7}
    figures = key_figures(Document("", summary=summary, better=dict.fromkeys(summary, "less")))
    tones = {figure.name: figure.tone for figure in figures.first}
    assert tones == {**dict.fromkeys(summary, "watch"), "density_breaches_critical": "bad"}


def test_a_likelihood_reads_as_in_sentences():
    def check(share, text):
        frame = pl.DataFrame({"name": ["a"], "likely_pct": [share]})
        document = Document("", tables=(table(frame),), summary={"likely_pct": share}, units={"likely_pct": "percent"})
        assert key_figures(document).first[0].content == f"{text}\u00a0%"
        assert f">{text}</td>" in render(edition(document)).decode()

    check(100.0, "over 99")
    check(62.5, "62")
    check(0.0, "under 1")


def test_foremost_figures_stand_alone_whatever_else_there_is():
    summary = {"late": 4, "effective": 0, "applicable": 12}
    figures = key_figures(Document("", summary=summary, foremost=("applicable", "effective")))
    assert (names(figures.first), names(figures.rest)) == (["applicable", "effective"], ["late"])


def test_the_figures_of_the_headline_come_first_in_its_order():
    headline = "5 of 10 requests were answered in time on 5 Nov 2026 (50.0 %), SOC 2 took 7.5 hours; 1,204 are late."
    summary = {"late": 1204, "on_track": 5, "soc": 2, "hours": 7.45, "in_time": 5, "share": 50.0, "asked": 10}
    titles = {"on_track": "Requests on track", "in_time": "Requests answered in time", "soc": "Frameworks"}
    units = {"share": "percent", "hours": "hours"}
    figures = key_figures(Document(headline, summary=summary, titles=titles, units=units))
    assert names(figures.first) == ["in_time", "asked", "share", "hours", "late", "on_track"]


def test_a_change_stands_with_its_figure_and_says_whether_it_is_for_the_better():
    document = Document(
        "",
        summary={"posture_score": 73.4, "posture_change": -14.0, "gaps": 3, "gaps_change": -2},
        better={"posture_score": "more", "gaps": "less"},
        units={"posture_change": "points", "gaps_change": "count"},
    )
    score, gaps = key_figures(document).first
    assert (score.change, score.change_tone) == ("-14.0\u00a0points", "bad")
    assert (gaps.change, gaps.change_tone) == ("-2", "good")


def test_what_fails_now_is_red_and_a_window_that_is_over_is_not():
    summary = {"tests_failed_last": 2, "test_windows_missed_in_12_months": 9, "vendors_assurance_lapsed": 1}
    less = dict.fromkeys(summary, "less")
    grades = {"posture_grade": "F"}
    figures = key_figures(Document("", summary={**summary, **grades}, better=less))
    tones = {figure.name: figure.tone for figure in (*figures.first, *figures.rest)}
    assert tones == {
        **{"tests_failed_last": "bad", "test_windows_missed_in_12_months": "watch", "vendors_assurance_lapsed": "bad"},
        "posture_grade": "bad",
    }


def test_what_moved_in_a_week_says_so():
    summary = {"duties_overdue": 5, "duties_overdue_week_change": 2, "late": 1, "late_week_change": 0}
    units = {"duties_overdue_week_change": "count", "late_week_change": "count"}
    duties, late = key_figures(Document("", summary=summary, better={"duties_overdue": "less"}, units=units)).first
    assert (duties.change, duties.change_tone, late.change) == ("+2 in a week", "bad", "as a week ago")


def test_what_is_and_what_would_be_are_one_table():
    document = Document(
        "", summary={"late": 14, "scenario_late": 9, "week": "a", "scenario_week": "b"}, better={"late": "less"}
    )
    figures = key_figures(document)
    assert (figures.first, figures.rest) == ([], [])
    assert figures.pairs == [FigurePair("Late", "14", "9", "-5", "good"), FigurePair("Week", "a", "b", "", None)]


def test_a_document_without_figures_has_none():
    assert key_figures(Document("")).first == []


def test_red_is_what_somebody_must_act_on_and_machines_get_both():
    shown = edition(Document("", warnings=(Alarm("Name an owner."), "Records begin late.")))
    text = render(shown).decode()
    warned, _, rest = text.partition('<section class="remarks"')
    assert "Name an owner." in warned
    assert "Records begin late." in rest
    assert b'"warnings":["Name an owner.","Records begin late."]' in render_json(shown).replace(
        b'", "', b'","'
    ).replace(b'": [', b'":[')
    assert 'class="warnings"' not in render(edition(Document("", warnings=("Records begin late.",)))).decode()


def test_a_chart_and_the_first_table_stand_side_by_side_and_no_row_is_lost():
    many = pl.DataFrame({"name": [f"row {number}" for number in range(30)], "number": range(30)})
    chart = Chart("bars", "Numbers", many, "name", "number", "Numbers by name.")
    text = render(edition(Document("", tables=(table(many), table(ROWS, "second")), charts=(chart,)))).decode()
    lead = text[text.index('<div class="lead">') : text.index('id="table-2"')]
    assert lead.count("<figure>") == lead.count('id="table-1"') == 1
    assert [len(rows) - 1 for rows in Page(text).tables] == [30, 2]
    assert '<div class="lead">' not in render(edition(Document("", tables=(table(many),)))).decode()


def test_empty_tables_are_one_line():
    none = pl.DataFrame(schema={"a": pl.Int64})
    text = render(
        edition(Document("", tables=(table(none, title="Late"), table(ROWS, "b"), table(none, "c", title="Lost"))))
    ).decode()
    assert text.count('class="empty"') == 1
    assert "Nothing on record for: Late; Lost." in " ".join(Page(text).text.split()).replace(" ;", ";").replace(
        " .", "."
    )


def test_several_long_texts_in_a_cell_are_a_list_behind_the_first_and_none_is_lost():
    duties = [f"Inspect a sample of what control {number} asks for, again" for number in range(3)]
    frame = pl.DataFrame({"name": ["a"], "titles": [duties]})
    text = render(edition(Document("", tables=(table(frame),)))).decode()
    assert f'<summary data-more="and 2 more">{duties[0]}</summary><i>; </i><span>{duties[1]}</span>' in text
    assert "<summary data-more" not in render(edition(Document("", tables=(table(ROWS),)))).decode()


def test_the_other_columns_of_the_table_beside_a_chart_wait_for_a_switch():
    wide = pl.DataFrame({f"column_{number}": ["a text of some length", "another one"] for number in range(12)})
    chart = Chart("bars", "Numbers", ROWS, "name", "number", "Numbers by name.")
    text = render(edition(Document("", tables=(table(wide),), charts=(chart,)))).decode()
    assert "more columns</label>" in text
    assert "more columns below each row</label>" not in render(edition(Document("", tables=(table(wide),)))).decode()


def test_a_change_in_a_week_says_so_and_stands_before_that_of_a_longer_time():
    summary = {"open": 9, "open_week_change": 2, "open_change": -5, "ready_pct": 50.0, "ready_week_change": None}
    units = {"open_week_change": "count", "open_change": "count", "ready_pct": "percent", "ready_week_change": "points"}
    figures = key_figures(Document("", summary=summary, units=units, better={"open": "less"}))
    shown = {figure.name: figure.change for figure in (*figures.first, *figures.rest)}
    assert shown == {"open": "+2 in a week", "open_change": "", "ready_pct": ""}


def test_nothing_is_good_where_nothing_was_in_scope():
    summary, better = {"measures_missing": 0}, {"measures_missing": "less"}
    tones = [
        key_figures(Document("", summary=summary, better=better, coverage=coverage)).first[0].tone
        for coverage in (Coverage(0, 0), Coverage(3, 3), None)
    ]
    assert tones == [None, "good", "good"]


def test_figures_of_a_scenario_are_shown_where_one_was_asked_for():
    summary = {"late": 14, "scenario_late": 14, "scenario_moved": 0, "scenario_id": "a5"}
    nothing, asked = (Document("", summary=summary, foremost=lead) for lead in (("late",), ("scenario_moved",)))
    assert [list(words.figures_to_show(one)) for one in (nothing, asked)] == [["late"], list(summary)]
