"""One reader of Accept for every route that comes in several formats."""

import pytest

from engine.web.negotiation import preferred_format

ALL = ("json", "csv", "html", "md", "ics")


@pytest.mark.parametrize(
    ("accept", "formats", "chosen"),
    [
        ("", ALL, None),
        ("*/*", ALL, None),
        ("text/csv", ALL, "csv"),
        ("TEXT/CSV ; charset=utf-8", ALL, "csv"),
        ("text/html, text/csv", ALL, "html"),
        ("text/html;q=0.5, text/csv;q=0.9", ALL, "csv"),
        ("text/html;q=0, */*", ALL, None),
        ("text/html;q=high, text/csv;q=0.1", ALL, "csv"),
        ("text/calendar", ("json", "csv"), None),
        ("image/png, application/json", ("json", "csv"), "json"),
    ],
)
def test_the_most_wanted_media_type_that_there_is_chooses(accept, formats, chosen):
    assert preferred_format(accept, formats) == chosen


@pytest.mark.real
@pytest.mark.parametrize(
    ("accept", "media_type"),
    [
        ("application/json;q=0.5, text/csv", "text/csv; charset=utf-8"),
        ("application/json, text/csv", "application/json"),
        ("*/*", "application/json"),
    ],
)
def test_reports_and_the_evidence_export_read_it_alike(accept, media_type, sign_in):
    client = sign_in()
    gets = [client.get(f"/api/governance/compliance/{name}", accept=accept) for name in ("summary", "export")]
    assert [one.headers["content-type"] for one in gets] == [media_type, media_type]
