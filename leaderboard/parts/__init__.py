"""Columns, tables, filters, charts, downloads and texts, which know no board; components and their style sheets."""
