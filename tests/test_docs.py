"""What the README promises is so. ``python -m tests.test_docs`` writes its generated tables."""

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

import api
from engine.cli import commands
from engine.reporting.glossary import definitions
from engine.runtime.settings import Settings
from engine.web.handlers.reports import ReportHandler
from reports import CATALOGUE

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
BIN = Path(sys.executable).parent
BLOCK = re.compile(r"^```(?P<info>[^\n]*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"(?<![\w/.-])hq (?P<name>[a-z]+)(?P<rest>(?:\\\n|[^\n`|;&)])*)")


def blocks(*infos):
    """The code of the fenced blocks with one of these info strings, in order."""
    return [found["code"] for found in BLOCK.finditer(README.read_text()) if found["info"] in infos]


def route_of(name):
    """The path of the route that answers with this report."""
    (path,) = (r.path for r in api.ROUTES if isinstance(r.handler, ReportHandler) and r.handler.report == name)
    return path


def parameters_of(report):
    return ", ".join(f"`{parameter.name}`" for parameter in report.parameters) or "none"


def cell(text):
    return text.replace("|", "\\|")


TABLES = {
    ("README.md", "reports"): [
        "| report | route | answers | formats | parameters |",
        "|---|---|---|---|---|",
        *(
            f"| `{report.name}` | `{route_of(report.name)}` | {report.description} | {', '.join(report.formats)} "
            f"| {parameters_of(report)} |"
            for report in CATALOGUE.values()
        ),
    ],
    ("README.md", "settings"): [
        "| setting | default | meaning |",
        "|---|---|---|",
        *(f"| `{name}` | {value or '–'} | {help} |" for name, value, help in Settings().shown()),
    ],
    ("docs/figures.md", "figures"): [
        "| figure | title | unit | better | definition | reports |",
        "|---|---|---|---|---|---|",
        *(
            f"| `{entry.figure.id}` | {cell(entry.title)} | {entry.figure.unit} | {entry.figure.better} "
            f"| {cell(entry.definition)} | {', '.join(entry.reports)} |"
            for entry in definitions(CATALOGUE)
        ),
    ],
}


def marked(name):
    return re.compile(rf"(?<=<!-- {name} -->\n)(.*?)(?=<!-- /{name} -->)", re.DOTALL)


@pytest.mark.parametrize(("file", "name"), TABLES)
def test_a_generated_table_is_up_to_date(file, name):
    """`python -m tests.test_docs` writes it."""
    (table,) = marked(name).findall((ROOT / file).read_text())
    assert table.splitlines() == TABLES[file, name]


def test_every_setting_is_documented():
    text = README.read_text()
    assert [name for name, _, _ in Settings().shown() if f"| `{name}` |" not in text] == []


def test_every_report_is_documented_with_its_route():
    text = README.read_text()
    assert [name for name in CATALOGUE if f"| `{name}` | `{route_of(name)}` |" not in text] == []


def test_every_setting_that_is_named_exists():
    known = {name for name, _, _ in Settings().shown()}
    assert set(re.findall(r"\bSVC_[A-Z_]+[A-Z]", README.read_text())) - known == set()


def test_every_command_is_documented():
    named = {found["name"] for found in COMMAND.finditer(README.read_text())}
    assert set(commands.commands) - named == set()


def test_every_command_that_is_named_exists_with_its_options():
    spans = [found["code"] for found in BLOCK.finditer(README.read_text())]
    spans += re.findall(r"`([^`\n]+)`", BLOCK.sub("", README.read_text()))
    wrong = []
    for found in (match for span in spans for match in COMMAND.finditer(span)):
        command = commands.commands.get(found["name"])
        options = {option for parameter in command.params for option in parameter.opts} if command else set()
        given = set(re.findall(r"(?<!\S)--?[a-z][a-z-]*", found["rest"]))
        if command is None or given - options - {"--help"}:
            wrong.append(found[0])
    assert wrong == []


def test_every_option_beside_a_command_in_the_table_is_its_own():
    wrong = []
    for name, text in re.findall(r"^\| `hq ([a-z]+)` \| (.*) \|$", README.read_text(), re.MULTILINE):
        options = {option for parameter in commands.commands[name].params for option in parameter.opts}
        wrong += [(name, option) for option in re.findall(r"`(--[a-z-]+)`", text) if option not in options]
    assert wrong == []


def test_every_file_that_is_linked_exists():
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", README.read_text())
    assert [link for link in links if not (ROOT / link).exists()] == []


def test_the_changelog_begins_with_what_is_unreleased():
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == "Unreleased"


@pytest.mark.soak
def test_the_worked_example_runs(tmp_path):
    """Pasted as it is, without a server."""
    done = pasted(tmp_path, blocks("bash run"))
    assert (done.returncode, done.stderr if done.returncode else "") == (0, "")
    assert "northwind moved from revision 0 to" in done.stdout
    assert "# Posture score" in done.stdout
    assert done.stdout.count("ok: northwind, events 1 to") == 2
    (folder,) = tmp_path.glob("tmp.*")
    assert {"gaps.csv", "freshness.json", "obligations.ics", "site", "northwind.zip", "restored"} <= {
        f.name for f in folder.iterdir()
    }
    assert (folder / "site" / "index.html").is_file()


@pytest.mark.skipif(shutil.which("curl") is None, reason="the example over HTTP uses curl")
def test_the_worked_example_over_http_runs(tmp_path):
    """The records of the example, then what a client sees: a report, 304 for the same, 200 after a change."""
    first, *_ = blocks("bash run")
    done = pasted(tmp_path, [first, *blocks("bash serve")])
    assert (done.returncode, done.stderr if done.returncode else "") == (0, "")
    assert '{"report":"posture-score"' in done.stdout
    assert re.findall(r"^(\d{3})$", done.stdout, re.MULTILINE) == ["304", "200"]
    (folder,) = tmp_path.glob("tmp.*")
    assert (folder / "summary.html").read_text().startswith("<!DOCTYPE html>")


def pasted(folder, code):
    """A shell that runs the blocks one after the other, on a port of its own, and leaves nothing running."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    begin = "set -euo pipefail; trap 'kill $(jobs -p) 2>/dev/null || true' EXIT"
    script = "\n".join([begin, *code]).replace("8080", str(port))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
    environment |= {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "TMPDIR": str(folder)}
    process = subprocess.Popen(
        ["bash", "-c", script], env=environment, cwd=folder, text=True, start_new_session=True,
        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    try:
        out, err = process.communicate(timeout=300)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    return subprocess.CompletedProcess(script, process.returncode, out, err)


def write():
    for (file, name), lines in TABLES.items():
        text = (ROOT / file).read_text()
        (ROOT / file).write_text(marked(name).sub(lambda _, lines=lines: "".join(f"{line}\n" for line in lines), text))


if __name__ == "__main__":
    write()
