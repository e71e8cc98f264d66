"""What the desk reads: pages of tables, single rows, and what is somebody's to do."""
