"""Facts of dated duties: their sources, the ledger, the work and the people for it."""
