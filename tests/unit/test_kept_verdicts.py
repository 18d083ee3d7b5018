"""The kept verdicts are of the judges that ship now."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from evaluator.embeddings.minilm import MiniLMEmbedder
from evaluator.judge_loading.loading import load_scorer
from evaluator.judges.protocol import JudgeRequest, Judgment
from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
from evaluator.robustness.evaluate import evaluate_robustness
from submissions.check import check_submission
from submissions.promptsets import PromptSets, example_submissions
from tests.kept_verdicts import kept_verdicts


def test_of_an_example_no_judge_is_asked_anything(monkeypatch: pytest.MonkeyPatch) -> None:
    judge, kept = load_scorer("pair").judge, MemoryVerdicts()
    kept.save_verdicts(kept_verdicts())

    def asked(requests: Sequence[JudgeRequest]) -> list[Judgment]:
        pytest.fail(f"{len(requests)} verdicts are not kept: python -m tests.kept_verdicts")

    monkeypatch.setattr(judge, "judge", asked)
    sets = PromptSets.load(None)
    data = next(data for name, data in example_submissions() if name == "keel.json")
    report = check_submission(data, "keel.json", prompt_sets=sets)
    assert report.submission is not None
    assert report.coverage is not None
    result = evaluate_robustness(
        report.submission, report.coverage, sets.demonstration, RecordedJudge(judge, kept), MiniLMEmbedder()
    )
    assert result.views["english"].figures["pair_mean"].mean.value is not None
