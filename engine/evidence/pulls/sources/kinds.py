"""The kinds of sources with what reads them: a literal table."""

from collections.abc import Callable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from engine.evidence.pulls.declarations import PullSource
from engine.evidence.pulls.sources.commands import read_command
from engine.evidence.pulls.sources.databases import read_postgresql, read_sqlite
from engine.evidence.pulls.sources.files import read_files
from engine.evidence.pulls.sources.git import read_git
from engine.evidence.pulls.sources.network import read_https, read_ldap
from engine.evidence.pulls.sources.reading import SourceProblem, SourceReaders, SourceRows
from engine.evidence.pulls.tables import open_engine

SourceReader = Callable[[PullSource, Path, Path, duckdb.DuckDBPyConnection, SourceReaders], SourceRows]
KINDS: Mapping[str, SourceReader] = {
    "files": read_files,
    "postgresql": read_postgresql,
    "sqlite": read_sqlite,
    "command": read_command,
    "https": read_https,
    "ldap": read_ldap,
    "git": read_git,
}


def read_source(source: PullSource, base: Path, readers: SourceReaders) -> SourceRows:
    """The rows of a source; SourceProblem, a Problem of one sentence, where it cannot be read."""
    with open_engine() as connection, TemporaryDirectory(prefix="hq-pull-") as folder:
        try:
            return KINDS[source.kind](source, base, Path(folder), connection, readers)
        except SourceProblem as problem:  # the same reason tomorrow, though the folder is another
            raise SourceProblem(problem.message.replace(f"{folder}/", "")) from problem
