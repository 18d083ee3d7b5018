"""The boards, one folder each: rows, columns, charts, methods, screen and page of one board."""
