"""Evidence in a bucket: the same promises as in a folder, by an S3 server that answers."""

import hashlib
from uuid import uuid4

import pytest

from engine.evidence.places import EvidenceBucket
from engine.evidence.store import EvidenceStore
from engine.model.errors import Conflict, Unavailable
from engine.reporting.artifacts.bucket import Bucket
from tests.s3 import s3_server

DATA = b"login,left_on\n" * 1000
SHA = hashlib.sha256(DATA).hexdigest()


@pytest.fixture(scope="module")
def s3():
    with s3_server() as server:
        yield server


@pytest.fixture
def store(s3, monkeypatch, tmp_path):
    for name, value in s3.environment.items():
        monkeypatch.setenv(name, value)
    bucket = f"tests-{uuid4().hex}"
    s3.make(bucket)
    return EvidenceStore(EvidenceBucket(Bucket(f"s3://{bucket}/hq")), tmp_path, most=100_000, quota=200_000)


def test_a_bucket_keeps_gives_lists_sweeps_and_removes(store):
    store.put("acme", DATA)
    store.put("acme", DATA)
    assert store.read("acme", SHA) == DATA
    (file,) = store.files("acme")
    assert (file.name, file.size, file.modified > 0) == (SHA, len(DATA), True)
    assert store.sweep("acme", set, now=file.modified + 60).files == 0
    assert store.check("acme", SHA) == "whole"
    store.remove("acme", SHA)
    assert (store.check("acme", SHA), store.files("acme")) == ("missing", [])


def test_changed_objects_are_no_evidence(store, s3):
    store.put("acme", DATA)
    s3.damage(store.place._bucket._root.partition("/")[0])
    assert store.check("acme", SHA) == "changed"
    with pytest.raises(Conflict, match="are no evidence"):
        store.read("acme", SHA)


def test_a_bucket_that_is_not_there_is_said_and_nothing_is_missing(s3, monkeypatch, tmp_path):
    for name, value in s3.environment.items():
        monkeypatch.setenv(name, value)
    nowhere = EvidenceStore(EvidenceBucket(Bucket("s3://nowhere-at-all/hq")), tmp_path, most=100, quota=100)
    with pytest.raises(Unavailable):
        nowhere.put("acme", b"x")
    with pytest.raises(Unavailable, match="no such bucket"):
        nowhere.check("acme", SHA)
