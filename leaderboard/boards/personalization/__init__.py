"""The Personalization board: what preferences cost, and whether they are followed."""
