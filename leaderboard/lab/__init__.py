"""The Preference lab on the page."""
