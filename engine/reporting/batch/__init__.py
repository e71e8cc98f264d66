"""Every report of many organizations, in this process, several, or a cluster."""
