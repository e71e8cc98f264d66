"""The audit chain: events, their hashes, the tree over them, and where each chain stands."""
