"""The largest files that are read at all are checked in bounded memory, measured in a process of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
LIMIT_MIB = 300
"""Peak for a file of the greatest size (specs: service, limits and hostile input)."""

PROGRAM = """
import re, sys
from submissions.checks import check_submission
from submissions.promptsets import PromptSets

unit, count = sys.argv[1], int(sys.argv[2])
start = '{"eloquent-robustness-results": {"source": "aurora", "year": "2024", "items": ["\\U0001f600",'
data = (start + ",".join([unit] * count) + "]}}").encode()
report = check_submission(data, "file.json", prompt_sets=PromptSets.load(None))
# Not ru_maxrss: after a fork that is the parent's.
peak = re.search(r"VmHWM:\\s+(\\d+) kB", open("/proc/self/status").read())
print(len(data), report.decision, int(peak.group(1)) // 1024)
"""


@pytest.mark.slow
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


VERDICTS_PROGRAM = """
import re, sys
from submissions.checks import check_submission
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


@pytest.mark.slow
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
