"""The reports of an organization as a site to browse offline: pages that lead to one another.

Each report has a page, so has the plan of each framework with a target day, and each control, person, vendor,
framework, service, auditor request and incident, where all reports' rows about it stand together. The front page
begins with questions.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from engine.model.declarations.report import Report
from engine.model.documents.document import Edition
from engine.model.entities import EntityKind
from engine.render import RENDERERS, download_name
from engine.render.html.html import Around, page, sheets, with_lead
from engine.render.html.phrases import phrases
from engine.render.links import Links, ThingKey
from engine.reporting.artifacts.durable_files import flush, flush_names
from engine.reporting.site.document_answers import exceptions
from engine.reporting.site.indexes import Answer, Entry, Indexes, answer, entry, proof
from engine.reporting.site.list_tables import with_counts
from engine.reporting.site.mentions import ReportPage, addresses, mentions
from engine.reporting.site.plan_pages import PlanPage, plan_editions, plan_page
from engine.reporting.site.portrait import Portrait
from engine.reporting.site.portraits import portraits
from engine.reporting.site.questions import SiteQuestion, questions
from engine.reporting.site.steps import with_steps
from engine.reporting.site.thing_pages import ThingPages
from engine.reporting.site.things import LISTS, Thing, list_file, things_of
from engine.reporting.snapshot.snapshot import Snapshot

INDEX, SEARCH = "index.html", "search.html"
TYPE_II = "type-ii"
Progress = Callable[[str, int, int], None]


def write_site(
    snapshot: Snapshot,
    folder: Path,
    *,
    sections: Mapping[str, Sequence[Report]],
    progress: Progress | None = None,
    further: Sequence[str] = (),
) -> Path:
    """Every report of the sections below ``folder``, pages of things, and an index; returns the index.

    Formats are those that are made ahead, and ``further`` ones of reports that have them.
    OSError: the disk; then ``folder`` holds what it held before.
    """
    folder.mkdir(parents=True, exist_ok=True)
    with TemporaryDirectory(dir=folder, prefix=".new-") as made:
        _Site(snapshot, Path(made), sections, progress or (lambda what, done, of: None), further).write()
        for file in sorted(Path(made).iterdir(), key=lambda file: file.name == INDEX):  # the page that names them last
            file.replace(folder / file.name)
        flush_names(folder)
    return folder / INDEX


@dataclass(frozen=True)
class _Site:
    snapshot: Snapshot
    folder: Path
    sections: Mapping[str, Sequence[Report]]
    progress: Progress
    further: Sequence[str]

    def write(self) -> None:
        """All pages and files."""
        reports = [report for section in self.sections.values() for report in section]
        editions = []
        for number, report in enumerate(reports):
            self.progress(f"export {self.snapshot.org_id}", number, len(reports))
            self._write_files(report)
            editions.append(self.snapshot.edition(report.name, {}))
        things = with_counts(things_of(self.snapshot, addresses(editions)), self.snapshot)
        links = _links(things, editions, self._report_file)
        report_pages = {
            edition.report: self._report_page(edition, self._file(edition.report, "html"), links)
            for edition in editions
        }
        plans = self._plans(links)
        noted = exceptions(report_pages[TYPE_II].edition) if TYPE_II in report_pages else {}
        painted = portraits(self.snapshot, {plan.framework: plan.told.edition.document for plan in plans}, noted)
        answers = [
            self._answer(question, report_pages, plans, links)
            for question in questions(self.snapshot)
            if question.report in report_pages
        ]
        answers += proof(things, painted)
        self._write_reports(list(report_pages.values()), links)
        self._write_reports([plan.told for plan in plans], links)
        every = [*report_pages.values(), *(plan.told for plan in plans)]
        self._write_things(things, every, painted, links)
        self._write_indexes(report_pages, answers, plans, things, links)
        self.progress(f"export {self.snapshot.org_id}", len(reports), len(reports))

    def _file(self, report: str, form: str) -> str:
        return download_name(self.snapshot.org_id, report, self.snapshot.as_of, form)

    def _report_file(self, name: str, route: str) -> str:
        """The page of a report that a route answers; empty where the site has none."""
        named = {"vendors": "third-party-vendors"}.get(name, name)
        every = (report.name for section in self.sections.values() for report in section)
        return self._file(named, "html") if named in every else ""

    def _formats(self, report: Report) -> list[str]:
        return [form for form in report.formats if form in report.light_formats or form in self.further]

    def _write_files(self, report: Report) -> None:
        """A report in all formats but its page, which leads to others."""
        for form in self._formats(report):
            if form != "html":
                self._write(self._file(report.name, form), self.snapshot.bytes(report.name, {}, form).data)

    def _report_page(self, edition: Edition, file: str, links: Links) -> ReportPage:
        return ReportPage(edition, sheets(edition, links), file)

    def _plans(self, links: Links) -> list[PlanPage]:
        return [
            plan_page(framework, self._report_page(edition, self._file(f"plan {framework}", "html"), links))
            for framework, edition in plan_editions(self.snapshot)
        ]

    def _answer(
        self, question: SiteQuestion, report_pages: Mapping[str, ReportPage], plans: Sequence[PlanPage], links: Links
    ) -> Answer:
        report_page = report_pages[question.report]
        if question.query:
            edition = self.snapshot.edition(question.report, question.query)
            asked = f"{question.report} {' '.join(question.query)}"
            report_page = self._report_page(edition, self._file(asked, "html"), links)
            around = Around(edition.title, [("Reports", INDEX)], revision=self.snapshot.subject.revision)
            self._write(report_page.file, page(edition, with_lead(edition, report_page.sheets, links), links, around))
        by_name = question.by_name(self.snapshot, report_page.edition.document) if question.by_name is not None else ()
        return answer(question, report_page, question.series(self.snapshot), by_name, plans)

    def _write_reports(self, every: Sequence[ReportPage], links: Links) -> None:
        for report_page, before, after in with_steps(every):
            revision = self.snapshot.subject.revision
            around = Around(report_page.edition.title, [("Reports", INDEX)], before, after, revision)
            self._write(
                report_page.file,
                page(report_page.edition, with_lead(report_page.edition, report_page.sheets, links), links, around),
            )

    def _write_things(
        self, things: Sequence[Thing], every: Sequence[ReportPage], painted: Mapping[ThingKey, Portrait], links: Links
    ) -> None:
        pages = ThingPages(self.snapshot.subject, mentions(every, links), painted, links)
        for kind in LISTS:
            for thing, before, after in with_steps([thing for thing in things if thing.kind == kind]):
                (self.folder / thing.file).write_bytes(pages.page(thing, before, after))

    def _write_indexes(
        self,
        report_pages: Mapping[str, ReportPage],
        answers: Sequence[Answer],
        plans: Sequence[PlanPage],
        things: Sequence[Thing],
        links: Links,
    ) -> None:
        chapters = {
            title: [self._entry(report, report_pages) for report in section] for title, section in self.sections.items()
        }
        by_kind: dict[EntityKind, list[Thing]] = {kind: [] for kind in LISTS}
        for thing in things:
            by_kind[thing.kind].append(thing)
        indexes = Indexes(self.snapshot.subject, chapters, by_kind, links)
        for kind in by_kind:
            self._write(list_file(kind), indexes.list(kind))
        self._write(SEARCH, indexes.search(plans))
        self._write(INDEX, indexes.front(answers))

    def _entry(self, report: Report, report_pages: Mapping[str, ReportPage]) -> Entry:
        files = {RENDERERS[form].extension: self._file(report.name, form) for form in self._formats(report)}
        return entry(report, report_pages[report.name], files)

    def _write(self, name: str, data: bytes) -> None:
        with (self.folder / name).open("wb") as file:
            file.write(data)
            flush(file)


def _links(things: Sequence[Thing], editions: Sequence[Edition], report: Callable[[str, str], str]) -> Links:
    files: dict[ThingKey, str] = {(thing.kind, thing.key): thing.file for thing in things}
    titles: dict[EntityKind, dict[str, str]] = {}
    for thing in things:
        if thing.kind in ("owner", "vendor", "service"):
            titles.setdefault(thing.kind, {})[thing.key] = thing.title
    called: dict[EntityKind, dict[str, str]] = {
        kind: {title: key for key, title in names.items()} for kind, names in titles.items() if kind != "owner"
    }
    ids = {thing.key: thing.kind for thing in things if thing.kind in ("vendor", "service", "request", "incident")}
    return Links(
        lambda kind, key: files.get((kind, key), ""),
        titles,
        ids=ids,
        aliases=called,
        phrases=phrases(titles),
        titles={(one.kind, one.key): one.title for one in things if one.kind in ("request", "incident")},
        records={key: title for edition in editions for key, title in edition.titles.items()},
        report=report,
        own_frameworks={key: title for edition in editions for key, title in edition.own_frameworks.items()},
    )
