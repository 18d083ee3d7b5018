"""Write the table of agreement with people in docs/which_judge.md anew: `python -m tests.people_table`.

Its figures are those of the files that ship (`judge-quality --shipped --people FOLDER`); a test holds them together.
"""

from __future__ import annotations

import re
from pathlib import Path

from evaluator.judge_quality.people_measurement import people_table
from evaluator.judge_quality.shipped import RECORDED_MODELS, shipped_gate_people, shipped_qualities

DOC = Path(__file__).parents[1] / "docs" / "which_judge.md"
OF_A_LANGUAGE = re.compile(r"\| STS dev, \w\w \|")
BEGIN, END = "<!-- people: python -m tests.people_table -->\n", "<!-- people: end -->"


def table() -> str:
    """The figures of the judges that ship as they are now, of the gate and of the baselines; one mean for languages.

    Models of others were asked about fewer pairs; the page has a sentence on them.
    """
    of_ours = [quality for quality in shipped_qualities() if quality.judge.model not in RECORDED_MODELS]
    judges = [quality.people for quality in of_ours if quality.people]
    gate = shipped_gate_people()
    rows = people_table([*judges, *([gate] if gate else [])]).splitlines()
    return "".join(f"{row}\n" for row in rows if not OF_A_LANGUAGE.match(row))


def written_table(text: str) -> str:
    """The table as the page has it."""
    return text.partition(BEGIN)[2].partition(END)[0]


def main() -> None:
    """Put the table into the page."""
    text = DOC.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    DOC.write_text(f"{before}{BEGIN}{table()}{END}{rest.partition(END)[2]}", encoding="utf-8")


if __name__ == "__main__":
    main()
