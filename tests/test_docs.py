"""What README and documentation promise is so. ``python -m tests.test_docs`` writes their generated parts."""

import contextlib
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from functools import partial
from pathlib import Path

import pytest

from engine.cli import commands
from engine.runtime.settings import Settings
from reports import SECTIONS
from tests import reference

ROOT = Path(__file__).resolve().parents[1]
README = ROOT / "README.md"
DOCS = ROOT / "docs"
PAGES = [README, *sorted(DOCS.rglob("*.md"))]
OTHERS = [ROOT / name for name in ("CONTRIBUTING.md", "SECURITY.md", "CHANGELOG.md")]
BIN = Path(sys.executable).parent
BLOCK = re.compile(r"^```(?P<info>[^\n]*)\n(?P<code>.*?)^```$", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"(?<![\w/.-])hq (?P<name>[a-z]+)(?P<rest>(?:\\\n|[^\n`|;&)])*)")
LINK = re.compile(r"\]\((?!https?:|mailto:)([^)#\s]*)(#[^)\s]+)?\)")

GENERATED = {
    ("docs/reference/reports.md", "chapters"): reference.chapters,
    ("docs/reference/figures.md", "figures"): reference.figures,
    ("docs/reference/settings.md", "settings"): reference.settings,
    ("docs/reference/tables.md", "tables"): reference.tables,
    ("docs/reference/commands.md", "options"): reference.options,
    ("docs/reference/http.md", "http"): reference.http,
    ("docs/reference/desk.md", "rights"): reference.rights,
} | {
    (f"docs/reference/reports/{reference.slug(name)}.md", "chapter"): partial(reference.chapter, name)
    for name in SECTIONS
}


def place(path):
    return path.relative_to(ROOT).as_posix()


def blocks(page, *infos):
    """The code of the fenced blocks with one of these info strings, in order."""
    return [match["code"] for match in BLOCK.finditer(page.read_text()) if match["info"] in infos]


def marked_part(name):
    return re.compile(rf"(?<=<!-- {name} -->\n)(.*?)(?=<!-- /{name} -->)", re.DOTALL)


@pytest.mark.parametrize(("file", "name"), GENERATED)
def test_what_is_generated_is_up_to_date(file, name):
    """`python -m tests.test_docs` writes it."""
    (text,) = marked_part(name).findall((ROOT / file).read_text())
    assert text.splitlines() == generated_lines(file, name)


def test_every_setting_that_is_named_exists():
    """Those of the tests alone aside."""
    known = {name for name, _, _ in Settings().listing()}
    named = {name for page in [*PAGES, *OTHERS] for name in re.findall(r"\bSVC_[A-Z_]+[A-Z]", page.read_text())}
    assert {name for name in named - known if not name.startswith("SVC_TEST_")} == set()


def test_every_command_is_described():
    """In the table that people read before they read its options."""
    named = {name for name, _ in described_commands()}
    assert set(commands.commands) - named == set()


def described_commands():
    """(command, what is said of it) of the table of commands."""
    text = (DOCS / "reference" / "commands.md").read_text()
    return re.findall(r"^\| `hq ([a-z]+)[^`]*` \| (.*) \|$", text, re.MULTILINE)


def test_every_option_beside_a_command_in_the_table_is_its_own():
    wrong = []
    for name, text in described_commands():
        options = options_of(commands.commands[name])
        wrong += [(name, option) for option in re.findall(r"`(--[a-z0-9-]+)`", text) if option not in options]
    assert wrong == []


def options_of(command):
    """Its options, and those of commands below it."""
    own = {option for parameter in command.params for option in parameter.opts}
    return own.union(*map(options_of, getattr(command, "commands", {}).values()))


@pytest.mark.parametrize("page", PAGES, ids=place)
def test_every_command_that_is_named_exists_with_its_options(page):
    text = page.read_text()
    spans = [found["code"] for found in BLOCK.finditer(text)]
    spans += re.findall(r"`([^`\n]+)`", BLOCK.sub("", text))
    wrong = []
    for found in (match for span in spans for match in COMMAND.finditer(span)):
        command = commands.commands.get(found["name"])
        given = set(re.findall(r"(?<!\S)--?[a-z][a-z0-9-]*", found["rest"]))
        if command is None or given - options_of(command) - {"--help"}:
            wrong.append(found[0])
    assert wrong == []


@pytest.mark.parametrize("page", [*PAGES, *OTHERS], ids=place)
def test_every_make_target_that_is_named_exists(page):
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"(?:^|`)make ([a-z-]+)", page.read_text(), re.MULTILINE)) - targets == set()


def test_links_lead_to_files_that_are_committed():
    committed = set(run("git", "ls-files").splitlines())
    folders = {str(parent) for name in committed for parent in Path(name).parents}
    wrong = []
    for page in [*PAGES, *OTHERS]:
        for target, _ in LINK.findall(BLOCK.sub("", page.read_text())):
            led = os.path.normpath(page.parent.relative_to(ROOT) / target) if target else place(page)
            wrong += [(place(page), target)] if led not in committed | folders else []
    assert wrong == []


def run(*command):
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout


def test_links_into_a_page_lead_to_a_heading_of_it():
    """Those from outside of docs/; inside it, `make docs` looks."""
    wrong = []
    for page in [README, *OTHERS]:
        for target, anchor in LINK.findall(BLOCK.sub("", page.read_text())):
            if anchor and anchor not in anchors_of((page.parent / target) if target else page):
                wrong.append((place(page), target, anchor))
    assert wrong == []


def anchors_of(page):
    headings = re.findall(r"^#+ (.+)$", BLOCK.sub("", page.read_text()), re.MULTILINE)
    return {"#" + re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_readme_is_short():
    assert len(README.read_bytes()) <= 8000


def test_the_changelog_begins_with_what_is_unreleased():
    headings = re.findall(r"^## (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert headings[0] == "Unreleased"


TUTORIAL = DOCS / "tutorial" / "first-report.md"
GUIDES = [*sorted((DOCS / "how-to").glob("*.md")), DOCS / "tutorial" / "directory-export.md"]


@pytest.mark.real
def test_the_tutorial_runs(tmp_path):
    """Pasted as it is, without a server."""
    done = paste_blocks(tmp_path, blocks(TUTORIAL, "bash run"))
    assert (done.returncode, done.stderr if done.returncode else "") == (0, "")
    assert "northwind moved from revision 0 to" in done.stdout
    assert "# Posture score" in done.stdout
    assert "ok: northwind, events 1 to" in done.stdout
    (folder,) = tmp_path.glob("tmp.*")
    assert {"gaps.csv", "freshness.json", "obligations.ics", "site"} <= {f.name for f in folder.iterdir()}
    assert (folder / "site" / "index.html").is_file()


@pytest.mark.real
@pytest.mark.skipif(shutil.which("curl") is None, reason="the example over HTTP uses curl")
def test_the_tutorial_over_http_runs(tmp_path):
    """The records of the example, then what a client sees: a report, 304 for the same, 200 after a change."""
    first, *_ = blocks(TUTORIAL, "bash run")
    done = paste_blocks(tmp_path, [first, *blocks(TUTORIAL, "bash serve")])
    assert (done.returncode, done.stderr if done.returncode else "") == (0, "")
    assert '{"report":"posture-score"' in done.stdout
    assert re.findall(r"^(\d{3})$", done.stdout, re.MULTILINE) == ["304", "200"]
    (folder,) = tmp_path.glob("tmp.*")
    assert (folder / "summary.html").read_text().startswith("<!DOCTYPE html>")


def guides(info):
    """The guides with such blocks, and their blocks one after the other."""
    return {place(page): "\n".join(blocks(page, info)) for page in GUIDES if blocks(page, info)}


@pytest.mark.real
def test_every_guide_runs_on_the_records_of_the_tutorial(tmp_path):
    """Each on a copy of its own, with what it prints below its name."""
    first, *_ = blocks(TUTORIAL, "bash run")
    own = 'copy="$(mktemp -d)"; cp -r . "$copy"; cd "$copy"; export SVC_DATA_DIR="$PWD/var"'
    found = guides("bash run")
    done = paste_blocks(tmp_path, [first, *(f"echo '# {page}'; ({own}\n{code}\n)" for page, code in found.items())])
    assert (done.returncode, done.stderr if done.returncode else "") == (0, ""), done.stdout[-2000:]
    assert [page for page in found if f"# {page}\n" not in done.stdout] == []


@pytest.mark.real
@pytest.mark.skipif(shutil.which("curl") is None, reason="the examples over HTTP use curl")
def test_every_guide_runs_beside_the_server_of_the_tutorial(tmp_path):
    records, *_ = blocks(TUTORIAL, "bash run")
    served, *_ = blocks(TUTORIAL, "bash serve")
    found = guides("bash serve")
    done = paste_blocks(tmp_path, [records, served, *(f"echo '# {page}'\n{code}" for page, code in found.items())])
    assert (done.returncode, done.stderr if done.returncode else "") == (0, ""), done.stdout[-2000:]
    assert [page for page in found if f"# {page}\n" not in done.stdout] == []


def paste_blocks(folder, code):
    """A shell that runs the blocks one after the other, on a port of its own, and leaves nothing running."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
    begin = "set -euo pipefail; trap 'kill $(jobs -p) 2>/dev/null || true' EXIT"
    script = "\n".join([begin, *code]).replace("8080", str(port))
    environment = {name: value for name, value in os.environ.items() if not name.startswith("SVC_")}
    environment |= {"PATH": f"{BIN}{os.pathsep}{os.environ['PATH']}", "TMPDIR": str(folder)}
    process = subprocess.Popen(
        ["bash", "-c", script],
        env=environment,
        cwd=folder,
        text=True,
        start_new_session=True,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    try:
        out, err = process.communicate(timeout=300)
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    return subprocess.CompletedProcess(script, process.returncode, out, err)


def generated_lines(file, name):
    """The lines of one generated part, as they stand in its page."""
    return ["", *"\n".join(GENERATED[file, name]()).strip().splitlines(), ""]


def write():
    for file, name in GENERATED:
        text = "".join(f"{line}\n" for line in generated_lines(file, name))
        page = ROOT / file
        page.write_text(marked_part(name).sub(lambda _, text=text: text, page.read_text()))


if __name__ == "__main__":
    write()
