"""Facts of controls and requirements: evidence, state, gaps, readiness."""
