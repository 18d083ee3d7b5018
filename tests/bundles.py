"""Three Codabench bundles of different shape, made after the documented format; each with a run to score."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass

Files = dict[str, str | bytes]


def zipped(files: Files) -> bytes:
    """A zip of files by path."""
    data = io.BytesIO()
    with zipfile.ZipFile(data, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in files.items():
            archive.writestr(path, content)
    return data.getvalue()


@dataclass(frozen=True)
class Bundle:
    """One bundle with its parts as they are run by hand."""

    name: str
    files: Files
    programs: tuple[Files, ...]
    references: tuple[Files, ...]
    run: Files
    """What a team sends."""
    command: str
    scores: tuple[dict[str, float], ...]
    """Counted by hand: of each task, by what the program calls it."""

    @property
    def data(self) -> bytes:
        return zipped(self.files)


ACCURACY = """
import os, sys
reference, sent, output = (os.path.join(sys.argv[1], "ref"), os.path.join(sys.argv[1], "res"), sys.argv[2])
truth = open(os.path.join(reference, "truth.txt")).read().split()
said = open(os.path.join(sent, "answer.txt")).read().split()
assert len(truth) == len(said), "lengths differ"
with open(os.path.join(output, "scores.txt"), "w") as file:
    file.write("correct:%f\\n" % (sum(a == b for a, b in zip(truth, said)) / len(truth)))
print("scored", len(truth))
"""
OLD_PROGRAM: Files = {"metadata": "command: python $program/evaluate.py $input $output\n", "evaluate.py": ACCURACY}
OLD_REFERENCE: Files = {"truth.txt": "1 0 1 1"}
VERSION_1_5 = Bundle(
    "old_labels",
    {
        "competition.yaml": """
title: Labels, as in 2015
description: Zeros and ones
html:
  overview: overview.html
  terms: terms.html
phases:
  1:
    phasenumber: 1
    label: Only phase
    start_date: 2015-01-01
    max_submissions: 100
    scoring_program: program.zip
    reference_data: reference.zip
leaderboard:
  leaderboards:
    Results: &RESULTS
      label: Results
      rank: 1
  columns:
    correct:
      leaderboard: *RESULTS
      label: Share correct
      rank: 1
""",
        "overview.html": "<h1>Zeros</h1> and <script>alert(1)</script> ones",
        "terms.html": "None.",
        "program.zip": zipped(OLD_PROGRAM),
        "reference.zip": zipped(OLD_REFERENCE),
    },
    (OLD_PROGRAM,),
    (OLD_REFERENCE,),
    {"answer.txt": "1 0 0 1"},
    "python $program/evaluate.py $input $output",
    ({"correct": 0.75},),  # three of four
)

ERRORS = """
import json, pathlib
here = pathlib.Path("/app") if pathlib.Path("/app/input").exists() else pathlib.Path(__file__).parents[1]
truth = json.loads((here / "input" / "ref" / "truth.json").read_text())
said = json.loads((here / "input" / "res" / "predictions" / "values.json").read_text())
errors = [abs(truth[name] - said[name]) for name in truth]
scores = {"mae": sum(errors) / len(errors), "Worst (abs)": max(errors), "hidden": 7, "rank": len(errors)}
(here / "output" / "scores.json").write_text(json.dumps(scores))
"""
NEW_PROGRAM: Files = {"metadata.yaml": "command: python3 $program/score.py\n", "score.py": ERRORS}
NEW_REFERENCE: Files = {"truth.json": json.dumps({"a": 1.0, "b": 2.0, "c": 4.0})}
VERSION_2 = Bundle(
    "numbers",
    {
        "bundle/competition.yaml": """
version: 2
title: Numbers
image: logo.png
terms: terms.md
pages:
  - title: Overview
    file: pages/overview.md
tasks:
  - index: 0
    name: Distances
    scoring_program: scoring_program
    reference_data: reference_data.zip
phases:
  - index: 0
    name: Development
    start: 2026-01-01 00:00:00
    end: 2026-03-01 00:00:00
    execution_time_limit: 30
    tasks: [0]
  - index: 1
    name: Final
    start: 2026-03-02 00:00:00
    tasks: [0]
leaderboards:
  - title: Results
    key: main
    columns:
      - {title: Mean error, key: mae, index: 0, sorting: asc}
      - {title: Worst error, key: Worst (abs), index: 1, sorting: asc}
      - {title: Secret, key: hidden, index: 2, sorting: desc, hidden: true}
      - {title: Count, key: rank, index: 3, sorting: desc}
""",
        "bundle/pages/overview.md": "# How near?",
        **{f"bundle/scoring_program/{name}": content for name, content in NEW_PROGRAM.items()},
        "bundle/reference_data.zip": zipped(NEW_REFERENCE),
        "__MACOSX/bundle/._competition.yaml": "junk",
    },
    (NEW_PROGRAM,),
    (NEW_REFERENCE,),
    {"predictions/values.json": json.dumps({"a": 1.5, "b": 2.0, "c": 3.0})},
    "python3 $program/score.py",
    ({"mae": 0.5, "Worst (abs)": 1.0, "rank": 3.0},),  # errors 0.5, 0 and 1
)

WORDS = """
import collections, json, os, subprocess, sys
program, given, output = sys.argv[1:]
wanted = set(open(f"{given}/ref/words.txt").read().split())
# A helper of its own, as many programs have.
said = set(subprocess.run([sys.executable, f"{program}/lib/read.py", f"{given}/res/words.txt"],
                          capture_output=True, text=True, check=True).stdout.split())
hits = len(wanted & said)
precision, recall = hits / len(said), hits / len(wanted)
json.dump({"f1": 2 * precision * recall / (precision + recall), "precision": precision, "recall": recall},
          open(f"{output}/scores.json", "w"))
"""
WORDS_PROGRAM: Files = {
    "metadata.yaml": "command: python $program/main.py $program $input $output\ndescription: words\n",
    "main.py": WORDS,
    "lib/read.py": "import sys; print(open(sys.argv[1]).read())",
}
FIRST_WORDS: Files = {"words.txt": "lake rock art sand"}
FINAL_WORDS: Files = {"words.txt": "lake chad"}
SEVERAL = Bundle(
    "word_lists",
    {
        "competition.yaml": """
version: "2"
title: Word lists
tasks:
  - {index: 10, name: Warm-up, scoring_program: words.zip, reference_data: first.zip}
  - {index: 11, name: Final, scoring_program: words.zip, reference_data: final.zip}
phases:
  - {name: Warm-up phase, start: "2026-01-01", end: "2026-02-01", tasks: [10]}
  - {name: Final phase, start: "2026-02-02", end: "2026-03-01", tasks: [11]}
leaderboard:
  - title: Results
    key: results
    columns:
      - {title: F1, key: f1, index: 0, sorting: desc}
      - {title: Precision, key: precision, index: 1, sorting: desc}
      - {title: Recall, key: recall, index: 2, sorting: desc}
""",
        "words.zip": zipped({f"scoring/{name}": content for name, content in WORDS_PROGRAM.items()}),
        "first.zip": zipped(FIRST_WORDS),
        "final.zip": zipped(FINAL_WORDS),
    },
    (WORDS_PROGRAM, WORDS_PROGRAM),
    (FIRST_WORDS, FINAL_WORDS),
    {"words.txt": "lake rock bone"},
    "python $program/main.py $program $input $output",
    # Two of three said and of four wanted; one of three said and of two wanted.
    (
        {"f1": 4 / 7, "precision": 2 / 3, "recall": 1 / 2},
        {"f1": 2 / 5, "precision": 1 / 3, "recall": 1 / 2},
    ),
)

BUNDLES = (VERSION_1_5, VERSION_2, SEVERAL)


def sent_zip(task: str, files: Files, system: str = "Keel") -> bytes:
    """A run as a team sends it."""
    names = {"team": "Aurora", "system": system, "model": "m", "run": "r"}
    return zipped({"plumbline.json": json.dumps({"kind": "own_task", "task": task, **names}), **files})
