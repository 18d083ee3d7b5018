"""One reader per edition or kind; FORMATS is the tuple a new one is added to."""
