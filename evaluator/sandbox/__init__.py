"""Other people's programs, run without network, secrets, or a place to write beside their own folder."""
