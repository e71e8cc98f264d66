"""What a restored installation has not from its backup: settings, secrets, keys, archives; and what follows."""

from collections.abc import Iterator

from engine.delivery.secret_keys import MissingKey, SecretKeys
from engine.operations.backup_file import BackupManifest
from engine.runtime.settings import Settings
from engine.store.queries.accounts.installation import pending_deliveries, positions
from engine.store.queries.sending.deliveries import webhooks
from engine.store.rows import Reader

OWN = ("SVC_DATA_DIR", "SVC_DATABASE_URL")  # where it was restored to is known


def exclusions(connection: Reader, manifest: BackupManifest, settings: Settings, stage: Settings) -> list[str]:
    """A sentence for each thing; ``stage`` says where the restored keys are now."""
    said = list(manifest.lacking.values())
    if not manifest.keys:
        said.append(
            "The backup holds no keys: put signing.key, signing.key.rotations, webhook.key and session.secret back "
            "from where you keep them; else archives and heads are signed with a new key that nobody knows, and people "
            "sign in again."
        )
    lost = [*(missing_signing_key(connection, stage) if manifest.keys else ()), *unreadable_secrets(connection, stage)]
    said += (sentence.replace(str(stage.data_dir), str(settings.data_dir)) for sentence in lost)
    said += _settings(manifest, settings)
    waiting = pending_deliveries(connection)
    if waiting:
        said.append(
            f"{waiting} deliveries wait and leave once this store is served: where the one that was backed up still "
            "runs, they leave twice."
        )
    return said


def unreadable_secrets(connection: Reader, settings: Settings) -> Iterator[str]:
    """Webhooks that cannot be called, as the key of their secrets is not here."""
    keys = SecretKeys(settings.webhook_key_path)
    for org_id, endpoint in sorted(webhooks(connection).items()):
        try:
            for secret in endpoint.secrets:
                keys.open(endpoint.address, secret)
        except MissingKey as error:
            yield f"The webhook of {org_id} is not called: {error.message}"


def missing_signing_key(connection: Reader, settings: Settings) -> Iterator[str]:
    """The key that heads were signed with is gone."""
    path = settings.signing_key_path
    signed = [one.org_id for one in positions(connection) if one.signed_head is not None]
    if signed and not path.exists():
        yield (
            f"The key {path} is not there, and heads of {signed[0]} were signed with one: put it and "
            f"{path.name}.rotations back from where you keep them; else the next head is signed with a new key that "
            "nobody knows."
        )


def _settings(manifest: BackupManifest, settings: Settings) -> Iterator[str]:
    for name, value, _ in settings.listing():
        before = manifest.settings.get(name, value)
        if name in OWN or before == value:
            continue
        if (before, value) == ("set", "not set"):
            yield f"{name} was set and is not: its value is a secret and in no backup; set it."
        elif before != value and "set" not in (before, value):
            yield f"{name} was {before or 'empty'} and is {value or 'empty'}."
