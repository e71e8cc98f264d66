"""waitress as we need it: lanes of threads, deadlines for what comes in, caps for each address, a clean end."""
