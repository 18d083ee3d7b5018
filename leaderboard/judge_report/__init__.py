"""The page that makes a report of a judge's log."""
