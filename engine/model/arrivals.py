"""The events of the audit log by which it is known what monitors and scanners sent, and what did not arrive."""

MESSAGE = "message.arrived"  # noted by a job, for a message that changed nothing too
ARRIVALS = ("alert.ingested", MESSAGE)
UNREAD = "message.refused"  # a dead letter
READ_LATER = "message.replayed"  # one that was read in the end
TICK = "messages.absent"  # nothing came for a day
CREATED, REVOKED = "ingest_token.created", "ingest_token.revoked"
TOKEN = "token:"  # noqa: S105 -- how the actor of a message begins, before the label of its token
