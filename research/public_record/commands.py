"""`python -m research public-record RECORD FOLDER`: figures of what others released, as the site keeps them."""

from __future__ import annotations

import argparse
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from evaluator.commands.published_judges import day, written
from evaluator.values import metric_text
from submissions.commands.command_line import OneLineParser, opened_store, stop
from submissions.settings import Settings

if TYPE_CHECKING:
    from argparse import _SubParsersAction

    from evaluator.public_record.records import JudgeRecord, Published


def add_commands(subparsers: _SubParsersAction[OneLineParser]) -> None:
    """Registers the command; it is called with (options, settings) and returns its exit code."""
    parser = subparsers.add_parser("public-record", help="figures of what others released, with intervals")
    records = parser.add_subparsers(required=True, metavar="RECORD")
    llm_bar = records.add_parser("llm-bar", help="65 judges against people's labels (arXiv 2310.07641)")
    _add_source(llm_bar, "a clone of github.com/princeton-nlp/LLMBar")
    llm_bar.set_defaults(command=_llm_bar)
    judges = records.add_parser("llm-bar-judges", help="judges of ours on its pairs; every verdict is stored")
    _add_source(judges, "a clone of github.com/princeton-nlp/LLMBar")
    judges.add_argument("--judge", action="append", required=True, metavar="J", help="may be repeated")
    judges.add_argument("--pairs", type=int, metavar="N", help="the first N by SHA-256 of their names; default: all")
    judges.add_argument("--database-url", help="where verdicts are kept (default: as `work` does)")
    judges.add_argument("--commit", help="to state; default: the commit that is checked out")
    judges.set_defaults(command=_llm_bar_judges)
    alpaca_eval = records.add_parser("alpaca-eval", help="AlpacaEval ranked again, and its length-controlled rates")
    _add_source(alpaca_eval, _ALPACA_EVAL)
    alpaca_eval.set_defaults(command=_alpaca_eval)
    gate = records.add_parser("alpaca-gate", help="its NullModel and real systems at our answer gate; half an hour")
    _add_source(gate, _ALPACA_EVAL)
    gate.set_defaults(command=_alpaca_gate)


_ALPACA_EVAL = "a clone of github.com/tatsu-lab/alpaca_eval"


def _add_source(parser: argparse.ArgumentParser, what: str) -> None:
    parser.add_argument("folder", type=Path, metavar="FOLDER", help=what)
    parser.add_argument("--output", type=Path, metavar="FILE", help="where to write; default: standard output")
    parser.add_argument("--date", type=day, default=None, metavar="DAY", help="to state, YYYY-MM-DD; default: today")


def _llm_bar(options: argparse.Namespace, settings: Settings) -> int:
    """`llm-bar`: 1 where a printed statistic differs from our reading of its file."""
    from evaluator.statistics.item_selection import selection_line
    from research.public_record.llm_bar import llm_bar_record
    from research.public_record.sources import SourceRefused

    try:
        record, differences = llm_bar_record(options.folder, _date(options))
    except SourceRefused as error:
        stop(str(error))
    for difference in differences:
        print(difference, file=sys.stderr)
    print(f"printed statistics repeated to the digit: {record.results} files", file=sys.stderr)
    for figures in record.selection:
        print(selection_line(figures, "pairs"), file=sys.stderr)
    _write(record, options.output)
    return 1 if differences else 0


def _llm_bar_judges(options: argparse.Namespace, settings: Settings) -> int:
    """`llm-bar-judges`: asks what is not stored yet, each judge about the same pairs."""
    from benchmarks.provenance import commit
    from evaluator.judge_loading.loading import UnknownJudge, load_scorer
    from evaluator.judges.prompts import PREFERENCE_PAIR
    from evaluator.judges.protocol import JudgeUnavailable, UnsuitableJudge
    from evaluator.judges.recorded import RecordedJudge
    from research.public_record.llm_bar_judge import asked, labelled_pairs, measured_judge, measured_record
    from research.public_record.sources import SourceRefused

    try:
        everything = labelled_pairs(options.folder)
        pairs = everything[: options.pairs]
        judges = []
        store = opened_store(settings, options.database_url)
        for name in options.judge:
            judge = RecordedJudge(load_scorer(name, is_measured=True).judge, store)
            if PREFERENCE_PAIR.kind not in judge.judge.kinds:
                stop(f"{name} does not say which of two answers is better: choose a language model")
            verdicts = {}
            for pair, said in asked(judge, pairs):
                verdicts[pair] = said
                print(f"{name}: {len(verdicts)} of {len(pairs)} pairs", file=sys.stderr, end="\r")
            judges.append(measured_judge(judge, pairs, verdicts, options.commit or commit(), _date(options)))
            print(_figures_line(judges[-1].record), file=sys.stderr)
        record = measured_record(options.folder, len(everything), judges, _date(options))
    except (SourceRefused, UnknownJudge, UnsuitableJudge, JudgeUnavailable) as error:
        stop(str(error))
    _write(record, options.output)
    return 0


def _figures_line(record: JudgeRecord) -> str:
    """A judge's figures in words."""
    return (
        f"\n{record.judge}, {record.pairs} pairs: right {metric_text(record.accuracy)}, "
        f"kappa {metric_text(record.kappa)}, same in both orders {metric_text(record.same_in_both_orders)}, "
        f"place preference {metric_text(record.preference_fairness)}"
    )


def _alpaca_eval(options: argparse.Namespace, settings: Settings) -> int:
    """`alpaca-eval`: 1 where a raw win rate is not the printed one."""
    from research.public_record.alpaca_eval import PRINTED_WITHIN, alpaca_record_of_clone, record_lines
    from research.public_record.sources import SourceRefused

    try:
        record = alpaca_record_of_clone(options.folder, _date(options))
    except SourceRefused as error:
        stop(str(error))
    for line in record_lines(record):
        print(line, file=sys.stderr)
    _write(record, options.output)
    return int(record.largest_difference > PRINTED_WITHIN)


def _alpaca_gate(options: argparse.Namespace, settings: Settings) -> int:
    """`alpaca-gate`: asks the embedded answer head, which every judge of this program is gated by."""
    from evaluator.judge_loading.loading import load_scorer
    from research.public_record.alpaca_gate import gate_record
    from research.public_record.sources import SourceRefused

    try:
        record = gate_record(options.folder, load_scorer("pair").judge, _date(options))
    except SourceRefused as error:
        stop(str(error))
    print(f"let through of NullModel: {metric_text(record.null_model)}, n {record.null_model.n}", file=sys.stderr)
    print(f"let through of real replies: {metric_text(record.real)}, n {record.real.n}", file=sys.stderr)
    _write(record, options.output)
    return 0


def _date(options: argparse.Namespace) -> str:
    return options.date or datetime.now(UTC).date().isoformat()


def _write(record: Published, output: Path | None) -> None:
    text = written(record.model_dump(mode="json", exclude_defaults=True)) + "\n"
    if output is None:
        sys.stdout.write(text)
        return
    try:
        output.write_text(text, encoding="utf-8")
    except OSError as error:
        stop(f"{error.filename}: {error.strerror}")
