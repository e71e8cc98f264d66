"""A digest as a mail: text and HTML say the same, text of people stays text."""

from datetime import date

import polars as pl
import pytest

from engine.model.documents.document import Document, Edition, Organization, Position, Table
from engine.render.mail import mail

FRAME = pl.DataFrame(
    {
        "title": ["Attest <b>CC6.1</b>", "Line\nbreak"],
        "due_on": [date(2026, 11, 1), None],
        "days_late": [19, 3],
        "state": ["no_data", "stale"],
        "secret": ["x", "y"],
    }
)
TABLE = Table("overdue", "Overdue", FRAME, labels={"title": "What"}, state=("state",), hidden=("state",))


def edition(*tables, warnings=()):
    document = Document("Two are overdue & one is <bad>.", summary={}, tables=tables, warnings=warnings)
    return Edition(
        "sla-reminders",
        "SLA reminders",
        "Reminders.",
        1,
        Organization("acme", "Acme & Sons"),
        date(2026, 11, 20),
        Position(7, "ab" * 32),
        {},
        0,
        document,
    )


def letter(**given):
    narrow = mail.narrow(TABLE, ("title", "due_on", "days_late", "state"))
    values = {"tables": [narrow], "link": "https://hq.example/r", "reader": "ann@acme.example", **given}
    return mail.Mail(edition(TABLE, warnings=("Nobody owns R1.",)), **values)


def test_the_text_of_a_mail():
    assert mail.text(letter(greeting="2 overdue.", late=True)) == (
        "SLA reminders: Acme & Sons, 20 Nov 2026\n"
        "=======================================\n"
        "\n"
        "This comes late: it was owed on an earlier day.\n"
        "\n"
        "For you: 2 overdue.\n"
        "\n"
        "Two are overdue & one is <bad>.\n"
        "\n"
        "Warning: Nobody owns R1.\n"
        "\n"
        "Overdue\n"
        "-------\n"
        "* Attest <b>CC6.1</b>\n"
        "  Due: 1 Nov 2026; Days late: 19; State: no data\n"
        "* Line break\n"
        "  Days late: 3; State: stale\n"
        "\n"
        "The whole report, once you are signed in:\n"
        "  https://hq.example/r\n"
        "Computed from revision 7 (abababababab).\n"
    )


def test_the_html_says_the_same_and_escapes_it():
    page = mail.html(letter(greeting="2 <overdue>."))
    for part in (
        "Attest &lt;b&gt;CC6.1",
        "2 &lt;overdue&gt;.",
        "Acme &amp; Sons",
        "one is &lt;bad&gt;",
        "no data",
        "1 Nov 2026",
    ):
        assert part in page
    assert not any(tag in page for tag in ("<b>CC6.1", "<script", "<style", "<img", 'class="'))
    assert "secret" not in page


@pytest.mark.parametrize(("whole", "shown"), [(True, 15), (False, 200)])
def test_a_mail_about_everything_is_cut_and_one_about_the_own_items_is_not(whole, shown):
    many = Table("overdue", "Overdue", pl.DataFrame({"title": [f"Duty {number:03}" for number in range(210)]}))
    made = letter(tables=[many], whole=whole)
    assert mail.text(made).count("* Duty") == mail.html(made).count(">Duty") == shown
    assert f"and {210 - shown} more" in mail.text(made)
    assert f"and {210 - shown} more in the report" in mail.html(made)


def test_a_personal_mail_leaves_out_what_concerns_others():
    made = letter(whole=False, greeting="2 overdue.")
    for text in (mail.text(made), mail.html(made)):
        assert "Two are overdue" not in text
        assert "Nobody owns" not in text


def test_an_empty_table_is_left_out():
    made = letter(tables=[mail.narrow(Table("overdue", "Overdue", FRAME.clear()), ("title",))])
    assert "Overdue\n" not in mail.text(made)
    assert ">Overdue<" not in mail.html(made)


def test_a_hint_stands_below_the_rows_in_place_of_the_note():
    noted = Table("overdue", "Overdue", FRAME, note="One section for each.")
    made = letter(tables=[mail.narrow(noted, ("title",), hint="Import <title> to close one.")])
    assert "* Line break\nImport <title> to close one.\n\n" in mail.text(made)
    assert "Import &lt;title&gt; to close one." in mail.html(made)
    assert "One section" not in mail.text(made) + mail.html(made)


def test_what_is_short_stands_beside_the_rest_below_with_its_label():
    frame = pl.DataFrame(
        {
            "title": ["Attest CC6.1"],
            "framework": ["soc2"],
            "due_on": [date(2026, 11, 1)],
            "days_late": [19],
            "owner": ["ann@acme.example"],
            "why": ["a sentence that is far too long to stand beside anything"],
        }
    )
    table = mail.narrow(Table("overdue", "Overdue", frame), tuple(frame.columns))
    page = mail.html(letter(tables=[table]))
    cells = [part.partition(">")[2].partition("</td>")[0] for part in page.split("<td valign")[1:]]
    assert [cell for cell in cells if "<" not in cell] == ["1 Nov 2026", "19"]
    assert "SOC 2 &middot; Owner: ann@<wbr>acme.example &middot; Why: a sentence that" in cells[0]
    assert "\n* Attest CC6.1\n  SOC 2; Due: 1 Nov 2026; Days late: 19; Owner:" in mail.text(letter(tables=[table]))


def test_several_frameworks_are_named_as_people_do():
    frame = pl.DataFrame({"title": ["Review"], "frameworks": [["soc2", "pci-dss"]]})
    text = mail.text(letter(tables=[mail.narrow(Table("due", "Due", frame), ("title", "frameworks"))]))
    assert "* Review\n  SOC 2, PCI DSS\n" in text


def test_lines_of_the_text_part_are_short_enough_to_be_quoted():
    frame = pl.DataFrame({"title": ["word " * 60], "why": ["because " * 60]})
    text = mail.text(letter(tables=[mail.narrow(Table("due", "Due", frame), ("title", "why"))], greeting="go " * 60))
    assert max(map(len, text.splitlines())) <= 76


def test_the_subject_names_digest_organization_and_period():
    assert mail.subject(edition(), "2026-W47", late=False) == "SLA reminders · Acme & Sons · 2026-W47"
    assert mail.subject(edition(), "2026-W47", late=True).endswith("2026-W47 (late)")


def test_a_subject_names_its_figure():
    assert mail.subject(edition(), "2026-W47", late=False, figure="Gaps open: 3").endswith("2026-W47 · Gaps open: 3")
