"""Filling a template: which prompts of an ELOQUENT submission are open, and what a generator answers to each.

Every answer goes into a journal as soon as it is written; what is in the journal is not asked again. Formats:
docs/submit.md#the-format-of-2024 and those after it.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import NamedTuple

from evaluator.answering.journal import Journal, RowDocument
from evaluator.answering.questions import Interrupted, answer, work_through
from evaluator.generators.decoding import GREEDY, Decoding
from evaluator.generators.protocol import MAX_NEW_TOKENS, Message, TextGenerator
from evaluator.values import Pin
from submissions.formats.eloquent.guards import glance, prompts_of
from submissions.formats.eloquent.result import slot_of
from submissions.problems import Problem
from submissions.reading.limits import Limits
from submissions.reading.strict_json import cleaned
from submissions.schema import Edition, Flag, Names, PromptSet, Response, ResponseSet, Submission
from submissions.verdicts.thoughts import without_thoughts

JOURNAL_KIND = "eloquent_answers"

CULTURAL_NEW_TOKENS = 200
"""What the 2026 edition asks for."""


class OpenTurn(NamedTuple):
    """One prompt that waits for an answer."""

    kind: str
    item_id: str
    variant: int
    language: str
    turn: int
    """Counted from 0; 0 everywhere but in 2025."""


@dataclass(frozen=True, slots=True)
class FillPlan:
    """What is to be asked."""

    template: Submission
    """With blank responses where there is something to ask."""
    prompt_set: PromptSet
    """Its prompts are asked; where it has none, those that the template states."""
    names: Names
    date: str
    max_new_tokens: int = MAX_NEW_TOKENS
    languages: tuple[str, ...] | None = None
    """Only these; None for all of the template."""
    limit: int | None = None
    """Only so many responses, from the first open one on."""
    system_prompt: str = ""
    """Said before every prompt, as the turn of the system; blank = no such turn."""
    decoding: Decoding = GREEDY

    def open_responses(self) -> list[Response]:
        """Responses to write that have a prompt, in the order of the template, each with its questions as turns."""
        prompts = prompts_of(self.prompt_set)
        responses = []
        for response in self.template.responses():
            if not response.is_blank or (self.languages and response.language not in self.languages):
                continue
            official = prompts.get((response.item_id, response.variant, response.language))
            turns = _turns_to_ask(response, official)
            if turns:
                responses.append(replace(response, turns=turns, prompt=official or response.prompt))
        return responses[: self.limit]

    def notes(self, pin: Pin) -> str:
        """Everything the answers depend on, one line each; a run goes on only in a journal with the same lines."""
        facts = {
            "generator": f"{pin.name} {pin.model} at {pin.revision}",
            "computed by": f"{pin.engine}; {pin.dtype}; {pin.prompt}",
            "prompts": f"{self.prompt_set.version}; template sha256 {self.template.file_sha256}",
            "languages": ", ".join(self.languages or ("all",)),
            "longest answer": f"{self.max_new_tokens} tokens",
        }
        if self.system_prompt:
            facts["system prompt"] = self.system_prompt
        return "\n".join(f"{name}: {fact}" for name, fact in facts.items())

    def head(self, pin: Pin) -> RowDocument:
        """The first line of the journal."""
        names = {"team": self.names.team, "system": self.names.system, "model": self.names.model}
        return {"kind": JOURNAL_KIND, **names, "run": self.names.run, "date": self.date, "notes": self.notes(pin)}


def new_tokens(edition: Edition) -> int:
    """Longest answer of an edition, where nothing else is asked for."""
    return CULTURAL_NEW_TOKENS if edition == "2026" else MAX_NEW_TOKENS


class FillJournal(Journal):
    """The answers of a run; the same prompt is never asked twice."""

    def __init__(self, path: Path, head: RowDocument) -> None:
        super().__init__(path, head)
        self._answers = {OpenTurn(*row["prompt"]): str(row["answer"]) for row in self.found}
        self.date = _stated_date(path, str(head["date"]))

    def __enter__(self) -> FillJournal:
        return self

    def __len__(self) -> int:
        """Answers in the journal."""
        return len(self._answers)

    @property
    def answers(self) -> Mapping[OpenTurn, str]:
        return self._answers

    def append(self, key: OpenTurn, text: str, finish_reason: str) -> None:
        """Adds an answer; it is on its way to the disk when this returns."""
        with self.lock:
            self.write({"prompt": list(key), "answer": text, "finish_reason": finish_reason})
            self._answers[key] = text


def fill(
    plan: FillPlan,
    generator: TextGenerator,
    journal: FillJournal,
    *,
    stop: threading.Event,
    parallel: int = 1,
    on_answer: Callable[[Response, bool], None] = lambda _, is_cut: None,
) -> None:
    """Asks for every open answer that the journal lacks.

    Args:
        parallel: Responses under way at once.
        on_answer: Is given each response with its answer, and whether the model was cut off within its thoughts, so
            that the answer is blank; from any thread.

    Raises:
        Interrupted: when `stop` was set.
        GeneratorUnavailable: when the generator can write no more.
    """

    def work(response: Response, is_halted: Callable[[], bool]) -> None:
        for key, asked in turn_keys(response):
            if key in journal.answers:
                continue
            if stop.is_set() or is_halted():
                raise Interrupted
            chat = _chat(plan.system_prompt, response, key, asked, journal.answers)
            said = answer(generator, chat, stop, plan.max_new_tokens)
            text = usable(said.text)
            journal.append(key, text or "", said.finish_reason)
            on_answer(replace(response, response=text or ""), text is None)

    work_through(plan.open_responses(), work, parallel)


def filled(plan: FillPlan, journal: FillJournal) -> Submission:
    """The template with the answers of the journal, under the names and date of the run."""
    written = {slot_of(response): _answered(response, journal.answers) for response in plan.open_responses()}
    items = tuple(
        replace(item, responses=tuple(written.get(slot_of(response), response) for response in item.responses))
        for item in plan.template.items
    )
    modifications = dict(plan.template.modifications)
    if plan.template.edition == "2026":
        # Merged into what the template says, as its team may have stated more about the decoding.
        stated = json.loads(modifications.get("generation_params", "{}"))
        drawn = {} if plan.decoding.is_greedy else asdict(plan.decoding)
        decoding = {**stated, "do_sample": bool(drawn), **drawn, "max_new_tokens": plan.max_new_tokens}
        modifications["generation_params"] = json.dumps(decoding, sort_keys=True)
    return replace(
        plan.template,
        names=plan.names,
        date=journal.date,
        items=_present(items) if plan.template.edition == "2026" else items,
        modifications=tuple(modifications.items()),
    )


def usable(text: str) -> str | None:
    """An answer as a submission may hold it: without thoughts before it, control characters and more than is read.

    None where the model was cut off within its thoughts, whatever it wrote before them.
    """
    said = without_thoughts(text)
    return None if said is None else cleaned(said)[: Limits().response_characters]


def shown_flags(response: Response) -> frozenset[Flag]:
    """What the guards say of one answer by itself."""
    return frozenset() if response.is_blank else glance(response, response.prompt, None).flags


def turn_keys(response: Response) -> Iterator[tuple[OpenTurn, str]]:
    """The turns of a response that wait for an answer, with what they ask."""
    for number, (question, given) in enumerate(response.turns):
        if not given.strip():
            yield OpenTurn(response.kind, response.item_id, response.variant, response.language, number), question


def template_faults(problems: Iterable[Problem]) -> list[str]:
    """What keeps a template from being filled: its emptiness and example texts do not."""
    return [
        f"{problem.path}: {problem.message}"
        for problem in problems
        if problem.severity == "error" and problem.code not in ("all_empty", "source_placeholder")
    ]


def without_prompts(submission: Submission) -> Submission:
    """The same answers beside no prompt, as a season with hidden prompts takes them."""

    def bare(response: Response) -> Response:
        return replace(response, prompt=None, turns=tuple(("", answer) for _, answer in response.turns))

    items = (replace(item, responses=tuple(map(bare, item.responses))) for item in submission.items)
    return replace(submission, items=tuple(items))


def _turns_to_ask(response: Response, official: str | None) -> tuple[tuple[str, str], ...]:
    """Question and given answer of every turn; empty where nothing says what to ask."""
    if response.kind == "question":
        return response.turns if all(question.strip() for question, _ in response.turns) else ()
    asked = official or response.prompt or ""
    return ((asked, ""),) if asked.strip() else ()


def _chat(
    system_prompt: str, response: Response, key: OpenTurn, asked: str, answers: Mapping[OpenTurn, str]
) -> Sequence[Message]:
    """The turns up to this one, as the model saw them."""
    messages = [Message("system", system_prompt)] if system_prompt else []
    for number, (question, given) in enumerate(response.turns[: key.turn]):
        said = given if given.strip() else answers.get(key._replace(turn=number), "")
        messages += [Message("user", question), Message("assistant", said)]
    return [*messages, Message("user", asked)]


def _answered(response: Response, answers: Mapping[OpenTurn, str]) -> Response:
    open_turns = {key.turn: answers.get(key, "") for key, _ in turn_keys(response)}
    turns = tuple((question, open_turns.get(number, given)) for number, (question, given) in enumerate(response.turns))
    last = next((given for _, given in reversed(turns) if given.strip()), "")
    return replace(response, turns=turns, response=last)


def _present(items: Sequence[ResponseSet]) -> tuple[ResponseSet, ...]:
    """Without the rows that were not asked for: a partial run leaves them out instead of listing them as skipped."""
    answered = (
        replace(item, responses=tuple(response for response in item.responses if not response.is_blank))
        for item in items
    )
    return tuple(item for item in answered if item.responses)


def _stated_date(path: Path, today: str) -> str:
    """The day the run was begun: a run that goes on tomorrow keeps it."""
    with path.open(encoding="utf-8") as stream:
        head = json.loads(stream.readline() or "{}")
    return str(head.get("date", today))
