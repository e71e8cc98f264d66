"""Ways to change an input that keep its shape, so that it gets past the first lines of its reader."""

import copy
import io
import json
import random
import zipfile
import zlib
from collections.abc import Callable, Sequence

Mutate = Callable[[bytes, random.Random], bytes]  # an input, and what decides: the same decisions give the same bytes

ODD: tuple[object, ...] = (
    None,
    True,
    False,
    0,
    -1,
    1,
    2**31,
    2**53,
    -(2**63),
    2**64,
    10**30,
    1e308,
    -0.0,
    0.1,
    1e-320,
    "",
    " ",
    "0",
    "-1",
    "null",
    "true",
    "x" * 300,
    "\x00",
    "\u202e",
    "\ud7ff",
    "\ufeff",
    "\U0001f600",
    "é",
    "\r\n",
    "=1+1",
    "1e400",
    "1e999",
    "NaN",
    "٣",
    "²",
    "９",
    "1,5",
    "%s",
    "{}",
    "[",
    "firing",
    "resolved",
    "critical",
    "OK",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59Z",
    "2026-02-30",
    "2026-11-20T08:30:00+99:99",
    "1969-12-31T23:59:59Z",
    "9999-12-31T23:59:59-23:59",
    "0001-01-01T00:00:00+23:59",
    "253402300800",
    "-62135596801",
    "2026-W47-5",
    "24:00",
    "http://[",
    "https://a:99999/",
    "::ffff:1.2.3.4",
    "a@b",
    "../../x",
    "CVE-2026-1",
    "V-1",
    [],
    {},
    [[]],
    [None],
    {"": None},
)
_BYTES = (
    b"\x00",
    b"\xff",
    b"\xef\xbb\xbf",
    b"\r\n",
    b"\n",
    b'"',
    b",",
    b"<",
    b"&",
    b"]]>",
    b"%00",
    b";",
    b"=",
    b"\\u0000",
)


def flip_bytes(data: bytes, chance: random.Random) -> bytes:
    """A few bytes are changed, put in, taken out or repeated."""
    piece = bytearray(data)
    for _ in range(chance.randint(1, 4)):
        at = chance.randint(0, len(piece))
        match chance.randrange(5):
            case 0 if at < len(piece):
                piece[at] = chance.randrange(256)
            case 1:
                piece[at:at] = chance.choice(_BYTES)
            case 2:
                del piece[at : at + chance.randint(1, 16)]
            case 3:
                piece[at:at] = piece[at : at + chance.randint(1, 32)] * chance.randint(1, 3)
            case _:
                del piece[at:]
                piece += data[chance.randint(0, len(data)) :]
    return bytes(piece)


def json_tree(data: bytes, chance: random.Random) -> bytes:
    """One or two values of a JSON document are replaced, left out, wrapped, or swapped with others of it."""
    try:
        holder = [json.loads(data)]
    except (ValueError, RecursionError):
        return flip_bytes(data, chance)
    for _ in range(chance.randint(1, 3)):
        places = _places(holder)
        inside, place = chance.choice(places)
        match chance.randrange(7):
            case 0 | 1:
                inside[place] = _odd(chance)
            case 2 if inside is not holder:
                del inside[place]
            case 3:
                other, there = chance.choice(places)
                inside[place] = json.loads(json.dumps(other[there]))
            case 4:
                inside[place] = [inside[place]]
            case 5:
                inside[place] = {chance.choice(_names(places)): inside[place]}
            case _ if isinstance(inside[place], str):
                changed = flip_bytes(inside[place].encode("utf-8", "surrogatepass"), chance)
                inside[place] = changed.decode("utf-8", "replace")
            case _ if isinstance(inside[place], dict):
                inside[place][chance.choice(_names(places))] = _odd(chance)
            case _:
                inside[place] = _odd(chance)
    return json.dumps(holder[0], ensure_ascii=chance.random() < 0.5).encode("utf-8", "surrogatepass")


def _odd(chance: random.Random) -> object:
    return copy.deepcopy(chance.choice(ODD))  # what is put into one document must not grow in the next


def _places(holder: list) -> list:
    places, waiting = [], [holder]
    while waiting:
        inside = waiting.pop()
        for place in range(len(inside)) if isinstance(inside, list) else list(inside):
            places.append((inside, place))
            if isinstance(inside[place], dict | list):
                waiting.append(inside[place])
    return places


def _names(places: Sequence[tuple]) -> list[str]:
    return [place for _, place in places if isinstance(place, str)] or ["x"]


def json_lines(data: bytes, chance: random.Random) -> bytes:
    """One line of several JSON documents."""
    lines = data.split(b"\n")
    at = chance.randrange(len(lines))
    lines[at] = json_tree(lines[at], chance)
    return b"\n".join(lines)


def with_head(inner: Mutate) -> Mutate:
    """Inputs whose first line says where the rest goes: mostly the rest is changed, by ``inner``."""

    def mutate(data: bytes, chance: random.Random) -> bytes:
        head, _, rest = data.partition(b"\n")
        if chance.random() < 0.15:
            return flip_bytes(head, chance).replace(b"\n", b"") + b"\n" + rest
        return head + b"\n" + inner(rest, chance)

    return mutate


def change_member(data: bytes, chance: random.Random) -> bytes:
    """A member of a ZIP is changed and packed again, so that its checksum is right; sometimes the bytes themselves."""
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            members = [(member, archive.read(member)) for member in archive.infolist()]
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError, RuntimeError, EOFError, zlib.error):
        return flip_bytes(data, chance)
    if not members or chance.random() < 0.2:
        return flip_bytes(data, chance)
    at = chance.randrange(len(members))
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        for number, (member, content) in enumerate(members):
            changed = content
            if number == at:
                changed = (json_tree if member.filename.endswith("json") else flip_bytes)(content, chance)
            archive.writestr(zipfile.ZipInfo(member.filename, member.date_time), changed, member.compress_type)
    return out.getvalue()
