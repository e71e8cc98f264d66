"""What can be wrong with the services beside the console, where there are any: nothing is sent and nothing counted."""

from collections.abc import Iterator
from datetime import datetime

from limits.errors import ConfigurationError
from limits.storage import storage_from_string

from engine.accounts.bucket_erasure import owed_organizations
from engine.delivery.mail import unreachable
from engine.delivery.outside import Outside
from engine.reporting.artifacts.bucket import Bucket
from engine.runtime.setting_values import without_passwords
from engine.runtime.settings import Settings

SECONDS = 3.0


def rate_limits(settings: Settings, now: datetime) -> Iterator[str]:
    """The server that counts requests answers."""
    url = settings.rate_limit_url
    if not url.startswith("redis"):
        return
    try:
        answers = storage_from_string(url, socket_timeout=SECONDS, socket_connect_timeout=SECONDS).check()
    except (ConfigurationError, ImportError, ValueError) as error:
        yield f"SVC_RATE_LIMIT_URL cannot be used: {without_passwords(str(error))}."
        return
    if not answers:
        yield "The server of SVC_RATE_LIMIT_URL does not answer: each process counts for itself until it does."


def artifacts(settings: Settings, now: datetime) -> Iterator[str]:
    """The bucket that shares artifacts can be read, and nothing of before an erasure is in it."""
    if not settings.artifact_bucket:
        return
    problem = Bucket(settings.artifact_bucket).problem()
    if problem is not None:
        yield f"SVC_ARTIFACTS_URL: {settings.artifact_bucket} cannot be read ({problem}): each machine builds its own."
    for org_id in owed_organizations(settings.data_dir):
        yield (
            f"{settings.artifact_bucket} may have reports of {org_id} from before an erasure: the scheduler removes "
            "them at night, or hq erase does, for the same person again."
        )


def mail(settings: Settings, now: datetime) -> Iterator[str]:
    """The mail server greets us as it would for a mail, and there is a sender."""
    outside = Outside.of(settings)
    problem = unreachable(outside)
    if problem is not None:
        yield f"SVC_SMTP_URL: {problem}"
    if outside.mail_server is not None and not settings.smtp_from:
        yield "SVC_SMTP_URL is set and SVC_SMTP_FROM is not: no mail leaves without a sender."
