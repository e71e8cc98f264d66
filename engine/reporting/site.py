"""The reports of an organization as a folder to browse offline."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from engine.model.report import Report
from engine.reporting.editions import Editions
from engine.reporting.render import RENDERERS, download_name
from engine.reporting.render.html import CONTENT_SECURITY_POLICY, ENVIRONMENT


def write_site(
    editions: Editions,
    org_id: str,
    folder: Path,
    *,
    sections: Mapping[str, Sequence[Report]],
    now: datetime,
    progress: Callable[[str, int, int], None] | None = None,
) -> Path:
    """Every report of the sections in every format below ``folder``, and an index page; returns the page.

    OSError: the disk.
    """
    folder.mkdir(parents=True, exist_ok=True)
    entries: dict[str, list[dict[str, Any]]] = {title: [] for title in sections}
    reports = [(title, report) for title, section in sections.items() for report in section]
    for number, (title, report) in enumerate(reports):
        if progress:
            progress(f"export {org_id}", number, len(reports))
        edition = editions.edition(org_id, report.name, {}, now=now)
        files = {}
        for form in report.formats:
            file = download_name(org_id, report.name, edition.as_of, form)
            (folder / file).write_bytes(editions.artifact(org_id, report.name, form, {}, now=now).data)
            files[RENDERERS[form].extension] = file
        entries[title].append({"title": report.title, "files": files, "headline": edition.document.headline})
    if progress:
        progress(f"export {org_id}", len(reports), len(reports))
    page = folder / "index.html"
    template = ENVIRONMENT.get_template("index.html")
    content = template.render(
        organization=edition.organization,
        as_of=edition.as_of,
        revision=edition.revision,
        sections=entries,
        policy=CONTENT_SECURITY_POLICY,
        edition=replace(edition, title="Reports"),
    )
    page.write_text(content, encoding="utf-8")
    return page
