"""Generators: models that write answers."""
