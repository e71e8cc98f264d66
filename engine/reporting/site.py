"""The reports of an organization as a folder to browse offline."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.model.report import Report
from engine.reporting.durable_files import flush, flush_names
from engine.reporting.render import CONTENT_SECURITY_POLICY, RENDERERS, download_name
from engine.reporting.render.html import ENVIRONMENT
from engine.reporting.snapshot import Snapshot

INDEX = "index.html"


@dataclass(frozen=True)
class Entry:
    """A report on the index page; ``files`` are its files by extension."""

    title: str
    headline: str
    files: Mapping[str, str]


def write_site(
    snapshot: Snapshot,
    folder: Path,
    *,
    sections: Mapping[str, Sequence[Report]],
    progress: Callable[[str, int, int], None] | None = None,
) -> Path:
    """Every report of the sections in every format below ``folder``, and an index page; returns the page.

    OSError: the disk; then ``folder`` holds what it held before.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder, prefix=".new-") as made:
        _write(snapshot, Path(made), sections, progress)
        for file in sorted(Path(made).iterdir(), key=lambda file: file.name == INDEX):  # the page that names them last
            file.replace(folder / file.name)
        flush_names(folder)
    return folder / INDEX


def _write(
    snapshot: Snapshot,
    folder: Path,
    sections: Mapping[str, Sequence[Report]],
    progress: Callable[[str, int, int], None] | None,
) -> None:
    entries: dict[str, list[Entry]] = {title: [] for title in sections}
    reports = [(title, report) for title, section in sections.items() for report in section]
    for number, (title, report) in enumerate(reports):
        if progress:
            progress(f"export {snapshot.org_id}", number, len(reports))
        files, headline = {}, ""
        for form in report.formats:
            data = snapshot.bytes(report.name, {}, form).data
            file = download_name(snapshot.org_id, report.name, snapshot.as_of, form)
            _write_file(folder / file, data)
            files[RENDERERS[form].extension] = file
            if form == "json":
                headline = json.loads(data)["headline"]
        entries[title].append(Entry(report.title, headline, files))
    if progress:
        progress(f"export {snapshot.org_id}", len(reports), len(reports))
    template = ENVIRONMENT.get_template(INDEX)
    subject = snapshot.subject
    shown = {"organization": subject.organization, "as_of": subject.as_of, "revision": subject.revision}
    content = template.render(
        **shown, sections=entries, policy=CONTENT_SECURITY_POLICY, edition={**shown, "title": "Reports"}
    )
    _write_file(folder / INDEX, content.encode())


def _write_file(path: Path, data: bytes) -> None:
    with path.open("wb") as file:
        file.write(data)
        flush(file)
