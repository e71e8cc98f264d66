"""``python -m tests.soak.fuzz NAME``: one target in a process of its own; the last line says what was found, as JSON.

With atheris it is guided by the branches that inputs take; without, seeds are changed at random. An input that crashes is
left in the folder ``--found``, and tried again with ``--input``.
"""

import argparse
import json
import os
import random
import resource
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from hashlib import sha256
from pathlib import Path
from typing import Any

SLOWEST = 1.0  # seconds of processor time that one input may take
MEMORY = 1536  # megabytes of the process, imports included
LONGEST = 16_384


class Slow(AssertionError):
    """One input takes too long."""


class Run:
    """Counts what one target does; keeps one input for each place that crashes, and goes on."""

    def __init__(self, name: str, read: Any, found: Path) -> None:
        self.name, self.read, self.found = name, read, found
        self.inputs, self.crashes, self.slowest = 0, Counter[str](), 0.0
        self.allowed: tuple[type[BaseException], ...] = ()

    def one(self, data: bytes) -> None:
        """Read one input."""
        self.inputs += 1
        began = time.process_time()
        try:
            self.read(data)
        except self.allowed:
            pass
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # readers in Rust panic with one that is no Exception
            self._note_crash(error, data)
        spent = time.process_time() - began
        self.slowest = max(self.slowest, spent)
        if spent > SLOWEST:
            self._note_crash(Slow(f"{spent:.1f} s"), data)

    def _note_crash(self, error: BaseException, data: bytes) -> None:
        frames = traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in frames if "/engine/" in frame.filename] or frames
        at = f"{Path(ours[-1].filename).name}:{ours[-1].lineno}" if ours else ""
        place = f"{type(error).__name__} {at}".strip()
        self.crashes[place] += 1
        if self.crashes[place] == 1:
            self.found.mkdir(parents=True, exist_ok=True)
            name = f"{self.name}-{sha256(place.encode()).hexdigest()[:8]}"
            (self.found / name).write_bytes(data)
            (self.found / f"{name}.txt").write_text("".join(traceback.format_exception(error)))

    def as_line(self, way: str) -> str:
        """The line that the runner reads."""
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
        return json.dumps(
            {
                "target": self.name,
                "way": way,
                "inputs": self.inputs,
                "crashes": dict(self.crashes),
                "slowest": round(self.slowest, 3),
                "peak_mb": peak,
                "memory": peak > MEMORY,
            }
        )


def main() -> None:
    """Run one target until its time is over."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak.fuzz", description=__doc__)
    parser.add_argument("name")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--found", type=Path, default=Path("var/fuzz"))
    parser.add_argument("--scratch", type=Path, help="where its working folder is made")
    parser.add_argument("--input", type=Path, help="read this file alone, and show what happens")
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix=f"hq-fuzz-{asked.name}-", dir=asked.scratch))
    code = 0
    try:
        _go(asked, folder)
    except BaseException:
        traceback.print_exc()
        code = 1
    shutil.rmtree(folder, ignore_errors=True)
    sys.stdout.flush()
    os._exit(code)  # consoles were opened and not closed: threads of theirs would outlive the interpreter


def _go(asked: argparse.Namespace, folder: Path) -> None:
    from tests.soak.fuzz.targets import TARGETS

    target = TARGETS[asked.name]
    atheris = None if asked.input else _atheris()
    if atheris is None:
        read, seeds = target.open(folder)
    else:
        with atheris.instrument_imports(include=["engine"]):
            read, seeds = target.open(folder)
    from engine.model.errors import Problem

    if asked.input:
        read(asked.input.read_bytes())
        return
    run = Run(asked.name, read, asked.found)
    run.allowed = (Problem,)
    until = time.monotonic() + asked.seconds
    if atheris is None:
        chance = random.Random(asked.seed)
        for seed in seeds:
            run.one(seed)
        while time.monotonic() < until:
            run.one(target.mutate(chance.choice(seeds), chance)[:LONGEST])
        print(run.as_line("seeds"))
        return
    asked.found.mkdir(parents=True, exist_ok=True)
    corpus = folder / "corpus"
    corpus.mkdir()
    for number, seed in enumerate(seeds):
        (corpus / str(number)).write_bytes(seed)
        run.one(seed)
    folder_again = folder  # the fuzzer ends the process: what is printed and removed is so before

    def one(data: bytes) -> None:
        run.one(data)
        if time.monotonic() > until:
            print(run.as_line("coverage"), flush=True)
            shutil.rmtree(folder_again, ignore_errors=True)
            os._exit(0)

    def mutate(data: bytes, most: int, seed: int) -> bytes:
        chance = random.Random(seed)
        if chance.random() < 0.2:
            return bytes(atheris.Mutate(data, most))
        return target.mutate(data, chance)[:most]

    options = [
        sys.argv[0],
        str(corpus),
        f"-seed={asked.seed}",
        f"-max_len={LONGEST}",
        "-rss_limit_mb=0",
        "-timeout=60",
        "-verbosity=0",
        "-len_control=0",
        f"-artifact_prefix={asked.found}/",
    ]
    atheris.Setup(options, one, custom_mutator=mutate)
    atheris.Fuzz()


def _atheris() -> Any:
    try:
        import atheris
    except ImportError:
        return None
    return atheris


if __name__ == "__main__":
    main()
