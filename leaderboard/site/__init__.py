"""Overview, About, the public API, health, and the boards as files."""
