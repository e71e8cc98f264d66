"""Facts of deployment, scope, risks, operations and what digests have sent."""
