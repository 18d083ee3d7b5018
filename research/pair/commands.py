"""`python -m research train-pair-judge` and `train-multilingual-pair-judge`: the embedded judges made anew."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from research.runs import chosen_recipe, count, keep_report, make_folder, of_first_topics, passes, progress, seed
from submissions.commands.command_line import stop
from submissions.settings import Settings


def add_commands(commands: Any) -> None:
    """Adds the commands to `python -m research`."""
    train = commands.add_parser(
        "train-pair-judge",
        help="train the embedded pair judge on people's labels and on our pairs (an hour on a free CPU core)",
    )
    train.add_argument(
        "--people", type=Path, required=True, metavar="FOLDER", help="texts that people labelled (`make golden-data`)"
    )
    train.add_argument("--out", type=Path, default=Path("pair_judge"), help="folder of the result (default pair_judge)")
    train.add_argument(
        "--from",
        type=Path,
        nargs="+",
        dest="start",
        metavar="FOLDER",
        help="go on from the trained part in a folder, or the mean of those in several",
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
        help="train the pair judge of many languages on people's labels, pairs and statements, and measure it",
    )
    spoken.add_argument(
        "--people", type=Path, required=True, metavar="FOLDER", help="texts that people labelled (`make golden-data`)"
    )
    spoken.add_argument(
        "--from", type=Path, dest="start", metavar="FOLDER", help="go on from the trained part in a folder"
    )
    spoken.add_argument(
        "--out",
        type=Path,
        default=Path("multilingual_pair_judge"),
        help="folder of the result (multilingual_pair_judge)",
    )
    spoken.add_argument("--epochs", type=count, help="passes over the examples (default 1)")
    spoken.add_argument("--topics", type=count, help="train on this many English topics only (smoke run)")
    spoken.add_argument("--seed", type=seed, help="seed of everything random")
    add_device_flag(spoken)
    spoken.add_argument("--json", action="store_true", help="print the report as JSON")
    spoken.set_defaults(command=_train_multilingual)

    bases = commands.add_parser(
        "compare-bases", help="measure what untrained encoders are worth as the base of the pair judge, and beside it"
    )
    bases.add_argument(
        "--people", type=Path, required=True, metavar="FOLDER", help="texts that people labelled (`make golden-data`)"
    )
    bases.add_argument(
        "--base",
        nargs="+",
        default=["minilm", "e5"],
        metavar="NAME",
        help="minilm, e5 (default: both), transformers:FOLDER or transformers:REPO@COMMIT",
    )
    bases.add_argument("--judge", default="pair", help="the judge that they are put beside (default pair)")
    bases.add_argument("--questions", type=count, default=450, help="questions that the weights are fitted on (450)")
    bases.add_argument("--json", action="store_true", help="print the figures as JSON")
    bases.set_defaults(command=_compare_bases)


def add_device_flag(command: argparse.ArgumentParser) -> None:
    """Adds `--device`."""
    command.add_argument(
        "--device", choices=("cpu", "cuda"), default="cpu", help="train on the CPU (default) or on a GPU"
    )


def _check_device(device: str) -> None:
    from research.pair.training import has_gpu

    if device == "cuda" and not has_gpu():
        stop("--device cuda: torch finds no GPU here; leave the flag out to train on the CPU")


def _check_people(folder: Path, *splits: str) -> None:
    """Ends the command with the reason where the folder lacks what it reads, before anything takes minutes."""
    from evaluator.judge_quality.people import PeopleFileError, read_likeness, read_questions

    try:
        for split in splits:
            read_likeness(folder, split)
        read_questions(folder)
    except PeopleFileError as error:
        stop(f"--people {error}")


def _train(options: argparse.Namespace, settings: Settings) -> int:
    from evaluator.judge_quality.long_answers import all_pairs
    from research.pair.training import Recipe, trained_judge

    if options.calibrate and not options.start:
        stop("--calibrate takes a trained part as it is: name its folder with --from")
    _check_device(options.device)
    _check_people(options.people, *(("dev",) if options.calibrate else ("train", "dev")))
    make_folder(options.out)
    if options.calibrate:
        return _calibrate(options)
    recipe = chosen_recipe(Recipe(), options)
    started = time.monotonic()
    report = trained_judge(
        of_first_topics(all_pairs("train"), options.topics),
        of_first_topics(all_pairs("validation"), options.topics),
        options.people,
        options.out,
        recipe,
        start=_trained_part(options.start) if options.start else None,
        device=options.device,
        on_step=progress(started),
    )
    keep_report(report, recipe, started, options.out)
    print(json.dumps(report) if options.json else _report_text(report, options.out))
    return 0


def _calibrate(options: argparse.Namespace) -> int:
    from safetensors.torch import save_file

    from evaluator.judge_quality.long_answers import all_pairs
    from evaluator.judges.pair.judge import ADAPTER
    from evaluator.judges.pair.network import load_network
    from research.pair.training import calibrated_judge

    adapter = _trained_part(options.start)
    if len(options.start) > 1:
        save_file(adapter, options.out / ADAPTER)
    elif not (options.out / ADAPTER).exists() or not (options.out / ADAPTER).samefile(options.start[0] / ADAPTER):
        shutil.copyfile(options.start[0] / ADAPTER, options.out / ADAPTER)
    pairs = of_first_topics(all_pairs("validation"), options.topics)
    report = calibrated_judge(load_network(options.out / ADAPTER), pairs, options.people, options.out)
    print(json.dumps(report) if options.json else _validation_text(report))
    return 0


def _validation_text(report: dict[str, Any]) -> str:
    return "\n".join(
        f"{source}, kept for choosing ({figures['pairs']} pairs): AUC {_figure(figures['auc'])}, "
        f"Spearman {_figure(figures['spearman'])}"
        for source, figures in report["validation"].items()
    )


def _figure(value: float | None) -> str:
    return "n/a" if value is None else f"{value:.3f}"


def _trained_part(folders: Sequence[Path]) -> Any:
    """The adapter in a folder, or the mean of those in several; or the end of the command with the reason."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    from evaluator.judges.pair.judge import ADAPTER
    from evaluator.judges.pair.network import mean_adapter, untrained_network

    adapters = []
    for folder in folders:
        try:
            adapters.append(load_file(folder / ADAPTER))
        except (OSError, SafetensorError) as error:
            stop(f"--from {folder}: {ADAPTER} cannot be read ({error})")
    return mean_adapter(adapters, untrained_network())


def _train_multilingual(options: argparse.Namespace, settings: Settings) -> int:
    from evaluator.embeddings.e5 import E5Embedder
    from evaluator.embeddings.protocol import UnsuitableEmbedder
    from evaluator.judge_quality.long_answers import all_pairs
    from research.multilingual_pair.training import Recipe, trained_judge

    _check_device(options.device)
    _check_people(options.people, "train", "dev")
    make_folder(options.out)
    recipe = chosen_recipe(Recipe(), options)
    try:
        embedder = E5Embedder(())
    except UnsuitableEmbedder as error:
        stop(str(error))
    started = time.monotonic()
    report = trained_judge(
        embedder,
        of_first_topics(all_pairs("train"), options.topics),
        of_first_topics(all_pairs("validation"), options.topics),
        options.people,
        options.out,
        recipe,
        start=_multilingual_part(options.start) if options.start else None,
        device=options.device,
        on_step=progress(started),
    )
    keep_report(report, recipe, started, options.out)
    print(json.dumps(report) if options.json else _multilingual_text(report, options.out))
    return 0


def _multilingual_part(folder: Path) -> Any:
    """The trained part in a folder; or the end of the command with the reason."""
    from safetensors import SafetensorError
    from safetensors.torch import load_file

    from evaluator.judges.multilingual_pair.judge import TRAINED

    try:
        return load_file(folder / TRAINED)
    except (OSError, SafetensorError) as error:
        stop(f"--from {folder}: {TRAINED} cannot be read ({error})")


def _compare_bases(options: argparse.Namespace, settings: Settings) -> int:
    from evaluator.embeddings.protocol import UnsuitableEmbedder
    from evaluator.embeddings.sentence_embedder import SentenceEmbedder
    from evaluator.judge_loading.loading import UnknownJudge, load_embedder, load_scorer
    from evaluator.judges.answers.ungated import Ungated
    from evaluator.judges.protocol import JudgeUnavailable, UnsuitableJudge
    from research.pair.bases import People, bases_table, compare_base, rated_pairs, report

    _check_people(options.people, "dev")
    try:
        embedders = {name: load_embedder(name) for name in options.base}
        judge = load_scorer(options.judge).judge
    except (UnsuitableEmbedder, UnknownJudge, UnsuitableJudge, JudgeUnavailable) as error:
        stop(str(error))
    encoders = {name: embedder for name, embedder in embedders.items() if isinstance(embedder, SentenceEmbedder)}
    if others := embedders.keys() - encoders.keys():
        stop(f"--base {' '.join(sorted(others))}: expected encoders in this process, whose words can be read")
    people = People.of(options.people, options.questions)
    judge = Ungated(judge) if judge.gate_pin != judge.pin else judge
    sys.stderr.write(f"{judge.pin.name}: rating {len(people.dev)} pairs of answers\n")
    rated, ratings = rated_pairs(judge, people.dev)
    sys.stderr.write(f"{len(people.dev) - len(rated)} pairs are unscored and left out\n")
    people = replace(people, dev=rated)
    figures = [
        compare_base(name, embedder, people, ratings, _shown(name, len(set(people.texts))))
        for name, embedder in encoders.items()
    ]
    print(json.dumps(report(figures)) if options.json else bases_table(figures))
    return 0


def _shown(name: str, texts: int) -> Callable[[int], None]:
    """A line on standard error at every thousandth text or so."""
    last = 0

    def show(read: int) -> None:
        nonlocal last
        if read // 1000 > last:
            last = read // 1000
            sys.stderr.write(f"{name}: {read} of {texts} texts read\n")

    return show


def _report_text(report: dict[str, Any], out: Path) -> str:
    return (
        f"trained on {report['train']['people']} pairs that people labelled and {report['train']['pairs']} of ours, "
        f"in {report['seconds'] / 60:.1f} min\n{_validation_text(report)}, after cutting to rank {report['rank']}\n"
        f"{report['adapter_bytes'] / 2**20:.2f} MiB in {out}; measure it on the test topics with\n"
        f"    python -m evaluator judge-quality --judge pair:{out}"
    )


def _multilingual_text(report: dict[str, Any], out: Path) -> str:
    english, statements, people = (_figure(report["validation"][part]) for part in ("english", "statements", "people"))
    return (
        f"trained on {report['train']['sentences']} pairs that people scored, {report['train']['pairs']} English pairs "
        f"and the statements, in {report['seconds'] / 60:.1f} min\n"
        f"kept for choosing: AUC {english} (English pairs), {statements} (statements), Spearman {people} (people)\n"
        f"read: {', '.join(report['read']) or 'no language passed'}\n"
        f"{report['trained_bytes'] / 2**20:.2f} MiB in {out}; measure it on the English test topics with\n"
        f"    python -m evaluator judge-quality --judge multilingual_pair:{out}"
    )
