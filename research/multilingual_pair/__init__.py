"""Training of the pair judge between languages."""
