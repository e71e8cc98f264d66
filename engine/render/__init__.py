"""Turns an edition into bytes: ``RENDERERS[format].render(edition)``. Same edition, same bytes."""

import re
from base64 import b64encode
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from hashlib import sha256
from pathlib import Path

from engine.model.documents.document import Edition

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"
SCRIPT = (TEMPLATES / "page.js").read_text(encoding="utf-8")  # what pages run: nothing of it is needed to read
_SCRIPT_HASH = b64encode(sha256(SCRIPT.encode()).digest()).decode()

# what a page of ours may load: nothing from anywhere; and run: our own script
CONTENT_SECURITY_POLICY = (
    f"default-src 'none'; script-src 'sha256-{_SCRIPT_HASH}'; style-src 'unsafe-inline'; img-src data:"
)


@dataclass(frozen=True)
class Renderer:
    """One format. ``attachment`` formats are saved under a dated name, the others are shown.

    What renders is imported with the first edition: who hands over bytes that are there needs none of it, and who
    writes JSON neither templates nor calendars.
    """

    content_type: str
    extension: str
    attachment: bool

    def render(self, edition: Edition) -> bytes:
        """The bytes of an edition."""
        match self.extension:
            case "json":
                from engine.render.text import json

                return json.render(edition)
            case "csv":
                from engine.render.tables import csv

                return csv.render(edition)
            case "html":
                from engine.render.html import html

                return html.render(edition)
            case "md":
                from engine.render.text import markdown

                return markdown.render(edition)
            case "ics":
                from engine.render.calendar import ics

                return ics.render(edition)
            case "oscal.json":
                from engine.render.text import oscal

                return oscal.render(edition)
            case "xlsx":
                from engine.render.tables import xlsx

                return xlsx.render(edition)
            case _:
                from engine.render.html import pdf

                return pdf.render(edition)


RENDERERS: dict[str, Renderer] = {
    "json": Renderer("application/json", "json", attachment=False),
    "csv": Renderer("text/csv; charset=utf-8", "csv", attachment=True),
    "html": Renderer("text/html; charset=utf-8", "html", attachment=False),
    "md": Renderer("text/markdown; charset=utf-8", "md", attachment=True),
    "ics": Renderer("text/calendar; charset=utf-8", "ics", attachment=True),
    "oscal": Renderer("application/json", "oscal.json", attachment=True),
    "xlsx": Renderer("application/vnd.openxmlformats-officedocument.spreadsheetml.sheet", "xlsx", attachment=True),
    "pdf": Renderer("application/pdf", "pdf", attachment=True),
}


@lru_cache(maxsize=1000)  # the same few names are asked for with every cached answer
def download_name(org_id: str, report: str, as_of: date, format: str) -> str:
    """``aurora-posture-score-2026-11-20.csv``: lower-case ASCII letters, digits, dashes, then the extension."""
    return f"{dated_stem(org_id, report, as_of)}.{RENDERERS[format].extension}"


def dated_stem(org_id: str, what: str, as_of: date) -> str:
    """A download name without its extension."""
    safe = re.sub(r"[^a-z0-9]+", "-", f"{org_id} {what}".lower()).strip("-")
    return "-".join(filter(None, (safe, as_of.isoformat())))
