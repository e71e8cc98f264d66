"""The pages that lead to others: the front page by question, the lists of things, the search."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from markupsafe import Markup

from engine.model.days import spelled_days
from engine.model.declarations.report import Report
from engine.model.entities import EntityKind
from engine.render import words
from engine.render.html.charts.sparkline import sparkline
from engine.render.html.heads import card_labels
from engine.render.html.html import ENVIRONMENT, Around
from engine.render.html.phrases import with_links
from engine.render.html.rows import sheet
from engine.render.links import Links, ThingKey
from engine.reporting.site.list_tables import list_table, summary
from engine.reporting.site.mentions import ReportPage
from engine.reporting.site.plan_pages import NO_PLAN, PlanPage
from engine.reporting.site.portrait import PROOFS, Portrait
from engine.reporting.site.questions import SiteQuestion
from engine.reporting.site.things import LISTS, Thing, list_file
from engine.reporting.snapshot.subject import Subject


@dataclass(frozen=True)
class Entry:
    """A report on the front page; ``files`` are its files by extension."""

    report: Report
    headline: str
    figure: str  # the first of its figures, as people read it
    figure_title: str
    files: Mapping[str, str]

    @property
    def page(self) -> str:
        """Its page."""
        return self.files["html"]


@dataclass(frozen=True)
class Answer:
    """A question with what answers it."""

    title: str
    file: str
    headline: str
    figure: str
    figure_title: str
    line: Markup
    by_name: Sequence[str] = ()
    plans: Sequence[PlanPage] = ()


class Indexes:
    """Front page, lists and search of one organization's site."""

    def __init__(
        self,
        subject: Subject,
        chapters: Mapping[str, Sequence[Entry]],
        things: Mapping[EntityKind, Sequence[Thing]],
        links: Links,
    ) -> None:
        self._links = links
        self._chapters, self._things = chapters, things
        self._edition = {"organization": subject.organization, "as_of": subject.as_of, "revision": subject.revision}
        self._lists = [(LISTS[kind], list_file(kind), len(things)) for kind, things in things.items()]

    def front(self, answers: Sequence[Answer]) -> bytes:
        """The front page."""
        return self._render(
            "index.html",
            "Reports",
            None,
            answers=answers,
            chapters=self._chapters,
            lists=self._lists,
            with_links=partial(with_links, links=self._links),
        )

    def list(self, kind: EntityKind) -> bytes:
        """All things of a kind: how they stand, then each with its state, owner and day."""
        around = Around(LISTS[kind], [("Reports", "index.html")])
        things = self._things[kind]
        table_sheet = sheet(list_table(kind, things), "things", self._links) if things else None
        return self._render(
            "list.html",
            LISTS[kind],
            around,
            summary=summary(kind, things),
            sheet=replace(table_sheet, visible=table_sheet.height) if table_sheet else None,
            labels=card_labels([table_sheet.head] if table_sheet else []),
            with_links=partial(with_links, links=self._links),
        )

    def search(self, plans: Sequence[PlanPage] = ()) -> bytes:
        """The search, whose index is in the page: what has a page, by what people call it."""
        reports = [entry for entries in self._chapters.values() for entry in entries]
        entries = [[entry.report.title, entry.page, "Report"] for entry in reports]
        entries += [[plan.told.edition.title, plan.told.file, "Plan"] for plan in plans]
        for kind, things in self._things.items():
            named = LISTS[kind].removesuffix("s") if kind != "owner" else "Person"
            entries += [[f"{thing.small} {thing.title}".strip(), thing.file, named] for thing in things]
        data = json.dumps(entries, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
        around = Around("Search", [("Reports", "index.html")])
        return self._render("search.html", "Search", around, index=Markup(data), entries=entries)  # noqa: S704 - no < is left in it

    def _render(self, template: str, title: str, around: Around | None, **shown: Any) -> bytes:
        edition = {**self._edition, "title": title}
        return ENVIRONMENT.get_template(template).render(edition=edition, around=around, **shown).encode()


def answer(
    question: SiteQuestion,
    report_page: ReportPage,
    numbers: Sequence[float],
    by_name: Sequence[str],
    plans: Sequence[PlanPage],
) -> Answer:
    """A question as the front page shows it; ``by_name`` says which and who.

    One that is of plans leads to the first of them, and has a line for each.
    """
    document = report_page.edition.document
    name = question.figure if question.figure in document.summary else ""
    nothing = bool(name) and not document.summary[name] and not numbers
    if nothing or name in document.unfounded:
        name = ""  # nothing on record is no zero
    figure = words.value(name, words.figures(document)[name]) if name else ""
    title = document.titles.get(name) or words.label(name) if name else ""
    found = Answer(
        question.title,
        report_page.file,
        spelled_days(document.headline),  # with links, which call people by name
        figure,
        title,
        sparkline(numbers, question.title),
        by_name,
    )
    if not question.is_of_plans:
        return found
    return replace(found, file=plans[0].told.file, plans=plans) if plans else replace(found, by_name=(NO_PLAN,))


def proof(things: Sequence[Thing], portraits: Mapping[ThingKey, Portrait]) -> list[Answer]:
    """What proves a control: the page of SOC 2 CC6.1, or of the first control where that is out of scope."""
    controls = [thing for thing in things if thing.kind == "control"]
    shown = next((thing for thing in controls if thing.key == "soc2:CC6.1"), next(iter(controls), None))
    if shown is None:
        return []
    portrait = portraits.get((shown.kind, shown.key), Portrait(""))
    proofs = [line for part in portrait.parts if part.title in PROOFS for line in part.lines if "/api/" not in line]
    name = shown.small.removeprefix("SOC 2 ")
    said = [f"{proof}." for proof in proofs[:2]] or ["nothing proves it."]
    newest = [f"{shown.title}{', newest' if proofs else ''}: {said[0]}", *said[1:]]
    return [Answer(f"What proves {name}?", shown.file, portrait.sentence, "", "", Markup(""), newest)]


def entry(report: Report, report_page: ReportPage, files: Mapping[str, str]) -> Entry:
    """A report as the front page shows it: its first figure that has a value stands beside it."""
    document = report_page.edition.document
    figures = words.figures(document)
    founded = {name: value for name, value in document.summary.items() if name not in document.unfounded}
    name = next((name for name, value in founded.items() if isinstance(value, int | float)), "")
    title = document.titles.get(name) or words.label(name) if name else ""
    told = report_page.edition.readable(document.headline)
    return Entry(report, told, words.value(name, figures[name]) if name else "", title, files)
