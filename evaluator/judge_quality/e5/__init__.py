"""How well multilingual-e5-small reads each language."""
