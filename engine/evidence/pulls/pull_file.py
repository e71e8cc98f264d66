"""Reading a file of pulls: TOML, looked at as a whole before anything is read from anywhere."""

import hashlib
import re
import tomllib
from collections.abc import Callable, Container, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from engine.catalogue import catalogue
from engine.evidence.pulls.declarations import PullCheck, PullFile, PullSource
from engine.evidence.pulls.queries import check_braces, query_shape
from engine.evidence.pulls.secrets import refuse_secrets
from engine.model.errors import Usage
from engine.model.suggestions import suggestion
from engine.model.vocabulary import CADENCES

MOST_FILE_BYTES = 1 << 20
LONGEST_NAME = 200
MOST_ROWS = 100_000  # where a source says nothing
_MOST_MAX_ROWS = 5_000_000
_NAME = re.compile(r"[a-z][a-z0-9_]{0,39}")
_ID = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_RESERVED = ("population", "exceptions", "run", "source_rows")
_FORMATS = ("csv", "json", "jsonl", "parquet", "xlsx")
_TYPES = ("text", "number", "whole", "flag", "date", "timestamp", "json")

Rule = Callable[[object], str]  # what is expected where a value is not that; empty where it is well


def _text(value: object) -> str:
    return "" if isinstance(value, str) and value.strip() else "a text"


def _relative(value: object) -> str:
    """Of a path: below the folder of the file."""
    if _text(value):
        return "a path"
    path = PurePosixPath(str(value))
    inside = not path.is_absolute() and ".." not in path.parts and "\0" not in str(value)
    return "" if inside else "a path below the folder of this file, without '..'"


def _file(value: object) -> str:
    """Of a path to files: not the folder itself."""
    return _relative(value) or ("" if PurePosixPath(str(value)).parts else "a path to a file")


def _words(rule: Rule, least: int = 1) -> Rule:
    def check(value: object) -> str:
        if not isinstance(value, list) or len(value) < least:
            return "a list of texts" if not least else "a list of one text or more"
        return next((problem for problem in map(rule, value) if problem), "")

    return check


def _variable(value: object) -> str:
    return "" if isinstance(value, str) and _VARIABLE.fullmatch(value) else "the name of an environment variable"


def _within(low: int, high: int) -> Rule:
    def check(value: object) -> str:
        is_number = isinstance(value, int) and not isinstance(value, bool)
        return "" if is_number and low <= int(str(value)) <= high else f"a whole number from {low:,} to {high:,}"

    return check


def _one_of(*words: str) -> Rule:
    return lambda value: "" if value in words else f"one of {', '.join(words)}"


def _address(*schemes: str) -> Rule:
    def check(value: object) -> str:
        starts = tuple(f"{scheme}://" for scheme in schemes)
        return "" if isinstance(value, str) and value.startswith(starts) else f"an address with {' or '.join(starts)}"

    return check


def _flag(value: object) -> str:
    return "" if isinstance(value, bool) else "true or false"


def _column_types(value: object) -> str:
    well = isinstance(value, dict) and all(word in _TYPES for word in value.values())
    return "" if well else f"a table of columns with their types: {', '.join(_TYPES)}"


_SECONDS, _BYTES = _within(1, 3600), _within(1, 1 << 31)
_TYPED: Mapping[str, Rule] = {"types": _column_types, "rows": _text}
# kind: what it must have, what it may have
KINDS: Mapping[str, tuple[Mapping[str, Rule], Mapping[str, Rule]]] = {
    "files": ({"paths": _words(_file)}, {"format": _one_of(*_FORMATS), "sheet": _text, **_TYPED}),
    "postgresql": ({"url_env": _variable, "query": _text}, {"timeout_seconds": _SECONDS}),
    "sqlite": ({"path": _file, "query": _text}, {"timeout_seconds": _SECONDS, "types": _column_types}),
    "command": (
        {"argv": _words(_text), "format": _one_of("csv", "json", "jsonl")},
        {"timeout_seconds": _SECONDS, "max_bytes": _BYTES, "env": _words(_variable, 0), **_TYPED},
    ),
    "https": (
        {"url": _address("https"), "format": _one_of("csv", "json", "jsonl")},
        {"token_env": _variable, "timeout_seconds": _SECONDS, "max_bytes": _BYTES, **_TYPED},
    ),
    "ldap": (
        {"base": _text, "filter": _text, "attributes": _words(_text)},
        {
            **{"url": _address("ldaps", "ldap"), "url_env": _variable, "user_env": _variable},
            **{"password_env": _variable, "start_tls": _flag, "timeout_seconds": _SECONDS, "types": _column_types},
        },
    ),
    "git": ({"path": _relative}, {"branch": _text, "timeout_seconds": _SECONDS}),
}
_CHECK: tuple[Mapping[str, Rule], Mapping[str, Rule]] = (
    {
        **{"id": _text, "title": _text, "controls": _words(_text), "cadence": _one_of(*CADENCES)},
        **{"population": _text, "exceptions": _text},
    },
    {"most": _within(0, 10**9), "least_population": _within(1, 10**9), "owner": _text},
)


def read_pull_file(path: Path, own: Container[tuple[str, str]] = frozenset()) -> PullFile:
    """The file, with everything in it checked. Usage says what was expected and what came, and where.

    ``own`` are the assessable controls of frameworks of the organization's own, with their framework.
    """
    name = path.name
    try:
        if path.exists() and not path.is_file():
            raise Usage(f"{path} must be a file of pulls; it is a folder, a device or a pipe.")
        with path.open("rb") as file:
            raw = file.read(MOST_FILE_BYTES + 1)
    except OSError as error:
        raise Usage(f"{path} cannot be read: {error.strerror}.") from error
    if len(raw) > MOST_FILE_BYTES:
        raise Usage(f"{name} is larger than {MOST_FILE_BYTES:,} bytes, which no file of pulls has to be.")
    try:
        text = raw.decode()
        data = tomllib.loads(text)
    except UnicodeDecodeError as error:
        raise Usage(f"{name} must be TOML in UTF-8; byte {error.start + 1} is none.") from error
    except tomllib.TOMLDecodeError as error:
        raise Usage(f"{name} is not TOML: {_place_words(str(error), text)}.") from error
    refuse_secrets(data, text, name)
    sources = _sources(data, name)
    checks = _checks(data, sources, own, name)
    folder = path.absolute().parent
    return PullFile(_name(data, name), path.absolute(), folder, hashlib.sha256(raw).hexdigest(), sources, checks)


def _name(data: Mapping[str, object], file: str) -> str:
    """What the file is called by: as its line ``name`` says, else as it is called where it lies."""
    name = data.get("name", file)
    if not isinstance(name, str) or not name.strip() or len(name) > LONGEST_NAME:
        raise Usage(f"{file}: name must be a text of up to {LONGEST_NAME} characters; got {str(name)[:100]!r}.")
    return name


def _place_words(message: str, text: str) -> str:
    """What the reader says, with the line and the column of the end where it says no more than that."""
    line, column = text.count("\n") + 1, len(text.rpartition("\n")[2]) + 1
    message = message.replace("at end of document", f"at line {line}, column {column}, the end of the document")
    return message[:1].lower() + message[1:].rstrip(".")


def _sources(data: dict[str, Any], file: str) -> dict[str, PullSource]:
    _no_other(data, ("name", "source", "check"), file)
    tables = data.get("source")
    if not isinstance(tables, dict) or not tables:
        raise Usage(f"{file} must have a table [source.NAME] or more; it has none.")
    sources: dict[str, PullSource] = {}
    owners: dict[str, str] = {}
    for name, table in tables.items():
        place = f"{file}: [source.{name}]"
        if not isinstance(table, dict):
            raise Usage(f"{place} must be a table.")
        if not _NAME.fullmatch(name) or name in _RESERVED:
            raise Usage(
                f"{place} must be named with small letters, digits and _, and not 'population', 'exceptions' or 'run'."
            )
        source = _source(name, table, place)
        for one in source.tables:
            if one in owners:
                raise Usage(f"{place} makes the table {one}, which [source.{owners[one]}] makes, too.")
            owners[one] = name
        sources[name] = source
    return sources


def _source(name: str, table: dict[str, Any], place: str) -> PullSource:
    kind = str(table.get("kind"))
    if kind not in KINDS:
        near = suggestion(kind, list(KINDS))
        raise Usage(f"{place} must have a kind: {', '.join(KINDS)}; got {table.get('kind')!r}.{near and ' '}{near}")
    needed, allowed = KINDS[kind]
    common: dict[str, Rule] = {"kind": _text, "max_rows": _within(1, _MOST_MAX_ROWS)}
    _check_table(table, needed, {**allowed, **common}, place)
    if kind == "ldap" and ("url" in table) == ("url_env" in table):
        raise Usage(f"{place} must have one of url and url_env.")
    if (query := table.get("query")) is not None:
        for day in ("{since}", "{until}"):
            if day in query:
                raise Usage(f"{place} has {day} in its query: a source has no window, its checks have.")
    options = {key: value for key, value in table.items() if key not in common}
    return PullSource(name, kind, options, table.get("max_rows", MOST_ROWS))


def _checks(
    data: dict[str, Any], sources: Mapping[str, PullSource], own: Container[tuple[str, str]], file: str
) -> tuple[PullCheck, ...]:
    tables = data.get("check")
    if not isinstance(tables, list) or not tables:
        raise Usage(f"{file} must have a table [[check]] or more; it has none.")
    checks: dict[str, PullCheck] = {}
    for number, table in enumerate(tables, start=1):
        named = table.get("id") if isinstance(table, dict) else None
        place = f"{file}: check {named!r}" if isinstance(named, str) and named else f"{file}: check {number}"
        if not isinstance(table, dict):
            raise Usage(f"{place} must be a table [[check]].")
        check = _check(table, sources, own, place)
        if check.id in checks:
            raise Usage(f"{place} is there twice: each check has an id of its own.")
        checks[check.id] = check
    return tuple(checks.values())


def _check(
    table: dict[str, Any], sources: Mapping[str, PullSource], own: Container[tuple[str, str]], place: str
) -> PullCheck:
    needed, allowed = _CHECK
    _check_table(table, needed, allowed, place)
    if not _ID.fullmatch(table["id"]):
        raise Usage(f"{place} must have an id of small letters, digits, '.', '_' and '-'.")
    looked: set[str] = set()
    of_table = {one: source for source in sources.values() for one in source.tables}
    for part, others in (("population", ()), ("exceptions", ("population",))):
        where = f"{place}: {part}"
        check_braces(table[part], where)
        shape = query_shape(table[part], where)
        for one in sorted(shape.tables.difference(others)):
            if one not in of_table:
                near = suggestion(one, list(of_table))
                there = ", ".join(sorted(of_table))
                raise Usage(f"{where} asks {one!r}, which is no source; there is {there}.{near and ' '}{near}")
        looked |= shape.tables - {"population"}
    queries = {of_table[one].name: of_table[one].text("query") for one in looked}
    return PullCheck(
        id=table["id"],
        title=table["title"],
        controls=tuple(dict.fromkeys(_control(tag, own, place) for tag in table["controls"])),
        cadence=table["cadence"],
        population=table["population"],
        exceptions=table["exceptions"],
        most=table.get("most", 0),
        least_population=table.get("least_population", 1),
        owner=table.get("owner"),
        tables=tuple(sorted(looked)),
        source_queries=tuple(sorted((name, query) for name, query in queries.items() if query)),
    )


def _control(tag: str, own: Container[tuple[str, str]], place: str) -> tuple[str, str]:
    framework, colon, control_id = tag.partition(":")
    is_there = catalogue().has_control(framework, control_id) or (framework, control_id) in own
    if not colon or not is_there:
        raise Usage(f"{place} names the control {tag!r}, which no catalogue has; expected such as soc2:CC6.2.")
    return framework, control_id


def _check_table(
    table: Mapping[str, object], needed: Mapping[str, Rule], allowed: Mapping[str, Rule], place: str
) -> None:
    """Usage for a line that is missing, unknown or of another type."""
    _no_other(table, (*needed, *allowed), place)
    for key, rule in needed.items():
        if key not in table:
            raise Usage(f"{place} must have {key}, {rule(None)}.")
    for key, value in table.items():
        problem = (needed.get(key) or allowed[key])(value)
        if problem and key.endswith("env"):
            raise Usage(f"{place}: {key} must be {problem}; what came is not shown, since it may be a secret.")
        if problem:
            raise Usage(f"{place}: {key} must be {problem}; got {str(value)[:100]!r}.")


def _no_other(table: Mapping[str, object], there: tuple[str, ...], place: str) -> None:
    for key in table:
        if key not in there:
            near = suggestion(key, list(there))
            raise Usage(f"{place} has {key!r}, which is not read; there is {', '.join(there)}.{near and ' '}{near}")
