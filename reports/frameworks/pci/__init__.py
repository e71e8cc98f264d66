"""PCI DSS."""
