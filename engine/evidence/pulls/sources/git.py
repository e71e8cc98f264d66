"""A git repository as a source: what came in on the main line, tags, and the paths that each change touched.

``NAME_merges`` has a row for each commit of the first-parent history: a merge, or one that was pushed without.
``signed`` says that a signature is there; nothing verifies it. Nothing that the repository configures is run.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from shutil import which

import duckdb

from engine.evidence.pulls.declarations import PullSource
from engine.evidence.pulls.sources.commands import ProgramRun, run_program
from engine.evidence.pulls.sources.paths import MOST_BYTES, must_be_repository
from engine.evidence.pulls.sources.reading import (
    SECONDS,
    SourceProblem,
    SourceReaders,
    SourceRows,
    records_table,
    refuse_many,
)
from engine.model.errors import Usage

_REVIEWER = re.compile(r"(?im)^(?:reviewed|acked|approved|tested)-by:\s*(.+?)\s*$")
_PERSON = re.compile(r"^(.*?)\s*<([^>]*)> (-?\d+)")
_CLOSED = {
    **{
        "GIT_CONFIG_NOSYSTEM": "1",
        "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_TERMINAL_PROMPT": "0",
        "HOME": "/nonexistent",
    },
    **{"GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0", "GIT_NO_REPLACE_OBJECTS": "1", "LC_ALL": "C.UTF-8"},
    "GIT_ALLOW_PROTOCOL": "none",
}
_MERGES: Sequence[tuple[str, str | None]] = (
    *(("commit", "VARCHAR"), ("merged_at", "TIMESTAMP"), ("merge", "BOOLEAN"), ("author", "VARCHAR")),
    *(("authors", "VARCHAR"), ("committer", "VARCHAR"), ("merger", "VARCHAR"), ("reviewers", "VARCHAR")),
    *(("signed", "BOOLEAN"), ("subject", "VARCHAR"), ("paths", "BIGINT")),
)
_TAGS: Sequence[tuple[str, str | None]] = (
    *(("tag", "VARCHAR"), ("commit", "VARCHAR"), ("tagged_at", "TIMESTAMP"), ("tagger", "VARCHAR")),
    *(("annotated", "BOOLEAN"), ("signed", "BOOLEAN")),
)
_PATHS: Sequence[tuple[str, str | None]] = (("commit", "VARCHAR"), ("path", "VARCHAR"))


@dataclass(frozen=True)
class GitObject:
    """A commit or a tag: its header lines (the first of each name, parents all) and its message."""

    headers: Mapping[str, str]
    parents: tuple[str, ...]
    signed: bool
    message: str

    @classmethod
    def of(cls, raw: str) -> "GitObject":
        """From its text as it is stored."""
        head, _, message = raw.partition("\n\n")
        headers: dict[str, str] = {}
        parents = []
        for line in head.split("\n"):
            name, _, value = line.partition(" ")
            if name == "parent":
                parents.append(value)
            elif name:  # a line that begins with a space goes on with the one before
                headers.setdefault(name, value)
        signed = "gpgsig" in headers or "gpgsig-sha256" in headers or "-----BEGIN " in message
        return cls(headers, tuple(parents), signed, message)

    def person(self, header: str) -> str | None:
        """The address of a person in a header."""
        match = _PERSON.match(self.headers.get(header, ""))
        return match[2].lower() if match else None

    def moment(self, header: str) -> datetime | None:
        """The moment beside a person, in UTC without a zone."""
        match = _PERSON.match(self.headers.get(header, ""))
        return datetime.fromtimestamp(int(match[3]), UTC).replace(tzinfo=None) if match else None


def read_git(
    source: PullSource, base: Path, folder: Path, connection: duckdb.DuckDBPyConnection, readers: SourceReaders
) -> SourceRows:
    """Three tables of a repository below the folder."""
    place, name = f"[source.{source.name}]", source.text("path")
    program, path = which("git", path=readers.environment.get("PATH")), base / name
    if program is None:
        raise SourceProblem(f"{place} needs the program git, which is not there.")
    try:
        must_be_repository(base, name)
    except Usage as problem:
        raise SourceProblem(f"{place} {problem.message}") from problem
    if not path.is_dir():
        raise SourceProblem(f"{place} finds no folder {name!r}.")
    quiet = [program, "-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "safe.directory=*"]
    run = partial(
        _run_git,
        quiet,
        path,
        {**_CLOSED, "GIT_CEILING_DIRECTORIES": str(path.absolute().parent)},
        source.number("timeout_seconds", SECONDS),
        place,
    )
    head = run(["rev-parse", "--verify", "--end-of-options", f"{source.text('branch') or 'HEAD'}^{{commit}}"])
    commit = head.output.decode().strip()
    commits = run(["rev-list", "--first-parent", f"--max-count={source.max_rows + 1}", commit]).output.decode().split()
    refuse_many(source, len(commits))
    objects = dict(zip(commits, _objects(run, commits), strict=True))
    paths = dict(_paths(run, commits))
    merges = [_merge(run, one, objects[one], paths.get(one, ())) for one in commits]
    tables = {
        f"{source.name}_merges": records_table(connection, source, folder, _MERGES, merges),
        f"{source.name}_tags": records_table(connection, source, folder, _TAGS, _tags(run)),
        f"{source.name}_paths": records_table(
            connection, source, folder, _PATHS, [(one, path) for one in commits for path in paths.get(one, ())]
        ),
    }
    version = run(["version"]).output.decode().split()[-1]
    return SourceRows(
        tables, ((f"{name} {commit}", tables[f"{source.name}_merges"].sha256),), versions={"git": version}
    )


def _run_git(
    quiet: Sequence[str],
    path: Path,
    environment: Mapping[str, str],
    seconds: int,
    place: str,
    arguments: Sequence[str],
    given: bytes = b"",
) -> ProgramRun:
    run = run_program(
        [*quiet, *arguments], path, environment, seconds=seconds, most_bytes=MOST_BYTES, place=place, given=given
    )
    if run.code:
        raise SourceProblem(f"{place} is no repository that can be read: {run.errors or f'git ended with {run.code}'}.")
    return run


def _objects(run: "partial[ProgramRun]", names: Sequence[str]) -> Iterator[GitObject]:
    """Objects by their names, in order."""
    if not names:
        return
    raw = run(["cat-file", "--batch"], "".join(f"{name}\n" for name in names).encode()).output
    at = 0
    for _ in names:
        end = raw.index(b"\n", at)
        size = int(raw[at:end].rsplit(b" ", 1)[-1])
        yield GitObject.of(raw[end + 1 : end + 1 + size].decode(errors="replace"))
        at = end + 1 + size + 1


def _merge(run: "partial[ProgramRun]", name: str, one: GitObject, paths: Sequence[str]) -> list[object]:
    """A row of the main line: who wrote what came in, who let it in, and who looked at it."""
    author, authors, trailers = one.person("author"), {one.person("author") or ""}, one.message
    if len(one.parents) > 1:
        inside = run(["rev-list", "--max-count=1000", *one.parents[1:], f"^{one.parents[0]}"]).output.decode().split()
        if inside:
            came = list(_objects(run, inside))
            author = came[0].person("author")
            authors = {each.person("author") or "" for each in came}
            trailers = "\n".join([trailers, *(each.message for each in came)])
    reviewers = sorted({_address(match[1]) for match in _REVIEWER.finditer(trailers)})
    return [
        *(name, one.moment("committer"), len(one.parents) > 1, author, "; ".join(sorted(authors)) or None),
        *(one.person("committer"), one.person("author"), "; ".join(reviewers) or None, one.signed),
        *(one.message.partition("\n")[0][:300], len(paths)),
    ]


def _address(person: str) -> str:
    match = re.search(r"<([^>]*)>", person)
    return (match[1] if match else person).lower()


def _paths(run: "partial[ProgramRun]", commits: Sequence[str]) -> Iterator[tuple[str, list[str]]]:
    """The paths that each commit changed against its first parent."""
    if not commits:
        return
    raw = run(
        [
            *("diff-tree", "--stdin", "-r", "-m", "--first-parent", "--root", "--name-only", "--no-renames", "-z"),
            *("--no-ext-diff", "--no-textconv", "--always"),
        ],
        "".join(f"{name}\n" for name in commits).encode(),
    ).output
    known, current = set(commits), ""
    paths: dict[str, list[str]] = {}
    for part in raw.split(b"\0"):
        word = part.decode(errors="replace").strip("\n")
        if word in known:
            current = word
            paths.setdefault(current, [])
        elif word and current:
            paths[current].append(word)
    yield from ((name, sorted(found)) for name, found in paths.items())


def _tags(run: "partial[ProgramRun]") -> list[list[object]]:
    raw = run(["for-each-ref", "--format=%(objectname) %(objecttype) %(refname:strip=2)", "refs/tags"]).output
    refs = [line.split(" ", 2) for line in raw.decode(errors="replace").splitlines()]
    objects = list(_objects(run, [ref[0] for ref in refs]))
    rows: list[list[object]] = []
    for (name, kind, tag), one in zip(refs, objects, strict=True):
        annotated = kind == "tag"
        header = "tagger" if annotated else "committer"
        commit = one.headers.get("object", "") if annotated else name
        rows.append([tag, commit, one.moment(header), one.person(header), annotated, annotated and one.signed])
    return rows
