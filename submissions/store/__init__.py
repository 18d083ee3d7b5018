"""Jobs, leases, votes and decisions in one SQL database."""
