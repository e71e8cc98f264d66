"""Forms as browsers send them, in time that grows with their length alone: URL-encoded, or as multipart/form-data.

What multipart needs (RFC 7578) is little: named parts of text between delimiters. Mail's parser, which knows much
more, takes minutes for bodies that were made for it.
"""

import re
from typing import NamedTuple
from urllib.parse import parse_qsl

from engine.model.errors import BadRequest

MOST_FIELDS = 50
MOST_HEAD = 2_000  # bytes of headers of a part
_BOUNDARY = re.compile(
    r"""(?i);\s*boundary=(?:"([0-9A-Za-z'()+_,./:=? -]{1,70})"|([0-9A-Za-z'+_./:-]{1,70}))\s*(?:;|$)"""
)
_FILE = re.compile(
    rb'(?im)^content-disposition:[ \t]*form-data;[ \t]*name="([^"\r\n]{1,200})"'
    rb'(?:;[ \t]*filename="([^"\r\n]{0,400})")?(?:;[^\r\n]{0,400})?[ \t]*\r?$'
)
_NAME = re.compile(rb'(?im)^content-disposition:[ \t]*form-data;[ \t]*name="([^"\r\n]{1,200})"[ \t]*\r?$')


def pairs(content_type: str, body: bytes) -> list[tuple[str, str]] | None:
    """The fields of a form in their order; None when the content type is that of no form."""
    match content_type.partition(";")[0].strip().lower():
        case "application/x-www-form-urlencoded":
            return _parse_urlencoded(body)
        case "multipart/form-data":
            return _multipart(content_type, body)
    return None


class FormPart(NamedTuple):
    """A field of a form as bytes; ``file`` is the name of a file that was chosen, None for a field of text."""

    name: str
    file: str | None
    content: bytes


def parts(content_type: str, body: bytes, most: int) -> list[FormPart]:
    """The fields of a form with its files, in their order, at most ``most``; none where it is no form."""
    match content_type.partition(";")[0].strip().lower():
        case "application/x-www-form-urlencoded":
            return [FormPart(name, None, text.encode()) for name, text in _parse_urlencoded(body, most)]
        case "multipart/form-data":
            return [_file_part(piece) for piece in _pieces(content_type, body, most)]
    return []


def unreadable(expected: str) -> BadRequest:
    """A form that is none; what it holds is not repeated."""
    return BadRequest(f"The form cannot be read: expected {expected}.", word="invalid_body")


def _parse_urlencoded(body: bytes, most: int = MOST_FIELDS) -> list[tuple[str, str]]:
    try:
        return parse_qsl(body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=most)
    except ValueError as error:
        raise unreadable(f"up to {most} URL-encoded fields in UTF-8") from error


def _multipart(content_type: str, body: bytes) -> list[tuple[str, str]]:
    return [_part(piece) for piece in _pieces(content_type, body, MOST_FIELDS)]


def _pieces(content_type: str, body: bytes, most: int) -> list[bytes]:
    """What stands between the boundaries."""
    match = _BOUNDARY.search(content_type)
    delimiter = b"\r\n--" + (match[1] or match[2]).encode() if match else b""
    pieces = (b"\r\n" + body).split(delimiter, most + 1) if match else []
    if len(pieces) < 2 or not pieces[-1].startswith(b"--"):
        raise unreadable(f"up to {most} parts between the boundaries that the content type names")
    return pieces[1:-1]


def _part(piece: bytes) -> tuple[str, str]:
    head, blank, content = piece.partition(b"\r\n\r\n")
    named = _NAME.search(head) if blank and len(head) <= MOST_HEAD else None
    if named is None:
        raise unreadable("named text fields, no files")
    try:
        return named[1].decode(), content.decode()
    except UnicodeDecodeError as error:
        raise unreadable("text in UTF-8") from error


def _file_part(piece: bytes) -> FormPart:
    head, blank, content = piece.partition(b"\r\n\r\n")
    named = _FILE.search(head) if blank and len(head) <= MOST_HEAD else None
    if named is None:
        raise unreadable("named fields and files")
    try:
        return FormPart(named[1].decode(), None if named[2] is None else named[2].decode(), content)
    except UnicodeDecodeError as error:
        raise unreadable("names in UTF-8") from error
