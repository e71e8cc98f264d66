"""NIST CSF."""
