"""Judges that write before they decide: thoughts or feedback first, then a label that is read from the text."""
