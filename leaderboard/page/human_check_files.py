"""Votes on judges' verdicts as files, from which everybody can make the figures anew; they name nobody."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from dataclasses import asdict, fields
from itertools import groupby

from evaluator.judge_quality.human_check import VoteRecord, judge_figures, vote_records
from leaderboard.parts.downloads import neutralised
from submissions.store.votes import VerdictVote

FOLDER = "human_check"


def human_check_files(votes: Sequence[VerdictVote]) -> dict[str, bytes]:
    """`judges.json` with the figures of every judge that was voted on, and a CSV of its counted votes; none without.

    Votes taken back are in no file; of those on people's own runs there is only the number.
    """
    figures, records = judge_figures(votes), vote_records(votes)
    if not figures:
        return {}
    text = json.dumps(figures, ensure_ascii=False, indent=1, sort_keys=True)
    files = {f"{FOLDER}/judges.json": f"{text}\n".encode()}
    for judge, counted in groupby(records, key=lambda record: record.judge_sha256):
        files[f"{FOLDER}/{judge[:16]}.csv"] = _csv(list(counted))
    return files


def _csv(records: Sequence[VoteRecord]) -> bytes:
    buffer = io.StringIO()
    writer = csv.DictWriter(buffer, [field.name for field in fields(VoteRecord)], lineterminator="\n")
    writer.writeheader()
    for record in records:
        writer.writerow({name: neutralised(value) for name, value in asdict(record).items()})
    return buffer.getvalue().encode()
