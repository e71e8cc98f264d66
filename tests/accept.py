"""Everything that is generated, written anew in the order in which one follows from the other: ``python -m tests.accept``.

Says which files are different now. Read the diff before you commit: what is not meant is a defect, not an output.
"""

import argparse
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from tests.import_graph import ROOT, module_name


@dataclass(frozen=True)
class Output:
    """``files`` are written by a script, found by the end of its path, or are what a command of ``hq`` prints."""

    name: str
    files: str
    script: str = ""
    command: tuple[str, ...] = ()

    def paths(self, root: Path) -> list[Path]:
        """The files that are there."""
        return sorted(path for path in root.glob(self.files) if path.is_file())

    def write(self, root: Path) -> None:
        """SystemExit with what the script complains of where it fails; the file is as it was then."""
        if self.command:
            (path,) = self.paths(root)
            text = _run(root, "engine.cli", *self.command)
            path.write_bytes(text)
            return
        (script,) = (path for folder in ("tests", "docs") for path in root.glob(f"{folder}/**/{self.script}"))
        _run(root, module_name(script.relative_to(root).as_posix()))


STEPS = (
    Output("types of rows", "engine/model/records/*.py", script="accept_records.py"),
    Output("fingerprint of the schema", "data/migrations/fingerprints.json", script="accept_fingerprint.py"),
    Output("values of figures", "tests/reports/figure_values.json", script="accept_figure_values.py"),
    Output("index of reports", "reports/index.json", script="accept_index.py"),
    Output("examples of reports", "engine/web/openapi/report_examples.json", script="accept_examples.py"),
    Output("routes", "tests/golden/routes.txt", command=("routes",)),
    Output("golden files of formats", "tests/**/render/golden/*", script="render/accept.py"),
    Output("reference", "docs/reference/**/*.md", script="test_docs.py"),
    Output("picture of a terminal", "docs/pictures/terminal.svg", script="pictures/terminal.py"),
)


def accept(steps: Sequence[Output] = STEPS, root: Path = ROOT) -> list[Path]:
    """Write them all, with a line for each; the files that are different now."""
    renewed: list[Path] = []
    for step in steps:
        before = {path: path.read_bytes() for path in step.paths(root)}
        step.write(root)
        after = {path: path.read_bytes() for path in step.paths(root)}
        different = [path for path, data in after.items() if before.get(path) != data]
        renewed += different
        print(f"{'renewed' if different else 'unchanged':<10} {step.name}", flush=True)
        for path in different:
            print(f"{'':<10} {path.relative_to(root)}", flush=True)
    return renewed


def _run(root: Path, module: str, *arguments: str) -> bytes:
    done = subprocess.run([sys.executable, "-m", module, *arguments], cwd=root, capture_output=True)
    if done.returncode:
        raise SystemExit(f"python -m {module} failed:\n{done.stderr.decode()}")
    return done.stdout


def main() -> None:
    """All of it, or the steps that are named."""
    arguments = argparse.ArgumentParser(prog="python -m tests.accept", description=__doc__)
    arguments.add_argument("--only", action="append", choices=[step.name for step in STEPS])
    only = arguments.parse_args().only
    renewed = accept([step for step in STEPS if only is None or step.name in only])
    if renewed:
        subprocess.run(["git", "diff", "--stat", "HEAD", "--", *renewed], cwd=ROOT, check=False)
    if any(path.name == "routes.txt" for path in renewed):
        print("The contract changed: say why in the commit.")


if __name__ == "__main__":
    main()
