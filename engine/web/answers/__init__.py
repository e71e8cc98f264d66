"""What the routes answer, chapter by chapter: the shape of every JSON answer that is no report.

A test holds every answer of the test suite against these.
"""
