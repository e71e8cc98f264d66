"""What reports and digests declare, and what they are asked."""
