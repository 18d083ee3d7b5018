"""The report of one run for its team: one page that prints, a LaTeX table, BibTeX, the manifest."""
