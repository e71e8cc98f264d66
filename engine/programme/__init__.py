"""What the compliance programme records: vendors, evidence links, staffing, POA&M numbers, snapshots, retention."""
