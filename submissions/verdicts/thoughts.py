"""What a model thought aloud before its answer, and what follows it."""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ThoughtMarks:
    """How one family of models marks its thoughts; expressions without groups that capture."""

    opening: str
    closing: str
    source: str


def _tags(names: str, source: str) -> ThoughtMarks:
    """Marks that are tags, also with blanks or attributes, and also where a text ends within the tag."""
    return ThoughtMarks(
        rf"(?i:<\s{{0,3}}{names}(?:\s[^<>]{{0,200}})?(?:(?<!/)>|\Z))",
        rf"(?i:<\s{{0,3}}/\s{{0,3}}{names}\s{{0,9}}>)",
        source,
    )


THOUGHT_MARKS: tuple[ThoughtMarks, ...] = (
    _tags(
        r"(?:[a-z]{1,20}[:_])?(?:think(?:ing)?|thoughts?)",
        "DeepSeek-R1, Qwen 3, GLM 4.5, MiniMax-M2 and Granite 3.3 write <think>; Seed-OSS <seed:think>; LongCat "
        "<longcat_think>; Claude and Reflection-70B <thinking>; EXAONE Deep <thought> (vllm/reasoning, vLLM 0.32)",
    ),
    _tags("reasoning", "LLaVA-CoT (arXiv 2411.10440)"),
    _tags("analysis", "Anthropic's guide to prompts: Let Claude think"),
    _tags("scratchpad", "Nye et al., Show your work (arXiv 2112.00114); Anthropic's guide to prompts"),
    _tags("reflection", "Reflection-70B, model card"),
    ThoughtMarks(r"(?i:\[think(?:ing)?\])", r"(?i:\[/think(?:ing)?\])", "Magistral (vLLM 0.32, mistral)"),
    ThoughtMarks("◁think▷", "◁/think▷", "Kimi-VL (SGLang 0.5, kimi)"),
    ThoughtMarks(r"<\|begin_of_thought\|>", r"<\|end_of_thought\|>", "Sky-T1, Bespoke-Stratos: system prompts"),
    ThoughtMarks(r"<\|START_THINKING\|>", r"<\|END_THINKING\|>", "Command A Reasoning (vLLM 0.32, cohere_command)"),
    ThoughtMarks(r"<\|inner_prefix\|>", r"<\|inner_suffix\|>", "Apertus (vLLM 0.32, apertus)"),
    ThoughtMarks(r"<\|channel>", r"<channel\|>", "Gemma 4 (vLLM 0.32, gemma4)"),
    ThoughtMarks(r"\[unused16\]", r"\[unused17\]", "Pangu (vLLM 0.11, pangu)"),
    ThoughtMarks(
        r"<\|channel\|>\s{0,9}(?:analysis|commentary)",
        r"<\|channel\|>\s{0,9}final(?:[^<\n]{0,80}<\|constrain\|>[^<\n]{0,80})?<\|message\|>",
        "gpt-oss: OpenAI's harmony format",
    ),
    ThoughtMarks(r"\A\s{0,9}analysis(?=[A-Z])", "assistantfinal", "gpt-oss where a server left its special tokens out"),
    ThoughtMarks(
        r"\A\s{0,9}Here(?:'s| is) my thought process:",
        r"Here(?:'s| is) my response:",
        "Granite 3.2 (vLLM 0.32, granite)",
    ),
)
"""How models mark their thoughts: the one list for readers of verdicts, written judges and `fill`."""

_MARK = re.compile(
    "|".join(
        f"(?P<opens_{family}>{marks.opening})|(?P<closes_{family}>{marks.closing})"
        for family, marks in enumerate(THOUGHT_MARKS)
    )
)
_HARMONY_END = re.compile(r"<\|(?:return|end)\|>\s*\Z")
_QUOTES = frozenset("`\"'“”„‘’«»")


def answer_begin(text: str) -> int | None:
    """Where the answer begins: behind the last thoughts that are closed; None where thoughts never end.

    Thoughts may begin anywhere, behind a first sentence too. A mark in quotes or backticks is spoken of, not written.
    Where a server has opened the thoughts, a text holds their end alone.

    >>> answer_begin("Paris."), answer_begin("<think>Paris?</think> Paris."), answer_begin("Well. <think>Paris?")
    (0, 21, None)
    """
    open_family, begin = "", 0
    for mark in _MARK.finditer(text):
        kind, _, family = str(mark.lastgroup).partition("_")
        if _is_quoted(text, mark):
            continue
        if kind == "opens":
            open_family = open_family or family
        elif open_family in ("", family):
            open_family, begin = "", mark.end()
    return None if open_family else begin


def without_thoughts(text: str) -> str | None:
    """What follows the last thoughts that are closed; None where thoughts are opened and never end.

    >>> without_thoughts("<think>Paris?</think> Paris."), without_thoughts("Well. <think >I should say Paris")
    ('Paris.', None)
    >>> without_thoughts("<seed:think>Paris?</seed:think>Paris."), without_thoughts("[THINK]Paris")
    ('Paris.', None)
    >>> without_thoughts("Models write `<think>` first.")
    'Models write `<think>` first.'
    """
    begin = answer_begin(text)
    if begin is None:
        return None
    return (_HARMONY_END.sub("", text[begin:]) if begin else text).strip()


def _is_quoted(text: str, mark: re.Match[str]) -> bool:
    before, behind = text[max(mark.start() - 1, 0) : mark.start()], text[mark.end() : mark.end() + 1]
    return before in _QUOTES and behind in _QUOTES
