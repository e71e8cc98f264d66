"""`hq new` writes what the formatter, the types and its own test accept, or nothing."""

import ast
import re
import shutil
import subprocess
import sys

import pytest
from click.testing import CliRunner

from engine.cli.new import CATALOGUE, FORMATS, SAMPLES, new
from engine.model.errors import Usage
from tests.import_graph import ROOT


@pytest.fixture
def checkout(tmp_path, monkeypatch):
    """The tables that lines are added to, in folders like those of the repository."""
    for path in (CATALOGUE, FORMATS, SAMPLES, "ruff.toml"):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / path, tmp_path / path)
    for folder in ("reports/ownership", "reports/vendors", "tests/reports/ownership", "tests/reports/vendors"):
        (tmp_path / folder).mkdir(parents=True)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(new, arguments, catch_exceptions=False, standalone_mode=False).output


def texts(folder):
    return {path: path.read_text() for path in sorted(folder.rglob("*")) if path.is_file()}


def well_formed(folder):
    """Whether the formatter leaves everything as it is."""
    command = [sys.executable, "-m", "ruff", "format", "--quiet", "--check", "--no-cache", str(folder)]
    return subprocess.run(command, check=False).returncode == 0


def names_of(path):
    """What a file imports, in its order."""
    nodes = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.ImportFrom)]
    return {node.module: [alias.name for alias in node.names] for node in nodes}


def test_a_report_stands_behind_the_last_of_its_chapter(checkout):
    printed = run("report", "key-holders", "--chapter", "ownership")
    catalogue = (checkout / CATALOGUE).read_text()
    assert re.search(r"scope_boundary\.REPORT,\s+key_holders\.REPORT,", catalogue)
    assert names_of(checkout / CATALOGUE)["reports.ownership"] == [
        "control_ownership",
        "exception_register",
        "key_holders",
        "scope_boundary",
    ]
    assert 'name="key-holders"' in (checkout / "reports/ownership/key_holders.py").read_text()
    assert "tests/reports/ownership/test_key_holders.py" in printed
    assert "3. A route of its own changes the contract" in printed
    assert well_formed(checkout)


def test_a_monitor_stands_before_what_is_least_particular(checkout):
    run("monitor", "a-monitor-of-names")
    run("monitor", "zabbix")
    for path, line in ((FORMATS, '    _format("normalized"'), (SAMPLES, '    "normalized": ')):
        lines = (checkout / path).read_text().splitlines()
        place = next(number for number, each in enumerate(lines) if each.startswith(line))
        assert '"zabbix"' in lines[place - 1]
    assert names_of(checkout / FORMATS)["engine.intake.alerts"][-1] == "zabbix"
    assert (checkout / "tests/intake/samples/zabbix.json").is_file()
    assert well_formed(checkout)


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (("report", "Key Holders", "--chapter", "ownership"), "A name is lower-case words .* got 'Key Holders'"),
        (("report", "key-holders", "--chapter", "cellar"), "--chapter must be one of .*vendors; got 'cellar'"),
        (("report", "key-holders", "--chapter", ""), "--chapter must be one of"),
        (("monitor", "a-monitor-of-names-"), "at most 18 characters"),
        (("monitor", "../zabbix"), "A name is lower-case words"),
        (("monitor", "formats"), "formats.py is there already: choose another name"),
    ],
)
def test_what_cannot_be_written_is_refused_and_nothing_is(checkout, arguments, sentence):
    before = texts(checkout)
    with pytest.raises(Usage, match=sentence):
        run(*arguments)
    assert texts(checkout) == before


def test_outside_of_a_checkout_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(Usage, match=r"there is no reports/__init__\.py in this folder"):
        run("report", "key-holders", "--chapter", "ownership")
    assert texts(tmp_path) == {}
