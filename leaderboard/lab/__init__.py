"""The lab on the page."""
