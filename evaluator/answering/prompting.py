"""How a model is asked under preferences: naively in one prompt, or answer first and align second (Pref-Aligner).

The same code makes the prompts of `python -m evaluator answer` and of the lab. Source of the two-stage
method: "Benchmarking and Improving LLM Robustness for Personalized Generation", arXiv 2509.19358; wording ours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from string import Template, ascii_uppercase

from evaluator.answering.aligner_writing import BEGINNING
from evaluator.generators.protocol import Message
from evaluator.personalization.aligner_reply import read_aligner_reply
from submissions.questionsets.shape import Question


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt as data; a change of one character is a new version."""

    id: str
    version: str
    text: str
    """With `$task` (question and options), and where they are shown `$preferences` and `$draft`."""

    @property
    def name(self) -> str:
        """How pins and files call it: `control-1`."""
        return f"{self.id}-{self.version}"


_CHOOSE = (
    "Explain your choice in a few sentences. Then write, on a last line of its own, the letter of the one option you "
    "choose, in exactly this form:\nAnswer: LETTER"
)

CONTROL = Prompt("control", "1", "Answer the following question.\n\n$task")
"""Question and options only: the control of every method, and stage 1 of Pref-Aligner."""

NAIVE = Prompt(
    "naive",
    "1",
    "Answer the following question for a user who has stated these preferences:\n\n$preferences\n\n"
    "Where a preference bears on the question or on your answer, follow it; pass over the others. The answer must be "
    "correct whatever the preferences are.\n\n$task",
)
"""Everything in one prompt, as the naive method of the paper."""

ALIGNER = Prompt(
    "pref-aligner",
    "2",
    "You are an editor. Below stand the preferences of a user, a question of that user, and a finished draft of the "
    "answer.\n\n"
    "Preferences:\n$preferences\n\n"
    "$task\n\n"
    "Draft of the answer:\n[begin draft]\n$draft\n[end draft]\n\n"
    "Your task:\n"
    "- Find out which preferences bear on this question or on how its answer is written. Often that is none.\n"
    "- Where one does, edit the draft so that it follows that preference, and change nothing else.\n"
    "- Where none does, return the draft unchanged, word for word.\n"
    "- Do not answer the question anew, and do not judge the draft: what it says, and the option it chooses, stay as "
    "they are. Keep the line that states the option.\n"
    "- Do not mention the preferences in the answer.\n\n"
    'Reply with one JSON object and nothing else. Its field "response" holds the whole answer, edited or unchanged; '
    'its field "thoughts" says in one sentence which preferences bear on it.',
)
"""Stage 2 of Pref-Aligner. Version 1 showed an example object, whose words small models gave back as the answer."""

PROMPTS = (CONTROL, NAIVE, ALIGNER)


@dataclass(frozen=True, slots=True)
class AlignedAnswer:
    """What stage 2 of Pref-Aligner comes to."""

    text: str
    """The final answer: the draft where the reply could not be read."""
    thoughts: str | None
    fallback: bool
    """Whether the reply could not be read."""


def control_messages(question: Question) -> list[Message]:
    """The question without any preference: the control, and stage 1 of Pref-Aligner."""
    return _one_turn(CONTROL, task=_task(question))


def naive_messages(question: Question, preferences: Sequence[str]) -> list[Message]:
    """Question and preferences in one prompt, without saying which is relevant; without preferences, the control."""
    if not preferences:
        return control_messages(question)
    return _one_turn(NAIVE, task=_task(question), preferences=_numbered(preferences))


def aligner_messages(question: Question, draft: str, preferences: Sequence[str]) -> list[Message]:
    """Return stage 2: question with options, draft, the full ordered list of preferences; the reply's beginning."""
    asked = _one_turn(
        ALIGNER,
        task=_shown_question(question),
        preferences=_numbered(preferences) if preferences else "(none)",
        draft=draft,
    )
    return [*asked, Message("assistant", BEGINNING)]


def aligned_answer(reply: str, draft: str) -> AlignedAnswer:
    """Reads the reply of stage 2 as JSON `{response, thoughts}`.

    >>> aligned_answer('{"response": "B. Mars", "thoughts": "Short, as wished."}', "It is B. Mars.")
    AlignedAnswer(text='B. Mars', thoughts='Short, as wished.', fallback=False)
    >>> aligned_answer("I would not change it.", "It is B. Mars.")
    AlignedAnswer(text='It is B. Mars.', thoughts=None, fallback=True)
    """
    read = read_aligner_reply(reply)
    if read is None:
        return AlignedAnswer(draft, None, fallback=True)
    return AlignedAnswer(read.response, read.thoughts, fallback=False)


def _one_turn(prompt: Prompt, **values: str) -> list[Message]:
    # One turn of the user: several chat templates know no system turn.
    return [Message("user", Template(prompt.text).substitute(values))]


def _task(question: Question) -> str:
    """Question and options, and how to state the choice."""
    shown = _shown_question(question)
    return f"{shown}\n\n{_CHOOSE}" if question.options else shown


def _shown_question(question: Question) -> str:
    """The question and its options by letter.

    >>> print(_shown_question(Question("1", "Which is a planet?", ("The Sun", "Mars"), "B")))
    Question: Which is a planet?
    <BLANKLINE>
    Options:
    A. The Sun
    B. Mars
    """
    lines = [f"Question: {question.text}"]
    if question.options:
        lines += ["", "Options:"]
        lines += [
            f"{letter}. {_one_entry(text)}" for letter, text in zip(ascii_uppercase, question.options, strict=False)
        ]
    return "\n".join(lines)


def _numbered(preferences: Sequence[str]) -> str:
    return "\n".join(f"{number}. {_one_entry(text)}" for number, text in enumerate(preferences, start=1))


def _one_entry(text: str) -> str:
    """Further lines of an entry are indented, so that none reads as the next entry."""
    return text.replace("\n", "\n   ")
