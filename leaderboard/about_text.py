"""The text of the About tab, written from the column declarations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from evaluator.judge_quality import JudgeQuality
from leaderboard.columns import JUDGES_COLUMNS, PERSONALIZATION_COLUMNS, ROBUSTNESS_COLUMNS, Column
from leaderboard.judge_quality import category_lines, quality_sentence
from submissions.queue import JobStatus
from submissions.schema import PromptSet
from submissions.version import VERSION

_MEASURED = """
## What is measured

**Same meaning in, same meaning out.** A prompt set asks every question several times: politely and bluntly, in other
words, in a dialect, in another language. A robust system gives equivalent answers. This is the Robustness task of the
ELOQUENT lab (Sahlgren et al., *ELOQUENT 2024 – Robustness Task*, CEUR-WS 3740).

1. Answers to one item in one language form a group. A judge rates every pair of them from 0 (nothing in common) to 5
   (same meaning), once in each order; the pair's score is the mean of the two.
2. A pair **passes the gate** when neither answer is off topic, constant over many questions, an echo of the prompt, an
   error message or a text aimed at the judge. A pair that does not pass counts 0 in the gated figures: saying
   "It depends." to everything is consistent, and worthless.
3. The score is the mean over items, with a 95% interval from a bootstrap over items (2,000 draws).
4. Systems share a **rank band** where the interval of their *paired* difference covers zero. Rows that lack answers or
   verdicts are listed after the ranked ones, in both directions. What cannot be judged is *unscored* with its reason,
   never 0.
5. **Null rows** (grey: no answer, one canned sentence, a refusal, the echoed prompt, a text aimed at the judge) run
   through the same pipeline. A system that cannot be told from one of them says so in its note.
"""

_JUDGE = """
## The judge and its limits

The embedded judge `pair` is a small network (all-MiniLM-L6-v2, 22.7 million parameters) that reads both answers at
once, trained on pairs of answers we wrote and graded; checks of numbers, negation, names and refusals weigh in.
`embedding`, the older baseline, compares sentence embeddings. Both read English only; other languages are *not judged*
by them rather than judged badly. Neither is a person.

"""

_BETTER = {"higher": " Higher is better.", "lower": " Lower is better.", "nearer_zero": " Nearer 0 is better."}

_JUDGES_BOARD = """
## The Judges board

A judge that compares two answers may prefer a *place* instead of an answer. Every comparison is run in both orders.
**Consistency** (PC) says how often the verdict survives the swap, **fairness** (PF) which place gains when it does not:
→ recency, the second; ← primacy, the first; no clear direction where the interval covers 0. Judges are ranked by
consistency in bands of paired differences over the queries both judged, one board per benchmark and number of
options. Grey rows are judges that do not read: always the first, always the second, always a tie, a coin.
(Shi et al., *Judging the Judges*, arXiv 2406.07791.)

"""

_PERSONALIZATION = """
## The Personalization board

A preference in the prompt can cost a model an answer it had right, and it can also simply be ignored. Every question is
answered once without preferences (the control) and once with them. **Breakage** says how many right controls turn
wrong, **alignment failure** how many answers do not follow the relevant preference, and **robustness error**, the
headline, how many do either. The letter of an answer is found by rules, and by the judge where they find none; the
judge rates from 1 to 5 how well the answer follows the preference, and 3 counts as followed. Breakage never stands
alone: returning the control unchanged has breakage 0. Grey rows are null rows, and published figures of the paper that
introduced the measure, rated by another judge. (*Benchmarking and Improving LLM Robustness for Personalized
Generation*, arXiv 2509.19358.)

"""

_REPRODUCE = """
## How to reproduce a number

Every row opens its items, every item its answers and verdicts, each verdict both orders. The ticket names the file and
its SHA-256; the system view names the judge with its revision and calibration, and the version of the prompt set.
`python -m evaluator evaluate FILE` computes the same result from the same file on your machine, and
`python -m submissions check FILE` checks a file without sending it anywhere.
"""


def about_markdown(prompt_sets: Sequence[PromptSet], qualities: Sequence[JudgeQuality]) -> str:
    """The whole text; all of it is ours, nothing in it comes from a submission."""
    return "\n".join(
        [
            _MEASURED,
            "## The columns\n",
            columns_markdown(ROBUSTNESS_COLUMNS),
            _JUDGES_BOARD,
            columns_markdown(JUDGES_COLUMNS),
            _PERSONALIZATION,
            columns_markdown(PERSONALIZATION_COLUMNS),
            _judges_markdown(qualities),
            "## Prompt sets\n",
            *(f"- **{prompt_set.title}**: {prompt_set.version}." for prompt_set in prompt_sets),
            "\n## What happens to a submission\n",
            *(f"- **{status.value}**: {status.sentence}" for status in JobStatus),
            _REPRODUCE,
            f"\nPlumbline {VERSION}.",
        ]
    )


def columns_markdown(columns: Sequence[Column[Any]]) -> str:
    """One line per column, from its declaration."""
    return "\n".join(f"- **{column.label}**: {column.tooltip}{_details(column)}" for column in columns) + "\n"


def _details(column: Column[Any]) -> str:
    better = _BETTER[column.better] if column.better else ""
    return f"{better} (docs/{column.docs_page}, *{column.docs_anchor}*)" if column.docs_anchor else better


def _judges_markdown(qualities: Sequence[JudgeQuality]) -> str:
    measured = "\n".join(_quality_markdown(quality) for quality in qualities)
    return _JUDGE + (measured or "Its quality has not been measured here.\n")


def _quality_markdown(quality: JudgeQuality) -> str:
    categories = "\n".join(f"- {line}" for line in category_lines(quality))
    return (
        f"Measured, as a {quality_sentence(quality)} (same meaning or not). Chance is about one half. By "
        f"kind of pair, weakest first:\n\n{categories}\n"
    )
