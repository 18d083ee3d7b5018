"""Runs of the 2025 and 2026 editions, made for tests."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from submissions.findings import Findings
from submissions.formats.eloquent.coverage import cultural_coverage
from submissions.formats.eloquent.guards import guarded
from submissions.promptsets import ELOQUENT_2025, ELOQUENT_2026
from submissions.promptsets.cultural import eloquent_2025_set, eloquent_2026_without_prompts
from submissions.schema import Coverage, Item, Names, PromptSet, Response, ResponseSet, Submission, Variant

Turns = Sequence[tuple[str, str]]


def question_file(
    language: str, answers: Mapping[str, Turns], *, system: str = "aurora", sha256: str = "a" * 64
) -> Submission:
    """One 2025 file with the guards' flags; answers: question id -> its (question, answer) turns."""
    sets = []
    for question, turns in answers.items():
        last = next((answer for _, answer in reversed(turns) if answer.strip()), "")
        prompt = turns[0][0] or None
        response = Response(question, question, "question", 1, language, prompt, tuple(turns), last)
        sets.append(ResponseSet(question, (response,)))
    names = Names("team", system, None, "1")
    made = Submission("2025", ELOQUENT_2025, names, None, None, (), sha256, tuple(sets))
    return guarded(made, eloquent_2025_set(), {}, Findings(), detector=lambda text: None)


def questions_run(
    languages: Sequence[str], questions: int, answer: Callable[[str, int], str], *, with_prompts: bool = True
) -> list[Submission]:
    """The files of a 2025 run of one turn each; the question of number n is about topic n."""
    return [
        question_file(
            language,
            {
                str(number): [(asked(language, number) if with_prompts else "", answer(language, number))]
                for number in range(1, questions + 1)
            },
            sha256=f"{place}" * 64,
        )
        for place, language in enumerate(languages)
    ]


def asked(language: str, number: int) -> str:
    """A question of some length: an echo of it differs from it by more than a few characters in no language."""
    return f"in {language} please tell topic{number} topic{number} topic{number}"


def questions_set(languages: Sequence[str] = ("de", "en", "fi", "sv"), questions: int = 20) -> PromptSet:
    """What `questions_run` asks, as the registered questions of 2025."""
    items = (
        Item(str(number), "question", tuple(Variant(1, language, asked(language, number)) for language in languages))
        for number in range(1, questions + 1)
    )
    return PromptSet(ELOQUENT_2025, "2025", "ELOQUENT 2025", "2025, our own", "ab" * 32, tuple(items))


def registered(run: Submission) -> PromptSet:
    """The set of 2026 with the prompts that a run says it was asked."""
    items = tuple(
        Item(
            of_item.item_id,
            of_item.responses[0].kind,
            tuple(Variant(one.variant, one.language, one.prompt) for one in of_item.responses),
        )
        for of_item in run.items
    )
    return PromptSet(ELOQUENT_2026, "2026", "ELOQUENT 2026", "2026, our own", "cd" * 32, items)


def cultural_run(
    languages: Sequence[str],
    answer: Callable[[str, str, int, int], str],
    *,
    questions: int = 12,
    variants: int = 3,
    with_prompts: bool = True,
) -> tuple[Submission, Coverage]:
    """A 2026 run; answer: language, kind, base question, variant -> text. Its coverage says it is complete."""
    sets: dict[str, list[Response]] = {}
    for language in languages:
        for question in range(1, questions + 1):
            places = [("unspecific", str(question), 1)]
            places += [("specific", f"{question}-{variant}", variant) for variant in range(1, variants + 1)]
            for kind, item, variant in places:
                prompt = asked(f"{language} {kind} {variant}", question) if with_prompts else None
                text = answer(language, kind, question, variant)
                response = Response(
                    item,
                    str(question),
                    "unspecific" if kind == "unspecific" else "specific",
                    variant,
                    language,
                    prompt,
                    ((prompt or "", text),),
                    text,
                )
                sets.setdefault(item, []).append(response)
    items = tuple(ResponseSet(item, tuple(responses)) for item, responses in sets.items())
    made = Submission("2026", ELOQUENT_2026, Names("team", "aurora", None, "1"), None, None, (), "c" * 64, items)
    coverage = cultural_coverage(
        languages, {(kind, language): 10_000 for kind in ("unspecific", "specific") for language in languages}
    )
    return guarded(made, eloquent_2026_without_prompts(), {}, Findings(), detector=lambda text: None), coverage
