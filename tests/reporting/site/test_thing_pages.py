"""The page of a thing: six lines of its record and a dozen of its history, the rest behind disclosures."""

from datetime import UTC, date, datetime

from engine.model.documents.document import Organization, Position
from engine.model.thresholds import Thresholds
from engine.render.links import Links
from engine.reporting.site.thing_pages import ThingPages
from engine.reporting.site.things import Happening, Thing
from engine.reporting.snapshot.subject import Subject

SUBJECT = Subject(Organization("acme", "Acme"), Position(1, "ab"), date(2026, 11, 20), Thresholds(), {})
RECORD = {
    "service": "hosting",
    "category": "cloud",
    "rating_unknown": False,
    "owner": "ann@acme.example",
    "inherited": 40,
    "inherited_gaps": 3,
    "tier": "critical",
    "review": "overdue",
    "next_review_on": date(2026, 10, 29),
}


def page_of(kind="vendor", record=RECORD, history=()):
    thing = Thing(kind, "T-1", "Thing", "T-1", "thing.html", record, history=history)
    return ThingPages(SUBJECT, {}, {}, Links()).page(thing, None, None).decode()


def headings(page):
    return [part.split("</dt>")[0] for part in page.split("<dt>")[1:]]


def test_what_a_reader_looks_for_comes_first_and_the_rest_waits():
    page = page_of()
    first, rest = page.split("3 more lines of its record")
    assert headings(first) == ["Tier", "Review", "Next review", "Inherited gaps", "Owner", "Service"]
    assert headings(rest) == ["Category", "Rating unknown", "Inherited"]


def test_a_card_has_a_tone_where_its_line_is_a_judgement():
    page = page_of()
    assert '<div class="figure" data-tone="bad"><dt>Review</dt>' in page
    assert '<div class="figure" data-tone="watch"><dt>Inherited gaps</dt>' in page
    assert '<div class="figure"><dt>Tier</dt>' in page
    assert 'data-tone="good"><dt>Inherited gaps</dt>' in page_of(record={**RECORD, "inherited_gaps": 0})


def test_what_documents_say_of_a_vendor_is_told_from_what_people_say():
    page = page_of(record={"assurance": "not_assessed", "status": "assessed"})
    assert headings(page) == ["Their evidence", "Our assessment"]
    assert "never assured</span>" in page
    assert "not assessed" not in page


def test_an_instant_says_its_zone_once():
    page = page_of("incident", {"opened_at": datetime(2026, 11, 2, 10, 5, tzinfo=UTC), "minutes_to_resolve": 397.0})
    assert headings(page) == ["Opened", "Time to resolve"]
    assert '<dd class="long">2 Nov 2026, 10:05 UTC</dd>' in page


def test_a_short_record_has_no_disclosure():
    assert "of its record" not in page_of("incident", {"severity": "low", "status": "open"})


def test_the_newest_of_a_long_history_stand_at_once():
    page = page_of(history=[Happening("2026-11-01", f"thing {number}") for number in range(15)])
    assert (page.count("<li>"), "<summary>3 earlier</summary>" in page) == (15, True)
    assert page.index("thing 11") < page.index("3 earlier") < page.index("thing 12")
