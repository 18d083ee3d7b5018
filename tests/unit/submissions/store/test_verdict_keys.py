"""Which verdicts a result rests on: no field that names one is overlooked."""

from __future__ import annotations

import json

from pydantic import BaseModel

from evaluator import results
from submissions.store.verdict_keys import verdict_keys


def test_every_field_of_a_result_that_names_verdicts_is_known() -> None:
    models = [one for one in vars(results).values() if isinstance(one, type) and issubclass(one, BaseModel)]
    named = [name for model in models for name in model.model_fields if "key" in name.split("_")]
    assert named
    for name in named:
        # A field holds one key or a column of them.
        assert "k" in {*verdict_keys(json.dumps({name: "k"})), *verdict_keys(json.dumps({name: ["k", None]}))}, name


def test_a_result_without_verdicts_names_none() -> None:
    assert verdict_keys('{"board": "judges", "judges": [{"judge": "key_ab"}]}') == []
