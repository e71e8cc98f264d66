"""A copy that can only be read: what looks works and says the same, what writes says in a sentence that it cannot."""

import os
import shutil
import sqlite3
import subprocess
import tempfile
from contextlib import closing
from pathlib import Path

import pytest
from alembic import command
from alembic.config import Config
from sqlalchemy import create_engine

from engine.store import Store
from engine.store.database.migrations import FOLDER, latest
from engine.store.schema.organizations import memberships, organization_frameworks
from tests.conftest import NOW
from tests.faults.commands import as_nobody, as_owner

pytestmark = pytest.mark.real

READ_ONLY = "hq: The operational store is read-only: nothing can be written. "
LOOKS = (
    ("verify", "--org", "acme"),
    ("report", "posture-score", "--format", "csv"),
    ("report", "summary"),
    ("explain", "program", "gaps_open", "--format", "csv"),
    ("figures", "--format", "csv"),
)


@pytest.fixture
def folder():
    """A folder that everybody may enter, unlike those that pytest makes."""
    made = Path(tempfile.mkdtemp(prefix="hq-faults-"))
    made.chmod(0o755)
    yield made
    for path in (made, *made.rglob("*")):
        if path.is_dir():
            path.chmod(0o755)
    shutil.rmtree(made)


@pytest.fixture
def data(folder, acme_template):
    """A data folder with a small store."""
    (folder / "var").mkdir()
    shutil.copy(acme_template, folder / "var" / "hq.db")
    store = Store(f"sqlite:///{folder}/var/hq.db")
    with store.revision("acme", "setup", now=NOW) as revision:
        revision.insert(memberships, [{"email": "ann@acme.example", "role": "owner"}])
        revision.insert(organization_frameworks, [{"framework": "soc2"}])
        revision.record("organization.prepared")
    store.close()
    return folder / "var"


def hand_over(data):
    """Everybody may read it, nobody may write it."""
    for path in (*data.rglob("*"), data):
        path.chmod(0o555 if path.is_dir() else 0o444)


def file_times(data):
    return {path.relative_to(data).as_posix(): path.stat().st_mtime_ns for path in data.rglob("*")}


def plain(answers):
    return [(code, out) for code, out, _ in answers]


def test_what_looks_works_on_a_copy_of_another_owner_and_says_the_same(data, folder):
    shutil.copytree(data, folder / "mine")
    (folder / "mine").chmod(0o777)
    (folder / "mine" / "hq.db").chmod(0o666)
    hand_over(data)
    before = file_times(data)
    answers = as_nobody(data, *LOOKS, ("export", folder / "mine" / "site"), ("config",), ("tables",), ("migrate",))
    assert file_times(data) == before
    assert [code for code, _, _ in answers] == [0] * len(answers)
    assert answers[0][1].startswith("ok: acme, events 1 to 2 hold")
    assert answers[-1][1] == f"already at {latest()}\n"
    assert not any("Traceback" in err for _, _, err in answers)
    assert len(list((folder / "mine" / "site").glob("*.html"))) > 10
    shutil.rmtree(folder / "mine" / "site")
    assert plain(as_nobody(folder / "mine", *LOOKS)) == plain(answers[: len(LOOKS)])


def test_what_writes_is_told_that_it_cannot(data):
    hand_over(data)
    (data.parent / "memberships.csv").write_text("email;role\nbob@acme.example;member\n")
    (data.parent / "memberships.csv").chmod(0o444)
    answers = as_nobody(
        data,
        ("import", data.parent / "memberships.csv", "--org", "acme"),
        ("scheduler",),
        ("endpoints", "--chat", "#compliance"),
        ("session", "--email", "ann@acme.example"),
        ("build", "--jobs", "1"),
    )
    assert [code for code, _, _ in answers] == [1] * len(answers)
    said = [err.splitlines()[-1] for _, _, err in answers]
    assert [line.startswith(READ_ONLY) for line in said] == [True] * 3 + [False] * 2
    assert said[3].startswith("hq: The secret that signs sessions cannot be read or made: the account that runs the ")
    assert "acme: Reports cannot be kept: the account that runs the console may not" in said[4]
    assert not any("Traceback" in err for _, _, err in answers)


def downgrade(data, target):
    engine, config = create_engine(f"sqlite:///{data}/hq.db"), Config()
    config.set_main_option("script_location", str(FOLDER))
    config.set_main_option("path_separator", "os")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.downgrade(config, target)
    engine.dispose()


def test_a_copy_of_an_earlier_version_is_not_migrated_and_says_so(data):
    downgrade(data, "0020")
    hand_over(data)
    before = file_times(data)
    ((code, out, err),) = as_nobody(data, ("verify", "--org", "acme"))
    assert (code, out, file_times(data) == before) == (1, "", True)
    assert f"hq: The store can only be read and is at 0020, {latest()} is expected: copy it to a folder that" in err


def test_a_log_beside_the_copy_counts_or_is_named(data):
    """Copied while the console ran: the newest events stand in the write-ahead log."""
    with closing(sqlite3.connect(data / "hq.db", isolation_level=None)) as held:
        held.execute("SELECT count(*) FROM heads").fetchone()
        store = Store(f"sqlite:///{data}/hq.db")
        store.write("acme", "ann", lambda revision: revision.record("note.added"), now=NOW)
        copy = data.parent / "copy"
        shutil.copytree(data, copy)
        store.close()
    assert (copy / "hq.db-wal").stat().st_size > 0
    hand_over(copy)
    ((code, out, _),) = as_nobody(copy, ("verify", "--org", "acme"))
    assert (code, out.startswith("ok: acme, events 1 to 3 hold")) == (0, True)
    copy.chmod(0o755)
    (copy / "hq.db-shm").unlink()
    copy.chmod(0o555)
    ((code, out, err),) = as_nobody(copy, ("verify", "--org", "acme"))
    assert (code, out) == (1, "")
    assert "is a read-only copy with a write-ahead log (-wal) that is not folded in" in err.splitlines()[-1]


@pytest.mark.parametrize(("mode", "of"), [(0o000, "hq.db"), (0o000, ".")])
def test_what_nobody_may_open_is_said(mode, of, data):
    hand_over(data)
    (data / of).chmod(mode)
    if os.getuid() == 0:
        ((code, out, err),) = as_nobody(data, ("verify", "--org", "acme"))
        assert (code, out, "Traceback" in err) == (1, "", False)
        assert "hq: The account that runs the console may not use the operational store: give it" in err


def test_a_read_only_mount_is_read_too(data):
    try:
        subprocess.run(["mount", "--bind", "-o", "ro", data, data], check=True, capture_output=True)
        subprocess.run(["mount", "-o", "remount,bind,ro", data], check=True, capture_output=True)
    except (subprocess.CalledProcessError, FileNotFoundError):
        pytest.skip("nothing can be mounted here; the test of permissions holds the same")
    try:
        looked, wrote = as_owner(data, ("verify", "--org", "acme"), ("endpoints", "--chat", "#compliance"))
    finally:
        subprocess.run(["umount", data], check=True)
    assert (looked[0], looked[1].startswith("ok: acme")) == (0, True)
    assert (wrote[0], wrote[2].splitlines()[-1].startswith(READ_ONLY)) == (1, True)
