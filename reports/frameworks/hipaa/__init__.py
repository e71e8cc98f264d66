"""The HIPAA Security Rule."""
