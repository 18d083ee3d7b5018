"""Models that read: texts in, unit vectors out."""
