"""From a path to the content of frameworks: which reader a file belongs to, and what a folder holds together."""

import re
from pathlib import Path

from engine.frameworks.content import LARGEST_FILE, FrameworkContent
from engine.frameworks.tabular import read_table_file
from engine.intake.imports.values.names import slug
from engine.model.errors import Usage

TABULAR = (".csv", ".tsv", ".txt", ".xlsx", ".xlsm")
DOCUMENTS = (".json", ".yaml", ".yml", ".xml")


def read_frameworks(path: Path, name: str | None = None) -> FrameworkContent:
    """What a file or folder holds. ``name`` takes the place of the framework's identifier, where there is one.

    A bare file of controls takes its own name as identifier. Usage names file and place of what cannot be read.
    """
    if not path.exists():
        raise Usage(f"{path} does not exist.")
    files = _files(path)
    for file in files:
        if file.stat().st_size > LARGEST_FILE:
            raise Usage(f"{file.name}: expected at most {LARGEST_FILE:,} bytes, got {file.stat().st_size:,}.")
    content = FrameworkContent()
    documents = [file for file in files if file.suffix.lower() in DOCUMENTS]
    stem = slug(path.stem if path.is_file() else path.resolve().name) or "framework"
    if documents:
        from engine.frameworks.documents import read_documents

        read_documents(path, documents, content, stem)
    for file in files:
        if file.suffix.lower() in TABULAR:
            read_table_file(file, content, stem if path.is_dir() and _is_part(file) else slug(file.stem) or stem)
    described = [str(row["id"]) for row in content.tables["own_frameworks"]]
    nameless = [one for one in content.framework_ids if one not in described and one in (stem, slug(path.stem))]
    if len(described) == 1 and len(nameless) == 1:
        content.rename(nameless[0], described[0])  # rows that name no framework are of the only one that is described
    if name is not None:
        _rename(content, path, name)
    for framework in content.framework_ids:
        if not any(row["id"] == framework for row in content.tables["own_frameworks"]):
            content.add("own_frameworks", {"id": framework, "title": framework}, path.name)
    return content


def _files(path: Path) -> list[Path]:
    if path.is_file():
        if path.suffix.lower() not in (*TABULAR, *DOCUMENTS):
            raise Usage(f"{path.name}: expected a framework as {', '.join((*TABULAR, *DOCUMENTS))}.")
        return [path]
    paths = sorted(file for file in path.iterdir() if not file.name.startswith((".", "~$")) and file.is_file())
    kinds = [file for file in paths if file.suffix.lower() in (*TABULAR, *DOCUMENTS)]
    for file in kinds:
        if file.is_symlink():  # it may lead anywhere, and a sentence about it would quote what is there
            raise Usage(f"{file.name}: expected a file of the folder, got a link to another place.")
    if not kinds:
        raise Usage(f"{path}: expected a framework as {', '.join((*TABULAR, *DOCUMENTS))}, got no such file.")
    return kinds


def _is_part(file: Path) -> bool:
    """Whether a file of a folder is named after a table: its rows are of the framework that the folder is named for."""
    return (
        re.fullmatch(r"own_frameworks|framework_\w+|organization_rules|rules|mappings|crosswalk\w*", file.stem)
        is not None
    )


def _rename(content: FrameworkContent, path: Path, name: str) -> None:
    there = content.framework_ids
    if not there:
        return
    if len(there) > 1:
        raise Usage(f"{path.name}: --id names one framework, and there are {', '.join(there)}.")
    content.rename(there[0], name)
