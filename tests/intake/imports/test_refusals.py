"""What is wrong is named by row, column, expected and found, and the store stays as it was."""

import pytest

from engine.model.errors import InvalidData, Usage

TIERS = "one of critical, high, medium, low"
DATE = "a date such as 2026-11-20"
TEXT = "text of up to 100,000 characters"
MIXED = f"{DATE}: the column has dates with the day first and dates with the month first"
EITHER = f"{DATE}: nothing in the column shows whether the day or the month comes first"
MARK = "a number not below 0: nothing in the column shows whether its mark is for decimals or thousands"
HEAD = "id,name,category,tier"

BAD = {
    "a choice": ("vendors.csv", f"{HEAD}\nv,V,saas,hihg\n", [(2, "tier", f"{TIERS}; probably high", "hihg")]),
    "an empty cell": ("vendors.csv", f"{HEAD}\nv,,saas,low\n", [(2, "name", TEXT, "nothing")]),
    "an impossible date": (
        "vendors.csv",
        f"{HEAD},onboarded_on\nv,V,saas,low,2026-02-31\n",
        [(2, "onboarded_on", DATE, "2026-02-31")],
    ),
    "dates in two orders": (
        "vendors.csv",
        f"{HEAD},onboarded_on\nv,V,saas,low,20/11/2026\nw,W,saas,low,11/20/2026\n",
        [(2, "onboarded_on", MIXED, "20/11/2026"), (3, "onboarded_on", MIXED, "11/20/2026")],
    ),
    "a date of which nothing shows the order": (
        "vendors.csv",
        f"{HEAD},onboarded_on\nv,V,saas,low,03/04/2026\n",
        [(2, "onboarded_on", EITHER, "03/04/2026")],
    ),
    "a number of which nothing shows the mark": (
        "risks.csv",
        "id;title;loss_low\nR;r;1.234\n",
        [(2, "loss_low", MARK, "1.234")],
    ),
    "out of bounds": ("risks.csv", "id,title,impact\nR,r,6\n", [(2, "impact", "a whole number from 1 to 5", "6")]),
    "not whole": ("risks.csv", "id,title,impact\nR,r,4.5\n", [(2, "impact", "a whole number from 1 to 5", "4.5")]),
    "not a truth": (
        "services.csv",
        "name,criticality,internet_facing\nS,1,maybe\n",
        [(2, "internet_facing", "true or false", "maybe")],
    ),
    "an error of the spreadsheet": ("risks.csv", "id,title\nR,#REF!\n", [(2, "title", TEXT, "#REF!")]),
    "a control character": ("risks.csv", "id,title\nR,a\x00b\n", [(2, "title", TEXT, "a\x00b")]),
    "a key that is too long": (
        "risks.csv",
        f"id,title\n{'x' * 201},t\n",
        [(2, "id", "text of up to 200 characters", "x" * 79 + "…")],
    ),
    "a framework": (
        "control_owners.csv",
        "framework,control_id,email,raci\nSOX,1,a@b,R\n",
        [
            (
                2,
                "framework",
                "a framework: soc2, iso27001, pci-dss, hipaa, nist-csf, cis-v8, cmmc-l2, gdpr-art32, fedramp-poam",
                "SOX",
            )
        ],
    ),
    "a clause for a control of Annex A": (
        "control_owners.csv",
        "framework,control_id,email,raci\nISO 27001,5.15,a@b,R\n",
        [(2, "control_id", "a control of iso27001 such as A.5.15", "5.15")],
    ),
    "an address": ("users.csv", "email\nann\n", [(2, "email", "an e-mail address", "ann")]),
    "a week": (
        "obligation_snapshots.csv",
        "week,planned,planned_hours\n2025-W53,1,1\n",
        [(2, "week", "an ISO week such as 2026-W47", "2025-W53")],
    ),
    "not JSON": (
        "poam_items.csv",
        "id,weakness_key,detected_on,due_on,details\nV-1,k,2026-01-01,2026-02-01,{a:1}\n",
        [(2, "details", "JSON", "{a:1}")],
    ),
    "an unknown column": (
        "vendors.csv",
        f"{HEAD},Onbord On\nv,V,saas,low,2026-11-20\n",
        [(1, "Onbord On", "a column of vendors, probably onboarded_on", "Onbord On")],
    ),
    "a column of the console": (
        "vendors.csv",
        f"{HEAD},org_id\nv,V,saas,low,acme\n",
        [(1, "org_id", "no such column: the console fills it in", "org_id")],
    ),
    "a column twice": ("vendors.csv", f"{HEAD},Tier\nv,V,saas,low,low\n", [(1, "Tier", "one column for tier", "two")]),
    "a value without a header": (
        "vendors.csv",
        f"{HEAD},\nv,V,saas,low,\nw,W,saas,low,stray\n",
        [(3, "(column 5)", "a header above it", "stray")],
    ),
    "more cells than headers": (
        "vendors.csv",
        f"{HEAD}\nv,V,saas,low,stray\n",
        [(2, "(row)", "4 cells as in the header", "5 cells, among them 'stray'")],
    ),
    "a missing column": (
        "vendors.csv",
        "name,category\nV,saas\n",
        [
            (
                2,
                "tier",
                f"a column tier, as v is not on record, and a new row needs it: {TIERS}",
                "columns id, name, category",
            )
        ],
    ),
    "a missing key": (
        "risks.csv",
        "title\nr\n",
        [(1, "id", "a column id: text of up to 200 characters", "columns title")],
    ),
    "an empty file": ("risks.csv", "", [(1, "(header)", "the columns of risks in the first row", "nothing")]),
    "an open quote": (
        "risks.csv",
        'id,title\nR,"open\n',
        [(2, "(row)", "cells whose quotes are closed and doubled inside", "unexpected end of data")],
    ),
    "a key twice": ("risks.csv", "id,title\nR,a\nS,b\nR,a\n", [(4, "id", "each id once; row 2 has it already", "R")]),
    "two names that make one identifier": (
        "vendors.csv",
        'name,category,tier\nAcme Inc,saas,low\n\n"Acme, Inc.",saas,low\n',
        [(4, "id", "each id once; row 2 has it already", "acme-inc")],
    ),
    "a name of which no identifier can be made": (
        "vendors.csv",
        "name,category,tier\n!!!,saas,low\n",
        [(2, "name", "a name with letters or digits, or a column id", "!!!")],
    ),
    "a reference to nothing": (
        "slo_profiles.csv",
        "service_id,objective_pct\nshop,99\n",
        [(2, "service_id", "the id of a row of services", "shop")],
    ),
    "a control without framework": (
        "evidence_requests.csv",
        "id,title,requester,opened_on,framework,control_id\nE,t,r,2026-11-20,,CC6.1\n",
        [(2, "framework", "the framework of the control", "nothing")],
    ),
    "a setting": (
        "organization_settings.csv",
        "name,value\ndue_soon_day,7\nrisk_appetite,99\n",
        [
            (2, "name", "the name of a setting, probably due_soon_days", "due_soon_day"),
            (3, "value", "a number from 1 to 25", "99"),
        ],
    ),
    "a time zone": (
        "organizations.csv",
        "name,time_zone\nAcme,Berlin\n",
        [(2, "time_zone", "an IANA time zone such as Europe/Berlin", "Berlin")],
    ),
    "another organization": (
        "organizations.csv",
        "id,name,time_zone\nother,Other,UTC\n",
        [(2, "id", "acme, the organization that is imported into", "other")],
    ),
    "an event of the console": (
        "audit_log.csv",
        "event_id,occurred_at,actor,action\nhq:7,2026-11-20T08:30:00Z,a,b.c\n",
        [(2, "event_id", "an identifier that does not begin with hq:, which is reserved", "hq:7")],
    ),
    "a line that is no object": (
        "risks.jsonl",
        '{"id": "R", "title": "r"}\n[1]\n\n{"id"\n',
        [(2, "(line)", "a JSON object on one line", "[1]"), (4, "(line)", "a JSON object on one line", '{"id"')],
    ),
}


@pytest.mark.parametrize(("name", "content", "expected"), BAD.values(), ids=BAD)
def test_every_bad_cell_is_named(door, name, content, expected):
    assert door.bad_cells(name, content) == expected


def test_one_bad_cell_keeps_all_files_out(door):
    good = door.file("services.csv", "name,criticality\nShop,5\n")
    bad = door.file("risks.csv", "id,title,impact\nR,r,9\nS,s,0\n")
    with pytest.raises(InvalidData) as caught:
        door.paths(good, bad)
    assert caught.value.message == "Nothing was imported: 2 bad cells in risks.csv; correct them and import again."
    assert door.rows("services", "id") == []
    assert door.store.head("acme").seq == 1


def test_bad_cells_come_in_the_order_of_the_rows(door):
    cells = door.bad_cells("risks.csv", "id,title,impact,status\nR,r,9,opne\nS,,3,open\nT,t,8,open\n")
    assert [(row, column) for row, column, _, _ in cells] == [(2, "impact"), (2, "status"), (3, "title"), (4, "impact")]


def test_a_thousand_bad_cells_are_listed_and_all_are_counted(door):
    path = door.file("risks.csv", "id,title,impact\n" + "".join(f"R{n},r,9\n" for n in range(1500)))
    with pytest.raises(InvalidData) as caught:
        door.paths(path)
    expected = "Nothing was imported: 1,500 bad cells in risks.csv (the first 1,000 are listed); "
    assert caught.value.message == f"{expected}correct them and import again."
    assert [cell["row"] for cell in caught.value.details] == list(range(2, 1002))


def test_a_reference_that_is_nearly_right_is_suggested(door):
    services = door.file("services.csv", "name,criticality\nWeb Shop,5\n")
    profiles = door.file("slo_profiles.csv", "service_id,objective_pct\nweb shop,99\n")
    with pytest.raises(InvalidData) as caught:
        door.paths(services, profiles)
    assert caught.value.details == [
        {
            "file": "slo_profiles.csv",
            "row": 2,
            "column": "service_id",
            "expected": "the id of a row of services, probably web-shop",
            "found": "web shop",
        }
    ]


@pytest.mark.parametrize("content", [b"id,title\nR,\x81\xff\n", "id,title\n".encode("utf-16-le")])
def test_bytes_that_are_no_text_are_refused(door, content):
    message = r"risks\.csv is neither UTF-8 nor Windows-1252 text nor UTF-16 with a byte order mark"
    with pytest.raises(InvalidData, match=message):
        door.text("risks.csv", content)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("vendor.csv", r"vendor\.csv: 'vendor' is not a table that can be imported. Did you mean vendors\? There are "),
        ("vendors.doc", r"vendors\.doc is in no format that can be imported; there are \.csv, \.tsv, "),
        ("heads.csv", r"'heads' is not a table that can be imported"),
    ],
)
def test_a_name_that_is_no_table_or_format_is_wrong_usage(door, name, message):
    with pytest.raises(Usage, match=message):
        door.text(name, "id\n1\n")


def test_a_path_that_does_not_exist_is_wrong_usage(door):
    with pytest.raises(Usage, match="missing does not exist"):
        door.paths(door.folder / "missing")


def test_an_empty_folder_is_wrong_usage(door):
    with pytest.raises(Usage, match="There is nothing to import"):
        door.paths(door.folder)


def test_a_table_in_two_files_is_wrong_usage(door):
    door.file("risks.csv", "id,title\nR,r\n")
    door.file("risks.jsonl", '{"id": "S", "title": "s"}\n')
    with pytest.raises(Usage, match=r"risks\.csv and risks\.jsonl both hold risks"):
        door.paths(door.folder)


def test_files_that_are_no_tables_by_content_are_refused(door):
    for name in ("risks.xlsx", "risks.parquet"):
        with pytest.raises(InvalidData, match=f"{name} is not a"):
            door.text(name, "id,title\n")


def test_a_number_of_the_plan_of_action_is_never_used_again(door):
    head = "id,weakness_key,detected_on,due_on,status,closed_on"
    door.text("poam_items.csv", f"{head}\nV-1,soc2:CC6.1,2026-10-01,2026-12-30,open,\n")
    closed = "V-1,soc2:CC6.1,2026-10-01,2026-12-30,completed,2026-11-20\nV-2,soc2:CC7.1,2026-11-01,2026-12-30,open,\n"
    assert door.counts(door.text("poam_items.csv", f"{head}\n{closed}")) == {"poam_items": (2, 1, 1, 0)}
    wanted = "soc2:CC6.1: V-1 stands for it, and a number is never used again"
    assert door.bad_cells("poam_items.csv", f"{head}\nV-1,FND-9,2026-11-01,2026-12-30,open,\n") == [
        (2, "weakness_key", wanted, "FND-9")
    ]
