"""The page of a thing: what its own record says, what happened to it, and the rows of all reports that speak of it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from markupsafe import Markup, escape

from engine.model.columns import COLUMNS
from engine.model.documents.tones import Tone
from engine.model.documents.vendor_documents import STATE_LABELS
from engine.model.entities import EntityKind
from engine.render import words
from engine.render.html.heads import card_labels
from engine.render.html.html import ENVIRONMENT, Around, Step
from engine.render.html.phrases import with_links
from engine.render.html.rows import TableSheet
from engine.render.links import Links, ThingKey
from engine.render.plain_values import plain_value
from engine.render.record_names import record_name
from engine.reporting.site.mentions import Mention
from engine.reporting.site.portrait import Portrait
from engine.reporting.site.things import LISTS, Thing, list_file
from engine.reporting.snapshot.subject import Subject

MOST_ROWS: Mapping[EntityKind, int] = {"owner": 10, "framework": 10, "service": 25}
MOST_LINES, MOST_HAPPENINGS = 6, 12  # of a record and of a history before the disclosures
# the lines of a record that a reader looks for first, as far as they are known; then the others as they come
FIRST_LINES: Mapping[EntityKind, tuple[str, ...]] = {
    "vendor": ("tier", "review", "next_review_on", "assurance", "inherited_gaps", "owner", "residual"),
    "service": ("level", "open_incidents", "objective_pct", "criticality", "owner", "environment"),
    "request": ("status", "priority", "due_on", "days_left", "owner", "requester"),
    "incident": ("severity", "status", "owner", "service_id", "opened_at", "minutes_to_resolve", "on_call"),
}
HEADINGS: Mapping[EntityKind, Mapping[str, str]] = {
    "incident": {"service_id": "Service", "minutes_to_resolve": "Time to resolve"},  # as the page says their values
    "service": {"level": "State"},
    "vendor": STATE_LABELS,
}
ZONE = " (UTC)"  # of a column, whose cells do not say it; a line of a record does
COUNTS = ("inherited_gaps", "open_incidents", "open_findings")  # of what waits for somebody
USUAL_ROWS = 100  # of one table; of more the report itself is the page
VISIBLE_ROWS, PRINTED_ROWS = 10, 60  # of one table and of all tables before the disclosures


@dataclass(frozen=True)
class RecordLine:
    """A line of a thing's own record: a heading, the value as HTML, and what is to be thought of it."""

    heading: str
    value: Markup
    tone: Tone | None = None


@dataclass(frozen=True)
class ReportPart:
    """What one report says of the thing."""

    title: str
    file: str
    tables: Sequence[tuple[TableSheet, int]]  # with how many of its rows are not shown here


class ThingPages:
    """Pages of things, made one after the other from what all reports say."""

    def __init__(
        self,
        subject: Subject,
        mentioned: Mapping[ThingKey, Sequence[Mention]],
        told: Mapping[ThingKey, Portrait],
        links: Links,
    ) -> None:
        self._mentioned, self._portraits, self._links = mentioned, told, links
        self._template = ENVIRONMENT.get_template("thing.html")
        self._edition = {"organization": subject.organization, "as_of": subject.as_of, "revision": subject.revision}

    def page(self, thing: Thing, previous: Step | None, following: Step | None) -> bytes:
        """The page of a thing between its neighbours."""
        above = [("Reports", "index.html"), (LISTS[thing.kind], list_file(thing.kind))]
        around = Around(thing.place, above, previous, following)
        parts = self._parts((thing.kind, thing.key))
        return self._template.render(
            edition={**self._edition, "title": thing.title},
            thing=thing,
            portrait=self._portraits.get((thing.kind, thing.key), Portrait("")),
            known=self._record(thing),
            most_lines=MOST_LINES,
            happenings=[(happening, self._person(happening.who)) for happening in thing.history],
            most_happenings=MOST_HAPPENINGS,
            parts=parts,
            labels=card_labels(sheet.head for part in parts for sheet, _ in part.tables),
            around=around,
            with_links=partial(with_links, links=self._links),
        ).encode()

    def _parts(self, key: ThingKey) -> list[ReportPart]:
        report_parts: dict[str, ReportPart] = {}
        most = MOST_ROWS.get(key[0], USUAL_ROWS)
        room = PRINTED_ROWS
        tables: dict[str, list[tuple[TableSheet, int]]] = {}
        for number, mention in enumerate(self._mentioned.get(key, ())):
            report_page = mention.told
            part_tables = tables.setdefault(report_page.file, [])
            report_parts.setdefault(
                report_page.file, ReportPart(report_page.edition.title, report_page.file, part_tables)
            )
            rows = mention.rows[:most]
            visible = min(len(rows), VISIBLE_ROWS, room)
            room -= visible
            table_sheet = mention.sheet.of(rows, f"part-{number}", visible)
            part_tables.append((table_sheet, len(mention.rows) - len(rows)))
        return list(report_parts.values())

    def _record(self, thing: Thing) -> list[RecordLine]:
        record = {name: value for name, value in thing.record.items() if _is_worth_a_line(thing, name, value)}
        plain = plain_value(_first_lines_first(thing.kind, record), thing.kind)
        own = HEADINGS.get(thing.kind, {})
        headings = {
            name: own.get(name) or (COLUMNS[name].label.removesuffix(ZONE) if name in COLUMNS else words.label(name))
            for name in plain
        }
        values = {name: self._value(name, value) for name, value in plain.items()}
        if "framework" in plain:
            framework = str(plain["framework"])
            values["framework"] = self._link(
                "framework", framework, self._links.name("framework", framework, framework)
            )
            if "control_id" in plain:
                key = f"{framework}:{plain['control_id']}"
                values["control_id"] = self._link(
                    "control", key, self._links.title("control", key), values["control_id"]
                )
        if plain.get("service_id"):
            key = str(plain["service_id"])
            values["service_id"] = self._link("service", key, self._links.name("service", key, key))
        lines = [RecordLine(headings[name], values[name], _tone(name, plain[name])) for name in plain]
        return list(dict.fromkeys(lines))

    def _value(self, name: str, value: object) -> Markup:
        if name in ("owner", "accountable", "requester", "backup", "acknowledged_by") and value:
            people = value if isinstance(value, list) else [value]
            return Markup("; ").join(self._person(str(person)) for person in people)
        if isinstance(value, str) and (title := record_name(value, self._links.records)):
            return Markup("{} <small>{}</small>").format(title, value)
        if name == words.DAYS_LEFT:
            return escape(words.days_to_due(str(value)))
        if isinstance(value, int | float) and name in COLUMNS and COLUMNS[name].unit in ("minutes", "hours", "days"):
            return escape(words.in_unit(value, COLUMNS[name].unit))
        tone, is_word = words.tone(value, name), name in COLUMNS and COLUMNS[name].unit == "word"
        spell = words.spell(words.value(name, value), name) if tone or is_word else words.value(name, value)
        return Markup('<span class="state {}">{}</span>').format(tone, spell) if tone else escape(spell)

    def _link(self, kind: EntityKind, key: str, name: str, small: str = "") -> Markup:
        """What a thing is called, with its identifier, as a link to its page where it has one."""
        shown = Markup("{} <small>{}</small>").format(name, small) if name and small else escape(name or small)
        href = self._links.href(kind, key)
        return Markup('<a href="{}">{}</a>').format(href, shown) if href else shown

    def _person(self, address: str) -> Markup:
        href = self._links.href("owner", address)
        name = self._links.name("owner", address, address)
        return Markup('<a href="{}">{}</a>').format(href, name) if href else escape(name)


def _first_lines_first(kind: EntityKind, record: Mapping[str, Any]) -> dict[str, Any]:
    first = [name for name in FIRST_LINES.get(kind, ()) if name in record]
    return {name: record[name] for name in dict.fromkeys((*first, *record))}


def _tone(name: str, value: object) -> Tone | None:
    """A judgement: of a state its own, of a count of what waits whether there is any; none of anything else."""
    if name in COUNTS:
        return "watch" if value else "good"
    tone = words.tone(value, name)
    return tone if tone in ("good", "watch", "bad") else None


def _is_worth_a_line(thing: Thing, name: str, value: object) -> bool:
    """Whether a person learns anything by it: not what is said above, no zero of a request, no days after its end."""
    if thing.kind == "request" and (value == 0 or (name == words.DAYS_LEFT and "finished_on" in thing.record)):
        return False
    return not name.startswith("prior_")
