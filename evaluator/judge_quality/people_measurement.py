"""How far a judge agrees with people, beside baselines that only count words or compare embeddings.

What people labelled: how far two sentences mean the same (STS benchmark), which of two systems' answers to a question
are right (EVOUNA), and which prompt a real answer belongs to (AlpacaEval). `people` reads the files.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from evaluator.embeddings.protocol import Embedder, text_cosines
from evaluator.judge_quality.cost import commit
from evaluator.judge_quality.labelled_pairs import LabelledPair
from evaluator.judge_quality.measurement import (
    ACCURACY_THRESHOLD,
    TOP_SCORE,
    accuracy_metric,
    auc,
    auc_metric,
    format_metric,
    spearman,
)
from evaluator.judge_quality.people import (
    ANSWERS,
    QUESTIONS,
    STS_SPLITS,
    AnsweredQuestion,
    LikenessPair,
    PeopleFile,
    PeopleFileError,
    PromptedAnswer,
    Row,
    drawn,
    part_of,
    read_answers,
    read_likeness,
    read_questions,
    same_answer_pairs,
    short_right_answers,
    sts_file,
)
from evaluator.judge_quality.people_values import (
    ENGLISH,
    AnswersGiven,
    Likeness,
    MeasuredFile,
    PeopleFigures,
    PeopleQuality,
    SameAnswer,
    Sample,
)
from evaluator.judge_quality.score_pairs import Pair, pair_of, score_pairs
from evaluator.judges.answers.verdict import answer_probability
from evaluator.judges.prompts import ANSWERS as ANSWERS_RUBRIC
from evaluator.judges.protocol import Judge, JudgeRequest, reads_language
from evaluator.statistics.intervals import MIN_UNITS, FloatArray, draw_blocks, expanded_percentiles, mean_metric
from evaluator.text.content_checks import word_overlap, words
from evaluator.values import MetricValue


def topic_values(scores: Sequence[float], pairs: Sequence[LabelledPair]) -> dict[str, float]:
    """Topic -> pseudo-value of the AUC, T AUC - (T - 1) AUC without the topic; their mean is nearly the AUC.

    An AUC compares pairs of different topics, so that no topic has one of its own; pseudo-values are as good as
    independent values of the topics. Topics without which one label is missing have none; {} where one label is.
    Source: Dorfman, Berbaum and Metz 1992, Investigative Radiology 27(9), for readers of images on shared cases.
    """
    whole = _auc(scores, pairs, without=None)
    topics = sorted({pair.topic for pair in pairs})
    if whole is None:
        return {}
    left_out = {topic: _auc(scores, pairs, without=topic) for topic in topics}
    return {
        topic: len(topics) * whole - (len(topics) - 1) * rest for topic, rest in left_out.items() if rest is not None
    }


def _auc(scores: Sequence[float], pairs: Sequence[LabelledPair], *, without: str | None) -> float | None:
    kept = [(score, pair) for score, pair in zip(scores, pairs, strict=True) if pair.topic != without]
    return auc(
        [score for score, pair in kept if pair.is_equivalent], [score for score, pair in kept if not pair.is_equivalent]
    )


ALL_QUESTIONS = "all"

SHORT_WORDS = 5
"""A right answer of at most so many words is a short one."""

RANK_TOLERANCE = 1e-9
"""A spread of ranks below it is rounding."""

LET_THROUGH = 0.5
"""The probability from which a text counts as an answer."""

SOURCES = (
    "STS benchmark (Cer et al. 2017) with its machine translations (stsb-multi-mt, PhilipMay); EVOUNA (Wang et al. "
    "2023, arXiv 2305.12421) on questions of Natural Questions; outputs in AlpacaEval (tatsu-lab)"
)
BASELINE_NAMES = {
    "word_overlap": "word overlap",
    "new_words": "words beyond the question",
    "cosine_minilm": "MiniLM cosine",
    "cosine_e5": "e5 cosine",
}
"""What the baselines are called."""

NOT_COVERED = (
    "The sentences of the STS benchmark are short, and those but the English ones are machine translations with the "
    "scores of the English pairs. The answered questions are English questions of fact: two right answers may add "
    "different details, and a wrong one of 2023 may be right today. No advice, no long texts beside each other."
)

Scores = list[float | None]
ScorePairs = Callable[[Sequence[Pair], str], Scores]
"""Pairs in one language -> a score 0-5 for each; None = unscored."""

Probabilities = list[float | None]

OnStep = Callable[[str], object]
"""Hears in words what is measured next."""


def ignore_step(words: str) -> None:
    """Leave it to the result."""


# --- what is measured on ---------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class People:
    """The rows that are measured on; a file that is absent has none."""

    likeness: Mapping[str, Mapping[str, Sequence[LikenessPair]]]
    """Split -> language -> pairs."""
    pairs: Sequence[LabelledPair]
    """Two systems' answers to one question each."""
    answers: Sequence[PromptedAnswer]
    short: Sequence[PromptedAnswer]
    files: tuple[MeasuredFile, ...]
    sample: Sample
    faults: tuple[str, ...]
    missing: tuple[str, ...]
    """Names of files that are not in the folder."""


def read_people(folder: Path, sample: Sample) -> People:
    """Read what lies in a folder and draw the sample.

    Raises:
        PeopleFileError: with every file that cannot be read, or where the folder has none of them.
    """
    names = [*map(sts_file, STS_SPLITS), QUESTIONS, ANSWERS]
    present = [name for name in names if (folder / name).is_file()]
    if not present:
        raise PeopleFileError(f"{folder}: expected {', '.join(names)}, found none; `make golden-data` rebuilds them")
    problems: list[str] = []

    def read(name: str, reader: Callable[[], PeopleFile[Row]]) -> PeopleFile[Row] | None:
        if name not in present:
            return None
        try:
            return reader()
        except PeopleFileError as problem:
            problems.append(str(problem))
            return None

    by_split = {split: read(sts_file(split), lambda split=split: read_likeness(folder, split)) for split in STS_SPLITS}  # type: ignore[misc]
    questions = read(QUESTIONS, lambda: read_questions(folder))
    answers = read(ANSWERS, lambda: read_answers(folder))
    if problems:
        raise PeopleFileError("\n".join(problems))
    asked = [row for row in questions.rows if _is_asked(row, sample.questions)] if questions else []
    files = [file for file in (*by_split.values(), questions, answers) if file is not None]
    return People(
        likeness={split: _by_language(file.rows, sample) for split, file in by_split.items() if file is not None},
        pairs=drawn(list(same_answer_pairs(asked)), sample.same_answer, lambda pair: pair.id),
        answers=_drawn_texts(answers.rows, sample.texts) if answers else (),
        short=_drawn_texts(list(short_right_answers(asked, SHORT_WORDS)), sample.texts),
        files=tuple(
            MeasuredFile(name=file.name, sha256=file.sha256, rows=len(file.rows), faults=len(file.faults))
            for file in files
        ),
        sample=sample,
        faults=tuple(fault for file in files for fault in file.faults),
        missing=tuple(name for name in names if name not in present),
    )


def _is_asked(row: AnsweredQuestion, questions: str) -> bool:
    return questions == ALL_QUESTIONS or part_of(row.id) == questions


def _drawn_texts(rows: Sequence[PromptedAnswer], most: int | None) -> list[PromptedAnswer]:
    """At most so many that answer, and so many that do not, in their order."""
    kept = {
        row.id
        for is_answer in (True, False)
        for row in drawn([row for row in rows if row.is_answer is is_answer], most, lambda row: row.id)
    }
    return [row for row in rows if row.id in kept]


def _by_language(rows: Iterable[LikenessPair], sample: Sample) -> dict[str, list[LikenessPair]]:
    by_language: dict[str, list[LikenessPair]] = {}
    for row in rows:
        if sample.languages is None or row.language in sample.languages:
            by_language.setdefault(row.language, []).append(row)
    return {
        language: drawn(pairs, sample.english if language == ENGLISH else sample.other_languages, lambda pair: pair.id)
        for language, pairs in by_language.items()
    }


# --- the measurement -------------------------------------------------------------------------------------------------


def measure_people(
    judge: Judge, people: People, embedder: Embedder | None = None, *, on_step: OnStep = ignore_step
) -> PeopleQuality:
    """Ask a judge about every row and hold what it says against what people said.

    Args:
        judge: Any judge that reads pairs, or says whether a text answers. A kind it is not asked stays unmeasured.
        people: The rows.
        embedder: For the baseline of plain cosine; left out without it.
        on_step: Called before each part, with the seconds since the start.
    """
    step = _timed(on_step)
    figures, by_question = PeopleFigures(), dict[str, float]()
    if "similarity_pair" in judge.kinds:

        def score(pairs: Sequence[Pair], language: str) -> Scores:
            return [row.score for row in score_pairs(pairs, judge, language)]

        figures, by_question = pair_figures(
            score, people, lambda language: reads_language(judge.pin, language), lambda part: step(f"the judge: {part}")
        )
    if "answers" in judge.kinds and (people.answers or people.short):
        step(f"the judge: {len(people.answers) + len(people.short)} texts, does each answer its prompt?")
        figures = figures.model_copy(update={"answers": answers_given(judge, people)})
    baselines: dict[str, PeopleFigures] = {}
    if "similarity_pair" in judge.kinds:
        for name, baseline in baseline_scores(embedder).items():
            step(f"the baseline {name}")
            reads = embedder if name.startswith("cosine") else None
            baselines[name], _ = pair_figures(baseline, people, _reads(reads))
    step("done")
    return PeopleQuality(
        judge=judge.pin,
        measured_on=people.files,
        sample=people.sample,
        figures=figures,
        by_question=by_question,
        baselines=baselines,
        commit=commit(),
    )


def _reads(embedder: Embedder | None) -> Callable[[str], bool]:
    return lambda language: embedder is None or reads_language(embedder.pin, language)


def _timed(on_step: OnStep) -> OnStep:
    began = time.monotonic()
    return lambda words: on_step(f"{time.monotonic() - began:4.0f} s: {words}")


def pair_figures(
    score: ScorePairs, people: People, reads: Callable[[str], bool], step: OnStep = ignore_step
) -> tuple[PeopleFigures, dict[str, float]]:
    """Measure scores of pairs; returns the figures, and what each question adds to the AUC of the same answer."""
    likeness = {}
    for split, by_language in people.likeness.items():
        rated: dict[str, list[tuple[LikenessPair, float | None]]] = {}
        for language, rows in by_language.items():
            if reads(language):
                step(f"{len(rows)} pairs of STS {split} in {language}")
                scores = score([Pair(row.id, row.a, row.b) for row in rows], language)
            else:
                scores = [None] * len(rows)
            rated[language] = list(zip(rows, scores, strict=True))
        likeness[split] = likeness_figures(rated, reads)
    if not people.pairs:
        return PeopleFigures(likeness=likeness), {}
    step(f"{len(people.pairs)} pairs of answers to one question")
    scores = score([pair_of(pair) for pair in people.pairs], ENGLISH)
    same_answer, by_question = same_answer_figures(scores, people.pairs)
    return PeopleFigures(likeness=likeness, same_answer=same_answer), by_question


def likeness_figures(
    rated: Mapping[str, Sequence[tuple[LikenessPair, float | None]]], reads: Callable[[str], bool]
) -> Likeness:
    """Correlate scores with people's, language by language and as the mean of those but English."""
    languages = {
        language: mean_spearman({language: rows})
        if reads(language)
        else MetricValue(value=None, n=0, unscored=len(rows), reason=f"it does not read {language}")
        for language, rows in rated.items()
    }
    others = {language: rows for language, rows in rated.items() if language != ENGLISH and reads(language)}
    return Likeness(languages=languages, others=mean_spearman(others) if others else None)


def mean_spearman(rated: Mapping[str, Sequence[tuple[LikenessPair, float | None]]]) -> MetricValue:
    """Average Spearman's correlation of scores and people's scores over languages; -1..1, higher is better.

    n = scored pairs of all languages. The interval draws pairs with all their translations, 2,000 times, and takes
    expanded percentiles (`intervals`); None with fewer than `MIN_UNITS` pairs.

    Args:
        rated: Language -> pairs with their scores; None = unscored.
    """
    kept = [[(pair, score) for pair, score in rows if score is not None] for rows in rated.values()]
    n = sum(map(len, kept))
    unscored = sum(map(len, rated.values())) - n
    values = [spearman([score for _, score in rows], [pair.score for pair, _ in rows]) for rows in kept]
    known = [value for value in values if value is not None]
    if not known or len(known) < len(values):
        return MetricValue(value=None, n=n, unscored=unscored, reason="scores or labels do not vary")
    numbers = sorted({pair.number for rows in kept for pair, _ in rows})
    value = sum(known) / len(known)
    if len(numbers) < MIN_UNITS:
        return MetricValue(value=round(value, 6), n=n, unscored=unscored)
    place = {number: index for index, number in enumerate(numbers)}
    columns = [
        (
            np.array([place[pair.number] for pair, _ in rows]),
            np.array([score for _, score in rows]),
            np.array([pair.score for pair, _ in rows]),
        )
        for rows in kept
    ]
    draws = np.concatenate(
        [
            np.mean([resampled_spearman(counts[:, where], scores, labels) for where, scores, labels in columns], axis=0)
            for counts in draw_blocks(len(numbers))
        ]
    )
    low, high = expanded_percentiles(draws[~np.isnan(draws)], len(numbers))
    return MetricValue(value=round(value, 6), low=round(low, 6), high=round(high, 6), n=n, unscored=unscored)


def resampled_spearman(counts: FloatArray, scores: FloatArray, labels: FloatArray) -> FloatArray:
    """Spearman's correlation of each draw, shape (draws,); NaN where a draw holds one score or label only.

    Equal to the correlation of rows repeated as often as they were drawn, mean ranks for ties.

    Args:
        counts: How often each draw holds each row, shape (draws, rows).
        scores: One per row.
        labels: One per row.

    >>> resampled_spearman(np.ones((1, 4)), np.array([0.5, 1.5, 2.5, 3.5]), np.array([0.0, 1.0, 3.0, 2.0])).round(3)
    array([0.8])
    """
    size = counts.sum(axis=1)
    first, second = _drawn_ranks(counts, scores), _drawn_ranks(counts, labels)
    mean = (size + 1) / 2
    covariance = (counts * first * second).sum(axis=1) / size - mean**2
    variances = [(counts * ranks**2).sum(axis=1) / size - mean**2 for ranks in (first, second)]
    spread = np.sqrt(np.maximum(variances[0], 0.0) * np.maximum(variances[1], 0.0))
    undefined = np.full_like(covariance, np.nan)
    return np.asarray(np.divide(covariance, spread, out=undefined, where=spread > RANK_TOLERANCE))


def _drawn_ranks(counts: FloatArray, values: FloatArray) -> FloatArray:
    """The mean rank of each row's value among the rows of each draw."""
    _, group = np.unique(values, return_inverse=True)
    order = np.argsort(group, kind="stable")
    starts = np.searchsorted(group[order], np.arange(group.max() + 1))
    sizes = np.add.reduceat(counts[:, order], starts, axis=1)
    return np.asarray((np.cumsum(sizes, axis=1) - (sizes - 1) / 2)[:, group])


def same_answer_figures(
    scores: Sequence[float | None], pairs: Sequence[LabelledPair]
) -> tuple[SameAnswer, dict[str, float]]:
    """Tell how well scores separate pairs of right answers from pairs with a wrong one; intervals over questions."""
    kept = [(score, pair) for score, pair in zip(scores, pairs, strict=True) if score is not None]
    known, known_pairs = [score for score, _ in kept], [pair for _, pair in kept]
    unscored = {"unscored": len(pairs) - len(kept)}
    figures = SameAnswer(
        auc=auc_metric(known, known_pairs).model_copy(update=unscored),
        accuracy=accuracy_metric(known, known_pairs).model_copy(update=unscored),
    )
    return figures, {question: round(value, 4) for question, value in topic_values(known, known_pairs).items()}


def measure_gate(judge: Judge, people: People) -> PeopleQuality:
    """Ask alone whether texts answer their prompts; the figures are those of whoever says so (`gate_pin`)."""
    figures = PeopleFigures(answers=answers_given(judge, people))
    return PeopleQuality(
        judge=judge.gate_pin, measured_on=people.files, sample=people.sample, figures=figures, commit=commit()
    )


def answers_given(judge: Judge, people: People) -> AnswersGiven:
    """Ask whether each text answers its prompt, and count what is let through; intervals over prompts."""
    rows = [*people.answers, *people.short]
    requests = [JudgeRequest(ANSWERS_RUBRIC, {"prompt_1": row.prompt, "answer": row.text}, ENGLISH) for row in rows]
    probabilities = [answer_probability(judgment) for judgment in judge.judge(requests)]
    asked, short = probabilities[: len(people.answers)], probabilities[len(people.answers) :]
    return AnswersGiven(
        real=_let_through([(row, p) for row, p in zip(people.answers, asked, strict=True) if row.is_answer]),
        other_prompt=_let_through(
            [(row, p) for row, p in zip(people.answers, asked, strict=True) if not row.is_answer]
        ),
        short=_let_through(list(zip(people.short, short, strict=True))),
    )


def _let_through(rows: Sequence[tuple[PromptedAnswer, float | None]]) -> MetricValue:
    by_prompt: dict[str, list[float]] = {}
    for row, probability in rows:
        if probability is not None:
            by_prompt.setdefault(row.prompt, []).append(float(probability >= LET_THROUGH))
    unscored = sum(probability is None for _, probability in rows)
    return mean_metric(by_prompt, unscored=unscored, reason="no text was judged")


# --- baselines -------------------------------------------------------------------------------------------------------


def baseline_scores(embedder: Embedder | None = None) -> dict[str, ScorePairs]:
    """Return what a judge has to beat: words in common, words beyond the question, and cosine, each times 5."""
    baselines: dict[str, ScorePairs] = {
        "word_overlap": lambda pairs, _: [TOP_SCORE * word_overlap(pair.a, pair.b) for pair in pairs],
        "new_words": lambda pairs, _: [
            TOP_SCORE * shared_new_words(pair.prompt_a or "", pair.a, pair.b) for pair in pairs
        ],
    }
    if embedder is None:
        return baselines

    def cosines(pairs: Sequence[Pair], _: str) -> Scores:
        return [round(TOP_SCORE * cosine, 6) for cosine in text_cosines(embedder, [(pair.a, pair.b) for pair in pairs])]

    return {**baselines, f"cosine_{embedder.pin.name}": cosines}


def shared_new_words(question: str, first: str, second: str) -> float:
    """Share of the words beyond the question that two answers share, of the answer with fewer of them; 0-1.

    An answer that says nothing beyond the question shares nothing: 0.

    >>> shared_new_words("who wrote Emma", "Jane Austen", "Emma was written by Jane Austen")
    1.0
    >>> shared_new_words("who wrote Emma", "Emma", "Jane Austen")
    0.0
    """
    asked = set(words(question))
    new, new_too = set(words(first)) - asked, set(words(second)) - asked
    fewest = min(len(new), len(new_too))
    return len(new & new_too) / fewest if fewest else 0.0


# --- as people read it -----------------------------------------------------------------------------------------------


def people_text(quality: PeopleQuality, people: People) -> str:
    """Write the figures as a Markdown table, with what they were measured on and what was left out."""
    sample = people.sample
    said = [f"{file.name}: {file.rows} rows, {file.faults} left out" for file in people.files]
    said += [f"{name}: not in the folder, not measured" for name in people.missing]
    said += people.faults
    if sample.languages is not None:
        said.append(f"languages of STS: {', '.join(sample.languages)}")
    if sample.texts is not None:
        said.append(f"drawn by hash: {sample.texts} texts of each kind that answer a prompt or do not")
    said.append(
        f"drawn by hash: {sample.english or 'all'} English pairs of STS, {sample.other_languages or 'all'} of every "
        f"other language, {sample.same_answer or 'all'} pairs of answers to questions that are {sample.questions}"
    )
    return "\n".join([people_table([quality]), "", *said, "", f"Source: {SOURCES}.", NOT_COVERED])


def people_table(qualities: Sequence[PeopleQuality]) -> str:
    """Write a line for each figure as Markdown: the most pairs scored, a column for each judge and each baseline."""
    columns = {quality.judge.name: quality.figures for quality in qualities}
    for quality in qualities:
        columns |= {BASELINE_NAMES.get(name, name): figures for name, figures in quality.baselines.items()}
    named = {name: named_figures(figures) for name, figures in columns.items()}
    lines = [f"| agreement with people | n | {' | '.join(named)} |", "|---" * (len(named) + 2) + "|"]
    for figure in dict.fromkeys(figure for figures in named.values() for figure in figures):
        metrics = [figures.get(figure) for figures in named.values()]
        n = max(metric.n for metric in metrics if metric)
        cells = ["–" if metric is None else format_metric(metric) for metric in metrics]
        lines.append(f"| {figure} | {n:,} | {' | '.join(cells)} |")
    return "\n".join(lines)


def named_figures(figures: PeopleFigures) -> dict[str, MetricValue]:
    """Name every figure as a person reads it."""
    named: dict[str, MetricValue] = {}
    if figures.same_answer:
        named["same answer: AUC"] = figures.same_answer.auc
        named[f"same answer: accuracy at {ACCURACY_THRESHOLD:g}"] = figures.same_answer.accuracy
    for split, likeness in figures.likeness.items():
        languages = dict(likeness.languages)
        if ENGLISH in languages:
            named[f"STS {split}, English"] = languages.pop(ENGLISH)
        if languages:
            none = MetricValue(value=None, n=0, reason="no other language is read")
            named[f"STS {split}, mean of the others"] = likeness.others or none
        named |= {f"STS {split}, {language}": value for language, value in languages.items()}
    if figures.answers:
        named["real answers let through"] = figures.answers.real
        named["answers to another prompt let through"] = figures.answers.other_prompt
        named["short right answers let through"] = figures.answers.short
    return named
