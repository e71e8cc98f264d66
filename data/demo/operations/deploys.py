"""Releases, the one that went wrong among them."""

from datetime import datetime
from random import Random

from data.demo.cast import people
from data.demo.cast.profile import HISTORY_DAYS
from data.demo.history.story import Story
from data.demo.operations import services


def fill(story: Story) -> None:
    rng, org = story.rng("deploys"), story.profile.org
    owned, authors = services.ids(story), people.active(story)
    burned = services.service_id(services.BURNED[org])
    drawn = []
    for ago in (rng.randint(1, HISTORY_DAYS) for _ in range(story.profile.deploys)):
        service, at = rng.choice(owned), story.office(ago, rng)
        status = rng.choices(("succeeded", "failed", "rolled_back"), (94, 3, 3))[0]
        if (service, ago) != (burned, services.DEPLOYED_AGO):
            drawn.append((at, service, rng.choice(authors), status))
    drawn.append((story.at(services.DEPLOYED_AGO, services.DEPLOYED_AT), burned, authors[3], "rolled_back"))
    for at, service, actor, status in sorted(drawn):
        _deploy(story, service, at, actor, status, rng)


def culprit(story: Story) -> str:
    """The release that burned the error budget."""
    at = story.at(services.DEPLOYED_AGO, services.DEPLOYED_AT)
    return next(str(row["id"]) for row in story.tables["deploys"] if row["deployed_at"] == at)


def _deploy(story: Story, service: str, at: datetime, actor: str, status: str, rng: Random) -> None:
    identifier = story.yearly("DEP", at.date())
    story.add(
        "deploys",
        id=identifier,
        service_id=service,
        version=f"{rng.randrange(16**10):010x}",
        environment="production",
        deployed_at=at,
        actor=actor,
        change_ref=f"CHG-{rng.randint(1000, 9999)}",
        status=status,
    )
    action = "change.rolled_back" if status == "rolled_back" else "deploy.recorded"
    story.event(
        f"AE-{identifier}",
        at,
        f"ci@{story.profile.org}.example",
        action,
        "deploy",
        identifier,
        outcome="failure" if status == "failed" else "success",
    )
