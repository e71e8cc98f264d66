"""What a change selects, in a small tree of its own, and in this one for a report."""

import json
import subprocess

import pytest

from tests.changed import Selection, changed_files, quick, select
from tests.import_graph import ImportGraph

TREE = {
    "engine/__init__.py": "",
    "engine/low.py": "",
    "engine/high.py": "from engine import low",
    "engine/typed.py": "if TYPE_CHECKING:\n    import engine.low",
    "engine/late.py": "def f():\n    from . import high",
    "engine/templates.py": 'PAGE = "page.html"',
    "reports/__init__.py": "from reports.a import one, two",
    "reports/a/__init__.py": "",
    "reports/a/one.py": "",
    "reports/a/two.py": "from reports.a import figures",
    "reports/a/figures.py": 'figure("gaps")',
    "tests/__init__.py": "",
    "tests/conftest.py": "",
    "tests/test_low.py": "import engine.low",
    "tests/test_late.py": "import engine.late",
    "tests/test_typed.py": "import engine.typed",
    "tests/test_templates.py": "import engine.templates",
    "tests/test_all.py": "import reports",
    "tests/reports/__init__.py": "",
    "tests/reports/test_one.py": "from reports.a import one",
    "tests/reports/test_columns.py": "import reports",
}


@pytest.fixture
def graph(tmp_path):
    for place, text in TREE.items():
        path = tmp_path / place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    reports = [
        {"name": "one", "module": "reports.a.one", "figures": ["gaps"]},
        {"name": "two", "module": "reports.a.two", "figures": []},
    ]
    (tmp_path / "reports" / "index.json").write_text(json.dumps({"reports": reports}))
    return ImportGraph(tmp_path)


def test_nothing_selects_nothing(graph):
    assert select(graph, []) == Selection()


def test_a_module_reaches_whoever_imports_it_whether_at_the_top_or_inside_a_function(graph):
    assert select(graph, ["engine/low.py"]) == Selection(("tests/test_late.py", "tests/test_low.py"))
    assert graph.reach(["engine.low"])["tests.test_late"] == 3


def test_the_file_of_a_package_is_imported_with_whatever_is_in_it(graph):
    names = {"low", "late", "typed", "templates"}
    assert select(graph, ["engine/__init__.py"]).files == tuple(sorted(f"tests/test_{name}.py" for name in names))


def test_a_conftest_reaches_the_tests_below_it(graph):
    assert len(select(graph, ["tests/conftest.py"]).files) == 7


def test_a_file_that_is_no_module_reaches_those_who_name_it(graph):
    assert select(graph, ["templates/page.html", "nowhere.bin"]).files == ("tests/test_templates.py",)


def test_a_report_reaches_its_own_tests_and_its_cases_of_the_tests_of_each_report(graph):
    assert select(graph, ["reports/a/one.py"]) == Selection(
        ("tests/reports/test_columns.py", "tests/reports/test_one.py"), frozenset({"one"}), True
    )


def test_figures_reach_the_reports_that_import_or_show_them(graph):
    assert select(graph, ["reports/a/figures.py"]).reports == {"one", "two"}


def test_beside_another_module_no_case_is_left_out(graph):
    assert select(graph, ["reports/a/one.py", "engine/low.py"]).limited is False


def test_the_catalogue_reaches_everything_that_imports_it(graph):
    assert "tests/test_all.py" in select(graph, ["reports/__init__.py"]).files


@pytest.mark.real
def test_a_report_of_this_tree_is_a_handful_of_files():
    selection = select(ImportGraph(), ["reports/programme/posture/posture_score.py"])
    assert selection.reports == {"posture-score"}
    assert {"tests/reports/programme/posture/test_posture_score.py", "tests/web/changed_reports.py"} <= {
        *selection.files
    }
    assert len(selection.files) < 15


def test_what_is_new_or_changed_since_a_commit(tmp_path):
    def git(*arguments):
        identity = ("-c", "user.name=t", "-c", "user.email=t@t.example")
        subprocess.run(["git", *identity, *arguments], cwd=tmp_path, check=True, capture_output=True)

    git("init")
    for name in ("first", "second"):
        (tmp_path / name).write_text(name)
        git("add", name)
        git("commit", "-m", name)
    (tmp_path / "third").write_text("")
    (tmp_path / "first").write_text("other")
    assert changed_files(None, tmp_path) == {"first", "second", "third"}
    assert changed_files("HEAD", tmp_path) == {"first", "third"}
    with pytest.raises(SystemExit, match="There is no commit 'nowhere'"):
        changed_files("nowhere", tmp_path)


def test_slow_tests_are_those_of_the_marks_that_are_declared(tmp_path):
    (tmp_path / "setup.cfg").write_text("[tool:pytest]\nmarkers =\n    real: takes long\n")
    assert quick(tmp_path) == "not real"
