"""`python -m research train-answer-head|train-language-head|answer-quality`: what says whether a text answers."""

from __future__ import annotations

import argparse
import json
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from evaluator.commands.judge import add_judge_flag, chosen_scorer
from evaluator.judges.protocol import Judge
from research.runs import chosen_recipe, count, keep_report, make_folder, of_first_topics, passes, progress, seed
from submissions.commands.command_line import stop
from submissions.settings import Settings


def add_commands(commands: Any) -> None:
    """Adds the commands to `python -m research`."""
    train = commands.add_parser(
        "train-answer-head",
        help="train the head that says whether a text answers its prompt (about half an hour on one CPU core)",
    )
    train.add_argument("--out", type=Path, default=Path("answer_head"), help="folder of the result")
    train.add_argument("--people", type=Path, required=True, metavar="FOLDER", help="with same_answer_nq.jsonl.gz")
    train.add_argument(
        "--start", type=Path, metavar="FILE", help="trained part to go on from; default: the one that comes along"
    )
    train.add_argument(
        "--tasks", action="store_true", help="add tasks over given texts: the folder holds task_outputs.jsonl.gz, too"
    )
    train.add_argument("--epochs", type=passes, help="passes over the examples; less than the default is a smoke run")
    train.add_argument("--topics", type=count, help="train and calibrate on this many topics only (smoke run)")
    train.add_argument("--seed", type=seed, help="seed of everything random")
    train.set_defaults(command=_train)

    spoken = commands.add_parser(
        "train-language-head",
        help="train the head that says it in languages other than English, and measure in which of them it may gate",
    )
    spoken.add_argument("--out", type=Path, default=Path("language_head"), help="folder of the result")
    spoken.add_argument("--texts", type=count, help="train on this many English texts of a kind only (smoke run)")
    spoken.set_defaults(command=_train_languages)

    quality = commands.add_parser("answer-quality", help="measure how well a judge tells answers from other texts")
    quality.add_argument("--head", type=Path, metavar="FOLDER", help="of `train-answer-head`; default: the judge's own")
    quality.add_argument(
        "--plain",
        action="store_true",
        help="on short plain answers in five languages, by `multilingual_pair`",
    )
    quality.add_argument(
        "--people", type=Path, metavar="FOLDER", help="on real answers, from a folder of other people's data"
    )
    quality.add_argument("--json", action="store_true", help="print the measurement as JSON")
    add_judge_flag(quality)
    quality.set_defaults(command=_quality)


def _train(options: argparse.Namespace, settings: Settings) -> int:
    from evaluator.embeddings.minilm import MiniLMEmbedder
    from evaluator.judge_quality.people import PeopleFileError
    from evaluator.judges.answers.judge import shipped_trained_part
    from research.answers.examples import labelled_answers
    from research.answers.people import measured_answers, mixed_examples
    from research.answers.tasks import remembered, task_examples, task_texts
    from research.answers.training import Recipe, trained_head

    make_folder(options.out)
    recipe = chosen_recipe(Recipe(), options)
    started = time.monotonic()
    try:
        examples = mixed_examples(options.people, MiniLMEmbedder())
        validation = [*labelled_answers("validation"), *measured_answers(options.people, "validation")]
        if options.tasks:
            examples = [*remembered(examples), *task_examples(options.people)]
            validation += task_texts(options.people, "dev")
    except PeopleFileError as error:
        stop(f"--people {error}")
    report = trained_head(
        of_first_topics(examples, options.topics),
        of_first_topics(validation, options.topics),
        options.out,
        options.start or shipped_trained_part(),
        recipe,
        on_step=progress(started),
    )
    keep_report(report, recipe, started, options.out)
    print(json.dumps(report))
    return 0


def _train_languages(options: argparse.Namespace, settings: Settings) -> int:
    from evaluator.embeddings.protocol import UnsuitableEmbedder
    from evaluator.judge_loading.embedders import load_embedder
    from research.answers.other_languages_training import Recipe, language_quality_text, trained_linear_head

    make_folder(options.out)
    recipe = Recipe()
    if options.texts is not None:
        recipe = replace(recipe, answers=options.texts, others=options.texts, terse=options.texts)
    try:
        embedder = load_embedder("e5")
    except UnsuitableEmbedder as error:
        stop(str(error))
    made = trained_linear_head(embedder, options.out, recipe)
    print(language_quality_text(made.quality))
    return 0


def _quality(options: argparse.Namespace, settings: Settings) -> int:
    if options.plain:
        return _plain_quality(options, settings)
    from evaluator.judges.answers.judge import load_answer_head
    from research.answers.examples import labelled_answers
    from research.answers.measurement import measure, quality_text

    scorer = chosen_scorer(options, settings)
    judge = load_answer_head(scorer.embedder, options.head) if options.head else scorer.judge
    if "answers" not in judge.kinds:
        stop(f"the judge {judge.pin.name} cannot be asked whether a text answers its prompt")
    if options.people:
        return _people_quality(options, judge)
    quality = measure(judge, labelled_answers("test"))
    print(quality.model_dump_json() if options.json else quality_text(quality))
    return 0


def _people_quality(options: argparse.Namespace, judge: Judge) -> int:
    from evaluator.judge_quality.answers.quality import PEOPLE_QUALITIES
    from evaluator.judge_quality.people import PeopleFileError
    from research.answers.people_quality import measure_people, people_quality_text

    try:
        quality = measure_people(judge, options.people)
    except PeopleFileError as error:
        stop(f"--people {error}")
    print(PEOPLE_QUALITIES.dump_json(quality, indent=1).decode() if options.json else people_quality_text(quality))
    return 0


def _plain_quality(options: argparse.Namespace, settings: Settings) -> int:
    from research.answers.plain_answers import PLAIN_QUALITIES, measure_plain, plain_quality_text

    if options.head:
        stop("--plain is in five languages and a head of `train-answer-head` reads English alone: leave out --head")
    options.judge = options.judge or "multilingual_pair"
    try:
        quality = measure_plain(chosen_scorer(options, settings).judge)
    except ValueError as error:
        stop(str(error))
    print(PLAIN_QUALITIES.dump_json(quality, indent=1).decode() if options.json else plain_quality_text(quality))
    return 0
