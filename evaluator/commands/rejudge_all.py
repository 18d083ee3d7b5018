"""`python -m evaluator rejudge-all`: every result made anew, by another judge or by the present statistics."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluator.commands import judge as judge_commands
from evaluator.commands.answer import Progress
from evaluator.judges.protocol import Judge, JudgeUnavailable, UnsuitableJudge
from evaluator.tasks import TASKS
from submissions.commands.command_line import opened_store, stop
from submissions.settings import Settings

if TYPE_CHECKING:
    from evaluator.judge_loading.ray_cluster import RaySetting
    from evaluator.judges.kind import Scorer
    from evaluator.rejudging.board import Ask, Rejudging, Summary
    from evaluator.rejudging.open_questions import OpenQuestions
    from submissions.store.store import Store

EXIT_STOPPED = 130
"""What a shell reports of a program that was ended by Ctrl-C: 128 and the number of SIGINT."""

BOARDS = tuple(dict.fromkeys(board for task in TASKS for board in task.boards))


def add_commands(commands: Any) -> None:
    """Adds `rejudge-all` to the subparsers of `python -m evaluator`."""
    parser = commands.add_parser(
        "rejudge-all",
        help="make every result anew: by another judge, or by the present version of the statistics",
        description="Makes the result of every scored submission anew. By another judge: lists what it has not said "
        "yet, asks it in batches and stores each verdict as it comes. By the judge that the boards have: takes the "
        "kept verdicts and asks nothing, so that only figures, intervals and ranks change (after an update of the "
        "statistics). Each result takes the place of the former one when it is there. Start it again after it was "
        "stopped or killed: nothing that is stored is asked twice. The former judge's verdicts are kept, so that "
        "going back asks nothing.",
    )
    judge_commands.add_judge_flag(parser)
    parser.add_argument(
        "--board",
        action="append",
        choices=BOARDS,
        help="only submissions to this board; may be repeated (default: all boards)",
    )
    parser.add_argument("--data", type=Path, metavar="DIR", help="the data folder (default: PLUMBLINE_DATA)")
    parser.add_argument("--database-url", help="default: as `work` does, or SQLite in the folder of --data")
    parser.add_argument(
        "--engine",
        choices=("judge", "ray"),
        default="judge",
        help="ray: one Ray Data pipeline on this machine, or on the cluster of a ray: judge; its judge may also be "
        "vllm:FOLDER[;frame=NAME], a model that vLLM runs in the pipeline (default: the judge is asked by this "
        "process)",
    )
    parser.add_argument(
        "--reason", default="rejudge-all was started", help="why; everybody can read it in the tickets' logs"
    )
    parser.set_defaults(command=_rejudge_all)


def _rejudge_all(options: argparse.Namespace, settings: Settings) -> int:
    """Exit 0 where every submission is judged, 1 where the judge went away or could not score some."""
    from evaluator.rejudging.board import Rejudging, ask_here
    from evaluator.robustness.references import ReferenceUnusable, references_at_hand
    from submissions.archive.record import Archive
    from submissions.promptsets.available import prompt_sets_at_hand

    if not options.reason.strip():
        stop("--reason is blank: say why, everybody can read it")
    if options.data is not None:
        if not options.data.is_dir():
            stop(f"--data: found no folder {options.data}")
        settings = replace(settings, data=options.data, database_url="")
    url = options.database_url or settings.resolved_database_url
    store = opened_store(settings, url)
    prompt_sets = prompt_sets_at_hand(settings, fetch=False)
    try:
        references = references_at_hand(settings, prompt_sets)
    except ReferenceUnusable as error:
        stop(str(error))
    on_ray = _ray_setting(options, settings) if options.engine == "ray" else None
    if on_ray is not None:
        options.judge = on_ray.name  # this process lists the questions and scores, and asks nothing
    scorer = _scorer(options, settings, store)
    rejudging = Rejudging(
        store,
        # A database elsewhere has its archive elsewhere: only the page server has it for certain.
        Archive(settings.archive) if url.startswith("sqlite") else None,
        prompt_sets,
        scorer,
        [] if on_ray else judge_commands.panel_judges(options, settings),
        references=references,
        reason=options.reason.strip(),
    )
    ask = _ask_on_ray(on_ray, settings, scorer) if on_ray else ask_here
    try:
        stored = _run(rejudging, ask, options.board or BOARDS)
    except (JudgeUnavailable, UnsuitableJudge) as error:
        sys.stderr.write(f"{error}\nWhat was judged is stored: start the same command again to go on.\n")
        return 1
    except KeyboardInterrupt:
        sys.stderr.write("\nStopped. What was judged is stored: start the same command again to go on.\n")
        return EXIT_STOPPED
    finally:
        store.close()
    print(summary_text(rejudging.summary, scorer.judge.pin.name, stored))
    return int(bool(rejudging.summary.refused))


def _scorer(options: argparse.Namespace, settings: Settings, store: Store) -> Scorer:
    from evaluator.embeddings.protocol import UnsuitableEmbedder
    from evaluator.judge_loading.loading import with_embedding
    from evaluator.judges.kind import Loading, UnknownJudge
    from evaluator.judges.kind import Scorer as Chosen
    from evaluator.rejudging.vllm_board import KEY, VllmSetting, load_vllm_judge

    if not (options.judge or "").startswith(KEY):
        return judge_commands.chosen_scorer(options, settings, store)
    if options.engine != "ray":
        stop(f"{KEY} judges whole boards: add --engine ray")
    try:
        judge = load_vllm_judge(VllmSetting.from_text(options.judge.removeprefix(KEY)))
        return with_embedding(Chosen(judge, Loading(store).minilm()), settings.embedding, store)
    except (UnknownJudge, UnsuitableJudge, UnsuitableEmbedder) as error:
        stop(str(error))


def _run(rejudging: Rejudging, ask: Ask, boards: tuple[str, ...] | list[str]) -> int:
    """Lists, asks and scores, with a line on standard error for each; returns how many verdicts were stored."""
    standing = list(rejudging.standing(boards))
    with tempfile.TemporaryDirectory(prefix="plumbline-rejudge-") as folder:
        listing = Progress(len(standing), 0, sys.stderr, what="submissions read")
        open_questions = rejudging.list_open(standing, Path(folder), listing.advance)
        listing.end()
        asking = Progress(_count(open_questions), 0, sys.stderr, what="questions judged")
        stored = rejudging.ask(ask, open_questions, asking.advance)
        asking.end()
    scoring = Progress(len(standing), 0, sys.stderr, what="submissions scored")
    rejudging.score(standing, scoring.advance)
    scoring.end()
    return stored


def _count(open_questions: Mapping[str, OpenQuestions]) -> int:
    return sum(map(len, open_questions.values()))


def summary_text(summary: Summary, judge: str, stored: int) -> str:
    """What a run of the command did, for people.

    >>> from evaluator.rejudging.board import Summary
    >>> print(summary_text(Summary(judged_anew=48, already=2, refused={"t1": "no language it reads"}), "pair", 9000))
    48 submissions judged again by pair, 9,000 verdicts stored now
    2 were judged by it before
    t1 keeps its result: no language it reads
    """
    lines = [f"{summary.judged_anew:,} submissions judged again by {judge}, {stored:,} verdicts stored now"]
    if summary.already:
        lines.append(f"{summary.already:,} were judged by it before")
    if summary.as_before:
        lines.append(f"{summary.as_before:,} stay as they are: the judge has no part in their result")
    if summary.changed_meanwhile:
        lines.append(f"{summary.changed_meanwhile:,} changed meanwhile: start the command again for those")
    lines += [f"{ticket} keeps its result: {reason}" for ticket, reason in summary.refused.items()]
    return "\n".join(lines)


# --- on Ray ----------------------------------------------------------------------------------------------------------


def _ray_setting(options: argparse.Namespace, settings: Settings) -> RaySetting:
    """The cluster that a `ray:` judge names, or one on this machine."""
    from evaluator.judge_loading.ray_cluster import LOCAL, RaySetting
    from evaluator.judges.kind import UnknownJudge

    name = options.judge or settings.judge_names[0]
    if not name.startswith("ray:"):
        return RaySetting(LOCAL, name)
    try:
        return RaySetting.from_text(name.removeprefix("ray:"))
    except UnknownJudge as error:
        stop(str(error))


def _ask_on_ray(setting: RaySetting, settings: Settings, scorer: Scorer) -> Ask:
    from evaluator.judge_loading.registry import runs_on_gpu
    from evaluator.judges.kind import Loading
    from evaluator.rejudging.open_questions import request_from_json
    from evaluator.rejudging.ray_data import judged
    from evaluator.rejudging.vllm_board import VllmBoardJudge
    from evaluator.rejudging.vllm_board import judged as judged_by_vllm

    loading = Loading(threads=1, api_key=settings.judge_api_key or None)

    def ask(judge: Judge, questions: OpenQuestions) -> Iterator[dict[str, str]]:
        if isinstance(judge, VllmBoardJudge):
            return judged_by_vllm(setting, judge, questions.files, request_from_json)
        # The editions of many languages may have a judge of their own (`loading.with_embedding`).
        own = setting if judge.pin == scorer.judge.pin else replace(setting, name=judge.pin.name)
        on_gpu = runs_on_gpu(own.name)
        return judged(own, judge.pin, questions.files, request_from_json, loading, on_gpu=on_gpu)

    return ask
