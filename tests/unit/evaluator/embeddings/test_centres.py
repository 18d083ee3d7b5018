"""The places of languages, which are taken off before vectors are weighed."""

from __future__ import annotations

import hashlib

import numpy as np

from evaluator.embeddings.centres import Centres


def test_the_place_of_its_language_is_taken_off_a_vector() -> None:
    centres = Centres({"de": np.array([0.0, 0.0], np.float32), "en": np.array([0.6, 0.0], np.float32)})
    # (0.6, 0.8) - (0.6, 0) = (0, 0.8), of unit length (0, 1)
    assert np.allclose(centres.taken_off(np.array([0.6, 0.8], np.float32), "en"), [0.0, 1.0])
    assert np.allclose(centres.taken_off(np.array([0.6, 0.8], np.float32), "de"), [0.6, 0.8])


def test_the_digest_is_of_names_and_places_in_order() -> None:
    one, two = np.array([1.0], np.float32), np.array([2.0], np.float32)
    expected = hashlib.sha256(b"de" + one.tobytes() + b"en" + two.tobytes()).hexdigest()
    assert Centres({"en": two, "de": one}).digest == expected
