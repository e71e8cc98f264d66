"""Who took what away: one line for each download, written before it leaves."""

import secrets

from engine.web.http import Request


def note_access(request: Request, form: str, status: int = 200) -> None:
    """One line of the access log, written before the answer leaves."""
    caller = request.caller
    request.services.store.record_access(
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
            }
        ]
    )
