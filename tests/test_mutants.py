"""The list of mutants is about the product as it is, and a trial tells what is noticed from what is not."""

import subprocess

import pytest

from tests.import_graph import ImportGraph
from tests.mutants.drawn import nearest_tests
from tests.mutants.named import NamedMutant, named_mutants, settings
from tests.mutants.trial import Trial


@pytest.mark.parametrize("mutant", named_mutants(), ids=lambda mutant: mutant.what)
def test_a_named_mutant_changes_one_place_and_has_tests(mutant):
    assert mutant.by not in ("", mutant.replaced)
    assert mutant.place().is_file()
    assert len(mutant.test_files()) == len(mutant.tests) > 0


def test_a_mutant_whose_text_is_nowhere_is_refused(tmp_path):
    mutant = NamedMutant("", "engine/none.py", "no such text", "other", ())
    with pytest.raises(LookupError, match="'no such text' must stand once in the product; it stands 0 times"):
        mutant.place(tmp_path)


@pytest.mark.weekly
@pytest.mark.real
def test_every_room_that_is_drawn_from_has_files():
    graph = ImportGraph()
    for patterns in settings()["rooms"].values():
        assert any(path for pattern in patterns for path in graph.root.glob(pattern))


@pytest.mark.weekly
@pytest.mark.real
def test_the_tests_of_a_module_come_first():
    graph = ImportGraph()
    (first, *_) = nearest_tests(graph, graph.files["engine.model.merkle"], 3)
    assert first == "tests/model/test_merkle.py"


@pytest.fixture
def trial(tmp_path):
    (tmp_path / "product.py").write_text("def more(a):\n    return a + 1\n")
    (tmp_path / "setup.cfg").write_text("[tool:pytest]\n")
    (tmp_path / "test_more.py").write_text(
        "from product import more\n\n\ndef test_more():\n    assert more(1) == 2\n\n\n"
        "def test_of_another_machine():\n    assert False\n"
    )
    subprocess.run(["git", "init", "--quiet"], cwd=tmp_path, check=True)
    return Trial(tmp_path, 60)


@pytest.mark.weekly
@pytest.mark.real
def test_what_a_test_notices_is_told_from_what_none_does_and_the_file_is_as_it_was(trial, tmp_path):
    file = tmp_path / "product.py"
    before = file.read_text()
    assert trial.is_noticed(file, before.replace("+ 1", "+ 2"), ["test_more.py"])
    assert not trial.is_noticed(file, before.replace("a + 1", "1 + a"), ["test_more.py"])
    assert file.read_text() == before


def test_without_a_test_nothing_is_noticed(trial, tmp_path):
    assert not trial.is_noticed(tmp_path / "product.py", "", [])
