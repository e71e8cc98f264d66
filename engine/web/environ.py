"""What is read from a WSGI environment: the request's identifier, its query, its body."""

import random
import re
from urllib.parse import parse_qsl
from wsgiref.types import WSGIEnvironment

from engine.model.errors import BadRequest
from engine.runtime.settings import Settings
from engine.web.admission.limits import BodyLimit

_REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{8,128}")


def request_id(environ: WSGIEnvironment) -> str:
    """The request's identifier: the caller's own where it is well formed, else a new one."""
    given: str = environ.get("HTTP_X_REQUEST_ID", "")
    if given and _REQUEST_ID.fullmatch(given):
        return given
    return f"{random.getrandbits(96):024x}"  # a label, no secret: os.urandom gives up the GIL


def query_of(raw: str) -> dict[str, str]:
    """Each parameter once; BadRequest for one that comes twice or is no UTF-8."""
    if not raw:
        return {}
    try:
        pairs = parse_qsl(raw, keep_blank_values=True, errors="strict", max_num_fields=50)
    except ValueError as error:
        raise BadRequest("The query must be at most 50 parameters in UTF-8.", word="invalid_parameter") from error
    query = dict(pairs)
    if len(query) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise BadRequest(f"The parameter {twice[:80]!r} may come once; it came twice.", word="invalid_parameter")
    return query


def body_of(environ: WSGIEnvironment, limit: BodyLimit, settings: Settings) -> bytes:
    """The whole body; TooLarge over the limit, before it is read where the length is announced."""
    announced = environ.get("CONTENT_LENGTH") or ""
    length = int(announced) if announced.isascii() and announced.isdigit() else -1
    most = limit.size(settings)
    if length > most:
        raise limit.refusal(settings, length)
    if length == 0 or (length < 0 and "HTTP_TRANSFER_ENCODING" not in environ):
        return b""
    data: bytes = environ["wsgi.input"].read(length if length >= 0 else most + 1)
    if len(data) > most:
        raise limit.refusal(settings, None)
    return data
