"""What machines share in a bucket is right or absent, and a bucket that is not there keeps nobody from anything."""

import shutil
import socket
from dataclasses import replace
from datetime import date
from uuid import uuid4

import fsspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.model.documents.document import Position
from engine.model.errors import Unavailable
from engine.reporting.artifacts import bucket as buckets
from engine.reporting.artifacts.artifact_names import Name
from engine.reporting.artifacts.artifacts import Artifacts, always
from engine.reporting.artifacts.bucket import Bucket
from tests.s3 import s3_server

NAME = Name.of("acme", "summary", "json", date(2026, 11, 20), Position(7, "a" * 64), {"periodDays": 30})
OTHER = replace(NAME, org_id="other")


@pytest.fixture(scope="module")
def s3():
    with s3_server() as server:
        yield server


@pytest.fixture
def url(s3, monkeypatch):
    for name, value in s3.environment.items():
        monkeypatch.setenv(name, value)
    bucket = f"tests-{uuid4().hex}"
    s3.make(bucket)
    return f"s3://{bucket}/hq"


@pytest.fixture(params=["memory", "s3"])
def any_url(request):
    """A prefix that nobody has yet, in a bucket of each kind."""
    return request.getfixturevalue("url") if request.param == "s3" else f"memory://{uuid4().hex}/hq"


@pytest.fixture
def machine(tmp_path):
    """The artifacts of a machine, by its name."""
    return lambda name, url: Artifacts(tmp_path / name, memory_bytes=0, bucket=Bucket(url))


def files(artifacts):
    return [path.name for path in artifacts.folder.rglob("*.json")]


def test_what_one_machine_built_another_has_by_its_name_and_keeps(any_url, machine):
    one, two = machine("one", any_url), machine("two", any_url)
    one.put(NAME, b"bytes")
    one.flush()
    assert (two.get(NAME), files(two)) == (None, [])
    assert (two.fetch(NAME), two.get(NAME), files(two)) == (b"bytes", b"bytes", [f"{NAME.key}.json"])
    assert two.fetch(OTHER) is None


def test_many_are_brought_by_one_listing(any_url, machine, monkeypatch):
    one, two = machine("one", any_url), machine("two", any_url)
    names = [replace(NAME, report=report) for report in ("summary", "program", "nowhere")]
    for name in names[:2]:
        one.put(name, b"bytes")
    one.flush()
    two.prefetch("acme", [(name, name.key) for name in names], always)
    asked = []
    monkeypatch.setattr(Bucket, "request", lambda *call, **options: asked.append(call))
    assert [two.fetch(name) for name in names] == [b"bytes", b"bytes", None]
    two.prefetch("acme", [(name, name.key) for name in names[:2]], always)
    two.prefetch("acme", [], always)
    assert asked == []


def test_an_object_is_named_and_sealed_like_the_file(s3, url, machine):
    one = machine("one", url)
    one.put(NAME, b"bytes")
    one.flush()
    place = f"acme/summary/{NAME.key}.json"
    assert s3.objects(url.split("/")[2]) == {f"hq/{place}": (one.folder / place).read_bytes()}


def test_what_nobody_built_is_absent(any_url, machine):
    assert machine("one", any_url).fetch(NAME) is None


def test_a_damaged_object_never_shows_and_goes(s3, url, machine, caplog):
    one, two, bucket = machine("one", url), machine("two", url), url.split("/")[2]
    one.put(NAME, b"bytes")
    one.flush()
    s3.damage(bucket)
    assert (two.fetch(NAME), s3.objects(bucket), files(two)) == (None, {}, [])
    assert [record.message for record in caplog.records if record.name.startswith("engine")] == [
        f"The kept report {url}/acme/summary/{NAME.key}.json is damaged and is built anew."
    ]
    two.put(NAME, b"bytes")
    two.flush()
    shutil.rmtree(one.folder)
    assert one.fetch(NAME) == b"bytes"


def test_the_object_of_another_name_never_shows(machine):
    url = f"memory://{uuid4().hex}"
    one = machine("one", url)
    one.put(NAME, b"bytes")
    one.flush()
    memory, root = fsspec.filesystem("memory"), url.partition("://")[2]
    memory.copy(f"{root}/acme/summary/{NAME.key}.json", f"{root}/other/summary/{OTHER.key}.json")
    assert one.fetch(OTHER) is None


def test_what_is_not_wanted_once_it_is_there_goes_from_both(any_url, machine):
    """A person was erased while it was built: whoever looks through the bucket at that moment may have missed it."""
    one, two = machine("one", any_url), machine("two", any_url)
    one.put(NAME, b"bytes", lambda: False)
    one.flush()
    assert (files(one), two.fetch(NAME)) == ([], None)


def test_what_nobody_can_say_of_whether_it_is_wanted_goes_from_the_bucket(machine):
    def raise_unavailable():
        raise Unavailable("The store does not answer.")

    bucket = Bucket(f"memory://{uuid4().hex}")
    bucket.send("acme/x", b"bytes", raise_unavailable)
    bucket.flush()
    assert bucket.read("acme/x") is None


def test_a_fetch_of_what_is_not_wanted_any_more_leaves_no_file(machine):
    url = f"memory://{uuid4().hex}"
    one, two = machine("one", url), machine("two", url)
    one.put(NAME, b"bytes")
    one.flush()
    assert (two.fetch(NAME, None, lambda: False), files(two)) == (b"bytes", [])


def test_an_organization_is_removed_and_no_other(any_url, machine):
    one = machine("one", any_url)
    for name in (NAME, OTHER, replace(NAME, org_id="acme-2"), replace(NAME, report="program")):
        one.put(name, b"bytes")
    one.flush()
    bucket = Bucket(any_url)
    assert (bucket.clear("acme"), bucket.clear("acme"), bucket.clear("nobody")) == (2, 0, 0)
    two = machine("two", any_url)
    assert [two.fetch(name) for name in (NAME, OTHER, replace(NAME, org_id="acme-2"))] == [None, b"bytes", b"bytes"]


def test_objects_that_stay_are_not_said_to_be_removed(s3, url, machine, monkeypatch):
    one = machine("one", url)
    one.put(NAME, b"bytes")
    one.flush()
    bucket = Bucket(url)
    assert bucket.problem() is None
    monkeypatch.setattr(bucket._files.system, "rm", lambda paths, timeout: [])
    with pytest.raises(Unavailable, match=f"{url} does not let its objects be removed"):
        bucket.clear("acme")


def test_a_bucket_that_is_gone_is_said_once_and_once_more_when_it_is_back(s3, url, machine, monkeypatch, caplog):
    monkeypatch.setattr(buckets, "PAUSE_SECONDS", 0.0)
    one, two = machine("one", url), machine("two", url)
    s3.stop()
    try:
        for name in (NAME, OTHER):
            assert one.fetch(name) is None
            one.prefetch("acme", [(name, name.key)], always)
            one.put(name, b"bytes")
            one.flush()
            assert one.get(name) == b"bytes"
        with pytest.raises(Unavailable, match="Could not connect"):
            one.clear_bucket("acme")
        assert "Could not connect" in Bucket(url).problem()
    finally:
        s3.start()
    mine = replace(NAME, report="program")
    assert one.fetch(mine) is None
    one.put(mine, b"bytes")
    one.flush()
    assert two.fetch(mine) == b"bytes"
    messages = [record.message for record in caplog.records if record.name.startswith("engine")]
    assert [line.partition(" (")[0] for line in messages] == [
        f"Kept reports cannot be read from {url}",
        f"Reports cannot be kept in {url}",
        f"{url} does its part again.",
        f"{url} does its part again.",
    ]


def test_while_there_is_trouble_one_try_in_a_while_waits_for_it(monkeypatch):
    """Whatever a bucket that accepts connections and says nothing costs, it costs it once."""
    with socket.create_server(("127.0.0.1", 0)) as silent:
        monkeypatch.setenv("AWS_ENDPOINT_URL", f"http://127.0.0.1:{silent.getsockname()[1]}")
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", "tests")
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "tests")
        monkeypatch.setattr(buckets, "ANSWER_SECONDS", 0.2)
        monkeypatch.setattr(buckets, "PAUSE_SECONDS", 3600.0)
        bucket = Bucket("s3://silent")
        assert [bucket.read("x") for _ in range(50)] == [None] * 50
        asked = []
        monkeypatch.setattr(Bucket, "request", lambda *call, **options: asked.append(call))
        assert (bucket.read("x"), asked) == (None, [])


def test_who_may_not_read_is_told_so_and_builds(machine, monkeypatch, caplog):
    one = machine("one", f"memory://{uuid4().hex}")

    def forbidden(*_):
        raise PermissionError("Access Denied")

    monkeypatch.setattr(fsspec.filesystem("memory"), "cat_file", forbidden, raising=False)
    assert (one.fetch(NAME), one.fetch(OTHER)) == (None, None)
    one.put(NAME, b"bytes")
    one.flush()
    assert one.fetch(NAME) == b"bytes"
    assert [record.message for record in caplog.records] == [
        f"Kept reports cannot be read from {one.storage.bucket_url} (Access Denied): until that is mended, each machine "
        "goes on with its own."
    ]


def test_a_bucket_that_nobody_made_is_a_problem(url):
    assert Bucket(url).problem() is None
    assert Bucket("s3://nobody-made-it/hq").problem() == "The specified bucket does not exist"
    assert Bucket(f"memory://{uuid4().hex}").problem() is None


def test_a_folder_that_takes_nothing_still_gives_what_others_built(machine, monkeypatch):
    url = f"memory://{uuid4().hex}"
    one, two = machine("one", url), machine("two", url)
    monkeypatch.setattr(two.space, "keep", lambda *_, **__: (_ for _ in ()).throw(OSError(28, "full")))
    with pytest.raises(Unavailable):
        two.put(NAME, b"bytes")
    two.flush()
    assert one.fetch(NAME) == b"bytes"
    one.put(OTHER, b"other")
    one.flush()
    assert two.fetch(OTHER) == b"other"


class Forgetful(Bucket):
    """One that looks for what was not there as often as it is asked."""

    def _note_absent(self, path):
        pass


@pytest.mark.real
@settings(deadline=None)
@given(
    steps=st.lists(
        st.tuples(
            st.sampled_from(["put", "fetch", "get", "damage", "lose", "clear"]),
            st.integers(0, 1),  # machine
            st.integers(0, 2),  # report
        ),
        max_size=30,
    )
)
def test_whatever_machines_do_in_turn_they_get_the_right_bytes_or_none(steps, tmp_path_factory):
    url, memory = f"memory://{uuid4().hex}", fsspec.filesystem("memory")
    folder = tmp_path_factory.mktemp("machines")
    machines = [Artifacts(folder / str(number), memory_bytes=0, bucket=Forgetful(url)) for number in (0, 1)]
    names = [replace(NAME, org_id=f"org{number}") for number in range(3)]
    for step, number, report in steps:
        here, name = machines[number], names[report]
        if step == "put":
            here.put(name, name.org_id.encode())
            here.flush()
        elif step == "damage":
            for path in memory.find(url):
                memory.pipe_file(path, memory.cat_file(path)[:-1] + b"!")
        elif step == "lose":
            shutil.rmtree(here.folder, ignore_errors=True)
        elif step == "clear":
            here.clear_bucket(name.org_id)
        else:
            assert (here.fetch(name) if step == "fetch" else here.get(name)) in (None, name.org_id.encode())
    for name in names:
        machines[0].put(name, name.org_id.encode())
    machines[0].flush()
    assert [machines[1].fetch(name) for name in names] == [b"org0", b"org1", b"org2"]


def test_what_was_not_there_is_not_looked_for_again_at_once(machine):
    """Who asks builds it: a worker looks before it copies the records, and again before it computes."""
    url = f"memory://{uuid4().hex}"
    one, two = machine("one", url), machine("two", url)
    assert (one.fetch(NAME), two.fetch(NAME)) == (None, None)
    one.put(NAME, b"bytes")
    one.flush()
    shutil.rmtree(one.folder)
    assert (one.fetch(NAME), two.fetch(NAME)) == (b"bytes", None)
