"""My submissions: everything that one account sent, with versions, scores and reports."""
