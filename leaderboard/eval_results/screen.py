"""What the page of a run offers for its model card; no components, so that it is tested without a browser."""

from __future__ import annotations

from typing import TypedDict

from leaderboard.eval_results.model_card import FILE, entries, yaml_of
from leaderboard.eval_results.pull_request import SCOPE, TOKENS
from leaderboard.eval_results.results import NoResults, run_results
from leaderboard.page.registered import BoardTools

SOME_DATASET = "OWNER/DATASET"
"""Stands where this installation names no dataset of the benchmark."""


class ModelCardValue(TypedDict):
    """The fold; closed and empty until somebody opens it. Every string is shown as text."""

    is_open: bool
    lines: list[str]
    """What to do, or why there is nothing to put anywhere."""
    yaml: str
    """Blank where the run is ranked nowhere."""
    command: str


CLOSED: ModelCardValue = {"is_open": False, "lines": [], "yaml": "", "command": ""}


class ModelCardScreen:
    """An opened run -> what to put on its model card."""

    @classmethod
    def of(cls, tools: BoardTools) -> ModelCardScreen:
        """Of the site that the tools are of."""
        return cls(tools)

    def __init__(self, tools: BoardTools) -> None:
        self._tools = tools

    def value(self, ticket: str, address: str) -> ModelCardValue:
        """What is ready to copy.

        Args:
            ticket: Of the opened run.
            address: Of this site, as the browser knows it; blank = entries name no source.
        """
        try:
            results = run_results(self._tools, ticket)
        except NoResults as error:
            return {**CLOSED, "is_open": True, "lines": [str(error)]}
        left_out = [f"No entry: {line}." for line in results.unranked]
        if not results.ranked:
            return {**CLOSED, "is_open": True, "lines": left_out}
        dataset = self._tools.services.settings.results_dataset
        lines = [
            f"Save this as plumbline.yaml. The command proposes it as {FILE}, on the model's page and with your own "
            f"account: hf auth login asks for a token with the right to open pull requests ({SCOPE}, {TOKENS}). Put "
            "your model's repository in place of OWNER/MODEL.",
        ]
        if not dataset:
            lines.append(f"Ask the organisers which dataset of the Hub stands for {SOME_DATASET}: none is set here.")
        return {
            "is_open": True,
            "lines": [*lines, *left_out],
            "yaml": yaml_of(entries(results, dataset or SOME_DATASET, address)),
            "command": f"hf upload OWNER/MODEL plumbline.yaml {FILE} --create-pr",
        }
