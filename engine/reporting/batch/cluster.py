"""Chunks of a batch on a Dask cluster: workers on other machines, which share the store and the artifacts.

A worker gets the address of the store, where artifacts are kept, the day and some identifiers; it reads the records
itself. Artifacts are named by the code that makes them, so a worker must have the code of whoever asks: that is
compared before anything else is unpacked.
"""

import asyncio
import logging
import pickle
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from functools import partial
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeAlias

from engine.model.errors import Problem, Unavailable, Usage
from engine.model.polars_threads import limit_threads
from engine.reporting.batch.worker_watch import WorkerWatch

if TYPE_CHECKING:  # a worker loads Polars once it was told with how many threads, and Dask is an extra
    from distributed import Client, Future

    from engine.model.every_organization import OrganizationsRun
    from engine.reporting.batch.report_batch import BuildResult, Chunk, ChunkRun, ChunkRuns, ReportBatch
    from engine.reporting.batch.worker_watch import Behind

    Task: TypeAlias = Future[OrganizationsRun[BuildResult]]

CONNECT_SECONDS = 10.0
LOOK_SECONDS = 2.0
EMPTY_SECONDS = 30.0  # for which a cluster may be without workers that answer
MOST_ATTEMPTS = 3

log = logging.getLogger(__name__)


class DaskCluster:
    """A cluster whose workers have the code of this process."""

    def __init__(self, client: "Client", address: str) -> None:
        self._client = client
        self._address = address

    @property
    def threads(self) -> int:
        """How many chunks are built at a time."""
        return sum(self._client.nthreads().values())

    def run(self, batch: "ReportBatch", chunks: "Sequence[Chunk]") -> "ChunkRuns":
        """Each chunk is a task. One whose worker goes, does not answer, or takes far too long is given to another.

        Whoever is done first is taken: what both make has the same bytes. Three workers try at most.
        """
        work = _Work(self._client, self._address, batch)
        try:
            for chunk in chunks:
                work.submit(chunk)
            while work.tasks:
                for task in work.wait_for_some():
                    if done := work.take(task):
                        yield done, partial(_result, task)
                for chunk, behind in work.overdue():
                    yield chunk, partial(_give_up, behind)
        except CancelledError as error:
            raise Unavailable(
                f"The scheduler at {self._address} went away. What was built is kept: the same command goes on from "
                "there once it is back.",
                word="cluster_gone",
            ) from error
        finally:
            work.release()


class _Work:
    """The chunks of one batch that are not done yet, and the tasks that try them."""

    def __init__(self, client: "Client", address: str, batch: "ReportBatch") -> None:
        self.tasks: dict[Task, Chunk] = {}
        self._client = client
        self._address = address
        self._batch = batch
        self._version = code_version()
        self._watch = WorkerWatch()
        self._heard_at = monotonic()
        self._given: set[str] = set()

    def submit(self, chunk: "Chunk", workers: "Sequence[str] | None" = None) -> None:
        """Have a chunk built by any worker, or by one of those."""
        packed = pickle.dumps((self._batch, chunk))
        self.tasks[self._client.submit(_build, self._version, packed, pure=False, workers=workers)] = chunk

    def wait_for_some(self) -> "list[Task]":
        """Those that are done, after a look at most. CancelledError where the scheduler is gone, Unavailable where no
        worker answers."""
        from distributed import wait

        try:
            return list(wait(list(self.tasks), timeout=LOOK_SECONDS, return_when="FIRST_COMPLETED").done)
        except TimeoutError:
            return []

    def take(self, task: "Task") -> "Chunk | None":
        """The chunk of a task that is done; None where another did it already, or still may."""
        from distributed import KilledWorker

        chunk = self.tasks.pop(task, None)
        if chunk is None:
            return None
        if chunk in self.tasks.values() and task.status == "error" and isinstance(task.exception(), KilledWorker):
            return None
        self._drop(chunk)
        return chunk

    def overdue(self) -> "Iterator[tuple[Chunk, Behind]]":
        """Give what is behind to others, and what three were behind with back."""
        now = monotonic()
        chunks = {task.key: chunk for task, chunk in self.tasks.items()}
        try:
            beats = {name: about["last_seen"] for name, about in self._client.scheduler_info()["workers"].items()}
            in_hand = {name: [key for key in keys if key in chunks] for name, keys in self._client.processing().items()}
        except OSError:  # the scheduler is gone: whoever waits for a task learns it
            return
        costs = {key: sum(map(self._batch.costs.__getitem__, chunk)) for key, chunk in chunks.items()}
        behind = {one.task: one for one in self._watch.look(now, beats, in_hand, costs)}
        present = self._watch.present(now)
        self._check_workers(present, now)
        for key, one in behind.items():
            chunk = chunks[key]
            tried = [task.key for task, other in self.tasks.items() if other == chunk]
            others = [name for name in present if name != one.worker and (one.silent or not in_hand.get(name))]
            if len(tried) >= MOST_ATTEMPTS and behind.keys() >= set(tried):
                self._drop(chunk)
                yield chunk, max(map(behind.__getitem__, tried), key=lambda each: each.seconds)
            elif 0 < len(tried) < MOST_ATTEMPTS and others and key not in self._given:
                self._given.add(key)
                log.warning("%s", _behind_text(chunk, one, costs[key]))
                self.submit(chunk, others)

    def release(self) -> None:
        """Let go of whatever is not done."""
        for task in self.tasks:
            task.release()
        self.tasks.clear()

    def _drop(self, chunk: "Chunk") -> None:
        for task in [task for task, other in self.tasks.items() if other == chunk]:
            del self.tasks[task]
            task.release()

    def _check_workers(self, present: "Sequence[str]", now: float) -> None:
        if present:
            self._heard_at = now
        elif now - self._heard_at > EMPTY_SECONDS:
            raise Unavailable(
                f"The cluster at {self._address} has no worker any more that answers. What was built is kept: the same "
                "command goes on from there once there are some.",
                word="cluster_empty",
            )


@contextmanager
def open_cluster(address: str, dialect: str) -> Iterator[DaskCluster]:
    """The cluster of a scheduler, for a store of that dialect.

    Usage where Dask is not installed, or the store is a SQLite file; Unavailable where no scheduler answers or none of
    its workers; Problem where a worker has other code.
    """
    if dialect == "sqlite":
        raise Usage(
            "A cluster reads the records from PostgreSQL, which SVC_DATABASE_URL names; this store is a SQLite file, "
            "which one machine has. Build with --jobs instead."
        )
    try:
        from distributed import Client
    except ModuleNotFoundError as error:
        raise Usage("A cluster needs Dask: install hq-console[dask].") from error
    try:
        client = Client(address, timeout=CONNECT_SECONDS)
    except OSError as error:
        raise Unavailable(f"No Dask scheduler answers at {address}.", word="cluster_gone") from error
    with client:
        try:
            client.wait_for_workers(1, timeout=CONNECT_SECONDS)
        except TimeoutError as error:
            raise Unavailable(f"The cluster at {address} has no worker.", word="cluster_empty") from error
        _compare(client.sync(_versions, client))
        yield DaskCluster(client, address)


@contextmanager
def chunk_builders(address: str, dialect: str, here: "ChunkRun", shares: int) -> "Iterator[tuple[ChunkRun, int]]":
    """Where chunks are built and how many at a time: on the cluster of ``address``, without one ``here``."""
    if address:
        with open_cluster(address, dialect) as cluster:
            yield cluster.run, cluster.threads
    else:
        yield here, shares


def code_version() -> str:
    """What tells two versions of the code apart: a hash of sources, data, and the libraries that compute."""
    limit_threads()
    from engine.reporting.artifacts.artifact_names import code_fingerprint

    return code_fingerprint()[:12]


async def _versions(client: "Client") -> Mapping[str, object]:
    """What each worker has, or what asking it raised."""

    async def ask(worker: str) -> object:
        try:
            answers = await asyncio.wait_for(
                client.run(code_version, workers=[worker], on_error="return"), CONNECT_SECONDS
            )
        except (TimeoutError, OSError) as error:
            return TimeoutError(str(error))
        return answers.get(worker)

    workers = list((await client.scheduler.identity(n_workers=-1))["workers"])
    return dict(zip(workers, await asyncio.gather(*map(ask, workers)), strict=True))


def _compare(versions: Mapping[str, object]) -> None:
    mine = code_version()
    if versions and all(isinstance(version, TimeoutError) for version in versions.values()):
        raise Unavailable("No worker of the cluster answers.", word="cluster_empty")
    for worker, version in versions.items():
        if isinstance(version, TimeoutError):
            log.warning("The worker %s does not answer; what is given to it is built by others.", worker)
            continue
        if isinstance(version, BaseException):
            raise Problem(f"The worker {worker} cannot load this program: {type(version).__name__}: {version}.")
        if version != mine:
            raise _other(f"The worker {worker}", str(version), mine)


def _other(worker: str, version: str, mine: str) -> Problem:
    return Problem(
        f"{worker} has version {version} of this program, and {mine} was asked for: what it builds would never be "
        "found. Install one version everywhere.",
        word="other_version",
    )


def _build(version: str, packed: bytes) -> "OrganizationsRun[BuildResult]":
    """At a worker, which may have come after the others were looked at."""
    if code_version() != version:
        raise _other("A worker", code_version(), version)
    from engine.reporting.batch.chunk import build_chunk

    batch, chunk = pickle.loads(packed)  # noqa: S301 - from whoever may run any code here
    return build_chunk(batch, chunk)


def _behind_text(chunk: "Chunk", behind: "Behind", expected: float) -> str:
    for_so_long = f"{', '.join(chunk)} at {behind.worker} for {behind.seconds:.0f} s, expected in {expected:.0f} s"
    reason = "which does not answer" if behind.silent else "which is late"
    return f"{for_so_long}, {reason}: given to another worker, too"


def _give_up(behind: "Behind") -> "OrganizationsRun[BuildResult]":
    raise Unavailable(
        f"{MOST_ATTEMPTS} workers took far longer than expected, the first of them {behind.seconds:.0f} s.",
        word="cluster_late",
    )


def _result(task: "Future[Any]") -> "OrganizationsRun[BuildResult]":
    from distributed import KilledWorker

    try:
        result: OrganizationsRun[BuildResult] = task.result()
    except KilledWorker as error:
        raise Unavailable(
            "Every worker that built this was ended from outside, such as for want of memory.", word="process_ended"
        ) from error
    return result
