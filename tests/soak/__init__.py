"""The console under fire: ``make soak``. It is no part of the tests and takes most of half an hour."""
