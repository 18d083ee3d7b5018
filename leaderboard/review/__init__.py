"""One run as a reviewer sees it: answers and figures, no name."""
