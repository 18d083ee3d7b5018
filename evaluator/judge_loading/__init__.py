"""Which judges there are, how they are loaded, and the machines they are spread over."""
