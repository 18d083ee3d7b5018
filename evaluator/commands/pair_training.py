"""`python -m evaluator train-pair-judge` and `train-multilingual-pair-judge`: the embedded judges made anew."""

from __future__ import annotations

import argparse
import json
import re
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Protocol, TypeVar

from submissions.commands.command_line import stop
from submissions.settings import Settings

SECONDS_BETWEEN_LINES = 15.0
MAX_EPOCHS = 1000

_NUMBER = re.compile(r"[0-9]{1,9}(\.[0-9]{1,9})?")
_WHOLE_NUMBER = re.compile(r"[0-9]{1,9}")


def add_commands(commands: Any) -> None:
    """Adds the command to `python -m evaluator`."""
    train = commands.add_parser(
        "train-pair-judge",
        help="train the embedded pair judge on our labelled pairs (about 25 minutes on two free CPU cores)",
    )
    train.add_argument("--out", type=Path, default=Path("pair_judge"), help="folder of the result (default pair_judge)")
    train.add_argument(
        "--from",
        type=Path,
        nargs="+",
        dest="start",
        metavar="FOLDER",
        help="go on from the trained part in a folder, or the mean of those in several, in fewer and smaller steps",
    )
    train.add_argument(
        "--calibrate",
        action="store_true",
        help="with --from: take the trained part, or the mean, as it is, and calibrate it anew",
    )
    train.add_argument("--epochs", type=passes, help="passes over the examples; less than the default is a smoke run")
    train.add_argument("--topics", type=count, help="train and calibrate on this many topics only (smoke run)")
    train.add_argument("--seed", type=seed, help="seed of everything random")
    add_device_flag(train)
    train.add_argument("--json", action="store_true", help="print the report as JSON")
    train.set_defaults(command=_train)

    spoken = commands.add_parser(
        "train-multilingual-pair-judge",
        help="train the pair judge of many languages on labelled pairs and statements, and measure it",
    )
    spoken.add_argument(
        "--out",
        type=Path,
        default=Path("multilingual_pair_judge"),
        help="folder of the result (multilingual_pair_judge)",
    )
    spoken.add_argument("--epochs", type=count, help="passes over the examples (default 2)")
    spoken.add_argument("--topics", type=count, help="train on this many English topics only (smoke run)")
    spoken.add_argument("--seed", type=seed, help="seed of everything random")
    add_device_flag(spoken)
    spoken.add_argument("--json", action="store_true", help="print the report as JSON")
    spoken.set_defaults(command=_train_multilingual)


def add_device_flag(command: argparse.ArgumentParser) -> None:
    """Adds `--device`."""
    command.add_argument(
        "--device", choices=("cpu", "cuda"), default="cpu", help="train on the CPU (default) or on a GPU"
    )


def _check_device(device: str) -> None:
    from evaluator.judges.pair.training import has_gpu

    if device == "cuda" and not has_gpu():
        stop("--device cuda: torch finds no GPU here; leave the flag out to train on the CPU")


def _train(options: argparse.Namespace, settings: Settings) -> int:
    from evaluator.judges.pair.training import CONTINUED, Recipe, trained_judge
    from evaluator.judges.quality.long_answers import all_pairs

    if options.calibrate and not options.start:
        stop("--calibrate takes a trained part as it is: name its folder with --from")
    _check_device(options.device)
    make_folder(options.out)
    if options.calibrate:
        return _calibrate(options)
    chosen = {name: value for name, value in (("epochs", options.epochs), ("seed", options.seed)) if value is not None}
    recipe = replace(CONTINUED if options.start else Recipe(), **chosen)
    started = time.monotonic()
    report = trained_judge(
        of_first_topics(all_pairs("train"), options.topics),
        of_first_topics(all_pairs("validation"), options.topics),
        options.out,
        recipe,
        start=_trained_part(options.start) if options.start else None,
        device=options.device,
        on_step=progress(started),
    )
    report |= {"recipe": asdict(recipe), "seconds": round(time.monotonic() - started, 1)}
    (options.out / "report.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(report) if options.json else _report_text(report, options.out))
    return 0


def _calibrate(options: argparse.Namespace) -> int:
    from safetensors.torch import save_file

    from evaluator.judges.pair.judge import ADAPTER
    from evaluator.judges.pair.network import load_network
    from evaluator.judges.pair.training import calibrated_judge
    from evaluator.judges.quality.long_answers import all_pairs

    adapter = _trained_part(options.start)
    if len(options.start) > 1:
        save_file(adapter, options.out / ADAPTER)
    elif not (options.out / ADAPTER).exists() or not (options.out / ADAPTER).samefile(options.start[0] / ADAPTER):
        shutil.copyfile(options.start[0] / ADAPTER, options.out / ADAPTER)
    pairs = of_first_topics(all_pairs("validation"), options.topics)
    report = calibrated_judge(load_network(options.out / ADAPTER), pairs, options.out)
    figures = report["validation"]
    print(json.dumps(report) if options.json else f"validation ({figures['pairs']} pairs): AUC {figures['auc']:.3f}")
    return 0


def _trained_part(folders: Sequence[Path]) -> Any:
    """The adapter in a folder, or the mean of those in several; or the end of the command with the reason."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    from evaluator.judges.pair.judge import ADAPTER
    from evaluator.judges.pair.network import freeze_embeddings, mean_adapter, untrained_network

    adapters = []
    for folder in folders:
        try:
            adapters.append(load_file(folder / ADAPTER))
        except (OSError, SafetensorError) as error:
            stop(f"--from {folder}: {ADAPTER} cannot be read ({error})")
    network = untrained_network()
    freeze_embeddings(network)
    return mean_adapter(adapters, network)


def _train_multilingual(options: argparse.Namespace, settings: Settings) -> int:
    from evaluator.embeddings.e5 import E5Embedder
    from evaluator.embeddings.protocol import UnsuitableEmbedder
    from evaluator.judges.multilingual_pair.training import Recipe, trained_judge
    from evaluator.judges.quality.long_answers import all_pairs

    _check_device(options.device)
    make_folder(options.out)
    chosen = {name: value for name, value in (("epochs", options.epochs), ("seed", options.seed)) if value is not None}
    recipe = replace(Recipe(), **chosen)
    try:
        embedder = E5Embedder(())
    except UnsuitableEmbedder as error:
        stop(str(error))
    started = time.monotonic()
    report = trained_judge(
        embedder,
        of_first_topics(all_pairs("train"), options.topics),
        of_first_topics(all_pairs("validation"), options.topics),
        options.out,
        recipe,
        device=options.device,
        on_step=progress(started),
    )
    report |= {"recipe": asdict(recipe), "seconds": round(time.monotonic() - started, 1)}
    (options.out / "report.json").write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(report) if options.json else _multilingual_text(report, options.out))
    return 0


def make_folder(out: Path) -> None:
    """Makes the folder of the result, or ends the command with the reason."""
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        stop(f"--out {out}: {error.strerror}")


class _OfTopic(Protocol):
    @property
    def topic(self) -> str: ...


Example = TypeVar("Example", bound=_OfTopic)


def of_first_topics(examples: Sequence[Example], number: int | None) -> list[Example]:
    """Examples of the first so many topics; None = all of them."""
    topics = set(list(dict.fromkeys(example.topic for example in examples))[:number])
    return [example for example in examples if example.topic in topics]


def passes(text: str) -> float:
    """A number of passes over the examples."""
    number = float(text) if _NUMBER.fullmatch(text) else 0.0
    if not 0 < number <= MAX_EPOCHS:
        raise argparse.ArgumentTypeError(f"expected a number above 0 and up to {MAX_EPOCHS}, found {text!r}")
    return number


def count(text: str) -> int:
    """A whole number of 1 or more."""
    number = int(text) if _WHOLE_NUMBER.fullmatch(text) else 0
    if number < 1:
        raise argparse.ArgumentTypeError(f"expected a whole number of 1 or more, found {text!r}")
    return number


def seed(text: str) -> int:
    """A seed of everything random."""
    if not _WHOLE_NUMBER.fullmatch(text):
        raise argparse.ArgumentTypeError(f"expected a whole number of at most 9 digits, found {text!r}")
    return int(text)


class Step(Protocol):
    """How far training is."""

    @property
    def number(self) -> int: ...

    @property
    def of(self) -> int: ...

    @property
    def loss(self) -> float: ...


def progress(started: float) -> Callable[[Step], None]:
    """A line on standard error now and then: step, loss, time left."""
    shown = started

    def show(step: Step) -> None:
        nonlocal shown
        now = time.monotonic()
        if now - shown < SECONDS_BETWEEN_LINES and step.number < step.of:
            return
        shown = now
        left = (now - started) / step.number * (step.of - step.number)
        sys.stderr.write(f"step {step.number} of {step.of}, loss {step.loss:.3f}, about {left / 60:.0f} min left\n")

    return show


def _report_text(report: dict[str, Any], out: Path) -> str:
    return (
        f"trained on {report['train']['pairs']} pairs of {report['train']['topics']} topics, "
        f"{report['examples']} examples an epoch, in {report['seconds'] / 60:.1f} min\n"
        f"validation ({report['validation']['pairs']} pairs): AUC {report['validation']['auc']:.3f}, "
        f"after cutting to rank {report['rank']}\n"
        f"{report['adapter_bytes'] / 2**20:.2f} MiB in {out}; measure it on the test topics with\n"
        f"    python -m evaluator judge-quality --judge pair:{out}"
    )


def _multilingual_text(report: dict[str, Any], out: Path) -> str:
    english, statements = (
        "n/a" if value is None else f"{value:.3f}"
        for value in (report["validation"]["english"], report["validation"]["statements"])
    )
    return (
        f"trained on {report['train']['pairs']} English pairs and the statements, in {report['seconds'] / 60:.1f} min\n"
        f"validation: AUC {english} on English pairs, {statements} on statements\n"
        f"read: {', '.join(report['read']) or 'no language passed'}\n"
        f"{report['trained_bytes'] / 2**20:.2f} MiB in {out}; measure it on the English test topics with\n"
        f"    python -m evaluator judge-quality --judge multilingual_pair:{out}"
    )
