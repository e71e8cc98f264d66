"""The command that begins a report or a monitor, in a checkout of the repository."""

import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import click

from engine.model.errors import Usage

NAME = re.compile(r"[a-z][a-z0-9]*(-[a-z0-9]+)*")
LONGEST_REPORT, LONGEST_MONITOR = 40, 18
WIDTH = 120  # of a line; a longer import stands below one another
CATALOGUE, FORMATS = Path("reports/__init__.py"), Path("engine/intake/alerts/formats.py")
SAMPLES = Path("tests/intake/test_alert_formats.py")
STEPS_OF_REPORT = (
    "Say in {file} what it answers: its sentence, its facts, its tables; {test} says what it must show.",
    "make accept writes it into the index, the examples and the reference; then hq report {name} prints it.",
    "A route of its own changes the contract: report_route(…) in api.py, and a reason in the commit.",
    "make test-changed",
)
STEPS_OF_MONITOR = (
    "Put what it really sends into {sample}, and read it in {file}; {test} says what becomes of it.",
    "Write a page in docs/how-to/monitors/, with a line in its README.md and in mkdocs.yml.",
    "Add the body to the seeds of alerts in tests/soak/fuzz/seeds.py.",
    "make accept, then make test-changed",
)


@click.group()
def new() -> None:
    """Write the skeleton of a report or a monitor into the checkout of the repository in this folder."""


@new.command(epilog="Example: hq new report key-holders --chapter ownership")
@click.argument("name")
@click.option("--chapter", required=True, metavar="FOLDER", help="The folder of reports/ that it belongs to.")
def report(name: str, chapter: str) -> None:
    """Write a report, its line in the catalogue and its test, and say what is left to do."""
    from engine.cli import skeletons

    module = _module(name, LONGEST_REPORT)
    text = _read(CATALOGUE)
    places = {"file": Path(f"reports/{chapter}/{module}.py"), "test": Path(f"tests/reports/{chapter}/test_{module}.py")}
    words = {"name": name, "title": _title(name), "chapter": chapter, "module": module}
    texts = {places["file"]: skeletons.REPORT.format(**words), places["test"]: skeletons.REPORT_TEST.format(**words)}
    _write(texts, {CATALOGUE: _with_report(text, chapter, module)})
    _print_steps(STEPS_OF_REPORT, name=name, **{key: str(path) for key, path in places.items()})


@new.command(epilog="Example: hq new monitor zabbix")
@click.argument("name")
def monitor(name: str) -> None:
    """Write the reader of a monitor's alerts, its line among the formats, a sample and a test."""
    from engine.cli import skeletons

    module = _module(name, LONGEST_MONITOR)
    places = {
        "file": FORMATS.with_name(f"{module}.py"),
        "sample": Path(f"tests/intake/samples/{module}.json"),
        "test": Path(f"tests/intake/test_{module}.py"),
    }
    words = {"name": module, "title": _title(name)}
    texts = dict(zip(places.values(), (skeletons.MONITOR, skeletons.SAMPLE, skeletons.MONITOR_TEST), strict=True))
    _write(
        {path: text.format(**words) for path, text in texts.items()},
        {FORMATS: _with_format(_read(FORMATS), module), SAMPLES: _with_sample(_read(SAMPLES), module)},
    )
    _print_steps(STEPS_OF_MONITOR, **{key: str(path) for key, path in places.items()})


def _module(name: str, longest: int) -> str:
    if not NAME.fullmatch(name) or len(name) > longest:
        raise Usage(
            f"A name is lower-case words with hyphens between them, at most {longest} characters; got {name!r}."
        )
    return name.replace("-", "_")


def _title(name: str) -> str:
    return name.replace("-", " ").capitalize()


def _read(path: Path) -> str:
    if not path.is_file():
        raise Usage(f"hq new writes into a checkout of the repository; there is no {path} in this folder.")
    return path.read_text()


def _write(texts: Mapping[Path, str], tables: Mapping[Path, str]) -> None:
    """All of it, or nothing where a file is there already."""
    for path in texts:
        if path.exists():
            raise Usage(f"{path} is there already: choose another name.")
    for path, text in (*texts.items(), *tables.items()):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text)
        click.echo(str(path))
    _format(*texts, *tables)


def _format(*paths: Path) -> None:
    """Lay out what was written as the checkout's own formatter does; without one it stays as it is."""
    files = [str(path) for path in paths if path.suffix == ".py"]
    for words in (["check", "--select", "I", "--fix"], ["format"]):
        command = [sys.executable, "-m", "ruff", *words, "--quiet", "--no-cache", *files]
        subprocess.run(command, check=False)  # noqa: S603 - our own interpreter and files


def _print_steps(steps: tuple[str, ...], **words: str) -> None:
    click.echo("\nWhat is left to do:")
    for number, step in enumerate(steps, start=1):
        click.echo(f"{number}. {step.format(**words)}")


def _with_report(catalogue: str, chapter: str, module: str) -> str:
    """The catalogue with an import and a line behind the last report of the chapter."""
    imports = re.compile(rf"^from reports\.{re.escape(chapter)} import (\([^)]*\)|[^\n]*)$", re.MULTILINE)
    match = imports.search(catalogue)
    if match is None:
        chapters = ", ".join(re.findall(r"^from reports\.(\w+) import", catalogue, re.MULTILINE))
        raise Usage(f"--chapter must be one of {chapters}; got {chapter!r}.")
    names = re.findall(r"\w+", match[1])
    last = max((catalogue.rindex(f"{one}.REPORT"), one) for one in names)[1]
    catalogue = re.sub(rf"\b{last}\.REPORT\b", f"{last}.REPORT, {module}.REPORT", catalogue)
    return imports.sub(lambda _: _import(f"from reports.{chapter} import ", sorted([*names, module])), catalogue)


def _import(begin: str, names: list[str]) -> str:
    line = begin + ", ".join(names)
    return line if len(line) <= WIDTH else _below(begin, names)


def _with_format(formats: str, module: str) -> str:
    """The formats with an import and a line before ``normalized``, which is the least particular."""
    begin = "from engine.intake.alerts import "
    imports = re.compile(rf"^{re.escape(begin)}\(([^)]*)\)$", re.MULTILINE)
    (names,) = (re.findall(r"\w+", found) for found in imports.findall(formats))
    parts = ", ".join([f'"{module}"', *(f"{module}.{part}" for part in ("matches", "records", "read", "SHAPE"))])
    formats = imports.sub(lambda _: _below(begin, sorted([*names, module])), formats)
    line = f"    _format({parts}),\n"
    if len(line) > WIDTH + 1:
        line = "\n".join(["    _format(", *(f"        {part}," for part in parts.split(", ")), "    ),\n"])
    return _before(formats, '    _format("normalized"', line)


def _below(begin: str, names: list[str]) -> str:
    return "\n".join([f"{begin}(", *(f"    {name}," for name in names), ")"])


def _with_sample(tests: str, module: str) -> str:
    return _before(tests, '    "normalized": ', f'    "{module}": bodies.sample("{module}"),\n')


def _before(text: str, line: str, added: str) -> str:
    place = text.index(line)
    return text[:place] + added + text[place:]
