"""The compliance calendar as a feed to subscribe to: one event for each duty, all-day or at the moment a law names."""

from engine.model.declarations.report import Report
from engine.model.documents.document import Document
from engine.model.figures.figure import Figures
from reports.figures import select
from reports.obligations.calendar import entries

# first what the feed holds: what is pending and of nobody is the calendar's to say
FIGURES = sorted(entries.FIGURES, key=lambda name: not name.startswith("calendar_"))


def build(figures: Figures) -> Document:
    listed = figures.rows(entries.entries)
    return Document(
        *entries.feed_opening(figures),
        tables=(entries.feed_table(listed),),
        events=entries.events(listed),
        definitions=entries.DEFINITIONS,
    )


REPORT = Report(
    name="obligation-ics",
    title="Compliance calendar feed",
    description="Dated compliance duties as a calendar feed; a duty keeps its entry when its date moves.",
    build=build,
    figures=select(*FIGURES),
    formats=("ics", "json", "csv", "html", "md", "xlsx"),
    schema_version=3,
)
