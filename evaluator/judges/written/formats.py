"""In which form a judge writes its reply, as data: what it is told, how its thoughts and its label are marked."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

from evaluator.judges.protocol import JudgeRequest, UnsuitableJudge


@dataclass(frozen=True, slots=True)
class Marks:
    """What stands before and after a part of a reply."""

    opening: str
    closing: str = ""
    """Blank where nothing does."""


@dataclass(frozen=True, slots=True)
class ReplyFormat:
    """One way to write a reply that ends in a label."""

    name: str
    """As a configuration writes it: `;reply=NAME`."""
    version: str
    """Part of the pin: a change of any other field needs a new one."""
    instruction: str
    """Stands behind the rubric; `{labels}` is where the labels are listed."""
    label: Marks
    tokens: int
    """Tokens a reply may have unless the configuration says `;tokens=N`."""
    source: str
    thoughts: Marks | None = None
    """Nothing between them is read."""
    begins: str = ""
    """What every reply begins with: written for the judge, behind the chat frame."""

    def beginning(self, frame_end: str) -> str:
        """Return what is written for the judge behind a chat frame; blank where the frame has opened the thoughts.

        >>> format_named("thoughts").beginning("<|im_start|>assistant\\n<think>\\n")
        ''
        """
        if self.thoughts and frame_end.rfind(self.thoughts.opening) > frame_end.rfind(self.thoughts.closing):
            return ""
        return self.begins

    def pinned(self, tokens: int) -> str:
        """Return what the pin of a judge says of its replies."""
        return f"per rubric, reply {self.name} {self.version} of at most {tokens} tokens"

    def asked(self, request: JudgeRequest, beginning: str) -> JudgeRequest:
        """Return the request with the instruction behind its rubric, and with that beginning in place of its tail."""
        rubric = request.rubric
        told = f"{rubric.text}\n{self.instruction.format(labels=_listed(rubric.labels))}"
        return replace(request, rubric=replace(rubric, text=told, tail=beginning))


def _listed(labels: Sequence[str]) -> str:
    """Labels in words.

    >>> _listed(["A", "B", "C"])
    'A, B or C'
    """
    return f"{', '.join(labels[:-1])} or {labels[-1]}"


FORMATS: tuple[ReplyFormat, ...] = (
    ReplyFormat(
        name="thoughts",
        version="1",
        instruction=(
            "Think first, between <think> and </think>. After </think> write your reply, one of {labels}, between "
            "<answer> and </answer>, and nothing else."
        ),
        thoughts=Marks("<think>", "</think>"),
        label=Marks("<answer>", "</answer>"),
        begins="<think>\n",
        tokens=2_048,
        source="DeepSeek-AI, DeepSeek-R1 (arXiv 2501.12948), table 1",
    ),
    ReplyFormat(
        name="prometheus",
        version="1",
        instruction=(
            "Write a detailed feedback first, strictly on what was asked. After the feedback write your reply, one of "
            '{labels}. The output format should look as follows: "Feedback: (your feedback) [RESULT] (your reply)". Do '
            "not write any other opening, closing or explanation."
        ),
        label=Marks("[RESULT]"),
        begins="Feedback:",
        tokens=1_024,
        source="Kim et al., Prometheus 2 (arXiv 2405.01535), prompt format of its model card",
    ),
    ReplyFormat(
        name="score",
        version="1",
        instruction=(
            "Begin with a short explanation. Then, on a line of its own, write your reply, one of {labels}, between "
            "double square brackets, [[...]], and nothing after it."
        ),
        label=Marks("[[", "]]"),
        tokens=512,
        source="Zheng et al., Judging LLM-as-a-judge with MT-bench (arXiv 2306.05685), figures 5 and 6",
    ),
)


def format_named(name: str) -> ReplyFormat:
    """Return the format of a configured name.

    Raises:
        UnsuitableJudge: for a name of none.
    """
    for reply_format in FORMATS:
        if reply_format.name == name:
            return reply_format
    raise UnsuitableJudge(f"reply: found {name!r}, expected one of {', '.join(each.name for each in FORMATS)}")


def reply_faults(name: str, tokens: int | None) -> list[str]:
    """Say what is wrong with the options `reply` and `tokens` of a judge's name; blank = no format is named."""
    faults = []
    if name:
        try:
            format_named(name)
        except UnsuitableJudge as unknown:
            faults.append(str(unknown))
    elif tokens is not None:
        faults.append("tokens: is for judges that write before they decide; add reply=NAME")
    if tokens is not None and tokens < 1:
        faults.append(f"tokens: found {tokens}, expected 1 or more")
    return faults


def format_shown_by(template: str, vocabulary: Collection[str]) -> ReplyFormat | None:
    """Return the format with thoughts whose marks a model's chat template or vocabulary has; None where none has."""
    for each in FORMATS:
        if each.thoughts and (each.thoughts.opening in template or each.thoughts.closing in vocabulary):
            return each
    return None
