"""promptfoo's output JSON: outputs that a model graded (`llm-rubric` and its kin), and the best of several.

Source of the fields: promptfoo, `src/types/index.ts` (`EvaluateSummary`, `EvaluateResult`, `GradingResult`). A graded
component carries the assertion it comes from.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from evaluator.judge_logs.judgements import Collector, Judgement, Record, length, number
from evaluator.judge_logs.label_sample import Scale, texts_of
from evaluator.judge_logs.opened import Opened
from submissions.reading.quoting import described

_RATED = frozenset({"llm-rubric", "g-eval", "factuality", "model-graded-closedqa", "model-graded-factuality"})
_SELECTED = "select-best"
_KNOWN = frozenset(
    {
        "cost",
        "error",
        "failureReason",
        "gradingResult",
        "id",
        "latencyMs",
        "namedScores",
        "prompt",
        "promptId",
        "promptIdx",
        "provider",
        "response",
        "score",
        "success",
        "testCase",
        "testIdx",
        "vars",
        "metadata",
        "tokenUsage",
        "description",
    }
)
_SCALE = Scale(0, 1)
"""Of the score of a graded assertion."""
MAX_OUTPUTS = 26
"""Outputs of one test that a best is chosen among."""


@dataclass(frozen=True, slots=True)
class _Output:
    """One output among which the best was chosen."""

    system: str
    judge: str
    is_chosen: bool
    prompt: str | None
    text: str | None
    criterion: object
    """What it was chosen by, as the assertion says it."""
    place: str


def read(file: Opened, collector: Collector) -> None:
    """A rating per graded output and assertion; for a best of several, a comparison of it with each other output."""
    document = file.document if isinstance(file.document, dict) else {}
    results = document.get("results")
    listed = results.get("results") if isinstance(results, dict) else results
    if not isinstance(listed, list):
        message = f"results.results is {described(listed)}; expected a list"
        collector.refuse("missing_field", "$.results", message, "Write it with promptfoo eval --output FILE.json.")
        return
    selections: dict[str, list[_Output]] = {}
    graded = 0
    for index, result in enumerate(listed):
        place = f"$.results.results[{index}]"
        if not isinstance(result, dict):
            collector.refuse(
                "wrong_root", place, f"the result is {described(result)}; expected an object", "Write it anew."
            )
            continue
        collector.count_unknown(result, _KNOWN, "result.")
        question = collector.name({"testIdx": result.get("testIdx", index)}, "testIdx", place)
        if question is None:
            continue
        response = result.get("response")
        text = response.get("output") if isinstance(response, dict) else None
        for number_, component, kind in _components(result):
            graded += 1
            if kind == _SELECTED:
                chosen = component.get("pass") is True
                outputs = selections.setdefault(question, [])
                texts = _prompt(result), text if isinstance(text, str) else None, _criterion(component)
                outputs.append(_Output(_system(result), _grader(result, component), chosen, *texts, place))
            else:
                _read_rating(result, component, collector, place, question, f"{kind} {number_}", text)
    for question, outputs in selections.items():
        _read_selection(outputs, collector, question)
    if listed and not graded:
        hint = "Use llm-rubric, g-eval, factuality, model-graded-closedqa or select-best."
        collector.refuse("no_rows", "$.results", f"none of the {len(listed):,} results was graded by a model", hint)
    collector.note(
        "A rating is the score of a graded assertion; its judge is the assertion's provider, where one is named."
    )
    collector.note("Of select-best, the best output is compared with each other one, in the order of the outputs.")


def _components(result: Record) -> Iterator[tuple[int, Record, str]]:
    grading = result.get("gradingResult")
    components = grading.get("componentResults") if isinstance(grading, dict) else None
    for place, component in enumerate(components if isinstance(components, list) else []):
        assertion = component.get("assertion") if isinstance(component, dict) else None
        kind = assertion.get("type") if isinstance(assertion, dict) else None
        if kind in _RATED or kind == _SELECTED:
            yield place, component, str(kind)


def _system(result: Record) -> str:
    """Provider and prompt: what promptfoo compares."""
    provider = result.get("provider")
    name = (provider.get("label") or provider.get("id")) if isinstance(provider, dict) else provider
    return f"{str(name or 'provider')[:200]} prompt {result.get('promptIdx', 0)}"


def _prompt(result: Record) -> str | None:
    prompt = result.get("prompt")
    raw = prompt.get("raw") if isinstance(prompt, dict) else prompt
    return raw if isinstance(raw, str) else None


def _grader(result: Record, component: Record) -> str:
    """The assertion's provider, or else that of its test."""
    assertion, test = component.get("assertion"), result.get("testCase")
    options = test.get("options") if isinstance(test, dict) else None
    provider = assertion.get("provider") if isinstance(assertion, dict) else None
    if provider is None and isinstance(options, dict):
        provider = options.get("provider")
    if isinstance(provider, dict):
        provider = provider.get("label") or provider.get("id")
    return provider[:200] if isinstance(provider, str) and provider else "promptfoo's grader"


def _criterion(component: Record) -> object:
    """What the grader was told to go by."""
    assertion = component.get("assertion")
    return assertion.get("value") if isinstance(assertion, dict) else None


def _read_rating(
    result: Record, component: Record, collector: Collector, place: str, question: str, item: str, text: object
) -> None:
    judge, system = _grader(result, component), _system(result)
    collector.scale = _SCALE
    repetition = collector.repetition(judge, question, item, (system,), place)
    if repetition is None:
        return
    collector.add(
        Judgement(
            judge=judge,
            question=question,
            item=item,
            systems=(system,),
            rating=number(component.get("score")),
            repetition=repetition,
            lengths=(length(text),),
            place=place,
        ),
        texts_of(_prompt(result), text, criterion=_criterion(component)),
    )


def _read_selection(outputs: list[_Output], collector: Collector, question: str) -> None:
    """The chosen output against each other one; an odd number of choices is no usable reply."""
    if not 2 <= len(outputs) <= MAX_OUTPUTS:
        place = outputs[0].place
        message = f"test {question} has {len(outputs)} outputs to choose from; expected 2 to {MAX_OUTPUTS}"
        collector.refuse("bad_options", place, message, "Repeat the test under another index, not under the same.")
        return
    best = [index for index, output in enumerate(outputs) if output.is_chosen]
    rivals = [(best[0], other) for other in range(len(outputs)) if other != best[0]] if len(best) == 1 else [(0, 1)]
    for rival, other in rivals:
        first, second = min(rival, other), max(rival, other)
        shown = outputs[first], outputs[second]
        systems = (shown[0].system, shown[1].system)
        judge, place = shown[0].judge, shown[0].place
        repetition = collector.repetition(judge, question, _SELECTED, systems, place)
        if repetition is not None:
            collector.add(
                Judgement(
                    judge=judge,
                    question=question,
                    item=_SELECTED,
                    systems=systems,
                    verdict="N" if len(best) != 1 else "A" if rival == first else "B",
                    repetition=repetition,
                    lengths=(length(shown[0].text), length(shown[1].text)),
                    place=place,
                ),
                texts_of(
                    # Two prompts of one test are what is compared: neither is what both answer.
                    shown[0].prompt if shown[0].prompt == shown[1].prompt else None,
                    *(output.text for output in shown),
                    criterion=shown[0].criterion,
                ),
            )
