"""What a pull may reach, as the settings and the machine give it: variables, commands, workbooks, servers."""

import http.client
import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from engine.delivery.addresses import AddressRefusal, WebhookTarget
from engine.delivery.outside import Outside
from engine.delivery.post import get
from engine.evidence.pulls.sources.reading import SourceProblem, SourceReaders
from engine.intake.imports.files.typed_files import open_workbook, read_worksheet
from engine.intake.imports.problems import Problems
from engine.model.errors import InvalidData
from engine.runtime.settings import Settings

_OK = 200


def source_readers(settings: Settings, environment: Mapping[str, str] | None = None) -> SourceReaders:
    """What sources may reach. ``environment`` is that of the process unless a test says."""
    outside = Outside.of(settings)

    def fetch(url: str, token: str, seconds: int, most: int) -> bytes:
        return _fetch(outside, settings.pull_hosts, url, token, seconds, most)

    return SourceReaders(os.environ if environment is None else environment, settings.pull_commands, _worksheet, fetch)


def _worksheet(path: Path, sheet: str) -> Sequence[Sequence[str | None]]:
    """The rows of a sheet, the first one without a name, as texts: the header first."""
    try:
        workbook = open_workbook(path)
        name = sheet or workbook.sheet_names[0]
        if name not in workbook.sheet_names:
            raise SourceProblem(f"The workbook has no sheet {name!r}; it has {', '.join(workbook.sheet_names)}.")
        batches = list(read_worksheet(workbook, name, frozenset(), Problems()))
    except InvalidData as error:
        raise SourceProblem(error.message) from error
    rows: list[Sequence[str | None]] = [batches[0].header]
    for batch in batches:
        rows += list(zip(*(column.to_list() for column in batch.columns), strict=True))
    return rows


def _fetch(outside: Outside, hosts: Sequence[str], url: str, token: str, seconds: int, most: int) -> bytes:
    """What an address answers. An internal host must be one of ``hosts``; either way its name is resolved once."""
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    place = url.partition("?")[0]
    try:
        target = WebhookTarget.any(url)
        internal = target.host in hosts or f"{target.host}:{target.port}" in hosts
        if not internal:
            target = WebhookTarget.of(url)
        answer = get(outside, target, headers, public=not internal, seconds=seconds, most=most + 1)
    except AddressRefusal as refusal:
        raise SourceProblem(f"{place} is not asked: {refusal} SVC_PULL_HOSTS names internal hosts.") from refusal
    except (OSError, http.client.HTTPException) as error:
        raise SourceProblem(f"{place} does not answer: {str(error)[:200] or type(error).__name__}.") from error
    if answer.status != _OK:
        raise SourceProblem(f"{place} answers {answer.status}; expected {_OK}. Redirects are not followed.")
    if len(answer.body) > most:
        raise SourceProblem(f"{place} answers more than {most:,} bytes.")
    return answer.body
