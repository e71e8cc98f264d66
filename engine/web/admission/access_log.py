"""Who took what away: one line for each download, written before it leaves, with where the audit chain stood."""

import secrets

from engine.runtime.heads.signed_heads import HEADER, newest_signed_head
from engine.web.http import Request


def note_access(request: Request, form: str, status: int = 200) -> dict[str, str]:
    """One line of the access log, written before the answer leaves; returns the headers that it leaves with."""
    caller, store = request.caller, request.services.store
    head = store.head(caller.org_id)
    store.record_access(
        [
            {
                "id": secrets.token_hex(12),
                "org_id": caller.org_id,
                "accessed_at": request.now,
                "actor": caller.actor,
                "resource": request.path,
                "format": form,
                "status": status,
                "credential_id": caller.credential_id,
                "address": request.address,
                "head_seq": head.seq if head else None,
                "head_hash": head.hash if head else None,
            }
        ]
    )
    return head_headers(request)


def head_headers(request: Request) -> dict[str, str]:
    """The newest signed head of the caller's organization as a header; none before one was signed."""
    head = newest_signed_head(request.services, request.caller.org_id)
    return {} if head is None else {HEADER: head.line}
