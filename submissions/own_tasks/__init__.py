"""Tasks of one's own: what is installed in the data folder, each with a scoring program and its references."""
