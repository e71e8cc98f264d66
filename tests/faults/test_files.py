"""The n-th file call fails, for every n: a clear error, nothing half, and afterwards the same goes through."""

import errno
import os
from datetime import date

import pytest

from engine.delivery.secret_keys import SecretKeys
from engine.model.documents.document import Position
from engine.replica.replica import Replica
from engine.reporting.artifacts.artifact_names import Name
from engine.reporting.artifacts.artifacts import Artifacts
from engine.reporting.site import write_site
from engine.reporting.snapshot.snapshots import Snapshots
from engine.runtime.keys.signing_keys import signing_key
from engine.runtime.settings import Settings
from engine.web.admission.sessions import Sessions
from reports import CATALOGUE
from tests.conftest import NOW
from tests.faults.layer import failing, problem_of

pytestmark = pytest.mark.real

NAME = Name.of("acme", "summary", "json", date(2026, 11, 20), Position(7, "a" * 64), {"periodDays": 30})
WORDS = {errno.ENOSPC: "disk_full", errno.EIO: "files_io_error", errno.EACCES: "files_no_permission"}
MOST = 200


def folder_bytes(folder):
    """Every file below a folder with its bytes; locks are empty, and counts of space may be too high for a while."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and not {".locks", ".space"} & set(path.parts)
    }


def put(folder):
    Artifacts(folder, memory_bytes=0).put(NAME, b"bytes" * 1000)
    return Artifacts(folder).get(NAME) == b"bytes" * 1000


def sign(folder):
    return signing_key(folder / "keys" / "signing.key").sign(b"x") == signing_key(folder / "keys" / "signing.key").sign(
        b"x"
    )


def seal(folder):
    keys = SecretKeys(folder / "keys" / "webhook.key")
    return keys.open("https://a.example", keys.seal("https://a.example", "secret")) == "secret"


def sessions(folder):
    settings = Settings.of({"SVC_DATA_DIR": str(folder / "var")})
    token = Sessions(settings).issue("ann@acme.example", "acme", now=NOW)
    return Sessions(settings).read(token, now=NOW).email == "ann@acme.example"


@pytest.mark.parametrize("number", WORDS, ids=errno.errorcode.get)
@pytest.mark.parametrize("operation", [put, sign, seal, sessions])
def test_what_makes_a_file_makes_it_whole_or_not_at_all(operation, number, tmp_path):
    for n in range(1, MOST):
        folder = tmp_path / str(n)
        folder.mkdir()
        with failing(n, OSError(number, os.strerror(number)), below=folder) as calls:
            problem = problem_of(lambda folder=folder: operation(folder))
        if problem is not None:
            assert (problem.word, int(problem.headers["Retry-After"]) > 0) == (WORDS[number], True)
            assert (str(tmp_path) in problem.message, folder_bytes(folder)) == (False, {})
        if not calls.met:
            assert n > 2, "there were calls to fail"
            return
        assert operation(folder)
        assert len(folder_bytes(folder)) == 1
    pytest.fail("it never came to its end")


def test_a_new_key_of_webhooks_replaces_the_old_one_or_leaves_it(tmp_path):
    keys = SecretKeys(tmp_path / "webhook.key")
    stored = keys.seal("https://a.example", "secret")
    for n in range(1, MOST):
        before = folder_bytes(tmp_path)
        with failing(n, OSError(errno.ENOSPC, "No space left on device"), below=tmp_path) as calls:
            problem = problem_of(keys.renew)
        if problem is not None:
            assert (problem.word, folder_bytes(tmp_path)) == ("disk_full", before)
        assert keys.open("https://a.example", stored) == "secret"
        if not calls.met:
            assert n > 3
            return
    pytest.fail("it never came to its end")


@pytest.fixture
def snapshots(store, tmp_path):
    replica = Replica(store.url, None)
    made = Snapshots(store, replica, Artifacts(tmp_path / "artifacts"), CATALOGUE)
    yield made
    made.close()
    replica.close()


def test_a_report_is_read_whatever_keeps_it_from_being_kept(snapshots, tmp_path):
    with snapshots.open("acme", now=NOW) as snapshot:
        right = snapshot.bytes("third-party-vendors", {}, "json").data
    for n in range(1, MOST):
        folder = tmp_path / f"kept-{n}"
        snapshots.artifacts = Artifacts(folder, memory_bytes=0)
        with failing(n, OSError(errno.ENOSPC, "No space left on device"), below=folder) as calls:
            for _ in range(2):
                with snapshots.open("acme", now=NOW) as snapshot:
                    assert snapshot.bytes("third-party-vendors", {}, "json").data == right
        assert [path.name for path in folder.rglob(".new-*")] == []
        with snapshots.open("acme", now=NOW) as snapshot:
            assert snapshot.bytes("third-party-vendors", {}, "json").data == right
        if not calls.met:
            assert n > 3
            return
    pytest.fail("it never came to its end")


def test_an_export_leaves_what_was_there_or_is_whole(snapshots, tmp_path):
    sections = {"Some": [CATALOGUE["third-party-vendors"]]}
    with snapshots.open("acme", now=NOW) as snapshot:
        right = {path.name for path in write_site(snapshot, tmp_path / "right", sections=sections).parent.iterdir()}
        for n in range(1, MOST):
            folder = tmp_path / f"site-{n}"
            with failing(n, OSError(errno.ENOSPC, "No space left on device"), below=folder) as calls:
                error = problem_of(lambda folder=folder: write_site(snapshot, folder, sections=sections), OSError)
            if error is not None:
                found = set(folder_bytes(folder)) if folder.exists() else set()
                assert "index.html" not in found
                assert found < right, "each of them whole: they are moved into their place"
            if not calls.met:
                assert (n > 5, set(folder_bytes(folder))) == (True, right)
                return
            write_site(snapshot, folder, sections=sections)
            assert set(folder_bytes(folder)) == right
    pytest.fail("it never came to its end")
