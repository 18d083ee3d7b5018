"""The yardstick of `make bench-board`: the same board in a plain `gr.Dataframe`, with nothing else on the page."""

from __future__ import annotations

import csv
import sys
import threading
from pathlib import Path

import gradio as gr
import pandas as pd


def main() -> None:
    """`python -m benchmarks.plain_dataframe CSV PORT`: shows the table until it is stopped."""
    path, port = Path(sys.argv[1]), int(sys.argv[2])
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    with gr.Blocks(analytics_enabled=False) as page:
        gr.Dataframe(pd.DataFrame(rows), interactive=False, max_height=600)
    page.launch(server_port=port, prevent_thread_lock=True, quiet=True, footer_links=[], ssr_mode=False)
    threading.Event().wait()


if __name__ == "__main__":
    main()
