"""`python -m evaluator canary`: asks a judge the same pairs again, and says when it has changed."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from evaluator.commands import judge as judge_commands
from evaluator.judges.protocol import Judge, JudgeRequest, JudgeUnavailable, UnsuitableJudge, reads_language
from submissions.commands.command_line import EXIT_USAGE, stop
from submissions.settings import Settings

if TYPE_CHECKING:
    from evaluator.canary.course import Course
    from evaluator.canary.record import CanaryRecord, OpenRecord
    from evaluator.judge_quality.score_pairs import Pair

EXIT_FAILED = 1
EXIT_CHANGED = 3
"""The judge has changed: another code than that of a round that failed, so that a schedule can tell them apart."""
EXIT_SETTING_UP = 4
"""The baseline waits for its next day."""


def add_commands(commands: Any) -> None:
    """Adds the command to `python -m evaluator`."""
    canary = commands.add_parser(
        "canary",
        help="ask a judge the same pairs again, on a schedule, and say when it has changed (docs/canary.md)",
        description="Asks a judge the same pairs again and appends its answers to a record in the data folder. A "
        f"baseline comes first: run it once a day (exit code {EXIT_SETTING_UP} until it is whole). Each later run asks "
        "once. Exit code 3 when the judge has changed, which also goes to PLUMBLINE_CANARY_WEBHOOK; a judge that did "
        "not change has that once in 1,000 rounds at most.",
    )
    judge_commands.add_judge_flag(canary)
    canary.add_argument(
        "--pairs",
        type=Path,
        metavar="FILE",
        help="JSON lines {id, a, b, prompt_a?, prompt_b?}, which may stay secret: the record holds no text (default: "
        "PLUMBLINE_CANARY_PAIRS, else 200 of our labelled pairs)",
    )
    canary.add_argument("--language", default="en", metavar="L", help="of the pairs of a file (default en)")
    canary.add_argument("--data", type=Path, metavar="DIR", help="data folder (default: PLUMBLINE_DATA)")
    canary.add_argument(
        "--new-baseline", action="store_true", help="begin a baseline anew, such as in place of one of a single day"
    )
    canary.add_argument("--history", action="store_true", help="print the course of every canary; nobody is asked")
    canary.set_defaults(command=_canary)


def _canary(options: argparse.Namespace, settings: Settings) -> int:
    from evaluator.canary.record import RecordUnusable, canary_folder

    folder = canary_folder(options.data or settings.data)
    try:
        return _history(folder) if options.history else _round(options, settings, folder)
    except RecordUnusable as error:
        stop(str(error))
    except OSError as error:
        stop(f"{error.filename}: {error.strerror}")


def _history(folder: Path) -> int:
    from evaluator.canary.record import records
    from evaluator.canary.text import history_text

    histories = records(folder)
    print("\n\n".join(map(history_text, histories)) or f"No canary was asked yet: nothing in {folder}")
    return 0


def _round(options: argparse.Namespace, settings: Settings, folder: Path) -> int:
    from evaluator.canary.pairs import WANTED_PAIRS, canary_requests, pairs_digest
    from evaluator.canary.record import opened_record

    file = options.pairs or settings.canary_pairs
    pairs = _pairs(file)
    if len(pairs) < WANTED_PAIRS:
        sys.stderr.write(
            f"{len(pairs)} pairs: a change of 2% of the verdicts is among none of them in more than 5 of 100 cases. "
            f"Give {WANTED_PAIRS} pairs or more to find one that small\n"
        )
    judge = judge_commands.chosen_scorer(options, settings).judge
    _hold_to_its_kind(judge, options.language if file else "en")
    requests = canary_requests(pairs, options.language if file else "en")
    with opened_record(folder, judge.pin, pairs_digest(pairs), len(pairs)) as record:
        try:
            code = _asked_as_due(record, judge, requests, is_new=options.new_baseline)
        except (JudgeUnavailable, UnsuitableJudge) as error:
            sys.stderr.write(f"{error}\n")
            return EXIT_FAILED
        history = record.read()
        is_told = _told(record, history, settings.canary_webhook)
    return code if code == EXIT_CHANGED or is_told else EXIT_FAILED


def _pairs(file: Path | None) -> list[Pair]:
    from evaluator.canary.pairs import PairsUnusable, own_pairs, pairs_of_file
    from evaluator.judge_quality.score_pairs import PairFileError

    if file is None:
        return own_pairs()
    try:
        return pairs_of_file(file)
    except PairFileError as error:
        sys.stderr.write("".join(f"{file}: {problem}\n" for problem in error.problems))
        raise SystemExit(EXIT_USAGE) from None
    except UnicodeDecodeError as error:
        stop(f"{file}: not UTF-8 (byte {error.start})")
    except PairsUnusable as error:
        stop(f"{file}: {error}")


def _hold_to_its_kind(judge: Judge, language: str) -> None:
    if "similarity_pair" not in judge.kinds:
        stop(f"the judge {judge.pin.name} does not compare two answers: choose another with --judge")
    if not reads_language(judge.pin, language):
        stop(f"the judge {judge.pin.name} does not read {language!r}: choose another, or pairs in a language it reads")


def _asked_as_due(record: OpenRecord, judge: Judge, requests: Sequence[JudgeRequest], *, is_new: bool) -> int:
    """Ask a round, or what is due of a baseline; print what that says, and return the exit code."""
    from evaluator.canary.course import FIRST_STEPS
    from evaluator.canary.record import now
    from evaluator.canary.text import baseline_text, round_text, set_up_text

    def ask(step: int | None = None) -> Course:
        # The answers of whole askings only are kept.
        last = record.add([judgment.rating for judgment in judge.judge(requests)], step).last
        assert last is not None  # it was asked just now
        return last

    last = None if is_new else record.read().last
    if last is not None and last.is_watching:
        last = ask()
        print(round_text(last, len(requests)))
        return EXIT_CHANGED if last.alarm else 0
    if last is not None and last.alarm:
        sys.stderr.write("the judge changed at the last round: a new baseline begins, with the judge as it is now\n")
    opens = last and last.next_day()
    if last is not None and opens and now() < opens:
        print(f"Nothing asked. {set_up_text(last)}")
        return EXIT_SETTING_UP
    steps = FIRST_STEPS if last is None else last.steps_due
    for step in steps:
        last = ask(step)
        sys.stderr.write(f"baseline: asked {step - steps.start + 1} of {len(steps)} times\n")
        if last.baseline is not None:
            print(baseline_text(last.baseline, len(requests)))
            return 0 if last.baseline.can_watch else EXIT_FAILED
    assert last is not None  # there is a step in every day
    print(set_up_text(last))
    return EXIT_SETTING_UP


def _told(record: OpenRecord, history: CanaryRecord, webhook: str) -> bool:
    """Tells the webhook of every alarm that it has not taken yet; one that fails is tried again by the next run."""
    from evaluator.canary.text import changed_text
    from submissions.webhooks.posting import NotTold, post

    for course in history.alarms if webhook else ():
        alarm = course.alarm
        if alarm is None or alarm.at in history.told:
            continue
        judge = f"{history.judge.model} @ {history.judge.revision[:12]}"
        text = f"{judge}: {changed_text(course, len(course.asked[0].ratings))}"
        message = {"text": text, "judge": judge, "changed_on": f"{alarm.at:%Y-%m-%d}", "others": alarm.others}
        try:
            post(webhook, json.dumps(message).encode(), reach="any")
        except NotTold as error:
            sys.stderr.write(
                f"the webhook of PLUMBLINE_CANARY_WEBHOOK was not told: {error}; the next run tries again\n"
            )
            return False
        record.tell(alarm.at)
    return True
