"""A batch on a Dask cluster: a real scheduler, two real workers, PostgreSQL, artifacts in one folder or in a bucket."""

import json
import logging
import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

import scheduler
from engine.model.errors import Problem, Unavailable, Usage
from engine.model.every_organization import OrganizationsRun
from engine.reporting.artifacts import artifact_names
from engine.reporting.artifacts.artifacts import ArtifactStorage
from engine.reporting.batch import batch, cluster, worker_watch
from engine.reporting.batch.cluster import open_cluster
from engine.reporting.batch.report_batch import BuildResult
from engine.runtime.services import open_services
from engine.runtime.settings import Settings
from engine.store import Store
from tests.cli.test_stopped import until
from tests.conftest import NOW
from tests.demo import DAY, demo, lighter
from tests.frames import import_frames
from tests.reporting.batch.test_batch import COUNT, ORGS, SOME, fill, of
from tests.reporting.snapshot.test_snapshots import files
from tests.s3 import s3_server

distributed = pytest.importorskip("distributed")
DASK = Path(sys.executable).with_name("dask")
pytestmark = [pytest.mark.real, pytest.mark.postgresql]


class Processes:
    """A scheduler and its workers."""

    def __init__(self, folder, environment):
        self.environment = environment
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.folder = folder
        self.running = []
        self.scheduler = self.start("scheduler", "--host", "127.0.0.1", "--port", str(self.port))
        self.workers = [self.worker() for _ in range(2)]

    def worker(self):
        return self.start("worker", self.address, "--nthreads", "1", "--no-nanny")

    def start(self, *arguments):
        environment = (
            os.environ
            | self.environment
            | {
                "DASK_DISTRIBUTED__SCHEDULER__ALLOWED_FAILURES": "2",
                "DASK_DISTRIBUTED__WORKER__USE_FILE_LOCKING": "false",
                "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
            }
        )
        log = (self.folder / f"{len(self.running)}.log").open("wb")
        with log:
            command = [DASK, *arguments, "--no-dashboard"]
            self.running.append(subprocess.Popen(command, stderr=log, stdout=log, env=environment, cwd=self.folder))
        return self.running[-1]

    def restart_scheduler(self):
        self.scheduler.kill()
        self.scheduler.wait()
        self.scheduler = self.start("scheduler", "--host", "127.0.0.1", "--port", str(self.port))

    def kill_workers(self):
        for process in self.running:
            if process is not self.scheduler:
                process.kill()
                process.wait()

    def close(self):
        for process in self.running:
            process.kill()
            process.wait()


@pytest.fixture(autouse=True)
def _patience(monkeypatch):
    """Processes begin slowly on a machine that does other things."""
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 60.0)


@pytest.fixture(scope="module")
def s3():
    with s3_server() as server:
        yield server


@pytest.fixture(scope="module")
def processes(tmp_path_factory, s3):
    found = Processes(tmp_path_factory.mktemp("cluster"), s3.environment)
    yield found
    found.close()


@pytest.fixture
def two(processes):
    """The cluster, once two workers are there."""
    with open_cluster(processes.address, "postgresql") as dask_cluster:
        until(lambda: dask_cluster.threads == 2)
        yield dask_cluster


@pytest.fixture(scope="module")
def store(postgresql_databases):
    url = postgresql_databases.take()
    with closing(Store(url)) as found:
        fill(found)
        import_frames(found, lighter(demo("cobalt", DAY)), org_id="cobalt", actor="demo", now=NOW)
        yield found
    postgresql_databases.give_back(url)


def later(condition, act):
    """Acts once the condition holds, beside the test."""
    thread = threading.Thread(target=lambda: (until(condition), act()))
    thread.start()
    return thread


def has_artifact(folder):
    """Whether an artifact of cobalt is there."""
    return lambda: any((folder / "cobalt").glob("*/*.json"))


def test_its_bytes_are_those_of_this_process_and_a_second_build_makes_none(store, two, tmp_path):
    went = batch.build(store, of(store, tmp_path / "there"), ORGS, two.run, shares=two.threads)
    here = batch.build(store, of(store, tmp_path / "here"), ORGS)
    assert went == here
    assert files(tmp_path / "there") == files(tmp_path / "here")
    again = batch.build(store, of(store, tmp_path / "there"), ORGS, two.run, shares=two.threads)
    assert again == OrganizationsRun({org_id: BuildResult(org_id, 0, COUNT, 0) for org_id in ORGS}, [])


def test_what_its_workers_put_into_a_bucket_another_machine_has_by_name(store, two, s3, tmp_path, monkeypatch):
    for name, value in s3.environment.items():
        monkeypatch.setenv(name, value)
    s3.make("shared")
    there, console = (
        replace(of(store, tmp_path / name), storage=ArtifactStorage(tmp_path / name, bucket_url="s3://shared/hq"))
        for name in ("there", "console")
    )
    went = batch.build(store, there, ORGS, two.run, shares=two.threads)
    shutil.rmtree(tmp_path / "there")
    assert batch.build(store, console, ORGS) == OrganizationsRun(
        {org_id: BuildResult(org_id, 0, COUNT, 0) for org_id in ORGS}, []
    )
    here = batch.build(store, of(store, tmp_path / "here"), ORGS)
    assert (went, files(tmp_path / "console")) == (here, files(tmp_path / "here"))


def test_the_nightly_build_uses_the_cluster_that_is_set(store, two, processes, tmp_path):
    settings = Settings(
        data_dir=tmp_path,
        database_url=store.url,
        build_cluster=processes.address,
        artifacts_url=str(tmp_path / "there"),
    )
    now = of(store, tmp_path).now
    with open_services(settings, SOME, now=now, memory_bytes=0) as services:
        nightly_build = scheduler.nightly_build(services, now)
        again = scheduler.nightly_build(services, now)
    assert (nightly_build, again) == tuple(
        f"{made} artifacts of 3 organizations built, 0 old ones dropped" for made in (3 * COUNT, 0)
    )
    assert batch.build(store, of(store, tmp_path / "here"), ORGS).failures == []
    assert files(tmp_path / "there") == files(tmp_path / "here")
    assert json.loads((tmp_path / "build-costs.json").read_bytes()).keys() == set(ORGS)


def test_a_worker_of_another_version_is_refused_before_and_whenever_it_comes(store, two, tmp_path, monkeypatch):
    there = cluster.code_version()
    monkeypatch.setattr(artifact_names, "code_fingerprint", lambda: "0123456789abcdef")
    refused = pytest.raises(Problem, match=f"has version {there} of this program, and 0123456789ab was asked for")
    with refused, open_cluster(two._address, "postgresql"):
        pass
    went = batch.build(store, of(store, tmp_path), ["empty"], two.run)
    assert [failure.error.word for failure in went.failures] == ["other_version"]
    assert not any(tmp_path.iterdir())


@pytest.mark.weekly
def test_what_a_killed_worker_had_in_hand_is_built_by_another(store, two, processes, tmp_path):
    pids = two._client.run(os.getpid)
    busy = []

    def kill():
        busy.extend(address for address, tasks in two._client.processing().items() if tasks)
        os.kill(pids[busy[0]], signal.SIGKILL)

    thread = later(has_artifact(tmp_path / "there"), kill)
    went = batch.build(store, of(store, tmp_path / "there"), ["cobalt"], two.run)
    thread.join()
    batch.build(store, of(store, tmp_path / "here"), ["cobalt"])
    assert (len(busy), went.results["cobalt"].made + went.results["cobalt"].kept) == (1, COUNT)
    assert files(tmp_path / "there") == files(tmp_path / "here")
    processes.worker()


@pytest.mark.weekly
def test_what_a_frozen_and_a_killed_worker_had_in_hand_others_put_into_the_bucket(
    store, two, processes, s3, tmp_path, monkeypatch, caplog
):
    for name, value in s3.environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(worker_watch, "SILENT_SECONDS", 3.0)
    s3.make("frozen")
    processes.worker()
    until(lambda: two.threads == 3)
    pids = two._client.run(os.getpid)
    chosen = []

    def hurt():
        chosen.extend(address for address, tasks in two._client.processing().items() if tasks)
        os.kill(pids[chosen[0]], signal.SIGSTOP)
        os.kill(pids[chosen[1]], signal.SIGKILL)

    there, console = (
        replace(of(store, tmp_path / name), storage=ArtifactStorage(tmp_path / name, bucket_url="s3://frozen/hq"))
        for name in ("there", "console")
    )
    thread = later(lambda: sum(map(bool, two._client.processing().values())) >= 2, hurt)
    with caplog.at_level(logging.WARNING):
        went = batch.build(store, there, ORGS, two.run, shares=3)
    thread.join()
    assert {org_id: one.made + one.kept for org_id, one in went.results.items()} == dict.fromkeys(ORGS, COUNT)
    assert [record.getMessage() for record in caplog.records if f"at {chosen[0]} for" in record.getMessage()] != []
    shutil.rmtree(tmp_path / "there")
    batch.build(store, console, ORGS)
    batch.build(store, of(store, tmp_path / "here"), ORGS)
    assert files(tmp_path / "console") == files(tmp_path / "here")
    with open_cluster(processes.address, "postgresql") as again:
        assert "does not answer; what is given to it is built by others" in caplog.text
        assert again.threads == 2
    os.kill(pids[chosen[0]], signal.SIGCONT)


@pytest.mark.weekly
def test_a_cluster_of_which_no_worker_answers_is_not_waited_for(store, two, processes, tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "EMPTY_SECONDS", 0.5)
    monkeypatch.setattr(worker_watch, "SILENT_SECONDS", 2.0)
    pids = two._client.run(os.getpid).values()
    for pid in pids:
        os.kill(pid, signal.SIGSTOP)
    try:
        with pytest.raises(Unavailable, match="has no worker any more that answers"):
            batch.build(store, of(store, tmp_path), ["empty"], two.run)
    finally:
        for pid in pids:
            os.kill(pid, signal.SIGCONT)


class Slow:
    """A client of workers that are heard of and take for ever."""

    def __init__(self):
        self.tasks = []

    def submit(self, function, *arguments, workers, **options):
        self.tasks.append(SlowTask(f"task-{len(self.tasks)}", (workers or ["a"])[0]))
        return self.tasks[-1]

    def scheduler_info(self):
        return {"workers": {name: {"last_seen": time.monotonic()} for name in "abcd"}}

    def processing(self):
        return {name: [task.key for task in self.tasks if task.worker == name] for name in "abcd"}


class SlowTask:
    def __init__(self, key, worker):
        self.key, self.worker = key, worker

    def release(self):
        self.worker = None


def test_a_chunk_that_three_workers_are_late_with_fails_and_says_so(store, tmp_path, monkeypatch, caplog):
    clock = iter(range(0, 10**6, 100))
    monkeypatch.setattr(cluster, "monotonic", lambda: float(next(clock)))
    monkeypatch.setattr(distributed, "wait", lambda *_, **__: (_ for _ in ()).throw(TimeoutError))
    client = Slow()
    went = batch.build(store, of(store, tmp_path), ["empty"], cluster.DaskCluster(client, "tcp://a:1").run)
    assert [str(failure) for failure in went.failures] == [
        "empty: 3 workers took far longer than expected, the first of them 500 s."
    ]
    given = [record.getMessage() for record in caplog.records if "given to another worker" in record.getMessage()]
    assert [text.partition(" for ")[0] for text in given] == ["empty at a", "empty at b"]
    assert [task.worker for task in client.tasks] == [None] * 3


@pytest.mark.weekly
def test_a_scheduler_that_goes_is_told_and_the_next_build_goes_on(store, two, processes, tmp_path, monkeypatch):
    thread = later(has_artifact(tmp_path), processes.scheduler.kill)
    with pytest.raises(Unavailable, match=f"The scheduler at {two._address} went away"):
        batch.build(store, of(store, tmp_path), ORGS, two.run, shares=2)
    thread.join()
    processes.restart_scheduler()
    processes.worker()
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 30.0)
    with open_cluster(two._address, "postgresql") as again:
        went = batch.build(store, of(store, tmp_path), ORGS, again.run)
    assert {org_id: result.made + result.kept for org_id, result in went.results.items()} == dict.fromkeys(ORGS, COUNT)


@pytest.mark.weekly
def test_a_cluster_whose_workers_are_gone_is_not_waited_for(store, processes, tmp_path, monkeypatch):
    monkeypatch.setattr(cluster, "EMPTY_SECONDS", 0.5)
    monkeypatch.setattr(cluster, "LOOK_SECONDS", 0.2)
    with open_cluster(processes.address, "postgresql") as dask_cluster:
        monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.5)
        processes.kill_workers()
        with pytest.raises(Unavailable, match="has no worker any more that answers"):
            batch.build(store, of(store, tmp_path), ["empty"], dask_cluster.run)
    with pytest.raises(Unavailable, match="has no worker.$"), open_cluster(processes.address, "postgresql"):
        pass


def test_nobody_answers_where_no_scheduler_is(monkeypatch):
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.2)
    refused = pytest.raises(Unavailable, match="No Dask scheduler answers at tcp://127.0.0.1:9")
    with refused, open_cluster("tcp://127.0.0.1:9", "postgresql"):
        pass


def test_a_store_of_one_machine_is_for_no_cluster():
    with pytest.raises(Usage, match="this store is a SQLite file"), open_cluster("tcp://127.0.0.1:9", "sqlite"):
        pass


def test_without_dask_it_says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(Usage, match=r"install hq-console\[dask\]"), open_cluster("tcp://127.0.0.1:9", "postgresql"):
        pass


class Task:
    """One that every worker died of."""

    def result(self):
        raise distributed.KilledWorker("build", None, 3)


def test_a_chunk_that_every_worker_dies_of_is_told():
    with pytest.raises(Unavailable, match="Every worker that built this was ended from outside"):
        cluster._result(Task())


@pytest.mark.weekly
def test_a_worker_that_cannot_load_the_program_is_named():
    with pytest.raises(
        Problem, match=r"^The worker tcp://a:1 cannot load this program: ModuleNotFoundError: engine\.$"
    ):
        cluster._compare({"tcp://a:1": ModuleNotFoundError("engine")})
