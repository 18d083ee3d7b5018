"""The judges one can configure: one line each. What is heavy is imported when a judge is loaded."""

from __future__ import annotations

import logging
import re
import sys
from collections.abc import Mapping
from pathlib import Path

from evaluator.embeddings.protocol import Embedder, ScriptedEmbedder, UnsuitableEmbedder
from evaluator.judge_loading.embedders import load_embedder, multilingual_pair_judge
from evaluator.judges.kind import AUTO, JudgeKind, Loading, Scorer, UnknownJudge
from evaluator.judges.protocol import UnsuitableJudge
from evaluator.judges.scripted import ScriptedJudge
from evaluator.judges.written.formats import format_named, reply_faults

logger = logging.getLogger(__name__)

DEFAULT_GPU_JUDGE = "transformers:Qwen/Qwen2.5-1.5B-Instruct@989aa7980e4cf806f80c7fef2b1adb7bc71aa306"
"""What `auto` means where there is a GPU; without one it means `pair`."""

SMOLLM2_HINT = (
    "SmolLM2 is named by the folder of its weights: transformers:$PLUMBLINE_DATA/models/smollm2-135m-instruct-... "
    "(python -m evaluator judge-quality --judge smollm2 makes this folder; docs/judges.md#local-language-models)"
)
"""Added where the small model of the lab is named as the lab names it."""

DRIVERS = ("/dev/nvidiactl", "/dev/kfd", "/dev/dxg")
"""What Linux shows where a driver of NVIDIA, of AMD, or of either under WSL is loaded. ZeroGPU shows none, but has
imported torch by then."""

_PINNED = re.compile(r"(?P<repository>[\w.-]+/[\w.-]+)@(?P<commit>[0-9a-f]{40})")
_DURATION = re.compile(r"\d+(\.\d+)?|")


def _pair(folder: str, loading: Loading) -> Scorer:
    from evaluator.judges.answers.judge import GatedJudge, load_answer_head
    from evaluator.judges.pair.judge import load_pair_judge

    minilm = loading.minilm()
    judge = load_pair_judge(minilm, Path(folder) if folder else None)
    return Scorer(GatedJudge(judge, load_answer_head(minilm)), minilm)


def _multilingual_pair(folder: str, loading: Loading) -> Scorer:
    e5 = _e5(loading)
    return Scorer(multilingual_pair_judge(e5, loading.minilm(), Path(folder) if folder else None), e5)


def _e5(loading: Loading) -> Embedder:
    try:
        return load_embedder("e5", loading.cache, threads=loading.threads)
    except UnsuitableEmbedder as error:
        raise UnsuitableJudge(str(error)) from error


UNPROVEN = "unproven"
"""An option of language models: the judge need not prove itself, and its pin says so."""


def _transformers(option: str, loading: Loading) -> Scorer:
    where, reply, tokens, is_unproven = _transformers_options(option)
    from evaluator.judges.transformers import load_transformers_judge
    from evaluator.judges.written.judge import WrittenJudge, format_of_thoughts

    pinned = _PINNED.fullmatch(where)
    is_folder = pinned is None or Path(where).is_dir()
    repository, commit = (where, None) if is_folder or pinned is None else (pinned["repository"], pinned["commit"])
    judge = load_transformers_judge(repository, commit, compiles=loading.compiles, is_unproven=is_unproven)
    if reply:
        judge = WrittenJudge.around(judge, format_named(reply), tokens)
    if is_unproven:
        return Scorer(judge, loading.minilm())
    try:
        judge.demand_proof(is_measured=loading.is_measured)
    except UnsuitableJudge as refused:
        thoughts = None if reply else format_of_thoughts(judge)
        if thoughts is None:
            raise
        logger.warning("%s; trying whether it can after thinking", refused)
        judge = WrittenJudge.around(judge, thoughts)
        judge.demand_proof(is_measured=loading.is_measured)
    return Scorer(judge, loading.minilm())


def _transformers_options(option: str) -> tuple[str, str, int | None, bool]:
    """Where the model is, the format of its replies, how many tokens they may have, and whether it goes unproven."""
    where, *options = option.split(";")
    faults = []
    if _PINNED.fullmatch(where) is None and not Path(where).is_dir():
        faults.append(
            f"{where!r} is neither a folder nor a repository at a full commit (REPO@COMMIT): a branch or tag may"
            " change under a board"
        )
    reply, tokens, is_unproven = "", None, False
    for each in options:
        name, _, value = each.partition("=")
        if each == UNPROVEN:
            is_unproven = True
        elif name == "reply":
            reply = value
        elif name == "tokens" and value.isascii() and value.isdigit():
            tokens = int(value)
        else:
            faults.append(
                f"found the option {each!r}. Behind either may stand ;{UNPROVEN}, ;reply=NAME and ;tokens=NUMBER"
            )
    faults += reply_faults(reply, tokens)
    if faults:
        raise UnknownJudge(f"'transformers:{option}': {'; '.join(faults)}")
    return where, reply, tokens, is_unproven


def _http(option: str, loading: Loading) -> Scorer:
    from evaluator.judges.http.judge import connect
    from evaluator.judges.http.settings import HttpJudgeSettings

    settings = HttpJudgeSettings.from_text(option, api_key=loading.api_key)
    judge = connect(settings)
    if not settings.unproven:
        judge.demand_proof(is_measured=loading.is_measured)
    return Scorer(judge, loading.minilm())


def _ray(option: str, loading: Loading) -> Scorer:
    from evaluator.judge_loading.ray_actors import connect
    from evaluator.judge_loading.ray_cluster import RaySetting

    setting = RaySetting.from_text(option)
    # An unknown judge is told before a cluster is asked for anything.
    return connect(setting, loading, load, on_gpu=runs_on_gpu(setting.name))


def _scripted(seconds: str, _: Loading) -> Scorer:
    """`scripted:0.01` takes that many seconds for each call, to stand for a slow judge."""
    return Scorer(ScriptedJudge(seconds_per_call=float(seconds or 0)), ScriptedEmbedder())


JUDGES: tuple[JudgeKind, ...] = (
    JudgeKind(
        "pair",
        ("pair", "pair:FOLDER"),
        "embedded, the default without a GPU: a small network (all-MiniLM-L6-v2, 22.7 million parameters) that reads "
        "the question and both answers at once, trained on pairs that people labelled and on pairs that language "
        "models wrote and graded; checks of numbers, negation, opposites and refusals weigh in. English only: other "
        "languages are not judged rather than judged badly. It states no preferences, and is not a person.",
        _pair,
        accepts=lambda option: True,
    ),
    JudgeKind(
        "multilingual_pair",
        ("multilingual_pair", "multilingual_pair:FOLDER"),
        "embedded, the default between languages (2025): the upper layers of multilingual-e5-small, trained to read "
        "both answers at once, in one language or in two. It sees many contradictions; how many depends on the "
        "language and the kind. Languages below its bar are not judged rather than judged badly.",
        _multilingual_pair,
        accepts=lambda option: True,
    ),
    JudgeKind(
        "transformers",
        ("transformers:REPO@COMMIT", "transformers:FOLDER"),
        "any local causal language model, pinned: the probabilities of its labels are read after one forward pass; it "
        "never writes. It has to tell plain cases apart before it judges. Any language it can read; as good as the "
        "model, and partial to places and to its own family.",
        _transformers,
        accepts=bool,
        on_gpu=True,
    ),
    JudgeKind(
        "http",
        ("http:URL#MODEL",),
        "a model behind an OpenAI-compatible server. Its revision is what the server says; it cannot be checked.",
        _http,
        accepts=bool,
    ),
    JudgeKind(
        "ray",
        ("ray:ADDRESS#JUDGE",),
        "any of the others, spread over the cores, graphics cards and machines of a Ray cluster. Its verdicts are that "
        "judge's own.",
        _ray,
        accepts=bool,
    ),
    JudgeKind(
        "scripted",
        ("scripted",),
        "fixed rules anyone can check by hand: for tests and demonstrations, never for a ranking.",
        _scripted,
        accepts=lambda option: _DURATION.fullmatch(option) is not None,
    ),
)

RETIRED: Mapping[str, str] = {"embedding": "pair", "multilingual": "multilingual_pair"}
"""Judges that were replaced, and by which one: what they judged stays readable, and nothing new is judged by them."""

LAST_WITH_RETIRED = "40fccd9b"
"""The last commit that has them."""

WORDS_OF_AUTO = "no judge of its own: a small pinned instruct model where there is a GPU, pair elsewhere."


def judge_names() -> tuple[str, ...]:
    """What a configuration may write."""
    return (AUTO, *(name for kind in JUDGES for name in kind.written))


def kind_of(name: str) -> tuple[JudgeKind, str]:
    """The line of a configured judge, and what stands after the colon of its name.

    Raises:
        UnknownJudge: for any other name.
    """
    key, _, option = name.partition(":")
    for kind in JUDGES:
        if kind.key == key and kind.accepts(option):
            return kind, option
    if key in RETIRED:
        raise UnknownJudge(
            f"the judge {name!r} was retired: use {RETIRED[key]!r}. What it judged stays readable, and commit "
            f"{LAST_WITH_RETIRED} of Plumbline can make it anew"
        )
    hint = f". {SMOLLM2_HINT}" if key == "smollm2" else ""
    raise UnknownJudge(f"no judge is called {name!r}: choose one of {', '.join(judge_names())}{hint}")


def load(name: str, loading: Loading) -> Scorer:
    """The judge of a configured name, or the one of `auto`; see `loading.load_scorer`."""
    if name == AUTO:
        return _default(loading)
    kind, option = kind_of(name)
    return kind.load(option, loading)


def _default(loading: Loading) -> Scorer:
    """The GPU's judge where there is a GPU and the model can be had, else the embedded one; the pin says which."""
    if _has_gpu():
        try:
            return load(DEFAULT_GPU_JUDGE, loading)
        except UnsuitableJudge as error:
            logger.warning("judging with the embedded judge: %s", error)
    return load("pair", loading)


def _has_gpu() -> bool:
    """Whether torch could compute on one; where no driver is, nobody imports torch to be told."""
    if sys.platform == "linux" and "torch" not in sys.modules and not any(Path(driver).exists() for driver in DRIVERS):
        return False
    import torch

    return torch.cuda.is_available()


def runs_on_gpu(name: str) -> bool:
    """Does a judge of that name run on a graphics card where there is one?

    Raises:
        UnknownJudge: for a name of none.
    """
    return name == AUTO or kind_of(name)[0].on_gpu


def judges_of_their_name() -> tuple[str, ...]:
    """What a manifest may name: it comes from anywhere, so its words load no folder and no address."""
    return tuple(kind.key for kind in JUDGES if kind.is_of_its_name)
