"""`python -m evaluator`: work on the queue, evaluate one file, try a judge on pairs."""

from __future__ import annotations

import argparse
import logging
import os
import signal
import sys
import threading
import uuid
from pathlib import Path

from evaluator import position_bias_commands
from evaluator.embeddings import EmbeddingCache
from evaluator.scorer import JUDGE_NAMES, Scorer, UnknownJudge, load_scorer
from submissions.command_line import EXIT_USAGE, OneLineParser, stop
from submissions.promptsets.at_hand import prompt_sets_at_hand
from submissions.settings import Settings, SettingsError


def main(arguments: list[str] | None = None) -> int:
    """Runs one command; returns its exit code (0 done, 1 the work failed, 2 wrong use)."""
    options = _parser().parse_args(arguments)
    try:
        settings = Settings.from_env(os.environ)
    except SettingsError as error:
        stop(str(error))
    logging.basicConfig(level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s", stream=sys.stderr)
    code: int = options.command(options, settings)
    return code


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(prog="python -m evaluator", description=__doc__)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    work = commands.add_parser("work", help="claim and evaluate submissions until stopped")
    work.add_argument("--database-url", help="default: PLUMBLINE_DATABASE_URL, or SQLite in the data folder")
    work.add_argument("--name", help="name of this worker (default: host and a random suffix)")
    work.add_argument("--until-empty", action="store_true", help="end when nothing is left to claim")
    work.add_argument("--child", action="store_true", help="end when standard input closes (started by app.py)")
    _add_judge(work)
    work.set_defaults(command=_work)

    evaluate = commands.add_parser("evaluate", help="score one file and print the result")
    evaluate.add_argument("file", type=Path)
    evaluate.add_argument("--json", action="store_true", help="print the result object the worker stores")
    _add_judge(evaluate)
    evaluate.set_defaults(command=_evaluate)

    pairs = commands.add_parser("score-pairs", help="score pairs of texts: JSON lines {id, a, b, prompt_a?, prompt_b?}")
    pairs.add_argument("file", type=Path)
    _add_judge(pairs)
    pairs.set_defaults(command=_score_pairs)

    quality = commands.add_parser("judge-quality", help="measure a judge on our labelled pairs")
    quality.add_argument("--json", action="store_true")
    _add_judge(quality)
    quality.set_defaults(command=_judge_quality)
    position_bias_commands.add_commands(commands)
    return parser


def _add_judge(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--judge", metavar="J", help=f"one of {', '.join(JUDGE_NAMES)} (default: PLUMBLINE_JUDGES)")


def _scorer(
    options: argparse.Namespace, settings: Settings, cache: EmbeddingCache | None = None, threads: int | None = None
) -> Scorer:
    try:
        return load_scorer(options.judge or settings.judges, cache, threads=threads)
    except UnknownJudge as error:
        stop(str(error))


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        stop(f"{path}: {error.strerror}")


# --- work ------------------------------------------------------------------------------------------------------------


def _work(options: argparse.Namespace, settings: Settings) -> int:
    from evaluator.worker import Worker
    from submissions.archive import Archive
    from submissions.store import Store

    stopped = threading.Event()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: stopped.set())
    if options.child:
        _become_child(stopped)
    store = Store.open(
        options.database_url or settings.resolved_database_url,
        lease_s=settings.lease_s,
        max_attempts=settings.max_attempts,
    )
    # One core is left to the page server, so that a running judge does not slow visitors.
    threads = max(1, (os.cpu_count() or 2) - 1)
    worker = Worker(
        name=options.name or f"{os.uname().nodename}-{uuid.uuid4().hex[:8]}",
        store=store,
        archive=Archive(settings.archive),
        prompt_sets=prompt_sets_at_hand(settings, fetch=settings.fetch_sets and not options.child),
        scorer=_scorer(options, settings, store, threads),
        stop=stopped,
    )
    worker.run(until_empty=options.until_empty)
    store.close()
    return 0


def _become_child(stopped: threading.Event) -> None:
    """Lower priority, and stop when the parent's end of the pipe on standard input closes, however it went."""
    os.nice(10)

    def wait_for_parent() -> None:
        sys.stdin.buffer.read()
        stopped.set()

    threading.Thread(target=wait_for_parent, name="parent-watch", daemon=True).start()


# --- evaluate --------------------------------------------------------------------------------------------------------


def _evaluate(options: argparse.Namespace, settings: Settings) -> int:
    from evaluator.evaluate import CannotBeJudged, evaluate_payload
    from evaluator.judges.recorded import MemoryVerdicts, RecordedJudge
    from evaluator.results import HEADLINE, HEADLINE_VIEW
    from submissions.schema import Names

    data = _read(options.file)
    scorer = _scorer(options, settings)
    try:
        result = evaluate_payload(
            data,
            options.file.name,
            edition="auto",
            names=Names(),
            prompt_sets=prompt_sets_at_hand(settings, fetch=False),
            judge=RecordedJudge(scorer.judge, MemoryVerdicts()),
            embedder=scorer.embedder,
        )
    except CannotBeJudged as error:
        sys.stderr.write(f"{error}\n")
        return 1
    if options.json:
        print(result.model_dump_json())
        return 0
    print(f"{result.prompt_set.set_id} ({result.prompt_set.version}), judge {result.judge.name}")
    for view, found in result.views.items():
        for figure, summary in found.figures.items():
            mean = summary.mean
            shown = "n/a" if mean.value is None else f"{mean.value:.2f}"
            interval = "" if mean.low is None else f" [{mean.low:.2f}, {mean.high:.2f}]"
            mark = "*" if (figure, view) == (HEADLINE, HEADLINE_VIEW) else " "
            why = f" ({mean.reason})" if mean.value is None and mean.reason else ""
            print(f"{mark} {view:8} {figure:17} {shown}{interval}, {mean.n}/{summary.eligible} items{why}")
        print(f"  {view:8} {'ranked' if found.ranked else f'not ranked: {found.reason}'}")
    return 0


# --- judges ----------------------------------------------------------------------------------------------------------


def _score_pairs(options: argparse.Namespace, settings: Settings) -> int:
    from evaluator.score_pairs import PairFileError, score_pairs_command

    try:
        lines = _read(options.file).decode("utf-8-sig").split("\n")
        scored = score_pairs_command(lines, _scorer(options, settings).judge)
    except UnicodeDecodeError as error:
        stop(f"{options.file}: not UTF-8 (byte {error.start})")
    except PairFileError as error:
        sys.stderr.write("".join(f"{options.file}: {problem}\n" for problem in error.problems))
        return EXIT_USAGE
    for line in scored:
        print(line, flush=True)
    return 0


def _judge_quality(options: argparse.Namespace, settings: Settings) -> int:
    from evaluator.judge_quality import measure, quality_table
    from evaluator.judges.embedding import labelled_pairs

    scorer = _scorer(options, settings)
    measured = measure(scorer.judge, labelled_pairs("test"), scorer.embedder)
    print(measured.model_dump_json() if options.json else quality_table(measured))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
