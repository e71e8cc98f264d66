"""Frameworks as CSV and XLSX: any spelling of the headers, defaults where nothing is said, a sentence for the rest."""

import io
import zipfile
from contextlib import closing

import pytest

from engine.model.errors import Usage
from engine.replica.replica import Replica
from tests.frameworks.conftest import NOW

ANNEX = """id,parent,kind,title,text,weight,cadence,evidence kinds,assessable
A,,group,Access,,,,,
A.1,A,,Accounts are approved,Each by its owner.,5,monthly,attestation; operation,
A.2,A,control,Leavers lose access,,,,,
"""
MIXED = """table,id,title,weight,pattern,control_id,from,to,relation,reviewer
own_frameworks,annex,Security annex,,,,,,,
framework_controls,A.1,Accounts are approved,5,,,,,,
organization_rules,,,,access.*,A.1,,,,
framework_mappings,,,,,,annex:A.1,SOC 2:CC6.1,equal,ann@acme.example
framework_mappings,,,,,,A.1,soc2:CC6.2,,
"""


def test_a_bare_file_takes_its_name_and_defaults(door):
    """Weight 3, annual, attestation; groups have none; the first row above names the family."""
    done = door.text("Annex B.csv", ANNEX)
    assert done.lines == ["annex-b: annex-b, 3 rows, 2 of them assessable; it is in scope from now on"]
    columns = ("id", "parent", "kind", "weight", "cadence", "evidence_kinds", "assessable", "group_title")
    assert door.controls("annex-b", *columns) == [
        ("A", None, "group", None, None, None, False, "Access"),
        ("A.1", "A", "control", 5, "monthly", "operation;attestation", True, "Access"),
        ("A.2", "A", "control", 3, "annual", "attestation", True, "Access"),
    ]


def test_a_file_without_a_row_is_refused(door):
    assert door.refusal("annex.csv", ANNEX.partition("\n")[0]) == "annex.csv: expected at least one row, got nothing."


def test_the_same_file_twice_is_no_revision(door):
    first = door.text("annex.csv", ANNEX)
    again = door.text("annex.csv", ANNEX)
    assert (again.after, again.lines) == (None, ["annex: as it was"])
    assert door.store.head("acme").seq == first.after


def test_rules_and_pairs_come_in_one_file(door):
    door.text("whatever.csv", MIXED)
    stored = door.content("annex")
    assert [row["pattern"] for row in stored.tables["organization_rules"]] == ["access.*"]
    pairs = [
        (row["target_id"], row["relation"], row["strength"], row["reviewer"])
        for row in stored.tables["framework_mappings"]
    ]
    assert pairs == [("CC6.1", "equal", 1.0, "ann@acme.example"), ("CC6.2", "intersects", 0.5, None)]


def test_a_proposed_pair_leaves_one_that_was_signed_off(door):
    door.text("whatever.csv", MIXED)
    done = door.text("pairs.csv", "from,to,relation\nannex:A.1,soc2:CC6.1,subset\n")
    assert done.lines == ["1 pairs were signed off before and stay as they are"]
    assert done.after is None


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("id,title\nA,one\nA,two\n", "annex.csv, row 3: annex A is there twice; annex.csv, row 2 has it already."),
        ("id,title,parent\nA,one,B\n", "annex.csv, row 2, parent: expected the id of another row, got 'B'."),
        ("id,title,parent\nA,one,B\nB,two,A\n", "annex.csv, row 2, parent: A is below B is below A: a circle."),
        ("id,title,weight\nA,one,9\n", "annex.csv, row 2, weight: expected a whole number from 1 to 5, got 9."),
        ("id,title,wieght\nA,one,9\n", "annex.csv, header: expected one of framework, id, parent,"),
        (
            "id,title\nA,ab\u202ec\n",
            "annex.csv, row 2, title: expected plain text, got the invisible character RIGHT-TO-LEFT",
        ),
        ("id,title\nא,one\n", "annex.csv, row 2, id: expected an identifier of letters, digits and signs"),
        ("id,title\nA," + "x" * 2001 + "\n", "annex.csv, row 2, title: expected at most 2,000 characters, got 2,001."),
        (
            "from,to\nsoc2:CC6.1,iso27001:A.99\n",
            "annex.csv, row 2, target_id: expected a control of iso27001, got 'A.99'.",
        ),
        ("from,to\nsoc2:CC6.1,soc9:A\n", "annex.csv, row 2, target_framework: expected a framework of the program or"),
        (
            "pattern,control_id,framework\na b,CC6.1,soc2\n",
            "annex.csv, row 2, pattern: expected an action in dotted words",
        ),
        (
            "id,kind,title,assessable\nA,group,one,true\n",
            "annex.csv, row 2, assessable: expected a group without a state, or kind control, got True.",
        ),
        (
            "from,to,reviewer,reviewed_on\nsoc2:CC6.1,iso27001:A.5.15,ann@acme.example,2026-11-21\n",
            "annex.csv, row 2, reviewed_on: expected a day up to today, 2026-11-20, got '2026-11-21'.",
        ),
        ('id,title\nA,"one\n', "annex.csv, line 2: expected cells whose quotes are closed"),
        ("hello\nworld\n", "annex.csv, header: expected columns id and title of controls"),
    ],
)
def test_what_does_not_hold_is_named_with_its_place(door, text, sentence):
    assert door.refusal("annex.csv", text).startswith(sentence)


def test_a_workbook_that_is_none_is_refused_in_one_line(door):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
    sentence = door.refusal("annex.xlsx", buffer.getvalue())
    assert sentence.startswith("annex.xlsx is not an XLSX workbook that can be read: ")
    assert "\n" not in sentence


def test_a_link_in_a_folder_is_refused(door):
    path = door.file("annex/controls.csv", ANNEX)
    (path.parent / "passwords.csv").symlink_to("/etc/passwd")
    with pytest.raises(Usage, match=r"passwords\.csv: expected a file of the folder, got a link"):
        door.take(path.parent)


def test_more_controls_than_the_limit_are_refused(door):
    text = "id,title\n" + "".join(f"A.{number},one\n" for number in range(20_001))
    assert "expected at most 20,000 controls of annex, got 20,001." in door.refusal("annex.csv", text)


def test_an_identifier_that_reads_as_one_of_the_program_is_refused(door):
    assert "'iso-27001' is read as ISO 27001" in door.refusal("annex.csv", ANNEX, name="iso-27001")
    assert "expected an identifier of lower case letters" in door.refusal("annex.csv", ANNEX, name="An Annex")


def test_a_new_version_is_proposed_and_then_accepted(door):
    """Renamed where title and text are the same, or the new row says what it replaces."""
    door.text("annex.csv", ANNEX)
    new = ANNEX.replace("A.1,A", "A.9,A").replace("A.2,A,control,Leavers lose access", "A.2,A,control,Leavers are out")
    before = door.controls("annex", "id", "title")
    done = door.text("annex.csv", new)
    assert done.lines[:2] == [
        "annex is proposed; the catalogue stays as it is until --accept. It would change:",
        "0 added, 0 gone, 1 reworded, 1 renamed, 0 otherwise changed",
    ]
    assert "  renamed   A.1 to A.9: no evidence, owner or signature" in done.lines
    assert door.controls("annex", "id", "title") == before
    door.text("annex.csv", new, accept=True)
    assert [row[0] for row in door.controls("annex", "id")] == ["A", "A.9", "A.2"]


def test_reports_have_the_new_version_alone(door):
    """What goes with a version goes from the copy that reports are computed from, without making it anew."""
    door.text("annex.csv", ANNEX)
    with closing(Replica(door.store.url, None)) as replica:
        replica.sync(["acme"])
        door.text("annex.csv", ANNEX.replace("A.1,A", "A.9,A"), accept=True)
        replica.sync(["acme"])
        with replica.view() as view:
            assert view.frame("SELECT id FROM framework_controls ORDER BY id").rows() == [("A",), ("A.2",), ("A.9",)]


def test_owners_move_along_with_a_renamed_control(door):
    from engine.store.schema.controls import control_owners

    door.text("annex.csv", ANNEX)
    with door.store.revision("acme", "ann@acme.example", now=NOW) as revision:
        row = {"framework": "annex", "control_id": "A.1", "email": "ann@acme.example", "raci": "R"}
        revision.insert(control_owners, [row])
        revision.record("import.completed")
    done = door.text("annex.csv", ANNEX.replace("A.1,A", "A.9,A"), accept=True)
    assert "  renamed   A.1 to A.9: owners 1 moves along" in done.lines
    with door.store.reader() as connection:
        rows = connection.execute(control_owners.select().where(control_owners.c.org_id == "acme")).mappings().all()
    assert [row["control_id"] for row in rows] == ["A.9"]


def test_risks_name_a_renamed_control_by_its_new_identifier(door):
    from engine.store.schema.risk import risks

    door.text("annex.csv", ANNEX)
    named = {"R-1": "soc2:CC6.1; annex:A.1", "R-2": "annex:A.10", "R-3": None}
    with door.store.revision("acme", "ann@acme.example", now=NOW) as revision:
        revision.insert(risks, [{"id": name, "title": name, "controls": text} for name, text in named.items()])
        revision.record("import.completed")
    door.text("annex.csv", ANNEX.replace("A.1,A", "A.9,A"), accept=True)
    with door.store.reader() as connection:
        rows = connection.execute(risks.select().where(risks.c.org_id == "acme")).mappings().all()
    assert {row["id"]: row["controls"] for row in rows} == {**named, "R-1": "soc2:CC6.1; annex:A.9"}
    assert door.store.verify_rows("acme").ok
