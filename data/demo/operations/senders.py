"""Who watches the services: two monitors that send a heartbeat, of which one stopped three days ago."""

from data.demo.history.story import Story
from data.demo.operations.services import NAMES, service_id

ORG, OWNER = "aurora", "owner@aurora.example"
ACTION = "message.arrived"
STOPPED = 3  # days ago
PROBES = ("edge-probes", "synthetic-checks")  # token and monitor
PROMETHEUS = ("prometheus", "alertmanager")
UNWATCHED = 2  # services that nobody declared a sender for
HEARTBEAT_DAYS = 30
HEARTBEATS = 24  # a day


def fill(story: Story) -> None:
    """Probes watch what faces the internet alone, Prometheus the rest."""
    if story.profile.org != ORG:
        return
    for name, _, internet, _ in NAMES[ORG][:-UNWATCHED]:
        token, source = PROBES if internet else PROMETHEUS
        story.add("service_senders", service_id=service_id(name), token=token, source=source)
    for (token, source), last in ((PROMETHEUS, 1), (PROBES, STOPPED)):
        for ago in range(last, HEARTBEAT_DAYS):
            details = f'{{"messages":{HEARTBEATS},"source":"{source}"}}'
            story.event(f"AE-heartbeat-{token}-{ago}", story.at(ago, 1435), f"token:{token}", ACTION, details=details)
