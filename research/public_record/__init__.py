"""What others released about judges and systems, read again: how the kept figures are made (docs/public_record.md)."""
