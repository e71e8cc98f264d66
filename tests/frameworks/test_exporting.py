"""What goes out comes in as it was, and the second time byte for byte."""

import pytest

from engine.frameworks.exporting import built_in_content, csv_files, csv_stream, framework_content, oscal_catalog
from engine.frameworks.suggesting import pairs_csv, suggested_pairs
from engine.model.errors import Usage
from engine.model.vocabulary import FRAMEWORKS
from tests.frameworks.test_libraries import LIBRARY
from tests.frameworks.test_oscal import XML
from tests.frameworks.test_tabular import MIXED

FORMS = {"csv": csv_stream, "json": oscal_catalog}


def content(door, framework):
    with door.store.reader() as connection:
        return framework_content(connection, "acme", framework)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("name", "text", "framework"), [("m.csv", MIXED, "annex"), ("l.yaml", LIBRARY, "demo-fw"), ("o.xml", XML, "o")]
)
def test_a_framework_comes_in_as_it_went_out(door, form, name, text, framework):
    door.text(name, text)
    first = FORMS[form](content(door, framework))
    again = door.text(f"{framework}.{form}", first)
    assert again.after is None
    assert FORMS[form](content(door, framework)) == first


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("framework", ["gdpr-art32", "hipaa"])
def test_a_framework_of_the_program_comes_in_under_another_name(door, form, framework):
    data = FORMS[form](built_in_content(framework))
    door.text(f"file.{form}", data, name="copy")
    copied = content(door, "copy")
    first = FORMS[form](copied)
    copied.rename("copy", framework)
    assert csv_stream(copied) == csv_stream(_complete_content(door, framework))
    assert door.text(f"again.{form}", first).after is None


@pytest.mark.parametrize(("framework", "data"), [("soc2", None), ("hipaa", "health"), ("pci-dss", "cards")])
def test_inheritance_goes_out_with_the_data_that_it_is_about(framework, data):
    rules = built_in_content(framework).tables["framework_inheritance"]
    assert {row["vendor_data"] for row in rules} == {data}


def _complete_content(door, framework):
    from engine.frameworks.completion import complete

    found = built_in_content(framework)
    complete(found)
    return found


def test_every_framework_of_the_program_goes_out(door):
    for framework in FRAMEWORKS:
        files = csv_files(built_in_content(framework))
        assert {"own_frameworks.csv", "framework_controls.csv", "organization_rules.csv"} <= set(files)


def test_text_that_a_spreadsheet_would_run_comes_back_as_it_was(door):
    door.text("annex.csv", 'id,title\nA,"\'=1+1"\nB,=1+1\nC,-2\n')
    assert door.controls("annex", "title") == [("=1+1",), ("=1+1",), ("-2",)]
    data = csv_stream(content(door, "annex"))
    assert b"'=1+1" in data
    assert door.text("annex.csv", data).after is None


def test_a_framework_that_nobody_has_is_refused(door):
    with pytest.raises(Usage, match="There is no framework 'nothing'; there are soc2,"):
        content(door, "nothing")


def test_suggested_pairs_have_no_reviewer_and_leave_out_those_there(door):
    door.text("annex.csv", "id,title\nA.1,Risk analysis\nA.2,Something else entirely\n")
    pairs = suggested_pairs(content(door, "annex"), built_in_content("hipaa"), least=90)
    assert [(pair["source_id"], pair["target_id"], pair["relation"], pair["reviewer"]) for pair in pairs] == [
        ("A.1", "164.308(a)(1)(ii)(A)", "equal", None)
    ]
    done = door.text("pairs.csv", pairs_csv(pairs))
    assert done.lines == [
        "framework_mappings: 1 new, 0 changed, 0 as they were",
        "1 pairs have no reviewer: they are proposed and count for nothing",
    ]
    assert suggested_pairs(content(door, "annex"), built_in_content("hipaa"), least=90) == []


def test_what_was_written_is_whole(door):
    """The chain and the log of changes agree with the rows after an import, a proposal and its acceptance."""
    door.text("annex.csv", MIXED)
    changed = MIXED.replace("Accounts are approved", "Accounts are signed")
    door.text("annex.csv", changed)
    door.text("annex.csv", changed, accept=True)
    assert door.store.verify("acme").ok
    assert door.store.verify_rows("acme").ok
