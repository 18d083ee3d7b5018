"""Results of LLMBar's evaluators with the statistics that LLMBar printed of them (MIT)."""

from __future__ import annotations

import io
import tarfile

from tests.golden_data.tables import Contents, packed
from tests.golden_data.upstream import Upstream

TABLE = "llm_bar/LLMBar.tar.gz"


def results(upstream: Upstream) -> Contents:
    """Every result and its statistics, byte for byte, under the paths of the repository."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w", format=tarfile.USTAR_FORMAT) as tar:
        for path in upstream.paths(r"\.json$"):
            content = upstream.read(path)
            entry = tarfile.TarInfo(path)  # without a time or an owner: the same files give the same bytes
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content))
    return {TABLE: packed(archive.getvalue())}
