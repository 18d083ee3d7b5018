"""Predicted ratings and choices of one reader (PerSE): reader, items, template."""
