"""What people do about an incident: steps of its history like those of its senders, with who, when and why."""
