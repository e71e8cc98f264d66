"""Frameworks that people bring along: files in open formats read into one shape, written, compared, handed out."""
