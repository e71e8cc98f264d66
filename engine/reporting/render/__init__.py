"""Turns an edition into bytes: ``RENDERERS[format].render(edition)``. Same edition, same bytes."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date
from functools import lru_cache

from engine.model.document import Edition
from engine.reporting.render import (
    csv,
    html,
    ics,
    json,
    markdown,
    oscal,
)


@dataclass(frozen=True)
class Renderer:
    """One format. ``attachment`` formats are saved under a dated name, the others are shown."""

    render: Callable[[Edition], bytes]
    content_type: str
    extension: str
    attachment: bool


RENDERERS: dict[str, Renderer] = {
    "json": Renderer(json.render, "application/json", "json", attachment=False),
    "csv": Renderer(csv.render, "text/csv; charset=utf-8", "csv", attachment=True),
    "html": Renderer(html.render, "text/html; charset=utf-8", "html", attachment=False),
    "md": Renderer(markdown.render, "text/markdown; charset=utf-8", "md", attachment=True),
    "ics": Renderer(ics.render, "text/calendar; charset=utf-8", "ics", attachment=True),
    "oscal": Renderer(oscal.render, "application/json", "oscal.json", attachment=True),
}


@lru_cache(maxsize=1000)  # the same few names are asked for with every cached answer
def download_name(org_id: str, report: str, as_of: date, format: str) -> str:
    """``aurora-posture-score-2026-11-20.csv``: lower-case ASCII letters, digits, dashes, then the extension."""
    return f"{dated_stem(org_id, report, as_of)}.{RENDERERS[format].extension}"


def dated_stem(org_id: str, what: str, as_of: date) -> str:
    """A download name without its extension."""
    safe = re.sub(r"[^a-z0-9]+", "-", f"{org_id} {what}".lower()).strip("-")
    return "-".join(filter(None, (safe, as_of.isoformat())))
