"""The card of one system over all boards."""
