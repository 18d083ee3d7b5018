"""Tasks of one's own: the scoring program of an organiser, run in the sandbox, and what its figures rest on."""
