"""Boards of what others released, read again with intervals (docs/public_record.md)."""
