"""promptfoo's output JSON: outputs that a model graded (`llm-rubric` and its kin), and the best of several.

Source of the fields: promptfoo, `src/types/index.ts` (`EvaluateSummary`, `EvaluateResult`, `GradingResult`),
`src/evaluator.ts`, `src/assertions/assertionsResult.ts` and `src/matchers/`. A graded component carries the assertion
it comes from. A test that is repeated (`--repeat`) has an index of its own each time: tests are told apart by their
variables and assertions. Files of version 2 have no index at all.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from evaluator.judge_logs.judgements import COPIES, Collector, Judgement, Record, length, number
from evaluator.judge_logs.label_sample import Scale, texts_of
from evaluator.judge_logs.opened import Opened
from submissions.reading.quoting import described, printable

_RATED = frozenset({"llm-rubric", "g-eval", "factuality", "model-graded-closedqa", "model-graded-factuality"})
_SELECTED = "select-best"
_SETS = frozenset({"assert-set"})
"""Not graded themselves: their parts stand beside them in the list."""
_FAILED = re.compile(
    r"""No\ output\s*$ | No\ response\ body | Could\ not\ (?:extract\ JSON\ from|perform\ remote\ grading)
    | (?:llm-rubric|trajectory:goal-success)\ produced\ malformed\ response
    | Model\ grader\ produced\ a\ malformed\ response | Invalid\ category\ value:
    | (?:Factuality\ checker\ )?[Oo]utput\ did\ not\ match\ expected\ format | Error\ parsing\ output
    | LLM-proposed\ evaluation\ | LLM\ does\ not\ propose\ any\ evaluation\ step
    | G-Eval\ (?:\S+\ call\ to\ .*\ returned\ no\ output|steps\ response\ |result\ (?:has|score)\ )
    """,
    re.VERBOSE,
)
"""How a reason begins that promptfoo wrote itself, where the grader gave no verdict: `src/matchers*` of 0.24 to 0.123.
The score beside it is 0; only newer versions mark some of them (`metadata.graderError`)."""
_CALL_FAILED = re.compile(
    r"""(?:[\w.()/-]+\ ){0,4}?(?:API|HTTP|SDK|WebSocket|Webhook|Service|Ollama|AI|agent|call|request|run|tool|workflow)
    (?:\ (?:call|response|post\ response|request|invoke(?:\ model)?|API))?\ (?:error|failed)(?:\ \d+)?\s?[:!]
    | \w*(?:Error|Exception):\s | (?:Request|Call|WebSocket\ request|Run\ polling)\ timed\ out | Timeout\b
    | (?:Rate\ limit|Quota)\ exceeded | Malformed\ response\ data: | Unexpected\ response\ data
    | No\ output\ (?:found|received) | API\ (?:returned|did\ not)\b | (?:\S+\ )?API\ key\ (?:is\ )?not\ set
    | Finish\ reason | Failed\ to\ (?:call|fetch|invoke)\b | Content\ was\ blocked
    """,
    re.VERBOSE,
)
"""How the words of providers begin whose call failed (the fields `error` of `src/providers` of 0.24 to 0.123)."""
_OF_THE_RUN = frozenset({"sessionId", "_conversation"})
"""Variables that promptfoo sets anew in each repetition."""
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
        "evalId",
        "testCaseId",
    }
)
_COMPONENT = frozenset(
    {
        "pass",
        "score",
        "reason",
        "namedScores",
        "namedScoreWeights",
        "tokensUsed",
        "componentResults",
        "assertion",
        "comment",
        "suggestions",
        "metadata",
    }
)
_FILE = frozenset(
    {
        *("evalId", "results", "config", "shareableUrl", "metadata", "vars", "runtimeOptions", "version", "timestamp"),
        *("createdAt", "author", "description", "prompts", "table", "stats", "logs"),
    }
)
"""Of the file, and of its `results` in version 3."""
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
    collector.count_unknown(document, _FILE, "file.")
    collector.count_unknown(results if isinstance(results, dict) else {}, _FILE, "results.")
    if not isinstance(listed, list):
        message = f"results.results is {described(listed)}; expected a list"
        collector.refuse("missing_field", "$.results", message, "Write it with promptfoo eval --output FILE.json.")
        return
    tests = _Tests()
    counting = {
        (_grader(result, component), kind)
        for result in listed
        if isinstance(result, dict)
        for _, component, kind in _components(result)
        if _tokens(component)
    }
    selections: dict[tuple[str, object], list[_Output]] = {}
    graded = 0
    for index, result in enumerate(listed):
        place = f"$.results.results[{index}]"
        if not isinstance(result, dict):
            collector.refuse(
                "wrong_root", place, f"the result is {described(result)}; expected an object", "Write it anew."
            )
            continue
        if "id" in result and collector.is_copy(result):
            collector.leave_out(COPIES, place)
            continue
        collector.count_unknown(result, _KNOWN, "result.")
        grading = result.get("gradingResult")
        collector.count_unknown(grading if isinstance(grading, dict) else {}, _COMPONENT, "gradingResult.")
        if result.get("testIdx") is not None and collector.name(result, "testIdx", place) is None:
            continue
        question = tests.question(result)
        if question is None:
            message = "the result has neither testIdx nor vars, so that its test cannot be told from others"
            collector.refuse("missing_field", place, message, "Write the file anew with a version that keeps them.")
            continue
        system = tests.system(result)
        response = result.get("response")
        text = response.get("output") if isinstance(response, dict) else None
        components = list(_components(result))
        if not components and not any(True for _ in _gradings(result)):
            has_failed = bool(result.get("error"))
            collector.leave_out(f"outputs without a grading{', which ended in an error' if has_failed else ''}", place)
        if unnamed := sum(_kind(part) is None and not _parts(part) for part in _gradings(result)):
            collector.leave_out("gradings that name no assertion", place, unnamed)
        for number_, component, kind in components:
            if kind not in _RATED and kind != _SELECTED:
                collector.leave_out(f"gradings by assertions of the type {printable(kind, 80)}", place)
                continue
            graded += 1
            collector.count_unknown(component, _COMPONENT, "grading.")
            if kind == _SELECTED:
                chosen = component.get("pass") is True
                outputs = selections.setdefault((question, tests.turn(result, question, system, number_)), [])
                texts = _prompt(result), text if isinstance(text, str) else None, _criterion(component)
                outputs.append(_Output(system, _grader(result, component), chosen, *texts, place))
            else:
                score = _score(component, counts_tokens=(_grader(result, component), kind) in counting)
                _read_rating(result, component, score, collector, place, question, system, f"{kind} {number_}", text)
    for (question, _), outputs in selections.items():
        _read_selection(outputs, collector, question)
    if listed and not graded:
        hint = "Use llm-rubric, g-eval, factuality, model-graded-closedqa or select-best."
        collector.refuse(
            "no_rows", "$.results", f"none of the {len(listed):,} results has a grading that is read", hint
        )
    collector.note(
        "A rating is the score of a graded assertion; its judge is the assertion's provider, where one is named. Tests "
        "with the same variables and assertions are one question, asked again."
    )
    collector.note("Of select-best, the best output is compared with each other one, in the order of the outputs.")


@dataclass(slots=True)
class _Tests:
    """Which results are of one test, and of one system, while they are read."""

    _questions: dict[str, str] = field(default_factory=dict)
    """What tells a test apart -> its name: the first index it has."""
    _labels: dict[tuple[str, str], int] = field(default_factory=dict)
    """Provider and label of a prompt -> its number, where the results do not number prompts."""
    _asked: dict[tuple[str, str, str], int] = field(default_factory=dict)

    def question(self, result: Record) -> str | None:
        """The name of a result's test; None where nothing tells it apart."""
        index, known = result.get("testIdx"), result.get("vars")
        has_index = isinstance(index, int) and not isinstance(index, bool)
        variables = known if isinstance(known, dict) else {}
        if not has_index and not variables:
            return None
        stated = {key: value for key, value in variables.items() if key not in _OF_THE_RUN}
        kinds = [(kind, component.get("assertion")) for _, component, kind in _components(result)]
        test = result.get("testCase")
        asserted = test.get("assert") if isinstance(test, dict) else None
        # Without variables only its assertions say what a test is of, and without these only its index.
        said = [stated, asserted or kinds] if stated or asserted or kinds else index
        return self._questions.setdefault(
            json.dumps(said, sort_keys=True, default=str), str(index if has_index else len(self._questions))
        )

    def system(self, result: Record) -> str:
        """Provider and prompt: what promptfoo compares."""
        provider = _provider(result)
        number_ = result.get("promptIdx")
        if not isinstance(number_, int) or isinstance(number_, bool):
            prompt = result.get("prompt")
            label = prompt.get("label", prompt.get("display")) if isinstance(prompt, dict) else ""
            of_provider = sum(known == provider for known, _ in self._labels)
            number_ = self._labels.setdefault((provider, str(label)), of_provider)
        return f"{provider} prompt {number_}"

    def turn(self, result: Record, question: str, system: str, component: str) -> object:
        """Which repetition of its test a result is of: its own index, or how often the system answered before."""
        if isinstance(result.get("testIdx"), int):
            return result["testIdx"], component
        key = question, system, component
        self._asked[key] = self._asked.get(key, 0) + 1
        return self._asked[key], component


def _gradings(result: Record) -> Iterator[object]:
    """Every entry of a result's list of gradings."""
    grading = result.get("gradingResult")
    components = grading.get("componentResults") if isinstance(grading, dict) else None
    yield from components if isinstance(components, list) else []


def _kind(component: object) -> str | None:
    """The type of the assertion that a grading comes from."""
    assertion = component.get("assertion") if isinstance(component, dict) else None
    kind = assertion.get("type") if isinstance(assertion, dict) else None
    return kind if isinstance(kind, str) else None


def _parts(component: object) -> list[object]:
    """The gradings inside the grading of a set."""
    parts = component.get("componentResults") if isinstance(component, dict) else None
    return parts if isinstance(parts, list) else []


def _components(result: Record) -> Iterator[tuple[str, Record, str]]:
    """Place, grading and type of every assertion; of a set its parts.

    They stand beside the set in the same list, in versions before that inside it alone.
    """
    gradings = list(_gradings(result))
    for place, component in enumerate(gradings):
        kind = _kind(component)
        if kind is not None and kind not in _SETS and isinstance(component, dict):
            yield str(place), component, kind
        beside = gradings[place + 1 :] if _parts(component) else []
        for index, part in enumerate(_parts(component)):
            kind = _kind(part)
            if kind is not None and isinstance(part, dict) and part not in beside:
                yield f"{place}.{index}", part, kind


def _provider(result: Record) -> str:
    provider = result.get("provider")
    name = (provider.get("label") or provider.get("id")) if isinstance(provider, dict) else provider
    return str(name or "provider")[:200]


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
    return _grader_name(provider)[:200] or "promptfoo's grader"


def _grader_name(provider: object) -> str:
    """The name in what an assertion calls its provider.

    A text, an object with an id, one such for each kind of call (`text`, `embedding`), or id -> options.

    >>> _grader_name({"text": {"id": "openai:gpt-4o"}}), _grader_name({"openai:gpt-4o": {"config": {}}})
    ('openai:gpt-4o', 'openai:gpt-4o')
    """
    if not isinstance(provider, dict):
        return provider if isinstance(provider, str) else json.dumps(provider, default=str) if provider else ""
    for key in ("label", "id"):
        if isinstance(name := provider.get(key), str) and name:
            return name
    if "text" in provider:
        return _grader_name(provider["text"])
    if len(provider) == 1 and isinstance(next(iter(provider.values())), dict):
        key, options = next(iter(provider.items()))
        return _grader_name({name: options.get(name) for name in ("label", "id")}) or str(key)
    # Whatever this is, it is another grader than one that says something else.
    return json.dumps(provider, sort_keys=True, default=str) if any(provider.values()) else ""


def _criterion(component: Record) -> object:
    """What the grader was told to go by."""
    assertion = component.get("assertion")
    return assertion.get("value") if isinstance(assertion, dict) else None


def _score(component: Record, *, counts_tokens: bool) -> float | None:
    """The grader's score; None where it gave none, and the score is promptfoo's own.

    Args:
        component: A grading.
        counts_tokens: Whether some grading by its grader and of its kind states tokens: one without had no reply.
    """
    metadata, reason = component.get("metadata"), component.get("reason")
    if isinstance(metadata, dict) and metadata.get("graderError"):
        return None
    score = number(component.get("score"))
    if score != 0 or component.get("pass") is True or not isinstance(reason, str):
        return score
    if isinstance(metadata, dict) and metadata.get("renderedGradingPrompt"):
        return score  # stands beside a verdict alone
    is_silent = not _tokens(component) and (counts_tokens or _CALL_FAILED.match(reason))
    return None if is_silent or _FAILED.match(reason) else score


def _tokens(component: object) -> float:
    """How many tokens a grading took, those of a kept reply among them."""
    used = component.get("tokensUsed") if isinstance(component, dict) else None
    counts = map(number, used.values()) if isinstance(used, dict) else ()
    return sum(count for count in counts if count is not None)


def _read_rating(
    result: Record,
    component: Record,
    score: float | None,
    collector: Collector,
    place: str,
    question: str,
    system: str,
    item: str,
    text: object,
) -> None:
    judge = _grader(result, component)
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
            rating=score,
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
