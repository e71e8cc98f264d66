"""Where the settings say that artifacts are kept, and that machines which share them build them once."""

import shutil
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from uuid import uuid4

import pytest

from engine.model.errors import Usage
from engine.replica.replica import Replica
from engine.reporting.artifacts.ahead import AHEAD
from engine.reporting.artifacts.artifact_space import Quota
from engine.reporting.artifacts.artifacts import ArtifactStorage
from engine.reporting.batch import batch
from engine.reporting.batch.chunk_runs import in_processes
from engine.runtime import setting_values
from engine.runtime.services import open_artifacts, open_services
from engine.runtime.settings import Settings
from reports import CATALOGUE, REPORTS
from tests.conftest import NOW
from tests.s3 import s3_server

SOME = {report.name: report for report in REPORTS[:2]}


@pytest.fixture(scope="module")
def s3():
    with s3_server() as server:
        yield server


@pytest.fixture(params=["folder", "bucket"])
def artifacts_url(request, tmp_path, monkeypatch):
    """What SVC_ARTIFACTS_URL is on each of several machines."""
    if request.param == "folder":
        return f"file://{tmp_path}/shared"
    server = request.getfixturevalue("s3")
    for name, value in server.environment.items():
        monkeypatch.setenv(name, value)
    bucket = f"tests-{uuid4().hex}"
    server.make(bucket)
    return f"s3://{bucket}/hq"


@pytest.fixture
def machine(acme_template, tmp_path, artifacts_url):
    """The services of a machine: one store for all, as far as these tests can tell."""

    @contextmanager
    def open_machine(name):
        (tmp_path / name).mkdir(exist_ok=True)
        shutil.copy(acme_template, tmp_path / name / "hq.db")
        settings = Settings.of({"SVC_DATA_DIR": str(tmp_path / name), "SVC_ARTIFACTS_URL": artifacts_url})
        with open_services(settings, CATALOGUE, now=NOW, memory_bytes=0) as services:
            yield services

    return open_machine


def ask_all(services):
    """Each of the reports in each of its formats: its bytes, its ETag, and whether it was built now."""
    with services.snapshots.open("acme", now=NOW) as snapshot:
        found = [snapshot.bytes(report.name, {}, form) for report in SOME.values() for form in report.light_formats]
    return [(artifact.data, artifact.etag, artifact.made) for artifact in found]


@pytest.mark.real
def test_what_one_machine_built_the_other_serves_without_computing(machine, monkeypatch):
    with machine("one") as one:
        went = batch.build(one.store, replace(one.batch(NOW), catalogue=SOME), ["acme"])
        rendered = ask_all(one)  # of what was built ahead
        built = ask_all(one)
    assert went.results["acme"].made == len(AHEAD) * len(SOME)
    assert [bool(made) for *_, made in rendered] == [
        form not in AHEAD for report in SOME.values() for form in report.light_formats
    ]

    def unread(*_, **__):
        raise AssertionError("the records were read")

    monkeypatch.setattr(Replica, "sync", unread)
    with machine("two") as two:
        assert ask_all(two) == built
        assert ask_all(two) == built
    assert {made for _, _, made in built} == {False}


@pytest.mark.real
def test_a_batch_does_not_make_again_what_another_machine_made(machine):
    with machine("one") as one:
        first = batch.build(one.store, replace(one.batch(NOW), catalogue=SOME), ["acme"], in_processes(2))
    with machine("two") as two:
        second = batch.build(two.store, replace(two.batch(NOW), catalogue=SOME), ["acme"], in_processes(2))
    (made,), (kept,) = first.results.values(), second.results.values()
    assert (made.kept, kept.made, kept.kept) == (0, 0, made.made)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("", ArtifactStorage(Path("var/artifacts"))),
        ("/srv/shared", ArtifactStorage(Path("/srv/shared"))),
        ("file:///srv/our%20reports", ArtifactStorage(Path("/srv/our reports"))),
        ("~/reports", ArtifactStorage(Path("~/reports").expanduser())),
        ("s3://reports", ArtifactStorage(Path("var/artifacts"), bucket_url="s3://reports")),
        ("s3://reports/hq/eu/", ArtifactStorage(Path("var/artifacts"), bucket_url="s3://reports/hq/eu")),
    ],
)
def test_artifacts_are_kept_where_the_setting_says(given, expected, monkeypatch):
    monkeypatch.setattr(setting_values, "find_spec", lambda name: name)
    assert open_artifacts(Settings.of({"SVC_ARTIFACTS_URL": given})).storage == expected


def test_their_quota_is_that_of_the_settings():
    settings = Settings.of({"SVC_ARTIFACT_ORG_BYTES": "2000000", "SVC_ARTIFACT_BYTES": "9000000"})
    assert open_artifacts(settings).storage.quota == Quota(2_000_000, 9_000_000)


@pytest.mark.parametrize("given", ["gs://reports", "http://minio:9000/reports", "memory://x", "file://nas/reports"])
def test_another_scheme_is_refused(given):
    with pytest.raises(Usage) as problem:
        Settings.of({"SVC_ARTIFACTS_URL": given})
    assert problem.value.message == (
        "SVC_ARTIFACTS_URL must be a folder such as /srv/artifacts or file:///srv/artifacts, or a bucket such as "
        f"s3://reports/hq; got '{given}'."
    )


@pytest.mark.parametrize("given", ["s3://", "s3://Reports", "s3://a/b?versionId=1", "s3://key:secret@reports"])
def test_what_is_no_bucket_is_refused(given):
    with pytest.raises(Usage, match=r"SVC_ARTIFACTS_URL must be a bucket and a prefix such as s3://reports/hq; got"):
        Settings.of({"SVC_ARTIFACTS_URL": given})


def test_without_the_extra_a_bucket_is_refused_with_what_to_install(monkeypatch):
    monkeypatch.setattr(setting_values, "find_spec", lambda name: None)
    with pytest.raises(
        ValueError, match=r"a folder, as a bucket needs the extra s3 \(pip install 'hq-console\[s3\]'\)"
    ):
        setting_values.artifact_place("s3://reports/hq")
