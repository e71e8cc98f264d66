"""Word of a bundle that was sealed."""

from engine.delivery import Message, content_hash
from engine.model.records import BundleRow
from engine.model.vocabulary import Json
from engine.runtime.settings import Settings

ROUTE = "/api/governance/compliance/bundles"
KIND = "bundle_created"


def announcement(row: BundleRow, url: str, settings: Settings) -> Message:
    """What the webhook at ``url`` is told."""
    payload: dict[str, Json] = {
        "event": KIND,
        "bundle": {
            "id": row["id"],
            "organization": row["org_id"],
            "window": {
                "requested": row["requested_window"],
                "start_on": row["window_start_on"].isoformat(),
                "end_on": row["window_end_on"].isoformat(),
            },
            "revision": {"seq": row["sealed_seq"], "hash": row["sealed_hash"]},
            "manifest_sha256": row["manifest_sha256"],
            "merkle_root": row["merkle_root"],
            "previous_id": row["previous_id"],
            "key_id": row["key_id"],
            "size_bytes": row["size_bytes"],
            "counts": row["counts"],
            "download": f"{settings.base_url.rstrip('/')}{ROUTE}/{row['id']}/download",
        },
    }
    subject = f"Evidence bundle {row['id']} sealed"
    text = (
        f"The evidence bundle {row['id']} of {row['org_id']} for {row['requested_window']} was sealed at revision "
        f"{row['sealed_seq']}. SHA-256 of its manifest: {row['manifest_sha256']}."
    )
    return Message(KIND, row["id"], "webhook", url, content_hash(payload), subject, payload, text)
