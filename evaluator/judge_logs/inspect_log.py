"""inspect_ai's logs (`.eval` and JSON): answers that a model graded, by sample and epoch.

Source of the fields: inspect_ai, `log/_log.py` (`EvalLog`, `EvalSample`, `Score`). The zip holds `header.json` and one
`samples/ID_epoch_N.json` per sample, each packed by zstd or deflate.
"""

from __future__ import annotations

import io
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

from evaluator.judge_logs.judgements import Collector, Judgement, length, number
from evaluator.judge_logs.label_sample import Scale, texts_of
from evaluator.judge_logs.opened import Opened
from submissions.findings import Findings
from submissions.reading.quoting import described, printable
from submissions.reading.strict_json import ABSENT, Unreadable, read_json
from submissions.reading.zip_members import Member, ZipMembers

_ZSTD = 93
"""The method of a zip's entry packed by zstd, which Python 3.11's zipfile does not know."""
_AT_ONCE = 256 * 1024
_LOCAL_HEADER_BYTES = 30
_HEADER = "header.json"
_SAMPLES = "samples"
GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""inspect's letters as numbers: correct, partial, incorrect, no answer."""
_SCALE = Scale(0, 1, "1 = correct, 0.5 = partly correct, 0 = incorrect")
"""Of those."""
_SAMPLE_KEYS = frozenset(
    {
        "id",
        "epoch",
        "input",
        "choices",
        "target",
        "sandbox",
        "files",
        "setup",
        "messages",
        "output",
        "scores",
        "metadata",
        "store",
        "events",
        "timelines",
        "model_usage",
        "role_usage",
        "started_at",
        "completed_at",
        "total_time",
        "working_time",
        "uuid",
        "invalidation",
        "error",
        "error_retries",
        "attachments",
        "events_data",
        "limit",
        "turn_count",
    }
)


def read(file: Opened, collector: Collector) -> None:
    """One rating per sample, epoch and scorer that a model graded."""
    if file.container == "zip":
        archive = _Archive(file, collector)
        header, samples = archive.header(), archive.samples()
    else:
        header = file.document if isinstance(file.document, dict) else {}
        listed = header.get("samples")
        samples = ((f"$.samples[{n}]", sample) for n, sample in enumerate(listed if isinstance(listed, list) else []))
    evaluated = header.get("eval")
    model = evaluated.get("model") if isinstance(evaluated, dict) else None
    count = 0
    for place, sample in samples:
        count += 1
        _read_sample(sample, collector, place, model if isinstance(model, str) and model else "model")
    if count and not collector.judgements and not collector.findings.has_error:
        hint = "Use model_graded_qa or model_graded_fact, which keep what the grader was asked and said."
        collector.refuse("no_rows", "$", f"none of the {count:,} samples was graded by a model", hint)
    collector.note(
        "A grade is read as a number: C = 1, P = 0.5, I and N = 0; an epoch is a repetition of the whole sample."
    )
    collector.note("Where epochs have different answers, a grade that changes may follow the answer, not the grader.")


def _read_sample(sample: object, collector: Collector, place: str, model: str) -> None:
    if not isinstance(sample, dict):
        collector.refuse("wrong_root", place, f"the sample is {described(sample)}; expected an object", "Log it again.")
        return
    collector.count_unknown(sample, _SAMPLE_KEYS, "sample.")
    question, epoch = collector.name(sample, "id", place), sample.get("epoch", 1)
    scores, output = sample.get("scores"), sample.get("output")
    answer = output.get("completion") if isinstance(output, dict) else None
    if question is None or not isinstance(scores, dict):
        return
    for scorer, score in scores.items():
        grader = _grader(score)
        if grader is None:
            continue
        value = score.get("value")
        rating = GRADES.get(value) if isinstance(value, str) and value in GRADES else number(value)
        if isinstance(value, str) and value in GRADES:
            collector.scale = _SCALE
        is_unusable = value is None or isinstance(value, Unreadable)
        if rating is None and not is_unusable:
            message = f"the value of {printable(scorer)} is {described(value)}; expected a number or C, P, I, N"
            collector.refuse(
                "missing_field", place, message, "Scores of several values are not read: log one grade each."
            )
            continue
        if not isinstance(epoch, int) or not 1 <= epoch <= 100:
            message = f"epoch is {described(epoch)}; expected a whole number from 1 to 100"
            collector.refuse("bad_repetition", place, message, "Keep the epoch that inspect writes.")
            continue
        collector.add(
            Judgement(
                judge=grader,
                question=question,
                item=printable(scorer, 200),
                systems=(model,),
                rating=rating,
                repetition=epoch,
                lengths=(length(answer),),
                place=place,
            ),
            texts_of(_asked(sample.get("input")), answer, criterion=_target(sample.get("target"))),
        )


def _asked(asked: object) -> str | None:
    """The input as one text: its own, or what its messages say."""
    if not isinstance(asked, list):
        return asked if isinstance(asked, str) else None
    messages = [
        message.get("content") for message in asked if isinstance(message, dict) and message.get("role") != "assistant"
    ]
    return "\n\n".join(content for content in messages if isinstance(content, str))


def _target(target: object) -> object:
    """The criterion or right answer; of several, all."""
    return "\n".join(map(str, target)) if isinstance(target, list) else target


def _grader(score: object) -> str | None:
    """The model whose reply stands among the grading messages; None of a score that no model gave."""
    metadata = score.get("metadata") if isinstance(score, dict) else None
    grading = metadata.get("grading") if isinstance(metadata, dict) else None
    if not isinstance(grading, list):
        return None
    models = [
        message.get("model") for message in grading if isinstance(message, dict) and message.get("role") == "assistant"
    ]
    return models[-1] if models and isinstance(models[-1], str) and models[-1] else "grader"


MOST_OVERSIZED = 8
"""An entry can take two seconds before it has too many values. After so many the log is refused as it is: nobody mends
entry by entry what a setting of inspect makes in all of them."""


@dataclass(slots=True)
class _Archive:
    """The entries of a `.eval` file, one after the other in memory and each within bounds."""

    file: Opened
    found: Collector

    def header(self) -> dict[str, object]:
        """What the log says of the whole run; empty where it cannot be read."""
        for _, value in self._values(lambda member: member.name == _HEADER and not member.folder):
            return value if isinstance(value, dict) else {}
        return {}

    def samples(self) -> Iterator[tuple[str, object]]:
        """Place and value of each sample."""
        return self._values(lambda member: member.folder == _SAMPLES and member.name.endswith(".json"))

    def _values(self, wanted: Callable[[Member], bool]) -> Iterator[tuple[str, object]]:
        findings = Findings()
        members = ZipMembers(self.file.data, findings, self.file.limits)
        expanded = oversized = 0
        places: dict[str, str] = {}
        for member in members:
            if not wanted(member):
                continue
            place = f"{member.folder}/{member.name}".lstrip("/")
            data = self._bytes(members, member, place)
            expanded += len(data or b"")
            if expanded > self.file.limits.zip_bytes:
                self._refuse(place, f"the entries expand to more than {self.file.limits.zip_bytes:,} bytes")
                break
            if data is None:
                places[member.name] = place
                continue
            document = read_json(
                data, member.name, replace(self.file.limits, json_bytes=self.file.limits.zip_entry_bytes)
            )
            for problem in document.findings.problems:
                self.found.refuse(problem.code, f"{place} {problem.path}", problem.message, problem.hint)
            oversized += any(problem.code == "file_too_big" for problem in document.findings.problems)
            if oversized == MOST_OVERSIZED:
                self._refuse(place, f"{oversized} entries up to this one are too big; no more of them are read")
                break
            if document.value is not ABSENT:
                yield place, document.value
        for problem in findings.problems:
            place = places.get(problem.path, problem.path)
            if not any(known == (problem.code, place) for known in self._told()):
                self.found.refuse(problem.code, place, problem.message, "Send the log as inspect wrote it.")

    def _told(self) -> Iterator[tuple[str, str]]:
        return ((problem.code, problem.path) for problem in self.found.findings.problems)

    def _bytes(self, members: ZipMembers, member: Member, place: str) -> bytes | None:
        most = self.file.limits.zip_entry_bytes
        if member.info.compress_type != _ZSTD:
            return members.read(member, most)
        # zstd and zip may be damaged in many ways, and their libraries raise as many kinds of exceptions.
        try:
            data = _zstd_bytes(self.file.data, member.info, most)
        except Exception as error:
            shown = printable(str(error)) or type(error).__name__
            self.found.refuse("zip_damaged", place, f"this entry cannot be unpacked ({shown})", "Upload it completely.")
            return None
        if data is None:
            self._refuse(place, f"this entry expands to more than {most:,} bytes")
        return data

    def _refuse(self, place: str, message: str) -> None:
        self.found.refuse("zip_too_big", place, message, "Log fewer samples, or run inspect with log_model_api off.")


def _zstd_bytes(archive: bytes, info: zipfile.ZipInfo, most: int) -> bytes | None:
    """An entry packed by zstd, expanded; None where it has more bytes than are read."""
    import pyarrow

    start = info.header_offset
    local = archive[start : start + _LOCAL_HEADER_BYTES]
    begin = (
        start + _LOCAL_HEADER_BYTES + int.from_bytes(local[26:28], "little") + int.from_bytes(local[28:30], "little")
    )
    packed = archive[begin : begin + info.compress_size]
    whole = io.BytesIO()
    with pyarrow.CompressedInputStream(pyarrow.BufferReader(packed), "zstd") as stream:
        while chunk := stream.read(_AT_ONCE):
            whole.write(chunk)
            if whole.tell() > most:
                return None
    return whole.getvalue()
