"""A file that is dropped on the desk: what it would do, cell by cell, and doing it.

Between the two the file lies in the data folder, under a name that only the same person's session can give.
"""

import re
import shutil
from collections.abc import Sequence
from datetime import datetime, timedelta
from hashlib import sha256
from pathlib import Path

from engine.desk.changes import apply, preview
from engine.desk.submissions import CHANGED, Corrections, Upload
from engine.desk.visits import Reply, Visit
from engine.intake.imports.preview_rows import ImportPreview
from engine.intake.imports.tables import find_table, is_table
from engine.model.errors import BadRequest, Conflict, InvalidData, NotFound, Usage
from engine.model.file_errors import file_problem

FOLDER = "desk-uploads"
KEPT = timedelta(hours=2)
FIX = "fix."
SUFFIXES = (".csv", ".tsv", ".txt", ".xlsx", ".xlsm", ".jsonl", ".ndjson", ".parquet", ".ics")


def drop_page(visit: Visit) -> Reply:
    """Where files are dropped."""
    return _page(visit, problem="")


def drop(visit: Visit) -> Reply:
    """What the dropped files would do."""
    files = [one for one in visit.parts if one.file]
    table = visit.form.get("table", "")
    if not files:
        return _page(visit, problem="Choose a file first.", status=400)
    names = [_file_name(one.file or "", table) for one in files]
    if len(set(names)) < len(names):
        again = next(name for name in names if names.count(name) > 1)
        return _page(visit, problem=f"Several of these files are read as {again}: drop them one by one.", status=400)
    folder = _folder(visit, sha256(b"\0".join(one.content for one in files)).hexdigest()[:32])
    try:
        _sweep(visit.services.settings.data_dir / FOLDER, visit.now)
        folder.mkdir(parents=True, exist_ok=True)
        folder.chmod(0o700)
        for old in folder.iterdir():
            old.unlink()
        for name, one in zip(names, files, strict=True):
            (folder / name).write_bytes(one.content)
    except OSError as error:
        raise file_problem("The file cannot be kept until it is applied", error) from error
    return _preview_reply(visit, folder, {})


def correct(visit: Visit) -> Reply:
    """The same with cells corrected on the page; or, where ``apply`` was pressed, doing it."""
    identifier = visit.form.get("upload", "")
    if not re.fullmatch(r"[0-9a-f]{32}", identifier):
        raise BadRequest("The form names no upload.", word="invalid_parameter")
    folder = _folder(visit, identifier)
    if not folder.is_dir():
        raise NotFound("This file is not here any more; drop it again.")
    corrections = _corrections(visit)
    if "apply" not in visit.form:
        return _preview_reply(visit, folder, corrections)
    seen = visit.form.get("seen", "")
    upload = Upload(visit.author, _files(folder), corrections, int(seen) if re.fullmatch(r"\d{1,18}", seen) else None)
    try:
        applied = visit.compute(apply, upload, visit.now)
    except (InvalidData, Usage):
        return _preview_reply(visit, folder, corrections)
    except Conflict as conflict:
        if conflict.word != CHANGED:
            raise
        return _preview_reply(visit, folder, corrections, changed=True)
    shutil.rmtree(folder, ignore_errors=True)
    return visit.reply("applied.html", tables=applied.tables, after=applied.after, left_out=applied.left_out)


def _preview_reply(visit: Visit, folder: Path, corrections: Corrections, *, changed: bool = False) -> Reply:
    upload = Upload(visit.author, _files(folder), corrections)
    head = visit.services.store.head(visit.caller.org_id)
    try:
        found = visit.compute(preview, upload, visit.now)
    except (InvalidData, Usage) as problem:
        shutil.rmtree(folder, ignore_errors=True)
        return _page(visit, problem=problem.message, status=400)
    for one in found.tables:
        visit.must(one.table, "import")
    return visit.reply(
        "preview.html",
        status=400 if found.refused else 409 if changed else 200,
        found=found,
        seen=0 if head is None else head.seq,
        changed=changed,
        upload=folder.name,
        corrections=[(_fix_name(*place), text) for place, text in sorted(corrections.items())],
        refused=_refusal_lines(found, corrections),
    )


def _refusal_lines(found: ImportPreview, corrections: Corrections) -> list[tuple[object, ...]]:
    """The cells that do not hold: file, row, column, expected, found, and the name of the field that corrects it."""
    lines: list[tuple[object, ...]] = []
    for cell in found.refused:
        place = str(cell["file"]), int(cell["row"]), str(cell["column"])
        name = _fix_name(*place) if place[1] > 1 and "," not in place[2] and "(" not in place[2] else ""
        lines.append((*place, cell["expected"], cell["found"], name, corrections.get(place)))
    return lines


def _fix_name(file: str, row: int, column: str) -> str:
    return f"{FIX}{row}.{column}.{file}"


def _corrections(visit: Visit) -> dict[tuple[str, int, str], str]:
    corrections = {}
    for name, text in visit.form.items():
        match = re.fullmatch(r"fix\.(\d{1,9})\.([^.]{1,200})\.(.{1,400})", name)
        if match:
            corrections[match[3], int(match[1]), match[2]] = text
    return corrections


def _page(visit: Visit, *, problem: str, status: int = 200) -> Reply:
    return visit.reply("import.html", status=status, problem=problem, table=visit.query.get("table", ""))


def _folder(visit: Visit, identifier: str) -> Path:
    """Where the files of an upload lie, for this person alone."""
    who = sha256(f"{visit.caller.org_id}\0{visit.caller.actor}".encode()).hexdigest()[:32]
    folder: Path = visit.services.settings.data_dir / FOLDER / who / identifier
    return folder


def _files(folder: Path) -> Sequence[Path]:
    return tuple(sorted(folder.iterdir()))


def _file_name(given: str, table: str) -> str:
    """The name under which a file is read: its own where it names a table or has several, else the table's."""
    name = re.sub(r"[^A-Za-z0-9 ._()-]", "_", Path(given.replace("\\", "/")).name).lstrip(".") or "file.csv"
    suffix = Path(name).suffix.lower()
    if suffix not in SUFFIXES:
        raise Usage(f"{name} is in no format that can be imported; there are {', '.join(SUFFIXES)}.")
    if table and not is_table(Path(name).stem):
        return f"{find_table(table, 'the form')}{suffix}"
    return name


def _sweep(root: Path, now: datetime) -> None:
    """Remove what was dropped and not applied for hours."""
    if not root.is_dir():
        return
    for folder in root.glob("*/*"):
        if now.timestamp() - folder.stat().st_mtime > KEPT.total_seconds():
            shutil.rmtree(folder, ignore_errors=True)
