"""HTML: one self-contained page that reads well on screen, on A4 and on Letter, with no request.

The frame of the page is ``templates/page.html`` with autoescape on; the rows of tables come from ``rows``,
pictures from ``charts``. Its script, ``templates/page.js``, sorts and filters; nothing of it is needed to read.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial

import polars as pl
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from engine.model.days import spelled_day, spelled_days, spelled_month
from engine.model.declarations.filters import ROWS
from engine.model.documents.document import Alarm, Chart, Document, Edition, Position
from engine.model.documents.pictures import GraphPicture, Picture, TimelinePicture
from engine.model.documents.tones import TONES
from engine.render import CONTENT_SECURITY_POLICY, SCRIPT, TEMPLATES, words
from engine.render.html.charts import charts, palette
from engine.render.html.charts.pictures import drawing
from engine.render.html.escaping import css_string
from engine.render.html.heads import card_labels
from engine.render.html.key_figures import key_figures
from engine.render.html.phrases import with_links
from engine.render.html.rows import FIRST_ROWS, TableSheet, sheet
from engine.render.links import Links, links_of
from engine.render.plain_values import plain_value

LEAD_ROOM, LEAD_ROWS = 690.0, 8  # pixels and rows of the table beside the first picture
MANY_TABLES, FEWER_ROWS = 6, 20  # what is not behind disclosures prints on ten sheets at most
Step = tuple[str, str]
"""A title and the address of its page."""


@dataclass(frozen=True)
class Around:
    """Where a page of a site stands: the pages above it, the one before it and the one after.

    ``revision`` is that of the whole site, where the page names the newest one that its report reads.
    """

    title: str
    crumbs: Sequence[Step]
    previous: Step | None = None
    next: Step | None = None
    revision: Position | None = None


def render(edition: Edition, part: str = "") -> bytes:
    """The page of an edition, whose names lead to routes; ``part`` tells its places from those of other pages."""
    links = links_of(edition)
    return page(edition, with_lead(edition, sheets(edition, links, part), links), links, part=part)


def sheets(edition: Edition, links: Links, part: str = "") -> list[TableSheet]:
    """The tables of an edition ready for a page."""
    of_report = links.of_report(edition.report)
    tables = edition.document.tables
    visible = FIRST_ROWS if len(tables) <= MANY_TABLES else FEWER_ROWS
    before = f"{part}-" if part else ""
    table_sheets = [sheet(table, f"{before}table-{number}", of_report) for number, table in enumerate(tables, 1)]
    return [replace(one, visible=visible) for one in table_sheets]


def with_lead(edition: Edition, tables: Sequence[TableSheet], links: Links) -> Sequence[TableSheet]:
    """The tables of a page, the first with rows in the room that is left beside a picture."""
    document = edition.document
    if not _has_lead(document, tables) or key_figures(document).pairs:
        return tables
    lead = next(table for table in tables if table.has_rows)
    slim = sheet(lead.table, lead.key, links.of_report(edition.report), LEAD_ROOM)
    return [replace(slim, visible=LEAD_ROWS) if table is lead else table for table in tables]


def _has_lead(document: Document, tables: Sequence[TableSheet]) -> bool:
    """Whether a page begins with a picture and a table side by side."""
    drawn = any(not _is_broad(picture) for picture in document.pictures) or any(
        chart.frame.get_column(chart.y).drop_nulls().len() for chart in document.charts
    )
    return drawn and any(table.has_rows for table in tables) and document.story is None


def _is_broad(picture: Picture) -> bool:
    """Whether the labels of a picture want the breadth of a page."""
    return isinstance(picture, GraphPicture)


def _drawings(edition: Edition) -> list[tuple[Chart | Picture, Markup]]:
    """Pictures and charts with what is drawn of them, those that want the breadth of a page last."""
    document = edition.document
    pictures: list[tuple[Chart | Picture, Markup]] = [
        (shown, drawing(_with_lane_names(shown, edition), f"picture-{index}"))
        for index, shown in enumerate(document.pictures, 1)
    ]
    lines: list[tuple[Chart | Picture, Markup]] = [
        (chart, charts.svg(_as_read(chart, edition), f"chart-{index}"))
        for index, chart in enumerate(document.charts, 1)
    ]
    return sorted([*pictures, *lines], key=lambda one: isinstance(one[0], GraphPicture))


def page(
    edition: Edition, tables: Sequence[TableSheet], links: Links, around: Around | None = None, part: str = ""
) -> bytes:
    """The page of an edition with its tables, alone or as one of a site."""
    document = edition.document
    return (
        ENVIRONMENT.get_template("story.html" if document.story else "page.html")
        .render(
            edition=edition,
            document=document,
            figures=key_figures(document),
            alarms=[warning for warning in document.warnings if isinstance(warning, Alarm)],
            remarks=[warning for warning in document.warnings if not isinstance(warning, Alarm)],
            parameters=plain_value(edition.parameters, "parameters"),
            sheets=[table for table in tables if table.has_rows],
            bare=[table for table in tables if not table.has_rows],
            lead=_has_lead(document, tables),
            labels=card_labels(table.head for table in tables),
            drawings=_drawings(edition),
            line=drawing(document.story.picture, "story") if document.story and document.story.picture else "",
            around=around,
            part=part,
            landscape=document.story is None and _is_landscape(tables),
            with_links=partial(with_links, links=links.of_report(edition.report)),
            open=ROWS.name in edition.parameters,
        )
        .encode()
    )


def _as_read(chart: Chart, edition: Edition) -> Chart:
    """A chart whose people and records are called by name, and days as in sentences."""
    if chart.frame.schema[chart.x] != pl.String:
        return chart
    every = chart.frame.get_column(chart.x).drop_nulls().unique()
    read = {said: edition.people.get(said) or edition.titles.get(said) or _place(said) for said in every}
    changed = {said: text for said, text in read.items() if text != said}
    if not changed:
        return chart
    marks = [
        mark._replace(at=changed.get(mark.at, mark.at), until=mark.until and changed.get(mark.until, mark.until))
        for mark in chart.marks
    ]
    return replace(chart, frame=chart.frame.with_columns(pl.col(chart.x).replace(changed)), marks=marks)


def _place(said: str) -> str:
    """A place of a chart as people read it: the Monday of a week, a month by name."""
    return spelled_month(spelled_days(said).removeprefix("week of "))


def _with_lane_names(picture: Picture, edition: Edition) -> Picture:
    if not isinstance(picture, TimelinePicture):
        return picture
    return replace(picture, lanes=[(edition.people.get(name, name), spans) for name, spans in picture.lanes])


def _is_landscape(tables: Sequence[TableSheet]) -> bool:
    """Whether half of the tables are too broad for a portrait sheet: then the others go on landscape sheets, too."""
    wides = [table.is_wide for table in tables if table.height]
    return sum(wides) * 2 >= len(wides) > 0


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    environment.filters |= {"css_string": css_string, "day": spelled_day, "label": words.label, "told": spelled_days}
    environment.globals |= {"coverage": words.coverage, "shown": words.value, "tone": words.tone}
    environment.globals |= {"colours": palette.variables, "tones": TONES}
    environment.globals |= {"policy": CONTENT_SECURITY_POLICY, "script": Markup(SCRIPT)}  # noqa: S704 - our own script
    return environment


ENVIRONMENT = _environment()
