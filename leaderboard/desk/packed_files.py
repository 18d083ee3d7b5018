"""What becomes of several files, or of one of any shape: made where files are read, never in the program of the pages.

Imported by the processes that check files, so no page, no store and no charts are imported here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import TypedDict

from leaderboard.parts.visible_text import visible
from submissions.checking.job import Budget, Overrun, overrun_problem
from submissions.packing.plan import Choices, PackingPlan, open_names, planned
from submissions.packing.runs import PlannedRun
from submissions.packing.sources import CannotPack, Gathering, LeftAside
from submissions.packing.writing import answers_in_words, log_lines, packed_files, prompt_lines
from submissions.promptsets import PromptSets
from submissions.reading.quoting import printable
from submissions.schema import Edition, Names

SHOWN = 50
"""Changes, and files left aside, that stand on the page; the log of the command has all."""


OWN_PROMPTS = "The prompts in these files are our own wording"


class PlannedRunValue(TypedDict):
    """One run of the plan."""

    run: str
    system: str
    model: str
    edition: str
    languages: str
    answers: str
    files: list[str]
    faults: list[str]
    prompts: list[str]


class AsideValue(TypedDict):
    """A file that no run takes."""

    place: str
    why: str
    has_answers: bool


class PlanValue(TypedDict):
    """The plan as the page shows it; every string is shown as text."""

    title: str
    runs: list[PlannedRunValue]
    changes: list[str]
    more_changes: str
    """How many more there are; blank for none."""
    aside: list[AsideValue]
    more_aside: str


@dataclass(frozen=True, slots=True)
class Packed:
    """What came of it."""

    plan: PlanValue | None
    files: tuple[Path, ...] = ()
    """Each run that can be submitted; of 2025 one file for each of its languages."""
    missing: tuple[str, ...] = ()
    """Names that only the team knows, and without which nothing was written."""
    fault: str = ""
    """Why there is no plan."""
    untold: tuple[str, ...] = ()
    """Places of files that nothing tells the language of: no run has them."""
    guessed: tuple[str, ...] = ()
    """Places of files whose edition nothing tells: they were taken for the newest."""
    is_edition_open: bool = False
    """Whether a file may be of another edition than it was taken for."""


@dataclass(frozen=True, slots=True)
class PackJob:
    """Files to put in order; no text of an answer is altered."""

    paths: tuple[Path, ...]
    folder: Path
    """Where the files are written."""
    names: Names
    """For runs that do not state them."""
    today: date
    edition: Edition | None = None
    """Of all files, where the team chose it."""
    languages: Mapping[str, str] = field(default_factory=dict)
    """Place of a file -> language of its answers, where the team chose it."""
    has_own_prompts: bool = False
    """The prompts beside the answers are the team's own wording of those of their ids."""

    def answered(self, prompt_sets: PromptSets) -> Packed:
        """The plan, and its runs as files."""
        prompt_sets = prompt_sets.shown
        gathering = Gathering()
        try:
            gathering.add_paths(self.paths)
            choices = Choices(
                self.names, places=self.languages, edition=self.edition, has_own_prompts=self.has_own_prompts
            )
            plan = planned(gathering.sources, gathering.aside, choices, prompt_sets=prompt_sets)
            missing = tuple(open_names(plan))
            written = {} if missing else packed_files(plan, self.today, prompt_sets)
            files = []
            for name, file in written.items():
                (self.folder / name).write_bytes(file.data)
                files.append(self.folder / name)
        except CannotPack as error:
            return Packed(None, fault=str(error))
        changes = [line for line in log_lines(plan, written, self.today, prompt_sets) if "change" in line]
        lines = [": ".join(filter(None, (line["file"], line["of"], line["change"]))) for line in changes]
        shown = _plan_value(plan, lines, prompt_sets)
        return Packed(shown, tuple(files), missing, "", plan.untold, plan.guessed, plan.is_edition_open)

    def refused(self, overrun: Overrun, budget: Budget) -> Packed:
        """What was exceeded, in words."""
        problem = overrun_problem(sum(path.stat().st_size for path in self.paths), overrun, budget)
        if overrun == "ended":
            return Packed(None, fault=f"{problem.message}. {problem.hint}")
        more = "On your own machine `python -m submissions pack` has no such bound (docs/pack.md)."
        return Packed(None, fault=f"{problem.message}. Send fewer files at a time. {more}")


_TICK = f"tick \u201c{OWN_PROMPTS}\u201d and put them in order again"


def _plan_value(plan: PackingPlan, changes: Sequence[str], prompt_sets: PromptSets) -> PlanValue:
    # What holds answers first: that is what somebody has to look at.
    aside = sorted(plan.aside, key=lambda file: not file.has_answers)
    count = "1 run" if len(plan.runs) == 1 else f"{len(plan.runs)} runs"
    none = "No run came of these files" if any(file.has_answers for file in aside) else "No answers were found"
    return {
        "title": f"The plan: {count}" if plan.runs else none,
        "runs": [_run_value(run, prompt_sets) for run in plan.runs],
        "changes": [visible(line) for line in changes[:SHOWN]],
        "more_changes": _more(len(changes)),
        "aside": [_aside_value(file) for file in aside[:SHOWN]],
        "more_aside": _more(len(aside)),
    }


def _run_value(run: PlannedRun, prompt_sets: PromptSets) -> PlannedRunValue:
    names = run.names
    return {
        "run": visible(names.run or run.label or "the only run"),
        "system": visible(names.system or "?"),
        "model": visible(names.model or "?"),
        "edition": run.edition,
        "languages": " ".join(run.languages),
        "answers": answers_in_words(run, prompt_sets),
        "files": [visible(place) for place in run.files],
        # The page has a box where the command has an option.
        "faults": [printable(fault.replace("say --own-prompts", _TICK), 400) for fault in run.faults[:3]],
        "prompts": [printable(line, 600) for line in prompt_lines(run, prompt_sets)],
    }


def _aside_value(file: LeftAside) -> AsideValue:
    # The page has a choice where the command has an option.
    why = file.why.removesuffix(f": say {file.option}") if file.option else file.why
    return {"place": visible(file.place), "why": visible(why), "has_answers": file.has_answers}


def _more(count: int) -> str:
    return f"and {count - SHOWN:,} more" if count > SHOWN else ""
