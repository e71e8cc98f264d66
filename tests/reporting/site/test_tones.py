"""Colours mean the same on all pages: every series of a chart has a tone, and every state word its own."""

import pytest

from engine.model.documents.tones import MEASURES
from engine.render import words
from engine.render.html.charts.chart_points import series_names
from engine.render.html.charts.marks import marks, tone_of
from reports import CATALOGUE
from tests.render.picture_boxes import draw_picture, outside, overlaps

pytestmark = pytest.mark.real  # the sites that the other tests here look at, too


@pytest.fixture(scope="module")
def documents(sites):
    """The documents of all reports of both organizations."""
    return {
        (name, org_id): snapshot.edition(name, {}).document
        for org_id, (_, snapshot) in sites.items()
        for name in CATALOGUE
    }


@pytest.fixture(scope="module")
def charts(documents):
    return {(name, org_id, chart.title): chart for (name, org_id), one in documents.items() for chart in one.charts}


def test_every_series_has_a_tone(charts):
    found = {
        (key, name): tone_of(chart, name)
        for key, chart in charts.items()
        if chart.series
        for name in series_names(chart)
    }
    assert len(found) > 40
    assert [key for key, tone in found.items() if tone is None] == []


def test_no_chart_gives_a_word_another_tone_than_it_has(charts):
    """What is neutral as a word may be a measure where it is drawn."""
    wrong = {
        (key, name): (tone, words.tone(name, chart.series or chart.x))
        for key, chart in charts.items()
        for name, tone in chart.tones.items()
        if words.tone(name, chart.series or chart.x) not in (None, tone)
        and not (words.tone(name) == "neutral" and tone in MEASURES)
    }
    assert wrong == {}


def test_no_two_series_of_a_chart_look_alike(charts):
    for key, chart in charts.items():
        found = [(mark.tone, mark.hatch) for mark in marks(chart, series_names(chart), "k").values()]
        assert len(found) == len(set(found)), key


def test_every_word_of_a_state_column_has_a_tone(documents):
    found = {
        (column, word)
        for one in documents.values()
        for table in one.tables
        for column in table.state
        if column in table.frame.columns
        for word in table.frame.get_column(column).drop_nulls().unique()
    }
    assert len(found) > 100
    assert sorted((column, word) for column, word in found if not words.tone(word, column)) == []


@pytest.mark.parametrize("size", ["broad", "slim"])
def test_the_texts_of_all_pictures_can_be_read(documents, size):
    shown = {(name, org_id, one.title): one for (name, org_id), held in documents.items() for one in held.pictures}
    shown |= {
        (key, "story"): held.story.picture for key, held in documents.items() if held.story and held.story.picture
    }
    assert len(shown) >= 5
    wrong = {key: (outside(draw_picture(one, size)), overlaps(draw_picture(one, size))) for key, one in shown.items()}
    assert {key: found for key, found in wrong.items() if found != ([], [])} == {}
