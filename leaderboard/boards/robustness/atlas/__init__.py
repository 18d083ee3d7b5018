"""The variation atlas: heat maps of parts and systems, in every edition."""
