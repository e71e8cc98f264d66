"""Facts of attestations, tests, vendors and the way of evidence to the audit log."""
