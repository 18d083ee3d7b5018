"""`python -m evaluator judges|score-pairs|score-answers|judge-quality|verify`: try, measure and re-check judges."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluator.embeddings.protocol import EmbeddingCache, UnsuitableEmbedder
from evaluator.judge_loading.loading import (
    Scorer,
    UnknownJudge,
    load_embedder,
    load_scorer,
    with_embedding,
)
from evaluator.judge_loading.registry import RETIRED, judge_names, judges_of_their_name
from evaluator.judges.prompts import SIMILARITY_PAIR
from evaluator.judges.proof import FailedProof, proof_lines
from evaluator.judges.protocol import Judge, JudgeRequest, JudgeUnavailable, UnsuitableJudge
from evaluator.values import Pin
from submissions.commands.command_line import EXIT_USAGE, opened_store, read_bytes, stop
from submissions.settings import Settings

if TYPE_CHECKING:
    from evaluator.judge_quality.measurement import JudgeQuality
    from evaluator.judge_quality.people_measurement import People
    from evaluator.judge_quality.people_values import PeopleQuality
    from evaluator.task import Reference
    from submissions.promptsets import PromptSets
    from submissions.store.store import Store


QUESTION_CHOICES = ("held-out", "dev", "train", "all")
HELD_OUT = "held-out"
GATE_MEASURED_WITH = "pair"
"""The judge beside which the English gate is measured."""


def ignore_fault(reason: str) -> None:
    """Leave it to the message with which the command ends."""


_TRIAL = JudgeRequest(
    SIMILARITY_PAIR,
    {"answer_a": "The train leaves at nine.", "answer_b": "At nine the train departs.", "prompt_1": "When does it go?"},
    "en",
)


def add_commands(commands: Any) -> None:
    """Adds the judges' commands to the subparsers of `python -m evaluator`."""
    judges = commands.add_parser("judges", help="list the configured judges and try each")
    judges.set_defaults(command=_judges)

    pairs = commands.add_parser("score-pairs", help="score pairs of texts: JSON lines {id, a, b, prompt_a?, prompt_b?}")
    pairs.add_argument("file", type=Path)
    add_judge_flag(pairs)
    pairs.set_defaults(command=_score_pairs)

    answers = commands.add_parser(
        "score-answers", help="ask which texts answer their prompts: JSON lines {id, prompt, answer, language?}"
    )
    answers.add_argument("file", type=Path)
    add_judge_flag(answers)
    answers.set_defaults(command=_score_answers)

    explain = commands.add_parser("explain", help="one sentence of a language-model judge on one pair, in both orders")
    explain.add_argument("file", type=Path, help="the submission")
    explain.add_argument("--item", required=True)
    explain.add_argument("--pair", required=True, nargs=2, type=int, metavar=("A", "B"), help="variant numbers")
    add_judge_flag(explain)
    explain.set_defaults(command=_explain)

    verify = commands.add_parser("verify", help="ask again for stored verdicts and report the largest difference")
    verify.add_argument("--sample", type=int, default=100, help="how many (default 100)")
    verify.add_argument("--tolerance", type=float, default=0.05, help="largest difference allowed (default 0.05)")
    add_judge_flag(verify)
    verify.set_defaults(command=_verify)

    quality = commands.add_parser(
        "judge-quality",
        help="measure a judge: agreement with people, and our labelled pairs as a stress test",
        description="With --people: measures how far a judge agrees with people. Without: puts it to a stress test on "
        "our labelled test pairs: agreement with their grades, calibration, both orders, texts that ask for a score, "
        "texts both answers share, and cost. --judge may also name smollm2.",
    )
    quality.add_argument(
        "--people",
        type=Path,
        metavar="FOLDER",
        help="measure agreement with people, on the files of FOLDER (`make golden-data` makes them)",
    )
    quality.add_argument(
        "--questions",
        choices=QUESTION_CHOICES,
        default=HELD_OUT,
        help="with --people: the part of the questions to measure on (default held-out, which trains nothing)",
    )
    quality.add_argument(
        "--sample",
        type=_count,
        metavar="N",
        help="at most N pairs, drawn by hash, and no texts added; with --people: at most N of each kind and language "
        "(default: all; with --people every English pair of STS, 300 of each other language, 1200 pairs of answers)",
    )
    quality.add_argument(
        "--pairs",
        choices=("written", "edited", "all", "contrast", "small-model", "recorded"),
        default="written",
        help="test pairs: those written one by one (default), those of the edited long answers, both, contrast sets of "
        "texts that differ in one place, answers of a very small model, or its answers on the boards of a first start",
    )
    quality.add_argument(
        "--languages",
        nargs="+",
        metavar="L",
        help="with --people: languages of STS, such as en de (default: all that the judge reads)",
    )
    printed = quality.add_mutually_exclusive_group()
    printed.add_argument("--json", action="store_true", help="print the measurement as one JSON object")
    printed.add_argument(
        "--failures", type=_count, default=0, metavar="N", help="print the N worst misjudged pairs too"
    )
    quality.add_argument(
        "--record", action="store_true", help="keep the measurement: the boards show it for this judge"
    )
    quality.add_argument(
        "--shipped",
        action="store_true",
        help="measure every judge that brings its measurement along, or the one of --judge (a model of others as "
        "transformers:FOLDER), and write its file; with --people that of its agreement with people",
    )
    quality.add_argument("--database-url", help="where --record keeps it (default: as `work` does)")
    add_judge_flag(quality)
    quality.set_defaults(command=_judge_quality)

    spoken = commands.add_parser("language-quality", help="how well each language is read")
    spoken.add_argument(
        "--judge",
        choices=("multilingual_pair", "e5"),
        default="multilingual_pair",
        help="by which: the judge multilingual_pair (default), or the plain cosine of the embedding model e5",
    )
    spoken.add_argument("--anew", action="store_true", help="measure anew (some minutes)")
    spoken.add_argument("--out", type=Path, metavar="FOLDER", help="with --anew: write what was measured there")
    spoken.set_defaults(command=_language_quality)


def _explain(options: argparse.Namespace, settings: Settings) -> int:
    """Asks a language-model judge for one sentence on each order of one pair of a submitted run."""
    from evaluator.judges.transformers import TransformersJudge
    from submissions.check import check_submission
    from submissions.promptsets.available import prompt_sets_at_hand

    judge = chosen_scorer(options, settings).judge
    if not isinstance(judge, TransformersJudge):
        stop(f"the judge {judge.pin.name} does not write: choose one with --judge transformers:REPO@COMMIT")
    data = read_bytes(options.file)
    prompt_sets = prompt_sets_at_hand(settings, fetch=False)
    submission = check_submission(data, options.file.name, prompt_sets=prompt_sets).submission
    if submission is None:
        stop(f"{options.file} cannot be read as a submission: see python -m submissions check {options.file}")
    answers = {
        response.variant: response
        for response in submission.responses()
        if response.item_id == options.item and not response.is_blank
    }
    missing = [variant for variant in options.pair if variant not in answers]
    if missing:
        stop(f"item {options.item} has no answer to variant {missing[0]}; answered: {sorted(answers)}")
    first, second = (answers[variant] for variant in options.pair)
    item = prompt_sets.by_id(submission.set_id).item(options.item)
    texts = (
        [variant.prompt for variant in item.variants if variant.language == first.language and variant.prompt]
        if item
        else []
    )
    prompts = {f"prompt_{number}": text for number, text in enumerate(dict.fromkeys(texts), start=1)}
    for a, b in ((first, second), (second, first)):
        fields = {"answer_a": a.response, "answer_b": b.response, **prompts}
        request = JudgeRequest(SIMILARITY_PAIR, fields, a.language)
        judgment = judge.judge([request])[0]
        said = f"{judgment.rating:.2f}" if judgment.rating is not None else f"unscored: {judgment.reason}"
        print(f"variant {a.variant} shown first: {said}: {judge.explanation(request, judgment)}")
    return 0


def _verify(options: argparse.Namespace, settings: Settings) -> int:
    """Asks again for a sample of the stored verdicts of scored runs; exit 1 where one is off by more than allowed."""
    from evaluator.evaluate import evaluate_payload
    from evaluator.judge_quality.verify import Recheck
    from evaluator.judges.recorded import RecordedJudge
    from evaluator.robustness.references import references_at_hand
    from evaluator.worker.run_uploads import run_uploads
    from submissions.promptsets.available import prompt_sets_at_hand

    store = opened_store(settings)
    scorer = chosen_scorer(options, settings, store)
    prompt_sets = prompt_sets_at_hand(settings, fetch=False)
    references = references_at_hand(settings, prompt_sets)
    recheck = Recheck(store, options.sample)
    for ticket, _ in store.results():
        if recheck.sample <= 0:
            break
        evaluate_payload(
            store.payload(ticket.file_sha256),
            ticket.file_name,
            edition=ticket.edition,
            names=ticket.names,
            choices=ticket.choices,
            prompt_sets=prompt_sets,
            judge=RecordedJudge(scorer.of_set(ticket.set_id).judge, recheck),
            embedder=scorer.of_set(ticket.set_id).embedder,
            references=references,
            run=run_uploads(store, ticket.id, ticket.set_id),
        )
    store.close()
    print(f"{recheck.compared} stored verdicts asked for again; largest difference {recheck.largest_difference:.6f}")
    if not recheck.compared:
        print("no verdict of this judge is stored: score something first, or choose the judge with --judge")
    return int(recheck.largest_difference > options.tolerance or not recheck.compared)


def add_judge_flag(parser: argparse.ArgumentParser) -> None:
    """The flag that chooses a judge."""
    parser.add_argument("--judge", metavar="J", help=f"one of {', '.join(judge_names())} (default: PLUMBLINE_JUDGES)")


def chosen_scorer(
    options: argparse.Namespace,
    settings: Settings,
    cache: EmbeddingCache | None = None,
    threads: int | None = None,
    *,
    is_measured: bool = False,
    on_fault: Callable[[str], object] = ignore_fault,
) -> Scorer:
    """Load the judge of the flag, or the first configured one, and the embedding model; a fault ends the command.

    Args:
        options: With `judge`, its name.
        settings: What is configured.
        cache: Where embeddings are kept; None = in memory only.
        threads: CPU threads of the models; None = the library's choice.
        is_measured: As in `evaluator.judges.kind.Loading`.
        on_fault: Called with the reason before the command ends.
    """
    name = options.judge or settings.judge_names[0]
    try:
        api_key = settings.judge_api_key or None
        scorer = load_scorer(name, cache, threads=threads, api_key=api_key, is_measured=is_measured)
        return with_embedding(scorer, settings.embedding, cache, threads=threads)
    except (UnknownJudge, UnsuitableJudge, JudgeUnavailable, UnsuitableEmbedder) as error:
        on_fault(str(error))
        stop(str(error))


def chosen_references(settings: Settings, prompt_sets: PromptSets) -> dict[str, Reference]:
    """Load the reference answers of the settings, by prompt set; a fault ends the command."""
    from evaluator.robustness.references import ReferenceUnusable, references_at_hand

    try:
        return references_at_hand(settings, prompt_sets)
    except ReferenceUnusable as error:
        stop(str(error))


def name_judge_of(manifest: Pin, options: argparse.Namespace) -> None:
    """Let the judge of a manifest be loaded where no flag names one, or end the command and say what to do.

    A manifest may come from anywhere: its words load a judge of this program, never a folder or an address.

    Args:
        manifest: The judge's pin.
        options: With `judge`, which is filled in.
    """
    if not options.judge and manifest.name not in (*judges_of_their_name(), *RETIRED):  # these are refused as such
        stop(f"say how to load the judge {manifest.name} {manifest.model} with --judge")
    options.judge = options.judge or manifest.name


def panel_judges(options: argparse.Namespace, settings: Settings) -> list[Judge]:
    """The judges configured beside the first one; none where a flag chooses one judge."""
    if options.judge:
        return []
    try:
        return [load_scorer(name, api_key=settings.judge_api_key or None).judge for name in settings.judge_names[1:]]
    except (UnknownJudge, UnsuitableJudge, JudgeUnavailable) as error:
        stop(str(error))


def _judges(options: argparse.Namespace, settings: Settings) -> int:
    """Print one line for each configured judge: ready, or why not; then what a language model proved, kind by kind."""
    failed = 0
    for name in settings.judge_names:
        try:
            judge = load_scorer(name, api_key=settings.judge_api_key or None).judge
            judgment = judge.judge([_TRIAL])[0]
        except (UnknownJudge, UnsuitableJudge, JudgeUnavailable) as error:
            failed += 1
            if isinstance(error, FailedProof):  # its fault stands in the line of its kind of question
                print(f"{name}: not ready: {error.judge.pin.model} cannot judge")
                _print_proofs(error.judge)
            else:
                print(f"{name}: not ready: {error}")
            continue
        said = f"{judgment.rating:.2f}" if judgment.rating is not None else f"unscored ({judgment.reason})"
        languages = "any language" if judge.pin.languages is None else ", ".join(judge.pin.languages)
        print(f"{name}: ready; reads {languages}; {judge.pin.model} at {judge.pin.revision[:12]}; trial pair: {said}")
        _print_proofs(judge)
    return 1 if failed else 0


def _print_proofs(judge: Judge) -> None:
    for line in proof_lines(judge):
        print(f"  {line}", flush=True)


def _score_pairs(options: argparse.Namespace, settings: Settings) -> int:
    from evaluator.judge_quality.json_rows import RowFileError
    from evaluator.judge_quality.score_pairs import score_pairs_command

    lines = _lines_of(options.file)
    try:
        judge = chosen_scorer(options, settings, is_measured=True).judge
        scored = score_pairs_command(lines, judge)
    except RowFileError as error:
        return _name_bad_lines(options.file, error.problems)
    began = time.monotonic()
    pairs, unscored = _print_rows(scored, "score")
    said = (
        f"{pairs} pairs, {unscored} unscored; {2 * pairs / max(time.monotonic() - began, 1e-9):.3g} judgements a second"
    )
    sys.stderr.write(f"{said}{work_words(judge)}\n")
    return 0


def _score_answers(options: argparse.Namespace, settings: Settings) -> int:
    from evaluator.judge_quality.json_rows import RowFileError
    from evaluator.judge_quality.score_answers import score_answers_command

    lines = _lines_of(options.file)
    try:
        judges = [scorer.judge for scorer in chosen_scorer(options, settings, is_measured=True).every]
        scored = score_answers_command(lines, judges)
    except RowFileError as error:
        return _name_bad_lines(options.file, error.problems)
    except UnsuitableJudge as error:
        stop(str(error))
    began = time.monotonic()
    texts, unscored = _print_rows(scored, "answers")
    said = f"{texts} texts, {unscored} unscored; {texts / max(time.monotonic() - began, 1e-9):.3g} judgements a second"
    sys.stderr.write(f"{said}{work_words(judges[0])}\n")
    return 0


def _lines_of(file: Path) -> list[str]:
    """The lines of a file of JSON lines; one that cannot be read ends the command."""
    try:
        return file.read_bytes().decode("utf-8-sig").split("\n")
    except OSError as error:
        stop(f"{file}: {error.strerror}")
    except UnicodeDecodeError as error:
        stop(f"{file}: not UTF-8 (byte {error.start})")


def _name_bad_lines(file: Path, problems: Sequence[str]) -> int:
    sys.stderr.write("".join(f"{file}: {problem}\n" for problem in problems))
    return EXIT_USAGE


def _print_rows(rows: Iterable[str], key: str) -> tuple[int, int]:
    """Print each row as soon as it is there; how many, and how many have null under `key`."""
    count = unscored = 0
    for row in rows:
        print(row, flush=True)
        count += 1
        unscored += json.loads(row)[key] is None
    return count, unscored


def work_words(judge: Judge) -> str:
    """Say how much a language model computed or wrote; blank for other judges."""
    from evaluator.judge_quality.cost import written_so_far
    from evaluator.judges.transformers import TransformersJudge

    if (written := written_so_far(judge)).replies:
        return f"; {written}"
    if not isinstance(judge, TransformersJudge) or not judge.work.judgements:
        return ""
    work, engine = judge.work, judge.engine.work
    return (
        f"; {engine.passes / work.judgements:.3g} passes and {engine.computed_tokens / work.judgements:.3g} tokens "
        f"computed for each; {work.near_ties} near ties ({work.near_ties / work.judgements:.1%}) computed again alone"
    )


def _judge_quality(options: argparse.Namespace, settings: Settings) -> int:
    """Measures a judge on the test pairs; what the boards show of it is kept only with --record."""
    from evaluator.judge_quality.contrast_sets import contrast_sets
    from evaluator.judge_quality.labelled_pairs import labelled_pairs
    from evaluator.judge_quality.long_answers import all_pairs, edited_pairs
    from evaluator.judge_quality.measurement import (
        failures_text,
        length_and_scale_text,
        quality_text,
        worst_failures,
    )
    from evaluator.judge_quality.recorded_pairs import recorded_pairs
    from evaluator.judge_quality.shipped import drawn_pairs
    from evaluator.judge_quality.small_model_answers import small_model_pairs
    from evaluator.judge_quality.trials import measure_fully, trials_text

    people = _people(options)
    if options.shipped:
        return _measure_shipped(options, settings, people)
    if options.record and options.pairs != "written":
        stop("--record keeps the measurement on the pairs written one by one: leave --pairs out")
    scorer = _scorer_to_measure(options, settings)
    if people and not options.record:
        return _print_people(options, scorer, people)
    of_set = {
        "written": labelled_pairs,
        "edited": edited_pairs,
        "all": all_pairs,
        "contrast": contrast_sets,
        "small-model": small_model_pairs,
        "recorded": recorded_pairs,
    }
    pairs = drawn_pairs(of_set[options.pairs]("test"), options.sample)
    measured, scored = measure_fully(scorer.judge, pairs, scorer.embedder, adds_texts=options.sample is None)
    if people:
        measured = measured.model_copy(update={"people": _asked_about(people, scorer)})
    if options.json:
        print(measured.model_dump_json())
    else:
        trials = f"\n\n{trials_text(measured.trials)}" if measured.trials else ""
        print(f"{quality_text(measured)}\n\n{length_and_scale_text(scored, pairs)}{trials}")
    if options.failures:
        print(f"\n{failures_text(worst_failures(scored, pairs, options.failures))}")
    if options.record:
        _record(measured, opened_store(settings, options.database_url))
    return 0


def _scorer_to_measure(options: argparse.Namespace, settings: Settings) -> Scorer:
    """The chosen judge; `smollm2` is the small model of the lab as a judge, out of its package."""
    from evaluator.generators import smollm2
    from evaluator.generators.protocol import UnsuitableGenerator

    if options.judge != smollm2.NAME:
        return chosen_scorer(options, settings, is_measured=True)
    try:
        folder = smollm2.weights_folder(settings.models)
    except (UnsuitableGenerator, OSError) as error:
        stop(str(error))
    return chosen_scorer(argparse.Namespace(judge=f"transformers:{folder}"), settings, is_measured=True)


def _people(options: argparse.Namespace) -> People | None:
    """Read the texts that people labelled; None without --people."""
    from evaluator.judge_quality.people import PeopleFileError
    from evaluator.judge_quality.people_measurement import read_people
    from evaluator.judge_quality.people_values import Sample

    if options.people is None:
        if options.questions != HELD_OUT:
            stop("--questions says what to measure of the texts that people labelled: add --people FOLDER")
        if options.languages:
            stop("--languages are those of the pairs that people labelled: add --people FOLDER")
        return None
    languages = tuple(options.languages) if options.languages else None
    sample = Sample(questions=options.questions, languages=languages)
    if most := options.sample:
        numbers = {"english": most, "other_languages": most, "same_answer": most, "texts": most}
        sample = sample.model_copy(update=numbers)
    try:
        return read_people(options.people, sample)
    except PeopleFileError as problem:
        stop(str(problem))


def _asked_about(people: People, scorer: Scorer, name: str = "") -> PeopleQuality:
    """Measure agreement with people; progress goes to stderr."""
    from evaluator.judge_quality.people_measurement import measure_people

    head = f"{name or scorer.judge.pin.name}: "
    return measure_people(
        scorer.judge, people, scorer.embedder, on_step=lambda words: sys.stderr.write(f"{head}{words}\n")
    )


def _print_people(options: argparse.Namespace, scorer: Scorer, people: People) -> int:
    from evaluator.judge_quality.people_measurement import people_text

    quality = _asked_about(people, scorer)
    print(quality.model_dump_json() if options.json else people_text(quality, people))
    return 0


def _measure_shipped(options: argparse.Namespace, settings: Settings, people: People | None) -> int:
    """Measures the judges whose files come along, or one of them, and writes each file as soon as it is whole."""
    from evaluator.judge_quality.labelled_pairs import labelled_pairs
    from evaluator.judge_quality.shipped import (
        RECORDED_MODELS,
        SHIPPED_JUDGES,
        drawn_pairs,
        file_name,
        shipped_file,
    )
    from evaluator.judge_quality.trials import measure_fully

    for judge in [options.judge] if options.judge else SHIPPED_JUDGES:
        name = file_name(judge)
        if options.sample and not people and name not in RECORDED_MODELS:
            stop("--shipped measures all pairs: leave --sample out, or add --people FOLDER")
        if name is None:
            models = ", ".join(f"transformers:FOLDER of {model}" for model in RECORDED_MODELS)
            stop(f"--shipped: found --judge {judge}, expected one of {', '.join(SHIPPED_JUDGES)}, {models}")
        scorer = _scorer_to_measure(argparse.Namespace(judge=judge), settings)
        if people:
            _write_people(name, scorer, people)
            continue
        pairs, adds_texts = drawn_pairs(labelled_pairs("test"), options.sample), options.sample is None
        measured, _ = measure_fully(scorer.judge, pairs, scorer.embedder, adds_texts=adds_texts)
        path = shipped_file(name)
        path.write_text(measured.model_dump_json(indent=1) + "\n", encoding="utf-8")
        print(f"{name}: {path.name} written", flush=True)
    return 0


def _write_people(name: str, scorer: Scorer, people: People) -> None:
    """Write how far a judge agrees with people; its gate has a file of its own, made with the judge `pair`."""
    from evaluator.judge_quality.people_measurement import measure_gate
    from evaluator.judge_quality.shipped import GATE, people_file
    from evaluator.judges.answers.ungated import Ungated

    judge = scorer.judge
    has_gate = judge.gate_pin != judge.pin
    quality = _asked_about(people, replace(scorer, judge=Ungated(judge) if has_gate else judge), name)
    written = {name: quality}
    if has_gate and name == GATE_MEASURED_WITH:
        sys.stderr.write(f"{name}: its gate: {len(people.answers) + len(people.short)} texts\n")
        written[GATE] = measure_gate(judge, people)
    for key, measured in written.items():
        path = people_file(key)
        path.write_text(measured.model_dump_json(indent=1) + "\n", encoding="utf-8")
        print(f"{key}: {path.name} written", flush=True)


def _language_quality(options: argparse.Namespace, settings: Settings) -> int:
    """Prints how well each language is read, as shipped or measured anew."""
    if options.judge == "multilingual_pair":
        return _pair_language_quality(options)
    return _cosine_language_quality(options)


def _pair_language_quality(options: argparse.Namespace) -> int:
    from evaluator.judge_quality.multilingual_pair.measurement import (
        answers_table,
        both_orders,
        measure,
        quality_table,
        write,
    )
    from evaluator.judges.multilingual_pair.judge import load_multilingual_pair_judge
    from evaluator.judges.multilingual_pair.quality import shipped_quality

    quality = shipped_quality()
    if options.anew:
        try:
            judge = load_multilingual_pair_judge(load_embedder("e5"))
        except (UnsuitableEmbedder, UnsuitableJudge) as error:
            stop(str(error))
        quality = measure(judge.pin, both_orders(judge))
        if options.out:
            options.out.mkdir(parents=True, exist_ok=True)
            write(options.out, quality)
    print(quality_table(quality))
    print()
    print(answers_table(quality))
    return 0


def _cosine_language_quality(options: argparse.Namespace) -> int:
    from evaluator.embeddings.e5_quality import shipped_quality
    from evaluator.judge_quality.e5.measurement import Sentences, centres_of, measure, quality_table, write

    quality = shipped_quality()
    if options.anew:
        try:
            embedder = load_embedder("e5")
        except UnsuitableEmbedder as error:
            stop(str(error))
        sentences = Sentences.embedded(embedder)
        quality = measure(sentences, embedder.pin.revision)
        if options.out:
            options.out.mkdir(parents=True, exist_ok=True)
            write(options.out, centres_of(sentences), quality)
    print(quality_table(quality))
    return 0


def _record(measured: JudgeQuality, store: Store) -> None:
    from evaluator.judge_quality.measurement import pin_sha256

    store.save_judge_quality(pin_sha256(measured.judge), measured.model_dump_json())
    store.close()
    sys.stderr.write(
        f"recorded: the boards show these figures for the judge {measured.judge.name} as it is pinned now\n"
    )


def _count(text: str) -> int:
    """A number of things, 1 or more."""
    if not (text.isascii() and text.isdigit() and int(text)):
        raise argparse.ArgumentTypeError(f"expected a whole number of 1 or more, found {text!r}")
    return int(text)
