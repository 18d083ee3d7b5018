"""The questions that a judge has not answered yet, each once, in Parquet files: there may be millions of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from evaluator.judges.protocol import Judge, JudgeRequest, Judgment, RequestKind, Rubric
from evaluator.judges.recorded import VerdictStore
from evaluator.values import Pin

ROWS_PER_FILE = 4096

_NOT_ASKED = Judgment(None, reason="not asked yet")


class OpenQuestions:
    """Questions to one judge with their verdict keys, in the order in which they were listed.

    Args:
        folder: Where the files are written; it has to be there.
    """

    def __init__(self, folder: Path) -> None:
        self.files: list[Path] = []
        """Written so far; all of them after `close`."""
        self._folder = folder
        self._known: dict[bytes, str] = {}
        self._waiting: dict[str, JudgeRequest] = {}

    def __len__(self) -> int:
        return len(self._known)

    def add(self, key: str, request: JudgeRequest, ticket_id: str) -> None:
        """Lists a question of a submission, unless it is listed."""
        digest = bytes.fromhex(key)
        if digest in self._known:
            return
        self._known[digest] = ticket_id
        self._waiting[key] = request
        if len(self._waiting) == ROWS_PER_FILE:
            self.close()

    def by_submission(self, verdicts: Mapping[str, str]) -> dict[str, dict[str, str]]:
        """Verdicts (JSON by key) by the ticket of the submission whose question each was first."""
        by_ticket: dict[str, dict[str, str]] = {}
        for key, verdict in verdicts.items():
            by_ticket.setdefault(self._known[bytes.fromhex(key)], {})[key] = verdict
        return by_ticket

    def close(self) -> None:
        """Writes what is not written yet."""
        import pyarrow
        import pyarrow.parquet

        if not self._waiting:
            return
        requests = [request_to_json(request) for request in self._waiting.values()]
        file = self._folder / f"{len(self.files):06}.parquet"
        pyarrow.parquet.write_table(pyarrow.table({"key": list(self._waiting), "request": requests}), file)
        self.files.append(file)
        self._waiting = {}

    def batches(self, size: int) -> Iterator[dict[str, JudgeRequest]]:
        """All questions by their verdict key, so many at a time; a batch ends with its file."""
        import pyarrow.parquet

        for file in self.files:
            for batch in pyarrow.parquet.ParquetFile(file).iter_batches(size):
                rows = batch.to_pydict()
                yield dict(zip(rows["key"], map(request_from_json, rows["request"]), strict=True))


def request_to_json(request: JudgeRequest) -> str:
    """A question as text.

    >>> from evaluator.judges.prompts import SIMILARITY_PAIR
    >>> one = JudgeRequest(SIMILARITY_PAIR, {"answer_a": "yes", "answer_b": "ja"}, "en", "item 1", second_language="sv")
    >>> request_from_json(request_to_json(one)) == one, request_from_json(request_to_json(one)).place
    (True, 'item 1')
    """
    return json.dumps(asdict(request) | {"fields": dict(request.fields)}, ensure_ascii=False)


def request_from_json(text: str) -> JudgeRequest:
    """The question that `request_to_json` wrote."""
    told: dict[str, Any] = json.loads(text)
    rubric = told["rubric"] | {"labels": tuple(told["rubric"]["labels"])}
    return JudgeRequest(**(told | {"rubric": Rubric(**rubric)}))


class NotingJudge(Judge):
    """Stands for a judge and asks it nothing: every question is listed, and stays unscored.

    Args:
        judge: Whose questions they are; it tells their keys.
        questions: Where they are listed.
        ticket_id: Of the submission that is read.
    """

    def __init__(self, judge: Judge, questions: OpenQuestions, ticket_id: str) -> None:
        self._judge = judge
        self._questions = questions
        self._ticket_id = ticket_id

    @property
    def pin(self) -> Pin:
        return self._judge.pin

    @property
    def gate_pin(self) -> Pin:
        return self._judge.gate_pin

    @property
    def kinds(self) -> frozenset[RequestKind]:
        return self._judge.kinds

    def key(self, request: JudgeRequest) -> str:
        return self._judge.key(request)

    def judge(self, requests: Sequence[JudgeRequest]) -> list[Judgment]:
        for request in requests:
            self._questions.add(self.key(request), request, self._ticket_id)
        return [_NOT_ASKED] * len(requests)


class ReadOnly(VerdictStore):
    """A store of verdicts that keeps nothing new: what is not asked yet must not be stored as unscored."""

    def __init__(self, stored: VerdictStore) -> None:
        self._stored = stored

    def load_verdicts(self, keys: Sequence[str]) -> dict[str, str]:
        return self._stored.load_verdicts(keys)

    def save_verdicts(self, verdicts: dict[str, str]) -> int:
        return len(verdicts)
