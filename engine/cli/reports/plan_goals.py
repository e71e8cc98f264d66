"""The goals of a plan as they are written on a command line or in a file."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any

from engine.model.declarations.plan_parameters import BY, DEFAULT_TARGET
from engine.model.errors import BadRequest, Usage
from engine.model.vocabulary import FRAMEWORKS

_FRAMEWORK = re.compile(r"[a-z0-9][a-z0-9._-]*")
KEYS = ("framework", "by", "target", "type2_from")


@dataclass(frozen=True)
class GoalWords:
    """One goal: the framework, and as far as they are said its day, its target and the first day of its period."""

    framework: str
    by: str | None = None
    target: int = DEFAULT_TARGET
    start: str | None = None

    @property
    def word(self) -> str:
        """As the parameter ``goals`` has it."""
        days = [(day or "").replace("-", "") for day in (self.by, self.start)]
        return ":".join([self.framework, str(self.target), *days]).rstrip(":")


def goals_of(
    frameworks: Sequence[str], by: Sequence[str], targets: Sequence[str], starts: Sequence[str]
) -> list[GoalWords]:
    """The goals of options: days and targets belong to frameworks by name, else in their order; one alone to all.

    Usage names the option that fits no framework.
    """
    twice = [name for name in frameworks if frameworks.count(name) > 1]
    if twice:
        raise Usage(f"--framework {twice[0]} is given twice: each framework once, with one day and one target.")
    days, wanted, begins = (
        _by_framework(option, given, frameworks)
        for option, given in (("--by", by), ("--target", targets), ("--type2-from", starts))
    )
    return [
        GoalWords(
            name,
            day("--by", days.get(name)),
            _target("--target", wanted.get(name)),
            day("--type2-from", begins.get(name)),
        )
        for name in frameworks
    ]


def goals_in(path: Path) -> list[GoalWords]:
    """The goals of a file: ``[[goal]]`` tables with ``framework``, ``by``, ``target`` and ``type2_from``."""
    try:
        read = tomllib.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise Usage(f"Cannot read {path}: {error.strerror or error}.") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise Usage(f"{path} is no TOML: {error}.") from error
    tables: object = read.get("goal")
    if not isinstance(tables, list) or not tables or not all(isinstance(one, dict) for one in tables):
        raise Usage(f'{path} needs a table [[goal]] for each framework, with framework = "soc2" and by = 2027-03-01.')
    goal_words = [_goal_of(path, one) for one in tables]
    twice = [one.framework for one in goal_words if [other.framework for other in goal_words].count(one.framework) > 1]
    if twice:
        raise Usage(f"{path} names {twice[0]} twice: each framework once, with one day and one target.")
    return goal_words


def _goal_of(path: Path, table: Mapping[str, Any]) -> GoalWords:  # whatever TOML holds
    unknown = sorted(set(table) - set(KEYS))
    if unknown:
        raise Usage(f"{path}: a goal has {', '.join(KEYS)}; got {unknown[0]!r}.")
    framework, target = table.get("framework"), table.get("target", DEFAULT_TARGET)
    if not isinstance(framework, str) or not _FRAMEWORK.fullmatch(framework):
        wanted = f"the id of a framework of one's own, or one of {', '.join(FRAMEWORKS)}"
        raise Usage(f"{path}: framework must be {wanted}; got {framework!r}.")
    days = {key: table[key] for key in ("by", "type2_from") if key in table}
    texts = {key: value.isoformat() if isinstance(value, date) else str(value) for key, value in days.items()}
    return GoalWords(
        framework,
        day(f"{path}: by", texts.get("by")),
        _target(f"{path}: target", str(target)),
        day(f"{path}: type2_from", texts.get("type2_from")),
    )


def _by_framework(option: str, given: Sequence[str], frameworks: Sequence[str]) -> dict[str, str]:
    named = [text.partition("=")[::2] for text in given if "=" in text]
    plain = [text for text in given if "=" not in text]
    for name, _ in named:
        if [other for other, _ in named].count(name) > 1:
            raise Usage(f"{option} {name}=… is given twice: each framework has one.")
        if name not in frameworks:
            raise Usage(f"{option} {name}=… names no framework of the plan; --framework has {', '.join(frameworks)}.")
    if len(plain) == 1 and not named:
        return dict.fromkeys(frameworks, plain[0])
    if plain and len(plain) != len(frameworks):
        raise Usage(
            f"{option} must be given once for all, once for each framework in their order ({', '.join(frameworks)}), "
            f"or by name as {option} {frameworks[0]}=…; got {len(plain)}."
        )
    return dict(zip(frameworks, plain, strict=False)) | dict(named)


def _target(option: str, text: str | None) -> int:
    if text is None:
        return DEFAULT_TARGET
    if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 100:
        raise Usage(f"{option} must be a percentage from 1 to 100, or framework=percentage; got {text[:80]!r}.")
    return int(text)


def day(option: str, text: str | None) -> str | None:
    """The text of a day; Usage for what is none, by the name of the option."""
    if text is None:
        return None
    try:
        BY.parse(text)
    except BadRequest as error:
        raise Usage(f"{option} must be {BY.expectation}; got {text[:80]!r}.") from error
    return text
