"""The pages of the desk: templates with autoescape, one style sheet, no script anywhere."""

from functools import cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from engine.desk import wording
from engine.model.days import spelled_day
from engine.model.documents.tones import TONES
from engine.render import TEMPLATES
from engine.render.html.charts import palette

SECURITY_POLICY = (
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader([TEMPLATES / "desk", TEMPLATES]),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        auto_reload=False,
    )
    environment.filters |= {"day": spelled_day, "word": wording.word}
    environment.globals |= {"count": wording.count, "column_title": wording.column_title}
    environment.globals |= {"table_title": wording.table_title, "person_title": wording.person_title}
    environment.globals |= {"colours": palette.variables, "tones": TONES}
    return environment


ENVIRONMENT = _environment()


def page(template: str, **content: object) -> bytes:
    """A page."""
    return ENVIRONMENT.get_template(template).render(**content).encode()


@cache
def style() -> bytes:
    """The style sheet."""
    return ENVIRONMENT.get_template("desk.css").render().encode()
