"""Submit, queue and ticket."""
