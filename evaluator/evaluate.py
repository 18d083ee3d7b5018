"""From a stored file to its result: the reader and the checks of the desk, then the measure of the file's kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from evaluator import tasks
from evaluator.embeddings.protocol import Embedder
from evaluator.judges.recorded import RecordedJudge
from evaluator.judges.text_replies import Profile
from evaluator.task import CannotBeJudged as CannotBeJudged
from evaluator.task import Reference, Task, Tools
from evaluator.task import RunUpload as RunUpload
from evaluator.values import Result
from submissions.check import CheckReport, check_submission
from submissions.promptsets import PromptSets
from submissions.schema import Names, VerdictChoices


def evaluate_payload(
    data: bytes,
    file_name: str,
    *,
    edition: str,
    names: Names,
    choices: VerdictChoices = VerdictChoices(),
    prompt_sets: PromptSets,
    judge: RecordedJudge,
    embedder: Embedder,
    references: Mapping[str, Reference] | None = None,
    profile: Profile = "recommended",
    run: Sequence[RunUpload] = (),
) -> Result:
    """Scores the bytes of one upload.

    Args:
        data: The file.
        file_name: Its name, for places of faults.
        edition: Of ELOQUENT, or "auto"; blank for other kinds.
        names: Form fields or flags; they fill what the file leaves open.
        choices: The same for tables of judge verdicts.
        prompt_sets: What ELOQUENT files are checked against.
        judge: Rates ELOQUENT answers, and how personalized answers follow preferences; takes the place of every reader
            in files that predict nothing. Verdict tables need none.
        embedder: Checks their relevance, and reads recommender answers, which no judge is asked about.
        references: Prompt set id -> the system others are compared with, by judges that state preferences.
        profile: How personalized answers are read and rated; other kinds know none.
        run: All files of the upload's run, itself among them, the oldest first (ELOQUENT 2025); () = it stands alone.

    Raises:
        CannotBeJudged: when the file cannot be read as a submission, or the judge does not read what it asks.
    """
    report = check_submission(
        data, file_name, edition=edition or "auto", names=names, choices=choices, prompt_sets=prompt_sets
    )
    if report.entry is None:
        faults = "; ".join(f"{p.path}: {p.message}" for p in report.problems if p.severity == "error")
        raise CannotBeJudged(f"the file cannot be read as a submission: {faults}")
    tools = Tools(prompt_sets, judge, embedder, references or {}, profile, run)
    return task_of(report).evaluate(report.reading, tools)


def task_of(report: CheckReport) -> Task:
    """The measure of a file that was read.

    Raises:
        LookupError: there is none; every kind of file needs one.
    """
    for task in tasks.TASKS:
        if report.kind in task.kinds and task.edition == report.edition:
            return task
    raise LookupError(f"no measure in evaluator.tasks.TASKS scores files of {report.kind}")


def result_text(result: Result) -> str:
    """The figures of a result, one to a line; the headline figure is marked with a star."""
    (task,) = (task for task in tasks.TASKS if result.board in task.boards)
    return "\n".join(task.lines(result))
