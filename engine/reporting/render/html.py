"""HTML: one self-contained page that reads well on screen, on A4 and on Letter, with no script and no request.

The frame of the page is ``templates/page.html`` with autoescape on; the rows of tables come from ``rows``,
pictures from ``charts``.
"""

from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from engine.model.days import spelled_day
from engine.model.document import Edition
from engine.reporting.render import CONTENT_SECURITY_POLICY, charts, words
from engine.reporting.render.plain_values import plain_value
from engine.reporting.render.rows import sheet

TEMPLATES = Path(__file__).resolve().parents[3] / "templates"


def render(edition: Edition) -> bytes:
    """The page of an edition."""
    document = edition.document
    return (
        ENVIRONMENT.get_template("page.html")
        .render(
            edition=edition,
            document=document,
            summary=words.figures(document),
            parameters=plain_value(edition.parameters, "parameters"),
            sheets=[sheet(table, f"table-{index}") for index, table in enumerate(document.tables, 1)],
            charts=[(chart, charts.svg(chart, f"chart-{index}")) for index, chart in enumerate(document.charts, 1)],
            policy=CONTENT_SECURITY_POLICY,
        )
        .encode()
    )


def css_string(text: str) -> Markup:
    """A quoted CSS string: every character but letters, digits and spaces is escaped, so it cannot end the style."""
    safe = "".join(char if char.isalnum() or char == " " else f"\\{ord(char):x} " for char in text)
    return Markup(f'"{safe}"')  # noqa: S704 - nothing but letters, digits and CSS escapes


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
    environment.filters |= {"css_string": css_string, "day": spelled_day, "label": words.label}
    environment.globals |= {"coverage": words.coverage, "shown": words.value, "tone": words.tone}
    return environment


ENVIRONMENT = _environment()
