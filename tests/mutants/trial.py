"""One mutant after the other in a copy of the repository: is it noticed?"""

import os
import re
import signal
import subprocess
import sys
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from tests.import_graph import ROOT

FAILURE = re.compile(r"^(?:FAILED|ERROR) (\S+)", re.MULTILINE)
NO_TEST_RAN, TIMED_OUT = 5, -signal.SIGKILL


@contextmanager
def copy_of(root: Path = ROOT) -> Iterator[Path]:
    """The last commit in a folder that goes away again: no mutant ever stands in the tree that people work in."""
    with TemporaryDirectory(prefix="mutants-") as folder:
        subprocess.run(["git", "clone", "--quiet", "--shared", str(root), folder], check=True)
        yield Path(folder)


class Trial:
    """Tests in a copy. What fails without a mutant, on this machine, is no evidence of one and is left out."""

    def __init__(self, copy: Path, seconds: float, marks: str = "") -> None:
        self.copy = copy
        self.seconds = seconds
        self.marks = marks  # an expression of pytest's; without one also what is marked real
        self.failing: dict[tuple[str, ...], set[str]] = {}

    def is_noticed(self, file: Path, mutant: str, tests: Sequence[str]) -> bool:
        """Whether a test fails, or takes for ever, while ``file`` has the text of the mutant."""
        if not tests:
            return False
        failing = self._failing(tuple(tests))
        original = file.read_text()
        file.write_text(mutant)
        try:
            code, _ = self._run([*tests, *(f"--deselect={name}" for name in failing), "--exitfirst"])
        finally:
            file.write_text(original)
        return code not in (0, NO_TEST_RAN)

    def _failing(self, tests: tuple[str, ...]) -> set[str]:
        if tests not in self.failing:
            code, output = self._run([*tests, "-rfE"], 3)
            self.failing[tests] = set(FAILURE.findall(output))
            if code == TIMED_OUT or (code not in (0, NO_TEST_RAN) and not self.failing[tests]):
                raise RuntimeError(f"{' '.join(tests)} cannot run without a mutant: {output[-2000:]}")
        return self.failing[tests]

    def _run(self, arguments: Collection[str], patience: int = 1) -> tuple[int, str]:
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", "-m", self.marks, *arguments]
        environment = {**os.environ, "PYTHONPATH": str(self.copy), "PYTHONDONTWRITEBYTECODE": "1"}
        with subprocess.Popen(
            command,
            cwd=self.copy,
            env=environment,
            text=True,
            start_new_session=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        ) as process:
            try:
                output, _ = process.communicate(timeout=self.seconds * patience)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)  # with whatever the tests had started
                output, _ = process.communicate()
        return process.returncode, output
