"""The largest files that are read at all are checked in bounded memory, measured in a process of their own."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

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
