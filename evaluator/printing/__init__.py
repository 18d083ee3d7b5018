"""Pages that print: HTML that stands alone, and its PDF by an installed Chromium."""
