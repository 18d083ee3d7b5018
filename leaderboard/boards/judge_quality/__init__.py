"""The board "Which judge should I use?": judges that run here, measured on our labelled pairs."""
