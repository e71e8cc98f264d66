"""Habits of the repository that a reader relies on."""

import re
import subprocess
import tokenize
from configparser import ConfigParser
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DECISIONS = ROOT / "docs" / "explanation" / "adr"
SUPPRESSION = re.compile(r"#.*\bnoqa\b(?P<codes>: [A-Z0-9, ]+)?(?P<reason>.*)")


# archives ship it: its bytes change only where what it does changes. The odd leaf of a level is left over on purpose.
SHIPPED = ("engine/archives/verification/verify.py",)


def comments():
    """(file, line, text) of every comment in Python files of the repository."""
    for folder in ("engine", "reports", "data", "tests", "api.py", "scheduler.py"):
        for path in [ROOT / folder] if folder.endswith(".py") else sorted((ROOT / folder).rglob("*.py")):
            with path.open("rb") as file:
                for token in tokenize.tokenize(file.readline):
                    if token.type == tokenize.COMMENT:
                        yield path.relative_to(ROOT).as_posix(), token.start[0], token.string


def test_every_rule_that_is_switched_off_on_a_line_says_why():
    silent = [
        f"{place}:{line}"
        for place, line, text in comments()
        if place not in SHIPPED
        and (match := SUPPRESSION.search(text))
        and (match["codes"] is None or not re.search(r"\w", match["reason"].replace("fmt: skip", "")))
    ]
    assert silent == []


def test_the_index_of_decisions_lists_each_with_its_title():
    listed = re.findall(r"^\| \[(\d{4})\]\((.+?)\) \| (.+) \|$", (DECISIONS / "README.md").read_text(), re.MULTILINE)
    there = [
        (path.name[:4], path.name, path.read_text().partition("\n")[0].partition(". ")[2])
        for path in sorted(DECISIONS.glob("[0-9]*.md"))
    ]
    assert listed == there
    assert [int(number) for number, _, _ in there] == list(range(1, len(there) + 1)), "no number is left out"


def test_a_decision_has_context_decision_and_consequences():
    headings = {tuple(re.findall(r"^## (.+)$", path.read_text(), re.MULTILINE)) for path in DECISIONS.glob("[0-9]*.md")}
    assert headings == {("Context", "Decision", "Consequences")}


def test_the_license_of_the_metadata_is_the_license_of_the_file():
    metadata = ConfigParser()
    metadata.read(ROOT / "setup.cfg")
    text = (ROOT / metadata["metadata"]["license_files"]).read_text()
    assert metadata["metadata"]["license_expression"] == "Apache-2.0"
    assert " ".join(text.split()).startswith("Apache License Version 2.0, January 2004 http://www.apache.org/licenses/")


def test_hooks_run_the_tools_of_the_projects_own_environment():
    """So that the version of a tool stands in setup.cfg alone."""
    config = (ROOT / ".pre-commit-config.yaml").read_text()
    assert re.findall(r"^ *- repo: (.+)$", config, re.MULTILINE) == ["local"]
    commands = re.findall(r"^ *entry: (\S+)", config, re.MULTILINE)
    assert commands == [".venv/bin/ruff", ".venv/bin/ruff", ".venv/bin/mypy"]


def test_nothing_that_is_written_while_working_is_tracked():
    tracked = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True).stdout.splitlines()
    assert [
        name
        for name in tracked
        if re.search(r"(^|/)(var|build|htmlcov|\.venv|\.coverage[^/]*)(/|$)|\.(pyc|db|duckdb)$", name)
    ] == []


def test_hosted_checks_run_on_every_python_that_the_metadata_names():
    metadata = ConfigParser()
    metadata.read(ROOT / "setup.cfg")
    named = re.findall(r":: Python :: (3\.\d+)$", metadata["metadata"]["classifiers"], re.MULTILINE)
    workflow = (ROOT / ".github" / "workflows" / "checks.yml").read_text()
    assert re.findall(r'"(3\.\d+)"', workflow) == named
    assert metadata["options"]["python_requires"] == f">={named[0]}"


def test_the_changelog_begins_with_what_is_unreleased_and_the_version_of_the_metadata():
    metadata = ConfigParser()
    metadata.read(ROOT / "setup.cfg")
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == "Unreleased"
    assert re.fullmatch(rf"{re.escape(metadata['metadata']['version'])} — \d{{4}}-\d\d-\d\d", headings[1])
