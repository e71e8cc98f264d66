"""Programs as a source: without a shell, with nothing of our environment, bounded in time and bytes.

A program is the leader of a process group of its own, and the whole group is killed when it is over, whatever it
started meanwhile.
"""

import os
import selectors
import shutil
import signal
import subprocess
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO

import duckdb

from engine.evidence.pulls.declarations import PullSource
from engine.evidence.pulls.sources.files import read_formatted
from engine.evidence.pulls.sources.reading import SECONDS, SourceProblem, SourceReaders, SourceRows

MOST_ANSWER = 64 << 20  # bytes, where a source says nothing
_MOST_ERRORS = 4096


@dataclass(frozen=True)
class ProgramRun:
    """What a program wrote and how it ended."""

    code: int
    output: bytes
    errors: str


def read_command(
    source: PullSource, base: Path, folder: Path, connection: duckdb.DuckDBPyConnection, readers: SourceReaders
) -> SourceRows:
    """What a program prints, read as CSV, JSON or JSON Lines. SourceProblem unless SVC_PULL_COMMANDS has its word."""
    place, argv = f"[source.{source.name}]", list(source.words("argv"))
    if argv[0] not in readers.commands:
        there = ", ".join(readers.commands) or "nothing"
        raise SourceProblem(f"{place} would run {argv[0]!r}, which SVC_PULL_COMMANDS does not allow; it has {there}.")
    program = shutil.which(argv[0], path=readers.environment.get("PATH", os.defpath))
    if program is None:
        raise SourceProblem(f"{place} finds no program {argv[0]!r}.")
    environment = {name: readers.environment[name] for name in source.words("env") if name in readers.environment}
    run = run_program(
        [program, *argv[1:]],
        base,
        environment,
        seconds=source.number("timeout_seconds", SECONDS),
        most_bytes=source.number("max_bytes", MOST_ANSWER),
        place=place,
    )
    if run.code:
        how = f"ended with code {run.code}" if run.code > 0 else f"was killed by signal {-run.code}"
        raise SourceProblem(f"{place}: {argv[0]} {how}{run.errors and ': '}{run.errors}.")
    out = folder / f"answer.{source.text('format')}"
    out.write_bytes(run.output)
    table = read_formatted(source, source.text("format"), [out], connection)
    return SourceRows({source.name: table}, ((argv[0], table.sha256),))


def run_program(
    argv: Sequence[str],
    base: Path,
    environment: Mapping[str, str],
    *,
    seconds: int,
    most_bytes: int,
    place: str,
    given: bytes = b"",
) -> ProgramRun:
    """Run a program in a folder. SourceProblem where it cannot start, takes longer or says more than it may."""
    try:
        process = subprocess.Popen(  # noqa: S603 - no shell; the operator allows the program
            list(argv),
            cwd=base,
            env=dict(environment),
            stdin=subprocess.PIPE if given else subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except OSError as error:
        raise SourceProblem(f"{place}: {argv[0]} cannot be started: {error.strerror}.") from error
    try:
        output, errors = _exchange(process, given, time.monotonic() + seconds, most_bytes, place, seconds)
        process.wait(1.0)
    except subprocess.TimeoutExpired as error:
        raise SourceProblem(f"{place}: {argv[0]} closed its output and did not end.") from error
    finally:
        _kill_group(process)
    first = next((line.strip() for line in errors.decode(errors="replace").splitlines() if line.strip()), "")
    return ProgramRun(process.returncode, output, first[:200].rstrip("."))


def _exchange(
    process: "subprocess.Popen[bytes]", given: bytes, until: float, most: int, place: str, seconds: int
) -> tuple[bytes, bytes]:
    parts: dict[str, list[bytes]] = {"output": [], "errors": []}
    sizes = {"output": 0, "errors": 0}
    waiting = memoryview(given)
    with selectors.DefaultSelector() as selector:
        for name, stream in (("output", process.stdout), ("errors", process.stderr)):
            _watch(selector, stream, selectors.EVENT_READ, name)
        _watch(selector, process.stdin, selectors.EVENT_WRITE, "given")
        while selector.get_map():
            left = until - time.monotonic()
            if left <= 0:
                raise SourceProblem(f"{place} took more than {seconds} s.")
            for key, _ in selector.select(left):
                if key.data == "given":
                    waiting = _feed(selector, process.stdin, waiting)
                    continue
                piece = os.read(key.fd, 1 << 16)
                if not piece:
                    selector.unregister(key.fd)
                    continue
                sizes[key.data] += len(piece)
                if key.data == "output" and sizes["output"] > most:
                    raise SourceProblem(f"{place} answers more than {most:,} bytes.")
                if key.data == "output" or sizes["errors"] <= _MOST_ERRORS:
                    parts[key.data].append(piece)
    return b"".join(parts["output"]), b"".join(parts["errors"])


def _watch(selector: selectors.BaseSelector, stream: IO[bytes] | None, event: int, name: str) -> None:
    if stream is not None:
        os.set_blocking(stream.fileno(), False)
        selector.register(stream.fileno(), event, name)


def _feed(selector: selectors.BaseSelector, stream: IO[bytes] | None, waiting: memoryview) -> memoryview:
    if stream is None:
        return waiting
    try:
        waiting = waiting[os.write(stream.fileno(), waiting[: 1 << 16]) :]
    except BlockingIOError:
        return waiting
    except BrokenPipeError:
        waiting = waiting[:0]
    if not waiting:
        selector.unregister(stream.fileno())
        stream.close()
    return waiting


def _kill_group(process: "subprocess.Popen[bytes]") -> None:
    """End all that the program started and did not end itself."""
    with suppress(ProcessLookupError):  # nobody of the group is left
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for stream in (process.stdin, process.stdout, process.stderr):
        if stream is not None:
            stream.close()
