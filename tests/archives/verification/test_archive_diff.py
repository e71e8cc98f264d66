"""Two archives are compared from the two files alone: figures, rows, and the events of the newer one that did it."""

from datetime import date
from hashlib import sha256

import msgspec
import pytest
from click.testing import CliRunner

from engine.archives.sealing.manifest import EventRange, ManifestRevision
from engine.archives.verification.archive_diff import compare_archives
from engine.cli.reports.differences import diff
from engine.model.errors import BadRequest
from reports import CATALOGUE
from tests.archives.conftest import chain

FIGURES = CATALOGUE["posture-score"].figures
LATER = date(2026, 11, 20)


def event(seq, action, **more):
    return msgspec.json.encode(
        {
            "action": action,
            "actor": "ann",
            "controls": None,
            "details": None,
            "event_id": f"e{seq}",
            "object_id": None,
            "object_type": None,
            "occurred_at": "2026-11-03T08:00:00.000000Z",
            "org_id": "acme",
            "outcome": "success",
            "recorded_at": "2026-11-03T08:00:00.000000Z",
            "revision": seq,
            "seq": seq,
            "workspace_id": None,
            **more,
        }
    )


EVENTS = [
    event(1, "a.b"),
    event(2, "a.b"),
    event(3, "control.tested", controls="soc2:CC6.1"),
    event(4, "vendor.reviewed", object_id="v1"),
]
GAPS = b"framework,control_id,state,due_on\r\nsoc2,%b\r\n"
OLD = {
    "open_gaps.csv": GAPS % b"CC6.1,stale,2026-12-01",
    "vendors.csv": b"id,name\r\nv1,Northwind\r\n",
    "posture.json": b'{"summary":{"posture_score":61.2}}\n',
    "gone.csv": b"id\r\n1\r\n",
}
NEW = {
    "open_gaps.csv": GAPS % b"CC6.1,ineffective,2026-12-01",
    "vendors.csv": b"id,name\r\nv1,Northwind Ltd\r\n",
    "posture.json": b'{"summary":{"posture_score":54.9}}\n',
}


def seal_log(make, name, files, events, *, first=1, **about):
    log, head = chain(*events)
    last = first + len(events) - 1
    about = {"events": EventRange(len(events), first, last), "revision": ManifestRevision(last, head), **about}
    return make(name, {**files, "audit_log.jsonl": log}, **about).path


@pytest.fixture
def two(make):
    old = seal_log(make, "old.zip", OLD, EVENTS[:2], as_of=date(2026, 11, 1))
    return old, seal_log(make, "new.zip", NEW, EVENTS, as_of=LATER)


def test_figures_rows_and_events_are_told_from_the_two_files(two):
    document = compare_archives(*two, FIGURES).document
    assert document.headline == (
        "From 1 Nov 2026 to 20 Nov 2026, posture_score went down by 6.3 points, from 61.2 to 54.9."
    ).replace("posture_score", "Posture score")
    rows = document.table("open_gaps_rows").frame
    assert rows.select("change", "row", "what", "event_ids").rows() == [
        ("changed", "SOC 2, CC6.1", "State: stale → ineffective", ["e3"])
    ]
    assert document.table("vendors_rows").frame["event_ids"].to_list() == [["e4"]]
    assert document.warnings == ["Only the older archive has gone.csv."]


def test_events_count_by_rules_of_ones_own_that_the_newer_archive_holds(make):
    rules = b"pattern,outcome,framework,control_id,effect,family,note\r\ndoor.*,any,annex,A.1,supports,,\r\n"
    gaps = b"framework,control_id,state\r\nannex,A.1,%b\r\n"
    files = {"organization_rules.csv": rules}
    old = seal_log(make, "old.zip", {**files, "open_gaps.csv": gaps % b"no_data"}, EVENTS[:2], as_of=date(2026, 11, 1))
    events = [*EVENTS[:2], event(3, "door.locked"), event(4, "window.locked")]
    new = seal_log(make, "new.zip", {**files, "open_gaps.csv": gaps % b"partial"}, events, as_of=LATER)
    rows = compare_archives(old, new, FIGURES).document.table("open_gaps_rows").frame
    assert rows["event_ids"].to_list() == [["e3"]]


def test_an_archive_does_not_differ_from_itself(two):
    document = compare_archives(two[1], two[1], FIGURES).document
    assert document.headline == "From 20 Nov 2026 to 20 Nov 2026, nothing changed."


def test_events_that_the_newer_archive_does_not_hold_are_said(make, two):
    late = seal_log(make, "late.zip", NEW, EVENTS[3:], first=4, as_of=LATER)
    assert compare_archives(two[0], late, FIGURES).document.warnings[0] == (
        "The newer archive does not hold the events 3 to 3: causes among them are not told."
    )


@pytest.mark.parametrize("break_it", ["order", "organization", "kind", "bytes"])
def test_what_cannot_be_compared_is_said(make, two, break_it):
    old, new = two
    if break_it == "order":
        with pytest.raises(BadRequest, match=r"^Name the older archive first: new.zip is of revision 4 on 2026-11-20"):
            compare_archives(new, old, FIGURES)
    elif break_it == "organization":
        other = seal_log(make, "other.zip", NEW, EVENTS, kind="workbook")
        with pytest.raises(BadRequest, match=r"^Two archives of one organization and kind are compared; got a bundle"):
            compare_archives(old, other, FIGURES)
    elif break_it == "kind":
        packs = [seal_log(make, name, {}, EVENTS, kind="evidence-pack") for name in ("one.zip", "other.zip")]
        with pytest.raises(BadRequest, match=r"^An evidence pack holds events and files, and no reports to compare"):
            compare_archives(*packs, FIGURES)
    else:
        new.write_bytes(new.read_bytes()[:-40] + b"x" * 40)
        with pytest.raises(BadRequest, match=r"^new.zip is broken: .* Nothing is compared with it.$"):
            compare_archives(old, new, FIGURES)


def test_the_command_prints_the_same_bytes_for_the_same_archives(two):
    runs = [CliRunner().invoke(diff, [*map(str, two), "--format", "md"]) for _ in range(2)]
    assert [run.exit_code for run in runs] == [0, 0]
    assert len({sha256(run.stdout_bytes).hexdigest() for run in runs}) == 1
    assert runs[0].stdout.startswith("# What changed between two bundles\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["a.zip", "b.zip", "--from", "2026-11-01"],
            "Two archives say themselves of whom and of which days they are: give --format alone.",
        ),
        (["a.zip", "b.zip", "--format", "ics"], "--format must be one of json, csv, html, md, xlsx; got 'ics'."),
        (["a", "b", "c"], "Name one report or two archives; got 3 names."),
        (["posture-score"], "Say from which day on, with --from YYYY-MM-DD."),
        (["a.zip", "b.zip"], "a.zip cannot be read: No such file or directory."),
    ],
)
def test_wrong_usage_is_said(arguments, message):
    assert str(CliRunner().invoke(diff, arguments).exception) == message
