"""Where an attack could go: the dependency graph of services, ranked attack paths, and what to fix first."""
