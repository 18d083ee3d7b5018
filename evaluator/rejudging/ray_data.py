"""A judge's open questions as one Ray Data pipeline: read from Parquet, judged by actors, verdicts as they come.

Against `evaluator.judge_loading.ray_actors` the questions are never all in one process: files are read while others are
judged. Ray Data starts actors anew that die, and gives their questions to others.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from evaluator.judge_loading.ray_cluster import LOCAL, RaySetting, connected, differing_pins, gpu_share, own_error
from evaluator.judges.kind import Loading
from evaluator.judges.protocol import Judge, JudgeRequest, JudgeUnavailable, UnsuitableJudge
from evaluator.judges.recorded import judgment_to_json
from evaluator.values import Pin
from submissions.store.queue import REQUESTS_PER_BATCH

JUDGES_SHARE_OF_CPUS = 0.5
"""What Ray reserves for the judges; the rest reads files. Nothing is held to it: judges compute with what is idle."""


class JudgedBatch:
    """One judge in a process of its own; Ray Data calls it with batches of questions.

    Args:
        name: Of the judge, as a setting names it.
        pin: Which judge it has to be.
        read: A question from its text.
        loading: Threads and key.
    """

    def __init__(self, name: str, pin: Pin, read: Callable[[str], JudgeRequest], loading: Loading) -> None:
        self._name = name
        self._pin = pin
        self._read = read
        self._loading = loading
        self._judge: Judge | None = None

    def __call__(self, batch: dict[str, Any]) -> dict[str, Any]:
        judge = self._loaded()
        judgments = judge.judge([self._read(str(text)) for text in batch["request"]])
        return {"key": batch["key"], "verdict": [judgment_to_json(judgment) for judgment in judgments]}

    def _loaded(self) -> Judge:
        from evaluator.judge_loading.loading import load_scorer

        if self._judge is None:
            loading = self._loading
            judge = load_scorer(self._name, threads=loading.threads, api_key=loading.api_key).judge
            if judge.pin != self._pin:
                raise UnsuitableJudge(differing_pins(judge.pin, self._pin))
            self._judge = judge
        return self._judge


def judged(
    setting: RaySetting,
    pin: Pin,
    files: Sequence[Path],
    read: Callable[[str], JudgeRequest],
    loading: Loading,
    *,
    on_gpu: bool,
) -> Iterator[dict[str, str]]:
    """Verdicts (JSON by key) of all the questions in Parquet files, as they come.

    Args:
        setting: The cluster, the judge, and how many of it.
        pin: Which judge it has to be everywhere.
        files: Columns `key` and `request`; of this machine.
        read: A question from what stands in `request`.
        loading: Threads and key of every judge.
        on_gpu: Does the judge run on a graphics card where there is one?

    Raises:
        UnsuitableJudge: without ray, at an address Ray Data cannot work from, or where a judge is another one.
        JudgeUnavailable: no cluster answers, or the judge raised it.
    """
    ray, questions = open_questions(setting, files)
    import ray.data as ray_data

    has = ray.cluster_resources()
    gpus = int(has.get("GPU", 0)) if on_gpu else 0
    wanted = setting.actors or gpus or max(1, int(has.get("CPU", 1)))
    share = gpu_share(wanted, gpus) or {"num_cpus": JUDGES_SHARE_OF_CPUS * min(1.0, has.get("CPU", 1) / wanted)}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of ray's own ways, which are not ours to change
        answered = questions.map_batches(
            JudgedBatch,
            fn_constructor_args=(setting.name, pin, read, replace(loading, cache=None)),
            batch_size=REQUESTS_PER_BATCH,
            compute=ray_data.ActorPoolStrategy(size=wanted),
            **share,
        )
        try:
            for batch in answered.iter_batches(batch_size=None):
                yield {str(key): str(text) for key, text in zip(batch["key"], batch["verdict"], strict=True)}
        except ray.exceptions.RayError as error:
            raise judges_error(setting, error) from error


def open_questions(setting: RaySetting, files: Sequence[Path]) -> tuple[Any, Any]:
    """The module ray, connected to the cluster, and the questions in Parquet files as a dataset in small blocks.

    Raises:
        UnsuitableJudge: without ray, or at an address Ray Data cannot work from.
        JudgeUnavailable: no cluster answers.
    """
    if setting.address.startswith("ray://"):
        raise UnsuitableJudge(
            f"a Ray Data pipeline starts on a machine of its cluster: found {setting.address}, expected local or auto "
            "(or leave out --engine ray)"
        )
    ray = connected(setting)
    import ray.data as ray_data

    ray_data.DataContext.get_current().enable_progress_bars = False
    # Files of this machine are read by this machine, whatever others the cluster has.
    scheme = "" if setting.address == LOCAL else "local://"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of ray's own ways, which are not ours to change
        questions = ray_data.read_parquet([f"{scheme}{file.resolve()}" for file in files])
        return ray, questions.repartition(target_num_rows_per_block=REQUESTS_PER_BATCH)


def judges_error(setting: RaySetting, error: BaseException) -> BaseException:
    """What the judge raised in its actor, which Ray Data wraps several times; else what became of the actors."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, (JudgeUnavailable, UnsuitableJudge)):
            return cause
        cause = getattr(cause, "cause", None) or cause.__cause__
    return own_error(setting, error)
