"""Two archives of an organization: whether one history continues the other, told by what they carry alone."""

import shutil
from datetime import timedelta
from itertools import combinations

import pytest

from engine.archives import contents, verify
from engine.archives.bundles import archive_path, create
from engine.archives.windows import days
from engine.model.errors import Conflict
from engine.store.retention import purge_audit_log
from tests.archives.histories import Office, by_hand, kept, restore, rewrite, truncate, unpacked, verified

DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Archives of one report."""
    for name, items in (("FRAMEWORKS", ()), ("BUNDLE", (contents.LINEAGE,)), ("WORKBOOK", (contents.LINEAGE,)),
                        ("MEETING_PACK", (contents.EXCEPTIONS,))):  # fmt: skip
        monkeypatch.setattr(contents, name, items)


@pytest.fixture
def office(acme_template, tmp_path):
    shutil.copy(acme_template, tmp_path / "hq.db")
    return Office(tmp_path, f"sqlite:///{tmp_path / 'hq.db'}")


def told(one, two):
    """What the script says of two archives."""
    archives = [verify.Archive(path) for path in (one, two)]
    for archive in archives:
        archive.check()
    try:
        return f"ok: {verify.compare(*archives)}"
    except verify.Broken as broken:
        return f"broken: {broken}"
    except verify.Unproven as unproven:
        return f"unproven: {unproven}"


def test_an_honest_history_is_told_by_any_two_archives(office):
    made = []
    for number in range(2):
        for kind in ("bundle", "workbook", "committee-meeting-pack"):
            office.write(f"{kind}-{number}-a", f"{kind}-{number}-b")
            made.append(office.hand_over(f"{kind}-{number}.zip", kind))
    for old, new in combinations(made, 2):
        assert told(old, new).startswith(f"ok: {new.name} continues the history of {old.name}: ")
        assert told(new, old) == told(old, new)
    assert told(made[0], made[0]) == "ok: bundle-0.zip and bundle-0.zip end at the same event, 3"


def test_a_machine_with_nothing_of_ours_tells_it_of_an_unpacked_archive(office, tmp_path):
    office.write("a", "b")
    old = office.hand_over("old.zip")
    office.write("c")
    new = office.hand_over("new.zip", "workbook")
    folder = unpacked(new, tmp_path / "auditor" / "new")
    code, lines = verified(folder, old)
    assert (code, lines[:3]) == (0, [
        "ok: workbook of acme, 10 files hold",
        "ok: bundle of acme, 11 files hold",
        "ok: new continues the history of old.zip: its signed head is that of the first 3 of 5 events",
    ])  # fmt: skip
    assert verified(folder, old, new)[0] == 0
    assert verified(folder, tmp_path / "nothing.zip") == (1, [lines[0], "broken: nothing.zip: is not there"])
    shutil.copy(old, folder / "old.zip")  # where a person would put it
    assert verified(folder, "old.zip")[0] == 0


# the later archive is made by the honest code with the signing key, after somebody with the database was at it
FORGERIES = {
    "the tail was removed, and as many events came again": (lambda office: truncate(office, 4), 5),
    "the tail was removed, and the seal lies below": (lambda office: truncate(office, 4), 1),
    "the tail was removed, and nothing came": (lambda office: truncate(office, 4), 0),
    "the tail was removed, and more events came": (lambda office: truncate(office, 4), 9),
    "all but the beginning was removed": (lambda office: truncate(office, 1), 30),
    "an event was rewritten and all after it hashed anew": (lambda office: rewrite(office, "e2", "eve"), 0),
    "an event was rewritten, and more came": (lambda office: rewrite(office, "e2", "eve"), 3),
}


@pytest.mark.parametrize("kinds", ["bundle bundle", "bundle workbook", "workbook bundle"])
@pytest.mark.parametrize("case", FORGERIES)
def test_a_history_that_was_rewritten_between_two_archives_is_found(case, kinds, office, tmp_path):
    forge, count = FORGERIES[case]
    first, second = kinds.split()
    office.write(*(f"e{n}" for n in range(8)))
    old = office.hand_over("old.zip", first)
    forge(office)
    by_hand(office, "DELETE FROM bundles", "DELETE FROM bundle_files")
    office.now += 5 * DAY
    office.write(*(f"new{n}" for n in range(count)))
    new = office.hand_over("new.zip", second)
    code, lines = verified(unpacked(new, tmp_path / "auditor"), old)
    word = lines[2].partition(":")[0]
    assert (code, word) == (1, "broken") or (kinds, word) == ("bundle workbook", "unproven")
    assert told(old, new) == told(new, old)


def test_where_the_histories_part_is_named(office):
    office.write(*(f"e{n}" for n in range(8)))
    old = office.hand_over("old.zip")
    truncate(office, 4)
    office.write(*(f"new{n}" for n in range(9)))
    new = office.hand_over("new.zip")
    assert told(old, new) == (
        "broken: history: new.zip does not continue old.zip, which ends at event 9: they differ from event 5 on. One of "
        "the two was rewritten"
    )


def test_a_seal_that_is_not_named_any_more_was_removed(office):
    """Its window does not reach back, so that the list of seals alone tells."""
    office.write("a", "b")
    old = office.hand_over("old.zip", window="1d")
    by_hand(office, "DELETE FROM bundles", "DELETE FROM bundle_files")
    office.now += 30 * DAY
    office.write("c")
    new = office.hand_over("new.zip", window="1d")
    assert told(old, new) == "broken: new.zip: does not name old.zip, sealed at event 3, among the earlier seals"


def test_archives_of_two_organizations_are_not_compared(office, tmp_path):
    office.write("a")
    one = office.hand_over("one.zip", "workbook")
    (tmp_path / "second").mkdir()
    shutil.copy(tmp_path / "hq.db", tmp_path / "second" / "hq.db")
    second = Office(tmp_path / "second", f"sqlite:///{tmp_path / 'second' / 'hq.db'}")
    two = second.hand_over("two.zip", "workbook")
    said = told(one, two)
    assert said.startswith(
        "broken: archives: are signed with different keys, and neither took the other's place: one.zip"
    )


# -- what is sealed, and what is not


def test_nothing_is_sealed_below_an_earlier_seal(office):
    office.write(*(f"e{n}" for n in range(8)))
    office.hand_over("old.zip")
    with office.opened() as services:
        (bundle,) = [path.stem for path in archive_path(services.settings, "acme", "x").parent.glob("*.zip")]
    rows = kept(office, "bundles"), kept(office, "bundle_files")
    truncate(office, 4)
    restore(office, *rows)
    with office.opened() as services, pytest.raises(Conflict) as refused:
        create(services, "acme", "owner@acme.example", days("7d"), now=office.now)
    assert (refused.value.word, refused.value.message) == (
        "below_earlier_seal",
        f"The bundle {bundle} was sealed at event 9, and the history ends at event 4: events were removed. Nothing is "
        "sealed over that: run `hq verify --org acme`.",
    )
    office.write(*(f"new{n}" for n in range(9)))
    with office.opened() as services, pytest.raises(Conflict) as refused:
        create(services, "acme", "owner@acme.example", days("7d"), now=office.now)
    assert refused.value.word == "seal_not_on_chain"
    assert refused.value.message.startswith(f"The bundle {bundle} was sealed at event 9 with the hash ")


def test_a_seal_stays_on_the_chain_after_retention_took_its_event(office):
    office.write(*(f"e{n}" for n in range(8)))
    office.hand_over("old.zip")
    office.now += 30 * DAY
    office.write("late")
    with office.opened() as services, services.store.revision("acme", "retention", now=office.now) as revision:
        purge_audit_log(revision, office.now - DAY)
    office.hand_over("new.zip")
    assert told(office.handed / "old.zip", office.handed / "new.zip").startswith("ok: ")
