"""`hq import` for files of other people, and before anything is written."""

import re
from pathlib import Path

import pytest

from engine.intake.imports import read_mapping

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reference" / "imports.md"


@pytest.mark.real
def test_a_check_says_what_would_be_written_and_writes_nothing(acme, cli):
    (acme / "sheets" / "risks.csv").write_text("id,title\nR-1,Fire\n")
    code, out, _ = cli("import", acme / "sheets" / "risks.csv", "--org", "acme", "--check")
    assert (code, out.splitlines()[0]) == (0, "risks: 1 new, 0 changed, 0 as they were")
    assert "Nothing was written: acme stays at revision" in out
    assert "risks: 1 new" in cli("import", acme / "sheets" / "risks.csv", "--org", "acme")[1]


@pytest.mark.real
def test_a_check_of_what_does_not_hold_says_where_and_exits_with_1(acme, cli):
    (acme / "sheets" / "risks.csv").write_text("id,title,impact\nR-1,Fire,many\n")
    code, _, err = cli("import", acme / "sheets" / "risks.csv", "--org", "acme", "--check")
    assert code == 1
    assert "row 2, column impact, expected a whole number from 1 to 5, found many" in err


@pytest.mark.real
def test_columns_left_out_are_listed(acme, cli):
    (acme / "sheets" / "risks.csv").write_text("id,title,titel\nR-1,Fire,Feuer\n")
    code, out, _ = cli("import", acme / "sheets" / "risks.csv", "--org", "acme", "--ignore-unknown")
    assert (code, "risks.csv: column 'titel' is ignored; nearest in name: title" in out) == (0, True)


@pytest.mark.real
@pytest.mark.parametrize("form", ["toml", "csv"])
def test_the_mapping_of_the_page_reads_the_file_of_the_page(acme, cli, form):
    (content,) = re.findall(rf"^```{form}\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    (acme / f"map.{form}").write_text(content)
    (acme / "vendors.csv").write_text("Supplier,Kind of service,Risk class,Remarks\nCumulus,cloud,critical,nice\n")
    code, out, err = cli("import", acme / "vendors.csv", "--org", "acme", "--map", acme / f"map.{form}")
    assert (code, "vendors: 1 new" in out) == (0, True), err


def test_both_mappings_of_the_page_mean_the_same(tmp_path):
    mappings = []
    for form in ("toml", "csv"):
        (content,) = re.findall(rf"^```{form}\n(.*?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
        (tmp_path / f"map.{form}").write_text(content)
        mappings.append(read_mapping(tmp_path / f"map.{form}"))
    assert mappings[0] == mappings[1]


def test_files_of_scanners_have_no_headers_to_map(acme, cli):
    (acme / "scan.sarif").write_text("{}")
    code, _, err = cli("import", acme / "scan.sarif", "--org", "acme", "--check")
    assert (code, "are for tables" in err) == (2, True)


@pytest.mark.real
def test_an_owner_whom_nobody_knows_is_named(acme, cli):
    (acme / "vendors.csv").write_text(
        "name,category,tier,owner\nCloudy,cloud,low,anne@acme.example\nPayo,pay,low,bob@acme.example\n"
    )
    code, out, err = cli("import", acme / "vendors.csv")
    assert (code, "vendors: 2 new" in out) == (0, True)
    text = "hq: vendors.csv: owner anne@acme.example is nobody of this organization (1 row); nearest: ann@acme.example"
    assert text in err.splitlines()
