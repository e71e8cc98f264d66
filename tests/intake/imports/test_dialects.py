"""The same two vendors in the dialects that people export."""

from datetime import date

import pytest

VENDORS = [
    ("acme-cloud", "Acme Cloud", "cloud", "critical", True, date(2026, 11, 20)),
    ("muller-sohne", "Müller & Söhne", "saas", "low", False, date(2026, 1, 5)),
]
COLUMNS = ("id", "name", "category", "tier", "privileged_access", "onboarded_on")

COMMA = """Name,Category,Tier,Privileged Access,Onboarded On
Acme Cloud,cloud,critical,yes,2026-11-20
Müller & Söhne,saas,low,no,2026-01-05
"""
GERMAN = """name;CATEGORY;Tier;privileged_access;Onboarded_On
Acme Cloud;cloud;Critical;ja;20.11.2026
"Müller & Söhne";saas;LOW;nein;5.1.2026
"""
BRITISH = COMMA.replace("2026-11-20", "20/11/2026").replace("2026-01-05", "05/01/2026")
AMERICAN = COMMA.replace("2026-11-20", "11/20/2026").replace("2026-01-05", "1/5/2026")
SERIALS = COMMA.replace("2026-11-20", "46346").replace("2026-01-05", "46027")

DIALECTS = {
    "commas": COMMA,
    "semicolons and dots": GERMAN,
    "tabs": COMMA.replace(",", "\t"),
    "bars": COMMA.replace(",", "|"),
    "line ends of Windows": COMMA.replace("\n", "\r\n"),
    "line ends of old Macs": COMMA.replace("\n", "\r"),
    "no line end at the end": COMMA.rstrip("\n"),
    "day first": BRITISH,
    "month first": AMERICAN,
    "serial numbers": SERIALS,
    "booleans 1 and 0": COMMA.replace("yes", "1").replace("no,", "0,"),
    "a cross for true": COMMA.replace("yes", "x").replace(",no,", ",FALSCH,"),
    "Excel's own first line": "sep=;\n" + GERMAN,
    "byte order mark": COMMA.encode("utf-8-sig"),
    "Windows-1252": GERMAN.encode("cp1252"),
    "UTF-16, little end first": COMMA.replace(",", "\t").encode("utf-16"),
    "UTF-16, big end first": b"\xfe\xff" + COMMA.encode("utf-16-be"),
    "empty rows below": COMMA + ",,,,\n,,,,\n\n",
    "an empty row between": COMMA.replace("Müller", ",,,,\n\nMüller"),
    "empty columns to the right": "\n".join(line + ",," for line in COMMA.splitlines()),
    "short rows": COMMA + "\n",
    "space around cells": COMMA.replace(",", " ,\u00a0"),
    "everything quoted": "\n".join(",".join(f'"{cell}"' for cell in line.split(",")) for line in COMMA.splitlines()),
}


@pytest.mark.parametrize("content", DIALECTS.values(), ids=DIALECTS)
def test_every_dialect_means_the_same(door, content):
    result = door.text("vendors.csv", content)
    assert door.counts(result) == {"vendors": (2, 2, 0, 0)}
    assert door.rows("vendors", *COLUMNS) == VENDORS


@pytest.mark.parametrize("name", ["vendors.tsv", "vendors.txt", "Vendors.CSV", "VENDORS.csv"])
def test_the_name_of_the_file_is_the_table(door, name):
    door.text(name, COMMA)
    assert door.rows("vendors", *COLUMNS) == VENDORS


def test_a_file_with_a_header_alone_changes_nothing(door):
    result = door.text("vendors.csv", "name,category,tier\n")
    assert (door.counts(result), result.has_changes) == ({"vendors": (0, 0, 0, 0)}, False)


def test_quoted_cells_keep_delimiters_quotes_and_lines(door):
    door.text("risks.csv", 'id,title\nR-1,"One, ""two""\nand three"\n')
    assert door.rows("risks", "id", "title") == [("R-1", 'One, "two"\nand three')]


def test_decimal_commas_percent_signs_and_thousands(door):
    door.text("risks.csv", "id;title;Loss Low;Loss High\nR-1;a;1.234,50;12.500.000\nR-2;b;0,5;2\n")
    assert door.rows("risks", "id", "loss_low", "loss_high") == [("R-1", 1234.5, 12500000.0), ("R-2", 0.5, 2.0)]
    door.text("services.csv", "name,criticality\nShop,5\n")
    door.text("slo_profiles.csv", "service_id,objective_pct\nshop,99.9%\n")
    assert door.rows("slo_profiles", "service_id", "objective_pct") == [("shop", 99.9)]


def test_counts_with_german_thousands(door):
    door.text("obligation_snapshots.csv", "week;planned;planned_hours\n2026-W47;1.000;12,5\n2026-W48;12.500;1\n")
    assert door.rows("obligation_snapshots", "week", "planned", "planned_hours") == [
        ("2026-W47", 1000, 12.5),
        ("2026-W48", 12500, 1.0),
    ]


def test_frameworks_controls_and_addresses_as_people_write_them(door):
    door.text(
        "control_owners.csv",
        "Framework,Control ID,E-Mail,RACI\nSOC 2,cc6.1,Ann@Acme.Example,r\nISO/IEC 27001,A 5.15,bob@acme.example,A\n",
    )
    assert door.rows("control_owners", "framework", "control_id", "email", "raci") == [
        ("iso27001", "A.5.15", "bob@acme.example", "A"),
        ("soc2", "CC6.1", "ann@acme.example", "R"),
    ]


def test_lists_of_controls_and_frameworks_are_brought_to_one_spelling(door):
    door.text("risks.csv", 'id,title,controls\nR-1,a,"SOC 2:cc6.1, iso27001:A5.15"\n')
    door.text("systems.csv", 'name,frameworks\nShop,"PCI DSS;soc2"\n')
    assert door.rows("risks", "controls") == [("soc2:CC6.1; iso27001:A.5.15",)]
    assert door.rows("systems", "id", "frameworks") == [("shop", "pci-dss; soc2")]
