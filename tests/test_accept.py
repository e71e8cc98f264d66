"""Accepting writes what is generated, says what is different, and leaves a file alone whose script fails."""

import pytest

from tests.accept import STEPS, Output, accept
from tests.import_graph import ROOT


@pytest.mark.parametrize("step", STEPS, ids=lambda step: step.name)
def test_every_step_has_its_files_and_its_script(step):
    assert step.paths(ROOT)
    paths = [path for folder in ("tests", "docs") for path in ROOT.glob(f"{folder}/**/{step.script}")]
    assert step.command or len(paths) == 1


@pytest.fixture
def tree(tmp_path):
    (tmp_path / "tests").mkdir()
    (tmp_path / "out.txt").write_text("old")
    return tmp_path


def test_what_is_different_is_renewed_once(tree, capsys):
    (tree / "tests" / "script.py").write_text("from pathlib import Path\nPath('out.txt').write_text('new')\n")
    steps = [Output("text", "out.txt", script="script.py")]
    assert accept(steps, tree) == [tree / "out.txt"]
    assert accept(steps, tree) == []
    assert capsys.readouterr().out.split() == ["renewed", "text", "out.txt", "unchanged", "text"]


def test_a_script_that_fails_ends_it_with_its_words(tree):
    (tree / "tests" / "script.py").write_text("raise SystemExit('no such column')")
    with pytest.raises(SystemExit, match=r"python -m tests.script failed:\nno such column"):
        accept([Output("text", "out.txt", script="script.py")], tree)
    assert (tree / "out.txt").read_text() == "old"


def test_nothing_to_do_renews_nothing(tree):
    assert accept([], tree) == []
