"""Chunks of a batch on a Dask cluster: workers on other machines, which share the store and the artifacts.

A worker gets the address of the store, where artifacts are kept, the day and some identifiers; it reads the records
itself. Artifacts are named by the code that makes them, so a worker must have the code of whoever asks: that is
compared before anything else is unpacked.
"""

import pickle
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import CancelledError
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any, TypeAlias

from engine.model.errors import Problem, Unavailable, Usage
from engine.model.polars_threads import limit_threads

if TYPE_CHECKING:  # a worker loads Polars once it was told with how many threads, and Dask is an extra
    from distributed import Client, Future

    from engine.model.every_organization import OrganizationsRun
    from engine.reporting.batch.report_batch import BuildResult, Chunk, ChunkRuns, ReportBatch

    Task: TypeAlias = Future[OrganizationsRun[BuildResult]]

CONNECT_SECONDS = 10.0
LOOK_SECONDS = 2.0
EMPTY_SECONDS = 30.0  # for which a cluster may be without workers


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
        """Each chunk is a task. One whose worker goes is done by another, as often as the scheduler allows."""
        version = code_version()
        tasks: dict[Task, Chunk] = {
            self._client.submit(_build, version, pickle.dumps((batch, chunk)), pure=False): chunk for chunk in chunks
        }
        try:
            while tasks:
                for task in self._wait_for_some(tasks):
                    yield tasks.pop(task), partial(_result, task)
        except CancelledError as error:
            raise Unavailable(
                f"The scheduler at {self._address} went away. What was built is kept: the same command goes on from "
                "there once it is back.",
                word="cluster_gone",
            ) from error
        finally:
            for task in tasks:
                task.release()

    def _wait_for_some(self, tasks: "Mapping[Task, Chunk]") -> "list[Task]":
        """Waits until some are. CancelledError where the scheduler is gone, Unavailable where all workers are."""
        from distributed import wait

        there = time.monotonic()
        while True:
            try:
                done: list[Task] = list(wait(list(tasks), timeout=LOOK_SECONDS, return_when="FIRST_COMPLETED").done)
                return done
            except TimeoutError:
                if self.threads:
                    there = time.monotonic()
                elif time.monotonic() - there > EMPTY_SECONDS:
                    raise Unavailable(
                        f"The cluster at {self._address} has no worker any more. What was built is kept: the same "
                        "command goes on from there once there are some.",
                        word="cluster_empty",
                    ) from None


@contextmanager
def open_cluster(address: str) -> Iterator[DaskCluster]:
    """The cluster of a scheduler. Usage where Dask is not installed; Unavailable where no scheduler answers or it has
    no worker; Problem where a worker has other code."""
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
        _compare(client.run(code_version, on_error="return"))
        yield DaskCluster(client, address)


def code_version() -> str:
    """What tells two versions of the code apart: a hash of sources, data, and the libraries that compute."""
    limit_threads()
    from engine.reporting.artifacts.artifact_names import code_fingerprint

    return code_fingerprint()[:12]


def _compare(versions: Mapping[str, object]) -> None:
    mine = code_version()
    for worker, version in versions.items():
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


def _result(task: "Future[Any]") -> "OrganizationsRun[BuildResult]":
    from distributed import KilledWorker

    try:
        result: OrganizationsRun[BuildResult] = task.result()
    except KilledWorker as error:
        raise Unavailable(
            "Every worker that built this was ended from outside, such as for want of memory.", word="process_ended"
        ) from error
    return result
