"""inspect_ai's logs (`.eval` and JSON): answers that a model graded, by sample and epoch.

Source of the fields: inspect_ai, `log/_log.py` (`EvalLog`, `EvalSample`, `Score`), `scorer/_model.py` and
`scorer/_metric.py`. The zip holds `header.json` (a run that did not end: `_journal/start.json` alone) and, per sample,
one `samples/ID_epoch_N.json` or, in chunks, `samples/ID_epoch_N/sample.json`, each packed by zstd or deflate. An id may
hold slashes. Of a name that stands twice the last entry counts, as inspect itself reads it.
"""

from __future__ import annotations

import io
import json
import re
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import blake2b

from evaluator.judge_logs.judgements import NAME_CHARACTERS, Collector, Judgement, Record, length, number
from evaluator.judge_logs.label_sample import Scale, texts_of
from evaluator.judge_logs.opened import Opened, add_repeated_key
from submissions.findings import Findings
from submissions.reading.quoting import described, printable
from submissions.reading.strict_json import ABSENT, Unreadable, path_text, read_json, repeated_keys
from submissions.reading.zip_members import Member, ZipMembers

_ZSTD = 93
"""The method of a zip's entry packed by zstd, which Python 3.11's zipfile does not know."""
_AT_ONCE = 256 * 1024
_LOCAL_HEADER_BYTES = 30
_HEADER = "header.json"
_START = "_journal/start.json"
"""What a run that did not end has in place of the header."""
_SAMPLES = "samples/"
_CHUNKED = re.compile(r"samples/(?s:.+)_epoch_\d+/sample\.json")
"""The main entry of a sample that is written in chunks; its other entries hold messages and events."""
GRADES = {"C": 1.0, "P": 0.5, "I": 0.0, "N": 0.0}
"""inspect's letters as numbers: correct, partial, incorrect, no answer."""
_TRUTHS = {"yes": 1.0, "true": 1.0, "no": 0.0, "false": 0.0}
"""Words that inspect's `value_to_float` reads as numbers, in whatever case."""
_NO_GRADE = "Grade not found in model output"
"""How the explanation begins where the grader's reply has no grade; until 2026 inspect wrote "I" beside it."""
_STATED_GRADE = re.compile(r"(?<!\w)GRADE\s*:\s*([CPIN]|[+-]?[0-9]+(?:\.[0-9]+)?)", re.IGNORECASE)
_STATED_OTHERWISE = re.compile(r":\W{0,4}([CPIN]|[+-]?[0-9]+(?:\.[0-9]+)?)(?!\w)")
"""A grade as an instruction of one's own asks for it: `VERDICT: C`."""
_REDUCED = "multi_scorer"
"""What inspect calls a scorer that makes one value of several scorers' (`scorer/_multi.py`)."""
_ATTACHMENT = "attachment://"
_UNCHANGED = "UNCHANGED"
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
        "message_refs",
    }
)
_SCORE_KEYS = frozenset({"value", "answer", "explanation", "metadata", "history"})
_HEADER_KEYS = frozenset(
    {
        "version",
        "status",
        "eval",
        "plan",
        "results",
        "stats",
        "error",
        "invalidated",
        "samples",
        "reductions",
        "location",
        "etag",
        "log_updates",
        "config_updates",
        "eval_set_id",
        "tags",
        "metadata",
    }
)

_EVAL_KEYS = frozenset(
    {
        *("eval_set_id", "eval_id", "run_id", "created", "task", "task_id", "task_version", "task_file"),
        *("task_display_name", "task_registry_name", "task_attribs", "task_args", "task_args_passed", "solver"),
        *("solver_args", "solver_args_passed", "tags", "dataset", "sandbox", "tool_environment", "model"),
        *("model_generate_config", "model_base_url", "model_args", "model_roles", "config", "revision", "packages"),
        *("metadata", "viewer", "scorers", "metrics"),
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
    collector.count_unknown(header, _HEADER_KEYS, "log.")
    collector.count_unknown(_object(header.get("eval")), _EVAL_KEYS, "eval.")
    log = _evaluated(header, collector)
    for place, sample in samples:
        log.read_sample(sample, place)
    log.name_graders()
    if log.samples and not collector.judgements and not collector.findings.has_error:
        hint = "Use model_graded_qa or model_graded_fact, which keep what the grader was asked and said."
        message = f"none of the {log.samples:,} samples was graded by a model"
        if collector.unread:
            message += f"; not read: {'; '.join(f'{part.count:,} {part.what}' for part in collector.unread)}"
        collector.refuse("no_rows", "$", message, hint)
    _count_absent(header, log, collector)
    collector.note(
        "A grade is read as a number: C, yes and true = 1, P = 0.5, I, N, no and false = 0; an epoch is a repetition "
        "of the whole sample."
    )
    collector.note("Where epochs have different answers, a grade that changes may follow the answer, not the grader.")


def _evaluated(header: Record, collector: Collector) -> _Log:
    """What the header says before any sample: the model under evaluation, and the graders of each scorer and of all."""
    evaluated = _object(header.get("eval"))
    model = evaluated.get("model")
    graders: dict[str, tuple[str, ...]] = {}
    reduced = set()
    for scorer in map(_object, _list(evaluated.get("scorers"))):
        options = _object(scorer.get("options"))
        stated = options.get("model")
        members = [_object(_object(member).get("params")).get("model") for member in _list(options.get("scorers"))]
        names = tuple(filter(None, map(_model_name, stated if isinstance(stated, list) else [stated, *members])))
        base = str(scorer.get("name")).rpartition("/")[2]
        # Of scorers of one name inspect calls the second one name1.
        seen = sum(re.fullmatch(rf"{re.escape(base)}\d*", known) is not None for known in graders)
        graders[f"{base}{seen or ''}"] = names
        if base == _REDUCED:
            reduced.add(f"{base}{seen or ''}")
    role = _model_name(_object(evaluated.get("model_roles")).get("grader"))
    return _Log(collector, model if isinstance(model, str) and model else "model", graders, role, reduced)


def _model_name(model: object) -> str:
    """A model as an option or a role names it; blank where it names none."""
    name = model.get("model") or model.get("name") if isinstance(model, dict) else model
    return name if isinstance(name, str) else ""


def _object(value: object) -> Record:
    return value if isinstance(value, dict) else {}


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []


def _count_absent(header: Record, log: _Log, collector: Collector) -> None:
    """Counts samples that the header says were completed and that do not stand in the file."""
    completed = _object(header.get("results")).get("completed_samples")
    if isinstance(completed, int) and completed > log.samples:
        what = "samples that the log counts as completed and does not hold"
        collector.leave_out(what, "$.results.completed_samples", completed - log.samples)


@dataclass(slots=True)
class _Log:
    """The samples of one log while they are read."""

    collector: Collector
    model: str
    panels: Mapping[str, tuple[str, ...]]
    """Scorer -> the models that grade by it, where the header names them."""
    role: str
    """The model bound to the role `grader`; blank for none."""
    reduced: set[str] = field(default_factory=set)
    """Scorers whose value is made of several graders': it is not that of the reply which is kept beside it."""
    samples: int = 0
    _seen: dict[tuple[str, object], bytes] = field(default_factory=dict)
    """Sample and epoch -> digest of what was said of it first."""

    def read_sample(self, sample: object, place: str) -> None:
        """Reads every score that a model gave to one sample in one epoch."""
        collector = self.collector
        if not isinstance(sample, dict):
            message = f"the sample is {described(sample)}; expected an object"
            collector.refuse("wrong_root", place, message, "Log it again.")
            return
        question, epoch = collector.name(sample, "id", place), sample.get("epoch", 1)
        if question is None or self._is_copy(sample, question, epoch, place):
            return
        self.samples += 1
        collector.count_unknown(sample, _SAMPLE_KEYS, "sample.")
        scores = sample.get("scores")
        if sample.get("invalidation"):
            collector.leave_out("samples that somebody marked as invalid", place)
        elif not isinstance(scores, dict) or not scores:
            has_failed = bool(sample.get("error"))
            collector.leave_out(f"samples without scores{', which ended in an error' if has_failed else ''}", place)
        else:
            for scorer, score in scores.items():
                self._read_score(sample, question, epoch, str(scorer), score, place)

    def _is_copy(self, sample: Record, question: str, epoch: object, place: str) -> bool:
        """Whether a sample stands in the log before; two that differ cannot both be its only reply."""
        said = json.dumps(sample, sort_keys=True, default=str).encode("utf-8", "replace")
        digest = blake2b(said, digest_size=16).digest()
        known = self._seen.setdefault((question, json.dumps(epoch, default=str)), digest)
        if len(self._seen) > self.samples:
            return False
        if known == digest:
            self.collector.leave_out("copies of samples that stand in the log already", place)
        else:
            message = f"sample {printable(question)} stands twice in epoch {printable(str(epoch))}, and the two differ"
            hint = "Keep the one that counts, or give repetitions epochs of their own."
            self.collector.refuse("bad_repetition", place, message, hint)
        return True

    def _read_score(self, sample: Record, question: str, epoch: object, scorer: str, score: object, place: str) -> None:
        collector = self.collector
        if not isinstance(score, dict):
            message = f"the score of {printable(scorer)} is {described(score)}; expected an object"
            collector.refuse("missing_field", place, message, "Log it again.")
            return
        original = _original(score)
        if original is None:
            collector.leave_out("scores that somebody added by hand", place)
            return
        collector.count_unknown(score, _SCORE_KEYS, "score.")
        explanation = original.get("explanation")
        is_without_grade = isinstance(explanation, str) and explanation.startswith(_NO_GRADE)
        reply = _reply(original)
        if reply is None and not is_without_grade:
            collector.leave_out(f"scores by {printable(scorer, 100)} that keep no reply of a grader", place)
            return
        if len(_history(score)) > 1:
            collector.leave_out("later edits of a grade: the grader's own counts", place)
        value = original.get("value")
        is_unusable = is_without_grade or value is None or isinstance(value, Unreadable)
        rating = None if is_unusable else rating_of(value)
        if isinstance(value, str) and value in GRADES:
            collector.scale = _SCALE
        if rating is None and not is_unusable:
            several = isinstance(value, (list, dict))
            words = "a number, true, false, yes, no, C, P, I or N"
            message = f"the value of {printable(scorer)} is {described(value)}; expected {words}"
            hint = "Log one grade in each score." if several else "Let the scorer give a number or one of these words."
            collector.refuse("missing_field", place, message, hint)
            return
        if isinstance(epoch, bool) or not isinstance(epoch, int) or not 1 <= epoch <= 100:
            message = f"epoch is {described(epoch)}; expected a whole number from 1 to 100"
            collector.refuse("bad_repetition", place, message, "Keep the epoch that inspect writes.")
            return
        output, attachments = _object(sample.get("output")), _object(sample.get("attachments"))
        if explanation is None and reply is not None and _contradicts(reply, value, attachments):
            self.reduced.add(scorer)
        answer = _whole(output.get("completion"), attachments)
        collector.add(
            Judgement(
                judge="" if reply is None else _grader(reply),
                question=question,
                item=printable(scorer, 200),
                systems=(self.model,),
                rating=rating,
                repetition=epoch,
                lengths=(length(answer),),
                place=place,
            ),
            texts_of(_whole(_asked(sample.get("input")), attachments), answer, criterion=_target(sample.get("target"))),
        )

    def name_graders(self) -> None:
        """Gives each grade its judge, which only the whole log tells: a panel, or the grader of replies that name none.

        Of a panel inspect keeps the first member's reply beside the value that was made of all (`multi_scorer`).
        """
        named: dict[str, set[str]] = {}
        for judgement in self.collector.judgements:
            named.setdefault(judgement.item, set()).update({judgement.judge} - {""})
        judges: dict[str, str] = {}
        for item, models in named.items():
            stated = self.panels.get(item, ())
            if len(stated) > 1:
                judges[item] = f"panel of {', '.join(stated)}"[:NAME_CHARACTERS]
            elif item in {printable(scorer, 200) for scorer in self.reduced}:
                judges[item] = "panel that the log does not name"
            elif len(models) <= 1:
                judges[item] = next(iter(models or set(stated)), self.role or "grader")
        for place, judgement in enumerate(self.collector.judgements):
            judge = judges.get(judgement.item, judgement.judge or "grader that the log does not name")
            self.collector.judgements[place] = replace(judgement, judge=judge)


def rating_of(value: object) -> float | None:
    """A grade as a number, as inspect's `value_to_float` reads it; None of what it cannot read.

    >>> rating_of("P"), rating_of(True), rating_of("No"), rating_of("0.7"), rating_of("good")
    (0.5, 1.0, 0.0, 0.7, None)
    """
    if isinstance(value, bool):
        return float(value)
    if isinstance(value, str):
        known = GRADES.get(value, _TRUTHS.get(value.lower()))
        if known is not None:
            return known
    return number(value)


def _history(score: Record) -> list[Record]:
    history = score.get("history")
    return [edit for edit in history if isinstance(edit, dict)] if isinstance(history, list) else []


def _original(score: Record) -> Record | None:
    """A score as its scorer gave it, before anybody edited it; None of one that no scorer gave."""
    history = _history(score)
    if not history:
        return score
    first = history[0]
    if first.get("provenance") is not None:
        return None
    metadata = first.get("metadata")
    has_grading = isinstance(metadata, dict) and "grading" in metadata
    stated = {key: first[key] for key in ("value", "explanation") if key in first and first[key] != _UNCHANGED}
    return {**score, **stated, **({"metadata": metadata} if has_grading else {})}


def _reply(score: Record) -> Record | None:
    """The last reply of a model among the grading messages; None of a score that no model gave."""
    grading = _object(score.get("metadata")).get("grading")
    if not isinstance(grading, list):
        return None
    replies = [message for message in grading if isinstance(message, dict) and message.get("role") == "assistant"]
    return replies[-1] if replies else {}


def _grader(reply: Record) -> str:
    model = reply.get("model")
    return model.strip()[:NAME_CHARACTERS] if isinstance(model, str) else ""


def _contradicts(reply: Record, value: object, attachments: Record) -> bool:
    """Whether a reply states another grade than the value: one by a majority, a mean or a count of several graders."""
    content = reply.get("content")
    parts = [_object(part).get("text") for part in content] if isinstance(content, list) else [content]
    said = "\n".join(filter(None, (_whole(part, attachments) for part in parts)))
    stated = _STATED_GRADE.findall(said) or _STATED_OTHERWISE.findall(said)
    if not stated or isinstance(value, (list, dict, Unreadable)):
        return False
    if isinstance(value, str) and value in GRADES:
        return bool(stated[-1].upper() != value)
    return rating_of(value) is not None and rating_of(value) != rating_of(stated[-1].upper())


def _whole(text: object, attachments: Record) -> str | None:
    """A text, or the one that is kept apart where inspect refers to it; None where it is not in the log."""
    if isinstance(text, str) and text.startswith(_ATTACHMENT):
        text = attachments.get(text.removeprefix(_ATTACHMENT))
    return text if isinstance(text, str) else None


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


def _sample_names(entries: set[str]) -> set[str]:
    """The entries of a `.eval` file that are samples: not the other parts of those in chunks."""
    chunked = {entry for entry in entries if _CHUNKED.fullmatch(entry)}
    folders = {entry.removesuffix("sample.json") for entry in chunked}
    alone = {entry for entry in entries if entry.startswith(_SAMPLES) and entry.endswith(".json")} - chunked
    return chunked | {entry for entry in alone if not _folders(entry) & folders}


def _folders(entry: str) -> set[str]:
    """Every folder that an entry stands in, with its closing slash.

    >>> sorted(_folders("samples/a/b.json"))
    ['samples/', 'samples/a/']
    """
    return {entry[: match.end()] for match in re.finditer("/", entry)}


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
        for name in (_HEADER, _START):
            for _, value in self._values(partial(set.intersection, {name}), is_counted=False):
                return value if isinstance(value, dict) else {}
        return {}

    def samples(self) -> Iterator[tuple[str, object]]:
        """Place and value of each sample."""
        return self._values(_sample_names)

    def _values(
        self, wanted: Callable[[set[str]], set[str]], *, is_counted: bool = True
    ) -> Iterator[tuple[str, object]]:
        findings = Findings()
        members = ZipMembers(self.file.data, findings, self.file.limits)
        expanded = oversized = 0
        places: dict[str, str] = {}
        names = wanted({member.info.filename for member in members})
        last = {member.info.filename: member for member in members}
        for member in members:
            name = member.info.filename
            if name not in names:
                continue
            place = f"{member.folder}/{member.name}".lstrip("/")
            if last[name] is not member:
                if is_counted:
                    self.found.leave_out("earlier writings of a sample that stands again under the same name", place)
                continue
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
            for path in repeated_keys(document.value):
                add_repeated_key(self.found.findings, f"{place} {path_text(path)}", str(path[-1]))
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
