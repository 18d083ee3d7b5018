"""What stands between a visitor and gradio: the server, addresses, limits, the first page."""
