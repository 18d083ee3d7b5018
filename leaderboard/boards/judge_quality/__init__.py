"""The board "Which judge?": judges that run here, measured on our labelled pairs."""
