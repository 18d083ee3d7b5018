"""The results of the bought rows are of the files that stand there now, and the product still computes them."""

from __future__ import annotations

from hashlib import sha256

import pytest

from tests.bought_ranks import BOUGHT, EXAMPLES, entered, results, scored


def test_each_stored_result_is_of_its_file() -> None:
    files = entered()
    assert len(files) == 46
    assert {*BOUGHT, *EXAMPLES} <= {one.names.system for one in files}
    # Where this fails, a file has changed: `python -m tests.bought_ranks` scores all of them anew.
    assert [sha256(one.data).hexdigest() for one in files] == [one.file_sha256 for one in results()]


@pytest.mark.slow
@pytest.mark.parametrize("system", ["flotsam", "encyclopaedia"])
def test_a_file_scored_anew_has_the_stored_figures(system: str) -> None:
    place, file = next((place, one) for place, one in enumerate(entered()) if one.names.system == system)
    (fresh,), stored = scored([file]), results()[place]
    assert (fresh.judge, fresh.gate, fresh.flags) == (stored.judge, stored.gate, stored.flags)
    for name, figure in fresh.views["english"].figures.items():
        assert figure.mean.value == pytest.approx(stored.views["english"].figures[name].mean.value, abs=0.01)
