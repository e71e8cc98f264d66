"""Two archives of an organization: whether one history continues the other, told by what they carry alone."""

import json
import random
import re
import shutil
from datetime import timedelta
from hashlib import sha256
from itertools import combinations

import pytest

from engine.archives.contents import contents
from engine.archives.contents.windows import days
from engine.archives.sealing.bundles import archive_path, create
from engine.archives.verification import verify
from engine.cli import hq
from engine.model.errors import Conflict
from engine.runtime.heads.installation import sign_installation
from engine.runtime.heads.signed_heads import signed_head
from engine.runtime.keys.key_rotations import rotate_key
from engine.runtime.keys.signing_keys import signing_key
from engine.store.removal.retention import purge_audit_log
from engine.store.types import canonical_json
from tests.archives.histories import (
    Office,
    by_hand,
    files_of,
    restore,
    rewrite,
    seal_again,
    table_rows,
    truncate,
    unpack,
    verify_folder,
    zip_files,
)
from tests.laws import examples

DAY = timedelta(days=1)


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Archives of one report."""
    for name, items in (
        ("FRAMEWORKS", ()),
        ("BUNDLE", (contents.LINEAGE,)),
        ("WORKBOOK", (contents.LINEAGE,)),
        ("MEETING_PACK", (contents.EXCEPTIONS,)),
    ):
        monkeypatch.setattr(contents, name, items)


@pytest.fixture
def office(acme_template, tmp_path):
    shutil.copy(acme_template, tmp_path / "hq.db")
    return Office(tmp_path, f"sqlite:///{tmp_path / 'hq.db'}")


def compare_verdict(one, two):
    """What the script says of two archives."""
    archives = [verify.Archive(path) for path in (one, two)]
    try:
        for archive in archives:
            archive.check()
        return f"ok: {verify.compare(*archives)}"
    except verify.Broken as broken:
        return f"broken: {broken}"
    except verify.Unproven as unproven:
        return f"unproven: {unproven}"


def verdict_of(path):
    """What the script says of one."""
    try:
        verify.Archive(path).check()
    except verify.Broken as broken:
        return f"broken: {broken}"
    return "ok"


@pytest.mark.parametrize("rounds", [1, pytest.param(2, marks=pytest.mark.real)])
def test_an_honest_history_is_told_by_any_two_archives(office, rounds):
    made = []
    for number in range(rounds):
        for kind in ("bundle", "workbook", "committee-meeting-pack"):
            office.write(f"{kind}-{number}-a", f"{kind}-{number}-b")
            made.append(office.hand_over(f"{kind}-{number}.zip", kind))
    for old, new in combinations(made, 2):
        assert compare_verdict(old, new).startswith(f"ok: {new.name} continues the history of {old.name}: ")
        assert compare_verdict(new, old) == compare_verdict(old, new)
    assert compare_verdict(made[0], made[0]) == "ok: bundle-0.zip and bundle-0.zip end at the same event, 3"


@pytest.mark.real
def test_a_machine_with_nothing_of_ours_tells_it_of_an_unpacked_archive(office, tmp_path):
    office.write("a", "b")
    old = office.hand_over("old.zip")
    office.write("c")
    new = office.hand_over("new.zip", "workbook")
    folder = unpack(new, tmp_path / "auditor" / "new")
    code, lines = verify_folder(folder, old)
    assert (code, lines[:3]) == (
        0,
        [
            "ok: workbook of acme, 12 files hold",
            "ok: bundle of acme, 13 files hold",
            "ok: new continues the history of old.zip: its signed head is that of the first 3 events of 5",
        ],
    )
    assert verify_folder(folder, old, new)[0] == 0
    assert verify_folder(folder, tmp_path / "nothing.zip") == (1, [lines[0], "broken: nothing.zip: is not there"])
    shutil.copy(old, folder / "old.zip")  # where a person would put it
    assert verify_folder(folder, "old.zip")[0] == 0


@pytest.mark.real
def test_the_command_checks_the_files_of_each_once(office, monkeypatch, capsys):
    office.write("a")
    archives = [office.hand_over("old.zip"), office.hand_over("new.zip")]
    monkeypatch.setattr(verify.Archive, "digest", None)  # checked before, by the console's own reader
    hq(["verify", *map(str, archives)])
    assert capsys.readouterr().out.splitlines()[-1].startswith("ok: new.zip continues the history of old.zip: ")


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


KINDS = ("bundle bundle", "bundle workbook", "workbook bundle")


@pytest.mark.parametrize(
    ("case", "kinds"),
    [
        pytest.param(case, kinds, marks=[] if (place + number) % len(KINDS) == 0 else [pytest.mark.real])
        for place, case in enumerate(FORGERIES)
        for number, kinds in enumerate(KINDS)
    ],
)
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
    code, lines = verify_folder(unpack(new, tmp_path / "auditor"), old)
    word = lines[-1].partition(":")[0]  # at the archive itself, where its installation knew another event, or compared
    assert (code, word) == (1, "broken") or (kinds, word) == ("bundle workbook", "unproven")
    assert compare_verdict(old, new) == compare_verdict(new, old)


@pytest.mark.real
def test_where_the_histories_part_is_named(office):
    office.write(*(f"e{n}" for n in range(8)))
    old = office.hand_over("old.zip")
    truncate(office, 4)
    office.write(*(f"new{n}" for n in range(9)))
    new = office.hand_over("new.zip")
    assert compare_verdict(old, new) == (
        "broken: history: new.zip does not continue old.zip, which ends at event 9: they differ from event 5 on. One of "
        "the two was rewritten"
    )


@pytest.mark.real
def test_a_seal_that_is_not_named_any_more_was_removed(office):
    """Its window does not reach back, so that the list of seals alone tells."""
    office.write("a", "b")
    old = office.hand_over("old.zip", window="1d")
    by_hand(office, "DELETE FROM bundles", "DELETE FROM bundle_files")
    office.now += 30 * DAY
    office.write("c")
    new = office.hand_over("new.zip", window="1d")
    assert (
        compare_verdict(old, new)
        == "broken: new.zip: does not name old.zip, sealed at event 3, among the earlier seals"
    )


@pytest.mark.real
def test_archives_of_two_organizations_are_not_compared(office, tmp_path):
    (tmp_path / "second").mkdir()
    shutil.copy(tmp_path / "hq.db", tmp_path / "second" / "hq.db")
    office.write("a")
    one = office.hand_over("one.zip", "workbook")
    second = Office(tmp_path / "second", f"sqlite:///{tmp_path / 'second' / 'hq.db'}")
    two = second.hand_over("two.zip", "workbook")
    verdict = compare_verdict(one, two)
    assert verdict.startswith("broken: archives: are signed with different keys, and neither took the other's place: ")


# -- what is sealed, and what is not


def test_nothing_is_sealed_below_an_earlier_seal(office):
    office.write(*(f"e{n}" for n in range(8)))
    office.hand_over("old.zip")
    with office.open_services() as services:
        (bundle,) = [path.stem for path in archive_path(services.settings, "acme", "x").parent.glob("*.zip")]
    rows = table_rows(office, "bundles"), table_rows(office, "bundle_files")
    truncate(office, 4)
    restore(office, *rows)
    with office.open_services() as services, pytest.raises(Conflict) as refused:
        create(services, "acme", "owner@acme.example", days("7d"), now=office.now)
    assert (refused.value.word, refused.value.message) == (
        "below_earlier_seal",
        f"The bundle {bundle} was sealed at event 9, and the history ends at event 4: events were removed. Nothing is "
        "sealed over that: run `hq verify --org acme`.",
    )
    office.write(*(f"new{n}" for n in range(9)))
    with office.open_services() as services, pytest.raises(Conflict) as refused:
        create(services, "acme", "owner@acme.example", days("7d"), now=office.now)
    assert refused.value.word == "seal_not_on_chain"
    assert refused.value.message.startswith(f"The bundle {bundle} was sealed at event 9 with the hash ")


@pytest.mark.real
def test_no_pack_is_made_over_a_history_that_an_earlier_one_is_not_of(office):
    office.write("a", "b")
    office.hand_over("old.zip", "workbook")
    rows = table_rows(office, "archive_heads")
    rewrite(office, "a", "eve")
    restore(office, rows)
    office.write("c")
    with pytest.raises(Conflict) as refused:
        office.hand_over("new.zip", "committee-meeting-pack")
    assert (refused.value.word, refused.value.message) == (
        "history_broken",
        "The first 3 events of acme are others than those that a workbook or pack was made at: run "
        "`hq verify --org acme`.",
    )


# -- keys


@pytest.mark.real
def test_an_archive_of_the_next_key_continues_one_of_the_key_before(office, tmp_path):
    office.write("a")
    old = office.hand_over("old.zip")
    with office.open_services() as services:
        rotate_key(services.settings.signing_key_path, now=office.now)
        key = signing_key(services.settings.signing_key_path)
    same = office.hand_over("same.zip", "workbook")  # at the head that the old key signed, but for the seal's own event
    office.write("b")
    new = office.hand_over("new.zip")
    assert [compare_verdict(one, two)[:3] for one, two in combinations((old, same, new), 2)] == ["ok:"] * 3
    assert verify_folder(unpack(new, tmp_path / "new"), old)[0] == 0
    files = files_of(new)
    assert files["key_rotations.txt"].startswith(b"hq/signing-key\nfrom ")
    alone = seal_again({name: data for name, data in files.items() if name != "key_rotations.txt"}, key)
    without = zip_files(alone, tmp_path, tmp_path / "without.zip")
    assert verdict_of(without).startswith("broken: heads.json: has no signature of its key under hq/acme")
    proofs = {**json.loads(files["heads.json"]), "seals": []}
    alone |= {"heads.json": f"{canonical_json(proofs)}\n".encode()}
    without = zip_files(seal_again(alone, key), tmp_path, tmp_path / "without.zip")
    assert verdict_of(without) == "ok"
    assert compare_verdict(old, without).startswith(
        "broken: archives: are signed with different keys, and neither took the other's"
    )


# -- archives from before there were heads


def older(office, path, tmp_path):
    """The newest bundle as it would be without a head: its files, its row, its archive."""
    with office.open_services() as services:
        key = signing_key(services.settings.signing_key_path)
        folder = archive_path(services.settings, "acme", "x").parent
    files = {name: data for name, data in files_of(path).items() if name not in ("head.txt", "heads.json")}
    made = zip_files(seal_again(files, key), tmp_path, tmp_path / "older.zip")
    (stored,) = folder.glob("*.zip")
    shutil.move(made, path)
    stored.unlink()
    shutil.copy(path, stored)
    sums = [sha256(data).hexdigest() for data in (path.read_bytes(), files_of(path)["manifest.json"])]
    by_hand(office, ("UPDATE bundles SET head = NULL, before = NULL, archive_sha256 = ?, manifest_sha256 = ?", sums))


@pytest.mark.real
def test_an_archive_without_a_head_holds_by_itself_and_is_compared_by_the_hash_of_its_last_event(office, tmp_path):
    office.write("a", "b")
    old = office.hand_over("old.zip", window="1d")
    older(office, old, tmp_path)
    office.now += 30 * DAY
    office.write("c")
    new = office.hand_over("new.zip", window="1d")
    assert verdict_of(old) == "ok"
    text = "ok: new.zip continues the history of old.zip: the hash of its last event is that of event 3 of 5"
    assert compare_verdict(old, new) == text
    assert verify_folder(unpack(new, tmp_path / "new"), old)[0] == 0
    rewrite(office, "a", "eve")
    by_hand(office, "DELETE FROM bundles", "DELETE FROM bundle_files")
    later = office.hand_over("later.zip", window="730d")
    assert compare_verdict(old, later).startswith("broken: history: later.zip does not continue old.zip")
    office.now += 30 * DAY
    office.write("d")
    assert compare_verdict(old, office.hand_over("workbook.zip", "workbook")).startswith(
        "unproven: workbook.zip has nothing about "
    )


# -- what is changed by somebody with the signing key


@pytest.mark.parametrize(
    ("of_head", "of_proofs"), [(12, 30), pytest.param(examples(150), examples(1000), marks=pytest.mark.real)]
)
def test_every_change_of_a_head_or_a_proof_is_found_though_the_archive_was_signed_again(
    office, tmp_path, of_head, of_proofs
):
    """Others in each run: the seed is part of what is said where one is not found."""
    for number in range(3):
        office.write(f"a{number}", f"b{number}")
        office.hand_over("workbook.zip", "workbook")
        office.hand_over("bundle.zip", window="1d")
    with office.open_services() as services:
        key = signing_key(services.settings.signing_key_path)
    files = files_of(office.handed / "bundle.zip")
    seed = random.SystemRandom().randrange(2**32)
    drawn = random.Random(seed)
    unproved = re.compile(
        rb'"bundle":"[^"]*"|"manifest_sha256":"[^"]*"'
    )  # names, which the other archive is held against
    names = {place for match in unproved.finditer(files["heads.json"]) for place in range(*match.span())}
    for name, count in (("head.txt", of_head), ("heads.json", of_proofs)):
        places = [place for place in range(len(files[name])) if name == "head.txt" or place not in names]
        for place in drawn.sample(places, min(count, len(places))):
            data = bytearray(files[name])
            data[place] ^= drawn.randrange(1, 256)
            folder = tmp_path / "forged"
            folder.mkdir(exist_ok=True)
            for file, content in seal_again({**files, name: bytes(data)}, key).items():
                (folder / file).write_bytes(content)
            said = verdict_of(folder)
            around = bytes(data)[max(0, place - 40) : place + 40]
            assert said.startswith(f"broken: {name}: "), (seed, name, place, around, said)


@pytest.mark.real
def test_what_is_left_out_of_the_proofs_is_found_by_the_other_archive(office, tmp_path):
    office.write("a")
    old = office.hand_over("old.zip", window="1d")
    office.now += 30 * DAY
    office.write("b")
    new = office.hand_over("new.zip", window="1d")
    with office.open_services() as services:
        key = signing_key(services.settings.signing_key_path)
    files = files_of(new)
    proofs = json.loads(files["heads.json"])
    for name in ("seals", "heads"):
        proofs[name] = []
    files["heads.json"] = f"{canonical_json(proofs)}\n".encode()
    forged = zip_files(seal_again(files, key), tmp_path, tmp_path / "forged.zip")
    assert verdict_of(forged) == "ok"
    assert (
        compare_verdict(old, forged)
        == "broken: forged.zip: does not name old.zip, sealed at event 2, among the earlier seals"
    )


@pytest.mark.real
def test_a_seal_stays_on_the_chain_after_retention_took_its_event(office):
    office.write(*(f"e{n}" for n in range(8)))
    office.hand_over("old.zip")
    office.now += 30 * DAY
    office.write("late")
    with office.open_services() as services, services.store.revision("acme", "retention", now=office.now) as revision:
        purge_audit_log(revision, office.now - DAY)
    office.hand_over("new.zip")
    assert compare_verdict(office.handed / "old.zip", office.handed / "new.zip").startswith("ok: ")


def test_what_was_rewritten_with_the_tree_over_all_is_found_by_an_archive_outside(office, capfd, monkeypatch):
    office.write("e1", "e2")
    archive = office.hand_over("old.zip")
    monkeypatch.setenv("SVC_DATA_DIR", str(office.folder / "var"))
    monkeypatch.setenv("SVC_DATABASE_URL", office.url)

    def verdict():
        code = 0
        try:
            hq(["verify", "--all", str(archive)])
        except SystemExit as end:
            code = end.code or 0
        broken = [line for line in capfd.readouterr().out.splitlines() if line.startswith("broken: installation")]
        return code, broken

    assert verdict() == (0, [])
    rewrite(office, "e1", "bob")
    by_hand(office, "DELETE FROM installation_commitments", "DELETE FROM installation_heads")
    code, (whole, own) = verdict()
    assert code == 1
    assert whole.startswith("broken: installation: installation.txt of old.zip is of 1 commitments to organizations, ")
    assert own.startswith("broken: installation: head.txt of old.zip is of ")
    with office.open_services() as services:
        signed_head(services, "acme", now=office.now)
        sign_installation(services, now=office.now)
    code, problems = verdict()
    assert (code, [problem.partition(" has another root")[0] for problem in problems]) == (
        1,
        ["broken: installation: installation.txt of old.zip", "broken: installation: head.txt of old.zip"],
    )
