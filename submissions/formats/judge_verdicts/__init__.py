"""Tables of judge verdicts: reader, rows, and what a readable table covers."""
