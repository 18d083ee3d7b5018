"""Verdicts as whole numbers."""

from __future__ import annotations

import numpy as np

from submissions.verdicts.items import combined_codes


def test_codes_stay_apart_where_their_product_would_overflow() -> None:
    codes = np.array([0, 2**40 - 1, 0, 5])
    assert combined_codes((codes, 2**40), (codes, 2**40)).tolist() == [0, 2, 0, 1]
