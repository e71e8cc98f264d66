"""The playbooks of ``data/playbooks``: read once, every key checked."""

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

import msgspec

from engine.automation.checks import CHECKS
from engine.automation.situation import CheckOptions
from engine.automation.targets import SELECTORS
from engine.model.errors import InvalidData, NotFound
from engine.model.vocabulary import PlaybookRisk
from engine.reporting.artifacts.artifact_names import ROOT

FOLDER = ROOT / "data" / "playbooks"
Text = Annotated[str, msgspec.Meta(min_length=1, max_length=300)]
_PLACEHOLDER = re.compile(r"\{(\w+)\}")


class PlaybookInput(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One thing to say before a playbook can run. Without ``required`` and ``default`` it may be absent."""

    type: Literal["service", "user", "vendor", "system", "text", "integer", "choice", "boolean"]
    help: Text
    required: bool = False
    default: str | int | bool | None = None
    choices: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None


class PlaybookCheck(msgspec.Struct, frozen=True):
    """A precondition. One that ``must`` hold fails the run, one that ``should`` is a warning.

    ``given`` names the options that the file has, those that no check knows included.
    """

    check: str
    level: Literal["must", "should"]
    options: CheckOptions
    given: tuple[str, ...]


class PlaybookStep(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One step; ``each`` means once for every target."""

    title: Text
    do: Text
    undo: Text
    each: bool = False


class Playbook(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A playbook as data; the folder's README explains each key."""

    id: str
    title: Text
    purpose: Text
    targets: str
    reach: Literal["services", "dependents", "none"]
    risk: PlaybookRisk
    limit: Annotated[int, msgspec.Meta(ge=1, le=500)]
    controls: Annotated[tuple[str, ...], msgspec.Meta(min_length=1)]
    rollback: Annotated[tuple[Text, ...], msgspec.Meta(min_length=1)]
    inputs: dict[str, PlaybookInput]
    checks: Annotated[tuple[PlaybookCheck, ...], msgspec.Meta(min_length=1)]
    steps: Annotated[tuple[PlaybookStep, ...], msgspec.Meta(min_length=2)]


def playbook_names() -> tuple[str, ...]:
    """The ids of the playbooks that ship with the program: their files bear them."""
    return tuple(sorted(path.stem for path in FOLDER.glob("*.toml")))


@cache
def playbooks() -> Mapping[str, Playbook]:
    """The playbooks that ship with the program, by id."""
    return load(FOLDER)


def playbook(name: str) -> Playbook:
    """The playbook of that name; NotFound lists those that exist."""
    known = playbooks()
    if name not in known:
        raise NotFound(f"There is no playbook {name[:80]!r}; there are {', '.join(known)}.", word="unknown_playbook")
    return known[name]


def load(folder: Path) -> dict[str, Playbook]:
    """Every playbook of a folder, by id; InvalidData names the file and the key that does not hold."""
    return {path.stem: _playbook(path) for path in sorted(folder.glob("*.toml"))}


def _playbook(path: Path) -> Playbook:
    try:
        raw = tomllib.loads(path.read_text("utf-8"))
        raw["checks"] = [_check(given) for given in raw.get("checks", [])]
        read = msgspec.convert(raw, Playbook)
    except ValueError as error:  # not UTF-8, not TOML, or not a playbook
        raise InvalidData(f"playbooks/{path.name}: {error}") from error
    for key, problem in _problems(read, path.stem):
        raise InvalidData(f"playbooks/{path.name}: {key} {problem}")
    return read


def _check(given: Mapping[str, object]) -> dict[str, object]:
    options = {name: value for name, value in given.items() if name not in ("check", "level")}
    return {**given, "options": options, "given": list(options)}


def _problems(read: Playbook, stem: str) -> list[tuple[str, str]]:
    """What msgspec cannot see: names that must exist elsewhere."""
    from engine.catalogue import catalogue

    known = catalogue()
    problems: list[tuple[str, str]] = []
    if read.id != stem:
        problems.append(("id", f"must be {stem}, the name of the file; found {read.id}"))
    if read.targets not in SELECTORS:
        problems.append(("targets", f"must be one of {', '.join(SELECTORS)}; found {read.targets}"))
    for control in read.controls:
        if not known.has_control(*(control.split(":", 1) if ":" in control else ("", control))):
            problems.append(("controls", f"names {control}, which no catalogue has"))
    for name, given in read.inputs.items():
        problems += [(f"inputs.{name}", problem) for problem in _input_problems(given)]
    for check in read.checks:
        if check.check not in CHECKS:
            problems.append(("checks", f"must be of {', '.join(CHECKS)}; found {check.check}"))
        elif set(check.given) - CHECKS[check.check].options:
            problems.append(("checks", f"{check.check} does not take {', '.join(check.given)}"))
        elif CHECKS[check.check].needs - set(check.given):
            problems.append(("checks", f"{check.check} needs {', '.join(sorted(CHECKS[check.check].needs))}"))
    for step in read.steps:
        for name in _PLACEHOLDER.findall(step.do):
            if name not in read.inputs:
                problems.append(("steps", f"{step.title!r} names {{{name}}}, which is no input"))
            elif not read.inputs[name].required and read.inputs[name].default is None:
                problems.append(("steps", f"{step.title!r} names {{{name}}}, which may be absent"))
    return problems


def _input_problems(given: PlaybookInput) -> list[str]:
    problems = []
    if given.required and given.default is not None:
        problems.append("is required and has a default")
    if (given.type == "choice") != bool(given.choices):
        problems.append("needs choices when its type is choice, and only then")
    if given.default is not None and given.choices and given.default not in given.choices:
        problems.append("has a default that is no choice")
    if (given.type == "integer") != (given.low is not None and given.high is not None):
        problems.append("needs low and high when its type is integer, and only then")
    return problems


def fill(text: str, values: Mapping[str, object]) -> str:
    """A text with its ``{input}`` placeholders replaced; values are inserted as they are."""
    return _PLACEHOLDER.sub(lambda match: str(values.get(match[1], "")), text)
