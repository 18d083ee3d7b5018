"""Tables of judge verdicts, as JSON or CSV."""

from __future__ import annotations

from collections.abc import Sequence
from typing import BinaryIO

from submissions.findings import Findings
from submissions.formats.file_kind import DeskForm, Detected, FileKind, Upload
from submissions.formats.judge_verdicts.reader import (
    ROW_KEYS,
    VerdictReading,
    is_verdict_table,
    read_verdict_document,
    read_verdict_table,
)
from submissions.formats.judge_verdicts.submission import KIND
from submissions.problems import Problem
from submissions.reading.limits import Limits
from submissions.reading.source_lines import located


def _read_table(stream: BinaryIO, name: str, upload: Upload, findings: Findings) -> tuple[Detected, VerdictReading]:
    return Detected(KIND), read_verdict_table(stream.read(), name, upload, findings)


def _in_rows(
    listed: Sequence[Problem], problems: Sequence[Problem], stream: BinaryIO, name: str, limits: Limits
) -> list[Problem]:
    return located(listed, problems, stream, name, is_table=True)


JUDGE_VERDICTS = FileKind(
    KIND,
    read_verdict_document,
    row_keys=ROW_KEYS,
    forms=(DeskForm(is_verdict_table, _read_table, KIND, locate=_in_rows),),
    locate=_in_rows,
    needs=("team",),
)
