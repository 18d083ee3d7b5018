"""Bytes to values, strictly: limits, JSON, lines, zips and the places of faults. Knows no format."""
