"""A language model that judges whole boards: vLLM inside a Ray Data pipeline (`ray.data.llm`).

Questions are read from Parquet and sent as token ids; labels are read from log-probabilities as the `http:` judge reads
those of a vLLM server by `label_ids`. Engines are started for a pipeline and end with it, so that nothing but
`rejudge-all --engine ray` asks this judge. See docs/judges.md#vllm-in-the-pipeline.
"""

from __future__ import annotations

import hashlib
import json
import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from evaluator.judge_loading.ray_cluster import RaySetting
from evaluator.judges.http.judge import LABELS
from evaluator.judges.http.replies import TOO_LONG_FOR_IT, measured, probability_of
from evaluator.judges.http.settings import CHAT_FRAMES
from evaluator.judges.http.tokens import LocalTokenizer, TokenIds
from evaluator.judges.kind import UnknownJudge
from evaluator.judges.label_forms import LabelForms, forms_in_vocabulary
from evaluator.judges.protocol import (
    LANGUAGE_MODEL_KINDS,
    Judge,
    JudgeRequest,
    Judgment,
    RequestKind,
    Rubric,
    UnsuitableJudge,
)
from evaluator.judges.recorded import judgment_to_json
from evaluator.rejudging.ray_data import judges_error, open_questions
from evaluator.values import Pin

WRITTEN = "vllm:FOLDER[;frame=NAME]"
"""How `rejudge-all` names such a judge."""
KEY = "vllm:"
DTYPE = "bfloat16"
MOST_TOKENS = 8192
"""Of a question, where the model's own limit is not below it: what is kept free for it takes memory of the card."""
BATCH = 64
MOST_LABEL_TOKENS = 256
"""vLLM has to be told how many log-probabilities a question may ask for."""

INSTALL = "pip install 'ray[llm]==2.60.0', in an environment of its own beside requirements.txt"


@dataclass(frozen=True, slots=True)
class VllmSetting:
    """Which model, and in which words it is addressed."""

    folder: Path
    """Weights as safetensors, config.json and tokenizer.json; under the same path on every machine of the cluster."""
    frame: str = "plain"
    """One of `CHAT_FRAMES`."""

    @classmethod
    def from_text(cls, text: str) -> VllmSetting:
        """Reads what follows `vllm:` in a name.

        Raises:
            UnknownJudge: says what cannot be read.

        >>> VllmSetting.from_text("/models/qwen;frame=chatml")
        VllmSetting(folder=PosixPath('/models/qwen'), frame='chatml')
        """
        folder, *options = text.split(";")
        frame = "plain" if not options else options[0].removeprefix("frame=")
        if not folder or len(options) > 1 or frame not in CHAT_FRAMES:
            raise UnknownJudge(f"vllm: found {text!r}, expected {WRITTEN}, NAME one of {', '.join(CHAT_FRAMES)}")
        return cls(Path(folder), frame)


class VllmBoardJudge(Judge):
    """Tells prompts, keys and readings; the model itself runs in the pipeline of `judged`.

    Args:
        setting: Model and words.
        revision: Of the weights.
        engine: Name and version of what computes them.
    """

    def __init__(self, setting: VllmSetting, revision: str, engine: str) -> None:
        self.setting = setting
        self._tokenizer = LocalTokenizer(setting.folder)
        self._vocabulary = self._tokenizer.form_tokens(LABELS)
        try:
            told = json.loads((setting.folder / "config.json").read_text(encoding="utf-8"))
            self.context = min(MOST_TOKENS, int(told["max_position_embeddings"]))
        except (OSError, ValueError, KeyError, TypeError) as error:
            raise UnsuitableJudge(f"{setting.folder}: config.json does not say how much the model reads") from error
        self._pin = Pin(
            name="vllm",
            model=setting.folder.resolve().name,
            revision=revision,
            tokenizer=self._tokenizer.fingerprint,
            prompt=f"per rubric, frame {setting.frame}, {self.context} tokens",
            dtype=DTYPE,
            engine=f"{engine}, reads label_ids",
            languages=None,
        )

    @property
    def pin(self) -> Pin:
        return self._pin

    @property
    def kinds(self) -> frozenset[RequestKind]:
        """All whose answer is a label."""
        return LANGUAGE_MODEL_KINDS - {"written"}

    def prompt_ids(self, request: JudgeRequest) -> list[int]:
        """The tokens that the model is sent."""
        return self._tokenizer.prompt_ids(request, CHAT_FRAMES[self.setting.frame])

    def label_forms(self, rubric: Rubric) -> LabelForms[int]:
        """Return the token paths of a rubric's labels.

        Raises:
            UnsuitableJudge: a label cannot be written with the model's tokens.
        """
        return forms_in_vocabulary(self._vocabulary, rubric.labels)

    def key(self, request: JudgeRequest) -> str:
        """SHA-256 over pin, exact token ids and the token paths of the labels, as hex."""
        paths = self.label_forms(request.rubric).paths
        payload = [self._pin.model_dump(mode="json"), self.prompt_ids(request), paths]
        return hashlib.sha256(json.dumps(payload, separators=(",", ":"), sort_keys=True).encode()).hexdigest()

    def judge(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        raise UnsuitableJudge(
            f"{KEY} judges whole boards and is asked by rejudge-all --engine ray only "
            f"({len(requests)} questions came up after the pipeline: start the same command again)"
        )


def load_vllm_judge(setting: VllmSetting) -> VllmBoardJudge:
    """The judge of a folder, where vLLM and what Ray needs for it are installed.

    Raises:
        UnsuitableJudge: one of them is missing, or the folder holds no model that can be read.
    """
    from evaluator.judges.transformers import weights_sha256

    os.environ.setdefault("VLLM_NO_USAGE_STATS", "1")
    try:
        engine = f"vllm {version('vllm')}"
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of ray's own ways, which are not ours to change
            import ray.data.llm  # noqa: F401
    except (ImportError, PackageNotFoundError) as missing:
        name = missing.name or str(missing)
        raise UnsuitableJudge(f"{KEY} needs vLLM and ray.data.llm; {name} is not installed: {INSTALL}") from missing
    if not any(setting.folder.glob("*.safetensors")):
        raise UnsuitableJudge(f"{setting.folder}: found no weights as safetensors")
    return VllmBoardJudge(setting, weights_sha256(setting.folder), engine)


def judged(
    cluster: RaySetting,
    judge: VllmBoardJudge,
    files: Sequence[Path],
    read: Callable[[str], JudgeRequest],
) -> Iterator[dict[str, str]]:
    """Verdicts (JSON by key) of all the questions in Parquet files, as they come.

    Args:
        cluster: Where, and how many engines; without a number one for each graphics card, or one on CPUs.
        judge: Whose questions they are.
        files: Columns `key` and `request`; of this machine.
        read: A question from what stands in `request`.

    Raises:
        UnsuitableJudge: at an address Ray Data cannot work from.
        JudgeUnavailable: no cluster answers, or engines died again and again.
    """
    ray, questions = open_questions(cluster, files)
    from ray.data.llm import build_processor, vLLMEngineProcessorConfig

    gpus = int(ray.cluster_resources().get("GPU", 0))
    config = vLLMEngineProcessorConfig(**engine_options(judge, cluster.actors, gpus))
    at = partial(_loaded, judge.setting, judge.pin.revision, judge.pin.engine.partition(",")[0])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            processor = build_processor(config, preprocess=question, postprocess=answer)
            answers = Answers(judge, read)
            for batch in processor(questions.flat_map(partial(steps, at, read))).iter_batches(batch_size=None):
                rows = zip(batch["key"], batch["request"], batch["context"], batch["answer"], strict=True)
                if verdicts := dict(filter(None, (answers.add(*map(str, row)) for row in rows))):
                    yield verdicts
        except ray.exceptions.RayError as error:
            raise judges_error(cluster, error) from error


def engine_options(judge: VllmBoardJudge, engines: int | None, gpus: int) -> dict[str, Any]:
    """What `vLLMEngineProcessorConfig` is made of: our token ids in, log-probabilities of label tokens out."""
    options: dict[str, Any] = {
        "model_source": str(judge.setting.folder.resolve()),
        "engine_kwargs": {
            "dtype": DTYPE,
            "max_model_len": judge.context,
            "max_logprobs": MOST_LABEL_TOKENS,
            "enforce_eager": not gpus,
        },
        "batch_size": BATCH,
        "concurrency": engines or gpus or 1,
        "log_engine_metrics": False,
        "chat_template_stage": False,
        "tokenize_stage": False,
        "detokenize_stage": False,
    }
    # Without a placement ray asks for a card for each engine.
    return options if gpus else options | {"placement_group_config": {"bundles": [{"CPU": 1}]}}


@lru_cache(maxsize=1)
def _loaded(setting: VllmSetting, revision: str, engine: str) -> VllmBoardJudge:
    """The judge in a process of the cluster, which is to have the tokenizer once."""
    return VllmBoardJudge(setting, revision, engine)


def steps(
    judge: Callable[[], VllmBoardJudge], read: Callable[[str], JudgeRequest], row: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return what the model is asked for one question: the prompt, and the prompt with each lead a label may have.

    Of a question that is too long one token is sent: nothing is read of it.
    """
    request = read(str(row["request"]))
    prompt, forms = judge().prompt_ids(request), judge().label_forms(request.rubric)
    fits = len(prompt) + max(map(len, forms.contexts)) < judge().context
    return [
        {
            "key": row["key"],
            "request": row["request"],
            "context": json.dumps(context if fits else None),
            "prompt": [*prompt, *context] if fits else prompt[:1],
            "tokens": list(forms.next_tokens(context)),
        }
        for context in (forms.contexts if fits else forms.contexts[:1])
    ]


def question(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a step as vLLM is asked it."""
    tokens = [int(token) for token in row["tokens"]]
    return {
        "key": row["key"],
        "request": row["request"],
        "context": row["context"],
        "tokenized_prompt": [int(token) for token in row["prompt"]],
        "sampling_params": {
            "max_tokens": 1,
            "temperature": 0.0,
            "logprobs": len(tokens),
            "logprob_token_ids": tokens,
            "detokenize": False,
        },
    }


def answer(row: Mapping[str, Any]) -> dict[str, str]:
    """Return the log-probabilities in what vLLM answered to a step."""
    said = {str(token): float(entry["logprob"]) for token, entry in row["logprobs"][0].items()}
    return {"key": row["key"], "request": row["request"], "context": row["context"], "answer": json.dumps(said)}


class Answers:
    """Gathers the steps of questions until a question has all of them.

    Args:
        judge: Whose questions they are.
        read: A question from what stands in `request`.
    """

    def __init__(self, judge: VllmBoardJudge, read: Callable[[str], JudgeRequest]) -> None:
        self._judge, self._read = judge, read
        self._known: dict[str, dict[TokenIds, dict[int, float]]] = {}

    def add(self, key: str, request: str, context: str, answer: str) -> tuple[str, str] | None:
        """Return the key and the verdict (JSON) of the question that this step completes; None while others are out."""
        after = json.loads(context)
        if after is None:
            return key, judgment_to_json(Judgment(None, reason=TOO_LONG_FOR_IT))
        rubric = self._read(request).rubric
        forms = self._judge.label_forms(rubric)
        known = self._known.setdefault(key, {})
        known[tuple(after)] = {int(token): probability_of(value) for token, value in json.loads(answer).items()}
        if len(known) < len(forms.contexts):
            return None
        return key, judgment_to_json(measured(rubric, forms.probabilities(self._known.pop(key))))
