"""A judge behind a server that speaks the chat completions protocol, and a stand-in for such a server."""
