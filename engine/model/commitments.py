"""Commitments: leaves of the installation's tree, each of which says where an organization's chain stood.

A leaf is ``SHA-256(0x00 ‖ 16 secret random bytes ‖ organization, number and hash of its last event, a line each)``: who
has a proof sees hashes beside its own leaf, and no name among them.

hq-installation/v1                                     a proof, as archives carry it (``installation.txt``)
{"hash":"…","org":"acme","salt":"…","seq":812}
c2sp.org/tlog-proof@v1
index 3
<base64 of a hash for each step, nearest first>
<empty>
hq/*                                                   the signed head of the tree
…
"""

import base64
from collections.abc import Sequence
from dataclasses import dataclass

from engine.model import merkle

WHOLE = "*"  # stands for the installation where a tree is named after an organization; none has that name
FORMAT = "hq-installation/v1"
PROOF = "c2sp.org/tlog-proof@v1"


@dataclass(frozen=True)
class Commitment:
    """That the chain of an organization ended at event ``seq`` with the hash ``digest``; ``salt``: 32 hex digits."""

    org_id: str
    seq: int
    digest: str
    salt: str

    def leaf(self) -> bytes:
        """The leaf. ValueError where the salt is none."""
        return merkle.leaf_hash(bytes.fromhex(self.salt) + f"{self.org_id}\n{self.seq}\n{self.digest}\n".encode())


def proof_text(commitment: Commitment, index: int, path: Sequence[bytes], note: str) -> str:
    """The proof that a commitment is under the signed head of ``note``, and of no other anything."""
    lines = [
        FORMAT,
        f'{{"hash":"{commitment.digest}","org":"{commitment.org_id}","salt":"{commitment.salt}",'
        f'"seq":{commitment.seq}}}',
        PROOF,
        f"index {index}",
        *(base64.b64encode(step).decode() for step in path),
    ]
    return "\n".join(lines) + "\n\n" + note
