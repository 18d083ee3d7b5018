"""What lets answers through, measured."""
