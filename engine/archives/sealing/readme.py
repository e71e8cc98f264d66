"""The page that an assessor reads first: what is in the archive, and three ways to check it without us."""

import re
from collections.abc import Sequence

from engine.archives.contents.about import About
from engine.archives.sealing.manifest import UNLISTED
from engine.archives.sealing.spool import Part
from engine.render.text.prose import inline

PLAIN = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]*")
WHAT = {
    "bundle": "A sealed snapshot of evidence. It is chained to the bundle before it and never changed.",
    "workbook": "Evidence, crosswalk and every framework assessment of one day, to work with.",
    "evidence-pack": "Policies, events and held files of the window with the controls that they are evidence for.",
    "committee-meeting-pack": "What a committee needs to meet: summary, agenda, scorecard, posture, exceptions, gaps, "
    "decisions.",
}
DEFINITIONS = {
    "Revision": "a position of the organization's audit chain: the number of its last event and that event's hash. "
    "All files were computed from the records as they stood there.",
    "Claim": "that a source of evidence stands behind a control. In `lineage.csv`, `file` and `row` say where the "
    "control stands here: the table of its framework, the rows with that `control_id`.",
    "Evidence pack": "policies in force and audit events of the window with the controls that they are evidence for.",
    "States": "effective, partial, stale, ineffective, no_data, not_applicable. No data is never good, and a "
    "percentage travels with its coverage.",
}
CHAIN = """\
## The audit chain

`audit_log.jsonl` holds the events {first:,} to {last:,} of the chain, one a line:
`{{"hash":"…","previous":"…","event":{{…}}}}`. The hash of an event is the SHA-256 over the 64 characters of the
previous hash followed by the bytes of `event` as they stand there. The last hash is that of the revision above, so
nothing can be left out, put in or changed without notice. Before the first event of all the hash is 64 zeros; where
retention removed older events, `previous` of the first line is the hash at the cut.

"""
CHECKS = """\
## How to check it

Unpack the archive into an empty folder and open a shell there.

**1. The files, with nothing of ours**

    sha256sum -c SHA256SUMS

says `OK` for each file (on macOS: `shasum -a 256 -c SHA256SUMS`).

**2. Everything, with Python 3.9 or later and its standard library**

    python3 -I verify.py

checks that no file is missing, changed or added, the Merkle root, the sums, the signature{chain}.
The script came with the archive: read it first, it is short. Exit code 0 means that all of it holds.

**3. Everything, with the console's own command**

    hq verify ARCHIVE.zip --key {short}…

reads the ZIP itself and needs no account, no store and no network. `--key` takes the fingerprint, or the first 16 or
more characters of it.

**The signature with OpenSSL 3**

`manifest.dsse.json` is a DSSE envelope (v1.0) around `manifest.json`, signed with Ed25519. What is signed is a short
prefix and then the manifest:

    {{ printf 'DSSEv1 28 application/vnd.in-toto+json %d ' $(wc -c < manifest.json); cat manifest.json; }} > ../signed
    sed 's/.*"sig":"\\([^"]*\\)".*/\\1/' manifest.dsse.json | base64 -d > ../signature
    openssl pkeyutl -verify -pubin -inkey signing_key.pem -rawin -in ../signed -sigfile ../signature

**Whose key it is**

Anybody can sign with a key of their own. Compare this fingerprint with the one that the organization gave you by
another way:

    openssl pkey -pubin -in signing_key.pem -outform DER | sha256sum
    {key_id}

## Whether it is the same history

Who has the database can remove or rewrite events and seal again, and the archive that comes of it holds by itself. Two
archives show it. With any other one of this organization, a bundle, a workbook or a pack, older or newer:

    python3 -I verify.py OTHER.zip

checks both, and that the history of one continues that of the other: nothing removed, nothing changed. `head.txt` is
the signed head of the history at the revision above: how many events, the root of the Merkle tree over them (leaf `n`
is `SHA-256(0x00 || hash of event n)`, the hash as 32 bytes), the hash of the last one, as a C2SP tlog-checkpoint.
`heads.json` proves that the trees of all earlier bundles, and of the last workbooks and packs, are the beginning
of this one (RFC 6962 consistency proofs). `installation.txt`, where there is one, proves that the organization
is under the signed head of the tree over all that the console holds (a C2SP tlog-proof). Keep what you
were given: a later archive is held against it.
"""


def text(about: About, parts: Sequence[Part], key_id: str) -> bytes:
    """The page about an archive with these files, which come in the order of their names."""
    window, revision, events = about.window, about.revision, about.events
    lines = [
        f"# {about.title}: {inline(about.organization.name)}",
        "",
        WHAT[about.kind],
        "",
        f"- Organization: {inline(about.organization.name)} ({_code(about.organization.id)})",
        f"- Day: {about.as_of.isoformat()}",
        f"- Window: {window.start_on.isoformat()} to {window.end_on.isoformat()} ({window.requested})",
        f"- Revision: {revision.seq}, `{revision.hash}`",
    ]
    if about.previous is not None:
        digest = _code(about.previous.manifest_sha256)
        lines.append(f"- Bundle before: {_code(about.previous.id)}, SHA-256 of its manifest {digest}")
    elif about.kind == "bundle":
        lines.append("- Bundle before: none")
    lines += ["", "## Files", "", "| file | rows | what it is |", "|---|---:|---|"]
    lines += [
        f"| `{part.name}` | {'' if part.rows is None else format(part.rows, ',')} | {part.about} |" for part in parts
    ]
    lines.append(f"| `{'`, `'.join(UNLISTED)}` | | list of all of the above, the same signed, and their sums |")
    lines += ["", "## Words", "", *(f"- **{word}**: {meaning}" for word, meaning in DEFINITIONS.items()), "", ""]
    chain = "" if events is None else CHAIN.format(first=events.first_seq, last=events.last_seq)
    checks = CHECKS.format(key_id=key_id, short=key_id[:16], chain="" if events is None else " and the audit chain")
    return ("\n".join(lines) + chain + checks).encode()


def _code(name: str | None) -> str:
    """A name as code; prose where it is no plain name, such as of a bundle that was imported."""
    text = str(name)
    return f"`{text}`" if PLAIN.fullmatch(text) else inline(text)
