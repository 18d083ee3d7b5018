"""The largest files that are read at all are checked in bounded memory, measured in a process of their own."""

from __future__ import annotations

import json
import random
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from submissions.promptsets.cultural import CULTURAL_KINDS, CULTURAL_LANGUAGES, cultural_places
from submissions.questionsets.option_order import option_order_hash

ROOT = Path(__file__).parents[2]
LIMIT_MIB = 300
"""Peak for a file of the greatest size (docs/durability.md#budgets)."""

PROGRAM = """
import re, sys
from submissions.check import check_submission
from submissions.promptsets import PromptSets

unit, count = sys.argv[1], int(sys.argv[2])
start = '{"eloquent-robustness-results": {"source": "aurora", "year": "2024", "items": ["\\U0001f600",'
data = (start + ",".join([unit] * count) + "]}}").encode()
report = check_submission(data, "file.json", prompt_sets=PromptSets.load(None))
# Not ru_maxrss: after a fork that is the parent's.
peak = re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())
print(len(data), report.decision, int(peak.group(1)) // 1024)
"""


@pytest.mark.parametrize(
    ("unit", "count"),
    [
        # Just under 2.5 million values each: empty lists, empty objects, and objects with a key and a list.
        ("[]", 2_499_980),
        ("{}", 2_499_980),
        ('{"a":[]}', 833_300),
    ],
)
def test_a_file_of_the_greatest_size_stays_within_300_mib(unit: str, count: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, unit, str(count)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    size, decision, peak = done.stdout.split()
    assert 6_000_000 < int(size) < 8 * 1024 * 1024
    assert decision == "refused"
    assert int(peak) < LIMIT_MIB


EMOJI_PROGRAM = """
import re, sys
from submissions.check import check_submission
from submissions.promptsets import PromptSets

begin, end, size = sys.argv[1].encode(), sys.argv[2].encode(), int(sys.argv[3])
data = begin + "\U0001f600".encode() * ((size - len(begin) - len(end)) // 4) + end
report = check_submission(data, "file.json", prompt_sets=PromptSets.load(None), keep_rows=False)
peak = re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())
print(len(data), report.decision, int(peak.group(1)) // 1024)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    ("begin", "end", "mib"),
    [
        ("", "", 8),
        ('{"eloquent-robustness-results": {"source": "', '"}}', 8),
        ('{"eloquent-robustness-results": {"source": "', '" x}}', 8),
        ('{"kind": "personalized_answers", "team": "', '"}', 32),
    ],
)
def test_a_file_of_nothing_but_emoji_stays_within_300_mib(begin: str, end: str, mib: int) -> None:
    most = mib * 1024 * 1024
    done = subprocess.run(
        [sys.executable, "-c", EMOJI_PROGRAM, begin, end, str(most)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    size, decision, peak = done.stdout.split()
    assert most - 8 < int(size) <= most
    assert decision == "refused"
    assert int(peak) < LIMIT_MIB


QUESTIONS_PROGRAM = """
import re, sys
from submissions.check import check_submission
from submissions.promptsets import PromptSets

report = check_submission(open(sys.argv[1], "rb").read(), "file.json", prompt_sets=PromptSets.load(None))
peak = re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())
print(report.decision, report.coverage.total.answered, int(peak.group(1)) // 1024)
"""


def test_a_file_of_2025_with_as_many_answers_as_fit_stays_within_300_mib(tmp_path: Path) -> None:
    path = tmp_path / "file.json"
    head = '{"team": "t", "label": "eloquent-2025-robustness", "language": "en", "questions": ['
    rows = (f'{{"questionid":{number},"turns":[{{"answer":"\U0001f600 {number}"}}]}}' for number in range(150_000))
    path.write_text(head + ",".join(rows) + "]}", encoding="utf-8")
    assert 7.9 * 1024 * 1024 < path.stat().st_size <= 8 * 1024 * 1024
    done = subprocess.run(
        [sys.executable, "-c", QUESTIONS_PROGRAM, str(path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    decision, answered, peak = done.stdout.split()
    assert (decision, answered) == ("accepted_with_warnings", "150000")
    assert int(peak) < LIMIT_MIB


VERDICTS_PROGRAM = """
import re, sys
from submissions.check import check_submission
from submissions.promptsets import PromptSets
from submissions.schema import VerdictChoices

report = check_submission(
    open(sys.argv[1], "rb").read(), "file", choices=VerdictChoices(options=3), prompt_sets=PromptSets.load(None)
)
peak = re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())
print(report.decision, int(peak.group(1)) // 1024)
"""


def verdict_rows() -> list[dict[str, Any]]:
    """200,000 rows: 5 judges x 20 models x 1,000 queries x 2 orders, with every field but raw_text."""
    return [
        {
            "judge": f"judge-{judge}",
            "benchmark": "demo",
            "task": f"t{query % 8}",
            "model": f"model-{model}",
            "query": f"question number {query}",
            "order": order,
            "repetition": 1,
            "verdict": "AB"[(query + (order == "swapped")) % 2],
        }
        for query in range(1_000)
        for judge in range(5)
        for model in range(20)
        for order in ("original", "swapped")
    ]


@pytest.mark.parametrize("kind", ["csv", "json", "hostile"])
def test_a_verdict_table_of_the_greatest_size_stays_within_300_mib(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "verdicts"
    if kind == "hostile":
        # Just under the number of values: an object counts 3, its known key nothing, the list in it 1.
        text = '{"kind": "judge_verdicts", "options": 3, "verdicts": [' + ",".join(['{"task":[]}'] * 624_000) + "]}"
        path.write_text(text.ljust(32 * 1024 * 1024))
    elif kind == "json":
        path.write_text(json.dumps({"kind": "judge_verdicts", "options": 3, "verdicts": verdict_rows()}))
    else:
        rows = verdict_rows()
        path.write_text("\n".join([",".join(rows[0]), *(",".join(map(str, row.values())) for row in rows)]))
    done = subprocess.run(
        [sys.executable, "-c", VERDICTS_PROGRAM, str(path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    decision, peak = done.stdout.split()
    assert decision == ("refused" if kind == "hostile" else "accepted")
    assert int(peak) < LIMIT_MIB


PERSONALIZED_PROGRAM = """
import re, sys
from submissions.check import check_submission
from submissions.promptsets import PromptSets

with open(sys.argv[1], "rb") as file:
    report = check_submission(file, "file", prompt_sets=PromptSets.load(None), keep_rows=False)
peak = re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())
print(report.decision, report.reading.coverage.n_rows, int(peak.group(1)) // 1024)
"""


def personalized_rows(characters: int) -> Iterator[dict[str, Any]]:
    """60,000 rows of 20,000 examples, each of them with three answers of its own."""
    for example in range(20_000):
        options = [f"{word} {example}" for word in ("light", "sand", "noise", "salt")]
        same = {
            "example_id": f"q{example}",
            "dataset": "own",
            "question": f"Which of the four is number {example}?",
            "options": options,
            "option_order_hash": option_order_hash(options),
            "gold": "B",
            "finish_reason": "stop",
        }
        # One character beyond the basic plane makes a text four times as large as its bytes.
        text = f"\U0001f600 {example} ".ljust(characters, "x")
        none: dict[str, Any] = {"preferences": [], "relevant_index": None}
        tea: dict[str, Any] = {"preferences": ["I like tea."], "relevant_index": None}
        yield {**same, **none, "setting": "none", "method": "no_preference", "response_without_preference": text}
        for method in ("naive", "cot"):
            yield {**same, **tea, "setting": "irrelevant", "method": method, "response_with_preference": text + method}


@pytest.mark.parametrize("form", ["json", "lines"])
def test_personalized_answers_of_the_greatest_size_stay_within_300_mib(form: str, tmp_path: Path) -> None:
    path = tmp_path / "answers"
    envelope = {"kind": "personalized_answers", "team": "t", "system": "s", "model": "m", "run": "r"}
    if form == "json":
        document = {**envelope, "rows": list(personalized_rows(170))}
        path.write_text(json.dumps(document, ensure_ascii=False), encoding="utf-8")
        assert 30 * 1024 * 1024 < path.stat().st_size <= 32 * 1024 * 1024
    else:
        with path.open("w", encoding="utf-8") as file:
            file.write(json.dumps(envelope) + "\n")
            for row in personalized_rows(4_050):
                file.write(json.dumps(row, ensure_ascii=False) + "\n")
        assert 250 * 1024 * 1024 < path.stat().st_size <= 256 * 1024 * 1024
    done = subprocess.run(
        [sys.executable, "-c", PERSONALIZED_PROGRAM, str(path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    decision, n_rows, peak = done.stdout.split()
    assert (decision, n_rows) == ("accepted", "60000")
    assert int(peak) < LIMIT_MIB


CULTURAL_PROGRAM = """
import re, sys
from submissions.check import check_submission
from submissions.promptsets import PromptSets

with open(sys.argv[1], "rb") as file:
    report = check_submission(file, "run.zip", prompt_sets=PromptSets.load(None), keep_rows=False)
peak = re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())
print(report.decision, report.coverage.total.answered, int(peak.group(1)) // 1024)
"""

COMPLETE_ROWS = 101 + 4_140


def cultural_zip(path: Path, characters: int) -> None:
    """A complete run in 24 languages; one character beyond the basic plane makes each text four times its bytes."""
    modifications = {"generation_params": {"max_new_tokens": 200}}
    described = {"system": "s", "model": "m", "submissionid": "r", "date": "d", "modifications": modifications}
    head = {"team": "t", "label": "eloquent-2026-cultural", "languages": list(CULTURAL_LANGUAGES), **described}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("submission_metadata.json", json.dumps(head))
        for language in CULTURAL_LANGUAGES:
            for kind in CULTURAL_KINDS:
                with archive.open(f"{language}_{kind}.jsonl", "w") as file:
                    for number, item_id in enumerate(cultural_places(kind)):
                        text = f"\U0001f600 {number} {language} ".ljust(characters, "xyz "[number % 4])
                        row = {"id": item_id, "prompt": f"{item_id} {text}", "answer": text}
                        file.write((json.dumps(row, ensure_ascii=False) + "\n").encode())


def checked_zip(path: Path) -> list[str]:
    done = subprocess.run(
        [sys.executable, "-c", CULTURAL_PROGRAM, str(path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout.split()


@pytest.mark.soak
def test_a_zip_of_the_greatest_size_stays_within_300_mib(tmp_path: Path) -> None:
    path = tmp_path / "run.zip"
    # 24 x 4,241 rows of two texts of 1,250 characters: just below 256 MiB.
    cultural_zip(path, 1_250)
    with zipfile.ZipFile(path) as archive:
        assert 240 * 1024 * 1024 < sum(info.file_size for info in archive.infolist()) <= 256 * 1024 * 1024
    decision, answered, peak = checked_zip(path)
    assert (decision, int(answered)) == ("accepted", 24 * COMPLETE_ROWS)
    assert int(peak) < LIMIT_MIB


@pytest.mark.slow
@pytest.mark.parametrize("line", [b" " * 1023 + b"\n", b"{}\n", b'{"a":' + b"[" * 20 + b"]" * 20 + b"}\n", b"\n"])
def test_a_hostile_zip_of_the_greatest_size_stays_within_300_mib(line: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("submission_metadata.json", b"[" + b"[]," * 349_000 + b"[]]")
        for language in CULTURAL_LANGUAGES[:7]:
            archive.writestr(f"{language}_specific.jsonl", line * (32 * 1024 * 1024 // len(line)))
    decision, _, peak = checked_zip(path)
    assert decision == "refused"
    assert int(peak) < LIMIT_MIB


EXCERPTS_PROGRAM = """
import re, sys
from submissions.check import check_submission
from submissions.formats.excerpts import problem_excerpts
from submissions.problems import listed
from submissions.promptsets import PromptSets

with open(sys.argv[1], "rb") as file:
    report = check_submission(file, "run.zip", prompt_sets=PromptSets.load(None), keep_rows=False)
    shown = problem_excerpts(listed(report.problems), file)
peak = re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())
print(report.decision, sum(map(bool, shown)), int(peak.group(1)) // 1024)
"""


@pytest.mark.slow
def test_excerpts_from_lines_of_26_mib_in_a_zip_of_the_greatest_size_stay_within_300_mib(tmp_path: Path) -> None:
    path = tmp_path / "run.zip"
    # Hexadecimal noise packs to half: two entries of 26 MiB, in a zip of 30 MiB. An emoji makes decoded text four times
    # as large.
    noise = random.Random(5).randbytes(13 * 1024 * 1024).hex().encode()
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("submission_metadata.json", b'{"team":\n 1, "label": "x"}')
        for language in ("en", "sv"):
            line = b'{"id": "1-1", "answer": "\xf0\x9f\x98\x80' + noise + b'"}\n'
            archive.writestr(f"{language}_specific.jsonl", line + b'{"id": "1-99", "answer": "ok"}\n')
    assert 29 * 1024 * 1024 < path.stat().st_size < 32 * 1024 * 1024
    done = subprocess.run(
        [sys.executable, "-c", EXCERPTS_PROGRAM, str(path)], cwd=ROOT, capture_output=True, text=True, check=True
    )
    decision, shown, peak = done.stdout.split()
    # Of each entry the long line and the unknown id, besides what the metadata lack.
    assert (decision, int(shown) > 2 * 2) == ("refused", True)
    assert int(peak) < LIMIT_MIB
