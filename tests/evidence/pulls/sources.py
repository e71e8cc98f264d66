"""What the tests of sources share: readers that reach nothing, and a source read."""

from engine.evidence.pulls.declarations import PullSource
from engine.evidence.pulls.sources.kinds import read_source
from engine.evidence.pulls.sources.reading import SourceReaders


def no_workbook(path, sheet):
    raise AssertionError(path)


def no_address(url, token, seconds, most):
    raise AssertionError(url)


def readers(commands=(), workbook=no_workbook, fetch=no_address, **environment):
    return SourceReaders({"PATH": "/usr/bin:/bin", **environment}, commands, workbook, fetch)


def read(folder, kind, max_rows=1000, reach=None, **options):
    return read_source(PullSource("data", kind, options, max_rows), folder, reach or readers())


def lines_of(folder, kind, **options):
    return read(folder, kind, **options).tables["data"].lines.decode().splitlines()
