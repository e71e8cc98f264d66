"""Forms as browsers send them, in time that grows with their length alone: URL-encoded, or as multipart/form-data.

What multipart needs (RFC 7578) is little: named parts of text between delimiters. Mail's parser, which knows much
more, takes minutes for bodies that were made for it.
"""

import re
from urllib.parse import parse_qsl

from engine.model.errors import BadRequest

MOST_FIELDS = 50
MOST_HEAD = 2_000  # bytes of headers of a part
_BOUNDARY = re.compile(
    r"""(?i);\s*boundary=(?:"([0-9A-Za-z'()+_,./:=? -]{1,70})"|([0-9A-Za-z'+_./:-]{1,70}))\s*(?:;|$)"""
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


def unreadable(expected: str) -> BadRequest:
    """A form that is none; what it holds is not repeated."""
    return BadRequest(f"The form cannot be read: expected {expected}.", word="invalid_body")


def _parse_urlencoded(body: bytes) -> list[tuple[str, str]]:
    try:
        return parse_qsl(body.decode("ascii"), keep_blank_values=True, errors="strict", max_num_fields=MOST_FIELDS)
    except ValueError as error:
        raise unreadable(f"up to {MOST_FIELDS} URL-encoded fields in UTF-8") from error


def _multipart(content_type: str, body: bytes) -> list[tuple[str, str]]:
    found = _BOUNDARY.search(content_type)
    delimiter = b"\r\n--" + (found[1] or found[2]).encode() if found else b""
    pieces = (b"\r\n" + body).split(delimiter, MOST_FIELDS + 1) if found else []
    if len(pieces) < 2 or not pieces[-1].startswith(b"--"):
        raise unreadable(f"up to {MOST_FIELDS} parts between the boundaries that the content type names")
    return [_part(piece) for piece in pieces[1:-1]]


def _part(piece: bytes) -> tuple[str, str]:
    head, blank, content = piece.partition(b"\r\n\r\n")
    named = _NAME.search(head) if blank and len(head) <= MOST_HEAD else None
    if named is None:
        raise unreadable("named text fields, no files")
    try:
        return named[1].decode(), content.decode()
    except UnicodeDecodeError as error:
        raise unreadable("text in UTF-8") from error
