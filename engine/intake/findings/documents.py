"""A scanner's file as JSON values: by its Content-Type, or by what it is where that says nothing."""

from engine.intake.findings.csv_rows import is_csv, read_csv
from engine.intake.findings.xml_trees import read_xml
from engine.intake.payloads import decode_json
from engine.model.errors import BadRequest

JSON_TYPES = ("application/json", "application/sarif+json", "application/vnd.cyclonedx+json")
XML_TYPES = ("application/xml", "text/xml")
CSV_TYPES = ("text/csv",)
ROWS = "rows"
MARK = b"\xef\xbb\xbf"


def parse_document(data: bytes, content_type: str | None) -> object:
    """What the body holds; BadRequest with the word invalid_body where it is not what it says.

    No JSON and no export of a scanner begins with ``<``, so that this makes it XML whatever a client wrote above it.
    """
    media = (content_type or "").partition(";")[0].strip().lower()
    if media in XML_TYPES or _begins_as_xml(data):
        return read_xml(data)
    if media in CSV_TYPES or (media not in JSON_TYPES and not _begins_as_json(data) and is_csv(data)):
        return {ROWS: read_csv(data)}
    try:
        return decode_json(data)
    except (ValueError, RecursionError) as error:
        kinds = ", ".join((*JSON_TYPES, *XML_TYPES, *CSV_TYPES))
        raise BadRequest(
            f"The body must be JSON, or XML or CSV of a scanner, ({error}); Content-Type may be {kinds}.",
            word="invalid_body",
        ) from error


def _begins_as_xml(data: bytes) -> bool:
    head = data[:64].removeprefix(MARK)
    return head.lstrip().startswith(b"<") or head.startswith((b"\xff\xfe<", b"\xfe\xff\x00<"))


def _begins_as_json(data: bytes) -> bool:
    return data[:64].removeprefix(MARK).lstrip().startswith((b"{", b"["))
