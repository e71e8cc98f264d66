"""The kept content of a report: every format is rendered of it as of the content itself, and nothing else is read."""

import pickle
import zlib
from dataclasses import replace
from datetime import date

import polars as pl
import pytest

from engine.model.documents.document import Alarm, Document, Edition, Organization, Position, Table
from engine.render import RENDERERS
from engine.reporting.artifacts.edition_bytes import edition_bytes, edition_from
from reports import CATALOGUE
from tests.laws import WHOLE
from tests.reporting.snapshot.test_snapshots import NOW, full_store, snapshots  # noqa: F401 - fixtures

ROWS = pl.DataFrame({"control_id": ["CC1.1", None], "due_on": [date(2026, 11, 1), None], "owners": [["a", "b"], []]})


def edition(document):
    return Edition(
        "gaps", "Gaps", "What is open.", 1, Organization("acme", "Acme"), date(2026, 11, 20), Position(7, "ab" * 32),
        {"periodDays": 30}, 1, document, people={"ann@acme.example": "Ann"}, titles={"inc-1": "Outage"},
    )  # fmt: skip


def test_what_is_read_is_what_was_written():
    given = edition(Document("One gap.", tables=(Table("rows", "Rows", ROWS),), warnings=(Alarm("Act."), "Know.")))
    _ = given.document.tables[0].unseen, given.document.tables[0].schema  # what is remembered does not travel
    read = edition_from(edition_bytes(given))
    assert replace(read, document=given.document) == given
    assert read.document.tables[0].frame.equals(ROWS)
    assert read.document.tables[0].frame.schema == ROWS.schema
    assert [(text, type(text)) for text in read.document.warnings] == [("Act.", Alarm), ("Know.", str)]
    assert edition_from(edition_bytes(edition(Document("Nothing.")))) == edition(Document("Nothing."))


class Stranger:
    """Nothing that a document holds."""


def test_what_no_document_holds_is_not_written():
    with pytest.raises(TypeError, match=r"A document holds a tests\..*Stranger, of which nothing can be kept"):
        edition_bytes(edition(Document("One.", summary={"stranger": Stranger()})))


class Harmful:
    def __reduce__(self):
        return print, ("called",)


def test_nothing_in_them_sets_a_member_of_a_class():
    named = f"c{Document.__module__}\nDocument\n".encode()
    data = zlib.compress(b"\x80\x05" + named + pickle.dumps((None, {"headline": "Set"}), 2)[2:-1] + b"b.")
    with pytest.raises(ValueError, match="not"):
        edition_from(data)
    assert not hasattr(Document, "headline")


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (zlib.compress(pickle.dumps(Harmful())), "builtins.print is named in them"),
        (zlib.compress(pickle.dumps(Stranger())), "Stranger is named in them"),
        (zlib.compress(pickle.dumps({"a": 1})), "These are the bytes of dict, not of an edition."),
        (edition_bytes(edition(Document("One.")))[:-9], "These are not the bytes of an edition"),
        (zlib.compress(b""), "Ran out of input"),
        (zlib.compress(b"\x80\x05h\x09."), "These are not the bytes of an edition"),
        (zlib.compress(b"\x80\x050."), "These are not the bytes of an edition"),
        (b"", "These are not the bytes of an edition"),
    ],
)
def test_other_bytes_are_refused_and_nothing_of_them_is_called(data, reason, capsys):
    with pytest.raises(ValueError, match=reason):
        edition_from(data)
    assert capsys.readouterr().out == ""


@pytest.mark.real
@pytest.mark.parametrize("org", ["cobalt", "empty"])
def test_every_format_of_every_report_is_rendered_alike(org, full_store, snapshots):  # noqa: F811 - fixtures
    """Each report in one format, which take turns; in the weekly job in all that it has."""
    with snapshots.open(org, now=NOW) as snapshot:
        for number, report in enumerate(CATALOGUE.values()):
            whole = snapshot.edition(report.name, {})
            kept, forms = edition_bytes(whole), (*report.light_formats, "xlsx")
            for form in forms if WHOLE else [forms[number % len(forms)]]:
                assert RENDERERS[form].render(edition_from(kept)) == RENDERERS[form].render(whole), report.name
