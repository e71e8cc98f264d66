"""The FedRAMP plan of action and milestones."""
