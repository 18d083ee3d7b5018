"""Results of LLMBar's evaluators with the statistics that LLMBar printed of them (MIT)."""

from __future__ import annotations

from tests.golden_data.tables import Contents, packed
from tests.golden_data.upstream import Upstream

ROOT = "Dataset/"


def results(upstream: Upstream) -> Contents:
    """Each result, packed, and its statistics, byte for byte."""
    contents: Contents = {}
    for path in upstream.paths(r"\.json$"):
        name, content = f"llm_bar/{path.removeprefix(ROOT).replace('/evaluators/', '/')}", upstream.read(path)
        is_result = name.endswith("result.json")
        contents[f"{name}.gz" if is_result else name] = packed(content) if is_result else content
    return contents
