"""``hq verify --org``: the archive of every seal is the one that was sealed, and no seal is missing."""

import shutil

import pytest

from engine.archives.contents import contents
from engine.archives.sealing.bundles import archive_path
from engine.cli import hq
from engine.store.schema.outputs import bundles
from tests.archives.histories import Office, by_hand
from tests.whole_checks import seals_of


@pytest.fixture(autouse=True)
def few(monkeypatch):
    """Archives of one report."""
    monkeypatch.setattr(contents, "FRAMEWORKS", ())
    monkeypatch.setattr(contents, "BUNDLE", (contents.LINEAGE,))


@pytest.fixture
def office(acme_template, tmp_path):
    (tmp_path / "var").mkdir()
    shutil.copy(acme_template, tmp_path / "var" / "hq.db")
    made = Office(tmp_path, f"sqlite:///{tmp_path / 'var' / 'hq.db'}")
    made.write("a", "b")
    made.hand_over("one.zip")
    made.write("c")
    made.hand_over("two.zip")
    return made


@pytest.fixture
def verify_output(office, monkeypatch, capfd):
    """``verify_output()`` is the exit code and the lines of ``hq verify --org acme``."""
    monkeypatch.setenv("SVC_DATA_DIR", str(office.folder / "var"))

    def run():
        code = 0
        try:
            hq(["verify", "--org", "acme"])
        except SystemExit as end:
            code = end.code or 0
        return code, capfd.readouterr().out.splitlines()

    return run


def archive_paths(office):
    """The two archives in the order of their seals."""
    with office.open_services() as services:
        folder = archive_path(services.settings, "acme", "x").parent
    paths = sorted(folder.glob("*.zip"), key=lambda path: path.stat().st_size)
    for path in paths:
        path.chmod(0o600)
    return paths


@pytest.mark.real
def test_two_seals_hold(office, verify_output):
    code, lines = verify_output()
    assert (code, lines[-1]) == (0, "2 archives are as they were sealed")


def test_an_organization_without_seals_has_none_to_check(acme_template, tmp_path):
    shutil.copy(acme_template, tmp_path / "hq.db")
    with Office(tmp_path, f"sqlite:///{tmp_path / 'hq.db'}").open_services() as services:
        told = []
        check = seals_of(services, "acme", lambda done, total: told.append((done, total)))
    assert (check.seals, check.problem, told) == (0, None, [])


@pytest.mark.real
def test_a_swapped_archive_is_named(office, verify_output):
    one, two = archive_paths(office)
    two.write_bytes(one.read_bytes())
    code, lines = verify_output()
    assert code == 1
    assert lines[-1].startswith(
        f"broken: acme: the archive of the bundle {two.stem} is not the file that was sealed, it was replaced by another "
        "one, a bundle of acme at event 3; expected SHA-256 "
    )


@pytest.mark.real
def test_a_changed_archive_is_named_with_what_was_changed(office, verify_output):
    one, _ = archive_paths(office)
    one.write_bytes(one.read_bytes()[:-1])
    code, lines = verify_output()
    assert code == 1
    assert lines[-1].startswith(
        f"broken: acme: the archive of the bundle {one.stem} is not the file that was sealed, it was changed: archive: "
        "does not end with its directory"
    )


@pytest.mark.real
def test_a_missing_archive_is_named(office, verify_output):
    one, _ = archive_paths(office)
    one.unlink()
    assert verify_output() == (
        1,
        [f"broken: acme: the archive of the bundle {one.stem} cannot be read: No such file or directory: {one}"],
    )


@pytest.mark.real
def test_a_removed_seal_is_named_by_its_event_its_archive_and_the_change_log(office, verify_output):
    _, two = archive_paths(office)
    by_hand(office, f"DELETE FROM bundles WHERE id = '{two.stem}'")
    code, lines = verify_output()
    assert code == 1
    assert f"broken: acme: the bundle {two.stem} is in the bundle folder and not on record" in lines
    two.unlink()
    assert verify_output()[1][0].startswith(f"broken: acme: the bundle {two.stem} that event ")
    with office.open_services() as services:
        check = services.store.verify_rows("acme")
    assert check.problem.startswith(f'bundles ["{two.stem}"] is missing; revision ')


@pytest.mark.real
def test_a_record_of_a_seal_that_was_written_over_is_named_by_what_its_event_says(office, verify_output):
    """By an import, say: the change log and the chain hold, as it is a write like others."""
    _, two = archive_paths(office)
    with (
        office.open_services() as services,
        services.store.revision("acme", "amy@acme.example", now=office.now) as revision,
    ):
        revision.update(bundles, {"id": two.stem}, {"merkle_root": "0" * 64})
        revision.record("import.completed")
    code, lines = verify_output()
    named = f"broken: acme: the record of the bundle {two.stem} is not that of its seal: event "
    assert (code, len(lines)) == (1, 1)
    assert lines[0].startswith(named)
    assert " names another merkle_root: " in lines[0]
