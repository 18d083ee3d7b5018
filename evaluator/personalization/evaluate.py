"""The Personalization board: from answers with and without preferences to what the preferences cost."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import NamedTuple

from evaluator.judges.protocol import JudgeRequest, Judgment, RequestKind
from evaluator.judges.recorded import RecordedJudge
from evaluator.personalization.answer_extraction import FOR_THE_JUDGE, extract_answer
from evaluator.personalization.bootstrap import is_judged_setting
from evaluator.personalization.figures import (
    FULL,
    GroupFigures,
    Profile,
    group_figures,
    outcome,
    paired_method_difference,
    parse_aligner,
    preference_figures,
)
from evaluator.personalization.judging import (
    AnswerRequest,
    FollowedRating,
    chosen_letter,
    followed_rating,
    followed_request,
    letter_request,
    written_followed_request,
    written_letter,
    written_letter_request,
    written_rating,
)
from evaluator.personalization.outcome_rows import OutcomeRow
from evaluator.results import (
    MethodDifference,
    PersonalizationGroup,
    PersonalizationResult,
    PersonalizedOutcomes,
    PreferenceFigures,
)
from evaluator.statistics.version import STATISTICS_VERSION
from evaluator.values import MetricValue
from submissions.formats.personalization.submission import (
    NAIVE,
    PREF_ALIGNER,
    ExampleId,
    PersonalizedRow,
    PersonalizedSubmission,
    Setting,
)
from submissions.version import VERSION

NEEDS_LANGUAGE_MODEL = "needs a language-model judge"
"""Why preferences are not judged by a judge that only compares texts."""
QUESTION_SHOWN = 60
"""Characters of a question that say where a submission stands."""
BY_JUDGE = "judge"
"""The rule of a letter that the judge named."""

PREFERENCE_CHARACTERS = 160
"""Of a preference, in the figures by preference."""
MOST_PREFERENCES = 40
"""Figures by preference are kept for the most frequent ones of each group."""
_DIGEST_DIGITS = 12
_NOT_SAID = (None, "unknown")
"""Finish reasons that do not say whether an answer was cut."""


class CannotWrite(Exception):
    """Raised when a profile needs written replies and the judge gives none."""


def evaluate_personalization(
    submission: PersonalizedSubmission, judge: RecordedJudge, *, profile: Profile = "recommended"
) -> PersonalizationResult:
    """The result of one file.

    Letters are found by rules; what they leave open is put to the judge, if it reads such questions, and is no letter
    (so the answer is wrong) if it does not. How well preferences are followed is judged on every answer under a
    relevant preference, never on controls. A verdict already stored is not asked for again.
    Figures: docs/personalization.md#the-four-metrics and after.

    Args:
        submission: What was answered.
        judge: Who is asked.
        profile: `perg` repeats the published implementation, for comparison: every letter and rating is read off what
            the judge writes, without rules; never ranked.

    Raises:
        CannotWrite: the profile `perg` with a judge that writes nothing.
    """
    if profile == "perg":
        if "written" not in judge.judge.kinds:
            raise CannotWrite(f"the profile perg {NEEDS_LANGUAGE_MODEL}: {judge.judge.pin.name} writes no replies")
        letters, followed = _written_letters(submission, judge), _followed(submission, judge, PERG)
    else:
        letters, followed = _letters(submission, judge), _followed(submission, judge, RECOMMENDED)
    answers = _answers(submission, letters, followed)
    judge_reason = None if profile == "perg" or "followed" in judge.judge.kinds else NEEDS_LANGUAGE_MODEL
    groups = _groups(answers, judge_reason)
    return PersonalizationResult(
        profile=profile,
        file_sha256=submission.file_sha256,
        judge=judge.judge.pin,
        judge_reason=judge_reason,
        code_version=VERSION,
        statistics_version=STATISTICS_VERSION,
        groups=groups,
        by_preference=_by_preference(answers),
        aligner_differences=_aligner_differences(answers),
        outcomes=_columns(answers),
    )


# --- letters ---------------------------------------------------------------------------------------------------------


class AnswerText(NamedTuple):
    """An answer with what it answers: the same text to the same question always has the same letter."""

    question: str
    options: tuple[str, ...]
    text: str


class FoundLetter(NamedTuple):
    """The option an answer settles on, and how that was found."""

    letter: str | None
    rule: str | None
    """None for open questions."""
    is_cut: bool = False
    """The judge was asked and did not see the whole text."""
    key: str | None = None
    """Verdict key, where the judge was asked."""


_OPEN_QUESTION = FoundLetter(None, None)


def _letters(submission: PersonalizedSubmission, judge: RecordedJudge) -> dict[AnswerText, FoundLetter]:
    """The letter of every text of the file."""
    letters: dict[AnswerText, FoundLetter] = {}
    open_texts: list[AnswerText] = []
    for row in submission.rows:
        for answer in dict.fromkeys(_answer(row, text) for text in (row.response_without_preference, row.final)):
            if answer in letters:
                continue
            letter, rule = extract_answer(answer.text, answer.options) if answer.options else _OPEN_QUESTION[:2]
            letters[answer] = FoundLetter(letter, rule)
            if rule in FOR_THE_JUDGE and row.gold is not None:
                open_texts.append(answer)
    return letters | _judged_letters(open_texts, judge)


def _answer(row: PersonalizedRow, text: str | None) -> AnswerText:
    return AnswerText(row.question, row.options, text or "")


def _judged_letters(texts: Sequence[AnswerText], judge: RecordedJudge) -> dict[AnswerText, FoundLetter]:
    """What the judge says of texts that no rule settles; nothing where it finds none."""
    if "answer_letter" not in judge.judge.kinds:
        return {}
    asked = [letter_request(question=text.question, options=text.options, answer=text.text) for text in texts]
    verdicts = judge.verdicts([_placed(request.request) for request in asked])
    letters: dict[AnswerText, FoundLetter] = {}
    for text, request, verdict in zip(texts, asked, verdicts, strict=True):
        letter = chosen_letter(verdict.judgment, len(text.options))
        rule = BY_JUDGE if letter else extract_answer(text.text, text.options)[1]
        letters[text] = FoundLetter(letter, rule, bool(request.cut), verdict.key)
    return letters


def _row_words(row: PersonalizedRow) -> str:
    return f"example {row.example_id}, {row.setting}, {row.method}"


def _placed(request: JudgeRequest) -> JudgeRequest:
    """Many rows may have the same text: its question says best where it comes from."""
    return replace(request, place=f"an answer to “{' '.join(request.fields['question'][:QUESTION_SHOWN].split())}”")


def _written_letters(submission: PersonalizedSubmission, judge: RecordedJudge) -> dict[AnswerText, FoundLetter]:
    """The letter of every text as the judge writes it, without rules (profile `perg`)."""
    texts = dict.fromkeys(
        _answer(row, text) for row in submission.rows for text in (row.response_without_preference, row.final)
    )
    asked = {
        text: written_letter_request(question=text.question, options=text.options, answer=text.text)
        for text in texts
        if text.options
    }
    verdicts = judge.verdicts([_placed(request.request) for request in asked.values()])
    letters = {
        text: FoundLetter(written_letter(verdict.judgment, len(text.options)), BY_JUDGE, bool(request.cut), verdict.key)
        for (text, request), verdict in zip(asked.items(), verdicts, strict=True)
    }
    return dict.fromkeys(texts, _OPEN_QUESTION) | letters


# --- following the preference ----------------------------------------------------------------------------------------


class JudgedRow(NamedTuple):
    """What the judge said of one answer under preferences."""

    rating: FollowedRating
    is_cut: bool
    key: str
    """Verdict key."""


class RatingForm(NamedTuple):
    """How a rating is asked for, and how it is read."""

    kind: RequestKind
    request: Callable[..., AnswerRequest]
    rating: Callable[[Judgment], FollowedRating]


RECOMMENDED = RatingForm("followed", followed_request, followed_rating)
PERG = RatingForm("written", written_followed_request, written_rating)


def _followed(submission: PersonalizedSubmission, judge: RecordedJudge, form: RatingForm) -> dict[int, JudgedRow]:
    """Row of the file -> how well its answer follows the relevant preference; nothing for a judge that cannot say."""
    if form.kind not in judge.judge.kinds:
        return {}
    judged = {
        place: form.request(
            question=row.question,
            options=row.options,
            preference=preference,
            control=row.response_without_preference or "",
            answer=row.final,
        )
        for place, row in enumerate(submission.rows)
        if is_judged_setting(row.setting) and (preference := row.relevant_preference) is not None
    }
    verdicts = judge.verdicts(
        [replace(request.request, place=_row_words(submission.rows[place])) for place, request in judged.items()]
    )
    return {
        place: JudgedRow(form.rating(verdict.judgment), bool(request.cut), verdict.key)
        for (place, request), verdict in zip(judged.items(), verdicts, strict=True)
    }


# --- one answer ------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Answer:
    """One row of the file with everything that was found about it."""

    place: int
    row: PersonalizedRow
    found: FoundLetter
    control: FoundLetter
    repeat: FoundLetter | None
    """Of another control run."""
    judged: JudgedRow | None

    @property
    def c0(self) -> bool | None:
        return self._is_right(self.control)

    @property
    def c1(self) -> bool | None:
        return self._is_right(self.found)

    @property
    def repeat_c0(self) -> bool | None:
        return None if self.repeat is None else self._is_right(self.repeat)

    def _is_right(self, letter: FoundLetter) -> bool | None:
        return None if self.row.gold is None else letter.letter == self.row.gold

    @property
    def rating(self) -> float | None:
        return self.judged.rating.rating if self.judged else None

    @property
    def is_unparsable(self) -> bool:
        return self.judged is not None and self.judged.rating.is_unparsable

    @property
    def is_cut(self) -> bool:
        return self.found.is_cut or self.control.is_cut or (self.judged is not None and self.judged.is_cut)

    @property
    def is_unchanged(self) -> bool | None:
        """The final text equals the draft, or the control where there is no draft, white space ignored."""
        if self.row.is_control:
            return None
        before = self.row.draft if self.row.draft is not None else self.row.response_without_preference
        return None if before is None else _without_blanks(before) == _without_blanks(self.row.final)

    @property
    def is_fallback(self) -> bool | None:
        """Stage 2 was unreadable: by its reply where the file has it, else as the file says."""
        if self.row.method != PREF_ALIGNER:
            return None
        return self.row.fallback if self.row.aligner_raw is None else parse_aligner(self.row.aligner_raw) is None

    @property
    def outcome_row(self) -> OutcomeRow:
        """The row as the metrics read it."""
        has_letters = bool(self.row.options)
        return OutcomeRow(
            example_id=self.row.example_id,
            dataset=self.row.dataset,
            setting=self.row.setting,
            correct_no_pref=self.c0,
            correct_pref=self.c1,
            method=self.row.method,
            pref_id=self.row.relevant_preference,
            rating=self.rating,
            unparsable=self.is_unparsable,
            correct_no_pref_repeat=self.repeat_c0,
            unchanged=self.is_unchanged,
            fallback=self.is_fallback,
            invalid_no_pref=self.control.letter is None if has_letters else None,
            invalid_pref=self.found.letter is None if has_letters else None,
        )


def _without_blanks(text: str) -> str:
    return "".join(text.split())


def _answers(
    submission: PersonalizedSubmission,
    letters: Mapping[AnswerText, FoundLetter],
    followed: Mapping[int, JudgedRow],
) -> list[_Answer]:
    """Every row but the further control runs, in file order."""
    repeats = _repeats(submission)
    return [
        _Answer(
            place=place,
            row=row,
            found=letters[_answer(row, row.final)],
            control=letters[_answer(row, row.response_without_preference)],
            repeat=letters[repeats[row.example]] if row.example in repeats else None,
            judged=followed.get(place),
        )
        for place, row in enumerate(submission.rows)
        if row.repeat == 1
    ]


def _repeats(submission: PersonalizedSubmission) -> dict[ExampleId, AnswerText]:
    """The second control run of every example that has one."""
    further = sorted((row for row in submission.rows if row.repeat > 1), key=lambda row: row.repeat, reverse=True)
    return {row.example: _answer(row, row.final) for row in further}


# --- groups ----------------------------------------------------------------------------------------------------------

GroupKey = tuple[str, Setting, str]
"""Method, setting, data set (or `full`)."""


def _groups(answers: Sequence[_Answer], judge_reason: str | None) -> tuple[PersonalizationGroup, ...]:
    members: defaultdict[GroupKey, list[_Answer]] = defaultdict(list)
    for answer in answers:
        for dataset in (answer.row.dataset, FULL):
            members[answer.row.method, answer.row.setting, dataset].append(answer)
    figures = group_figures(answer.outcome_row for answer in answers)
    return tuple(_group(group, members[_key(group)], judge_reason) for group in figures)


def _key(figures: GroupFigures) -> GroupKey:
    method, dataset = figures["method"], figures["dataset"]
    assert method is not None  # both are required in every row of a file
    assert dataset is not None
    return (method, figures["setting"], dataset)


def _group(figures: GroupFigures, answers: Sequence[_Answer], judge_reason: str | None) -> PersonalizationGroup:
    method, setting, dataset = _key(figures)
    rows = [answer.row for answer in answers]
    judged = [answer for answer in answers if answer.judged is not None]
    rules = Counter(answer.found.rule for answer in answers if answer.found.rule is not None)
    return PersonalizationGroup(
        method=method,
        dataset=dataset,
        setting=setting,
        datasets=tuple(sorted({row.dataset for row in rows})),
        n_rows=len(answers),
        n=figures["n"],
        n_qstar=figures["n_qstar"],
        n_no_gold=figures["n_no_gold"],
        n_unjudged=figures["n_unjudged"],
        n_rating_unparsable=figures["n_rating_unparsable"],
        n_cut=sum(answer.is_cut for answer in answers),
        rankable=figures["rankable"],
        metrics=_metrics(figures, judge_reason),
        shares={
            "acc_no_pref": figures["acc_no_pref"],
            "acc_pref": figures["acc_pref"],
            "invalid_no_pref": _share(answer.control.letter is None for answer in answers if answer.row.options),
            "invalid_pref": _share(answer.found.letter is None for answer in answers if answer.row.options),
            "unparsable": _share(answer.is_unparsable for answer in judged),
            "truncated": _share(row.finish_reason == "length" for row in rows if row.finish_reason not in _NOT_SAID),
            "unchanged_rate": figures["unchanged_rate"],
            "fallback_rate": figures["fallback_rate"],
        },
        rules={rule: count / rules.total() for rule, count in sorted(rules.items())},
        mean_rating=_mean([answer.rating for answer in judged], judge_reason or "nothing was judged"),
        reported_rating=_mean([row.followed_rating for row in rows], "the file states no ratings"),
    )


def _share(flags: Iterable[bool]) -> float | None:
    known = list(flags)
    return sum(known) / len(known) if known else None


def _mean(ratings: Sequence[float | None], reason: str) -> MetricValue:
    known = [rating for rating in ratings if rating is not None]
    if not known:
        return MetricValue(value=None, n=0, unscored=len(ratings), reason=reason)
    return MetricValue(value=fmean(known), n=len(known), unscored=len(ratings) - len(known))


def _metrics(figures: GroupFigures, judge_reason: str | None) -> dict[str, MetricValue]:
    """The metrics with their intervals, and why one is missing."""
    no_qstar = None if figures["n_qstar"] else "no control is right"
    is_judged = is_judged_setting(figures["setting"])
    unjudged = (judge_reason or "a row with a right control was never judged") if is_judged else None
    no_preference = None if is_judged else "no preference is relevant"
    no_repeat = "no repeat run" if not figures["n_qstar_repeat"] else None
    qstar, repeated = figures["n_qstar"], figures["n_qstar_repeat"]

    def metric(name: str, value: float | None, n: int, reason: str | None, unscored: int = 0) -> MetricValue:
        low, high = figures["ci"].get(name) or (None, None)
        return MetricValue(
            value=value, low=low, high=high, n=n, unscored=unscored, reason=reason if value is None else None
        )

    return {
        "breakage_rate": metric("breakage_rate", figures["breakage_rate"], qstar, no_qstar),
        "alignment_failure": metric(
            "alignment_failure",
            figures["alignment_failure"],
            qstar,
            no_preference or no_qstar or unjudged,
            figures["n_unjudged"],
        ),
        "robustness_error": metric(
            "robustness_error", figures["robustness_error"], qstar, no_qstar or unjudged, figures["n_unjudged"]
        ),
        "performance_variation": metric(
            "performance_variation", figures["performance_variation"], figures["n"], "no answer is right"
        ),
        "repeat_breakage": metric("repeat_breakage", figures["repeat_breakage"], repeated, no_repeat),
        "excess_breakage": metric("excess_breakage", figures["excess_breakage"], repeated, no_repeat),
    }


# --- comparisons inside the file -------------------------------------------------------------------------------------


def _grouped(answers: Iterable[_Answer]) -> dict[GroupKey, list[OutcomeRow]]:
    groups: defaultdict[GroupKey, list[OutcomeRow]] = defaultdict(list)
    for answer in answers:
        groups[answer.row.method, answer.row.setting, answer.row.dataset].append(answer.outcome_row)
    return groups


def _by_preference(answers: Sequence[_Answer]) -> tuple[PreferenceFigures, ...]:
    """The most frequent relevant preferences of every group, by name."""
    figures: list[PreferenceFigures] = []
    for (method, setting, dataset), rows in sorted(_grouped(answers).items()):
        if not is_judged_setting(setting):
            continue
        kept = {name for name, _ in Counter(row.pref_id for row in rows).most_common(MOST_PREFERENCES)}
        cells = preference_figures(row for row in rows if row.pref_id in kept)
        figures += [
            PreferenceFigures(
                method=method,
                dataset=dataset,
                setting=setting,
                preference=_beginning(preference or ""),
                n_qstar=cell["n_qstar"],
                breakage_rate=cell["breakage_rate"],
                alignment_failure=cell["alignment_failure"],
                robustness_error=cell["robustness_error"],
            )
            for (_, preference), cell in sorted(cells.items(), key=lambda pair: pair[0][1] or "")
        ]
    return tuple(figures)


def _beginning(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= PREFERENCE_CHARACTERS else f"{line[: PREFERENCE_CHARACTERS - 1]}…"


def _aligner_differences(answers: Sequence[_Answer]) -> tuple[MethodDifference, ...]:
    """Pref-Aligner minus the plain prompt wherever the file has both, also over the data sets pooled."""
    groups: defaultdict[GroupKey, list[OutcomeRow]] = defaultdict(list)
    for (method, setting, dataset), rows in _grouped(answers).items():
        groups[method, setting, dataset] += rows
        groups[method, setting, FULL] += rows
    method_differences: list[MethodDifference] = []
    for (method, setting, dataset), aligned in sorted(groups.items()):
        plain = groups.get((NAIVE, setting, dataset))
        if method != PREF_ALIGNER or not plain:
            continue
        differences = paired_method_difference(aligned, plain)
        method_differences.append(
            MethodDifference(
                dataset=dataset, setting=setting, metrics={str(key): differences[key] for key in differences}
            )
        )
    return tuple(method_differences)


# --- rows ------------------------------------------------------------------------------------------------------------


def _columns(answers: Sequence[_Answer]) -> PersonalizedOutcomes:
    return PersonalizedOutcomes(
        row=tuple(answer.place for answer in answers),
        example=tuple(answer.row.example_id for answer in answers),
        question=tuple(_question_digest(answer.row) for answer in answers),
        dataset=tuple(answer.row.dataset for answer in answers),
        setting=tuple(answer.row.setting for answer in answers),
        method=tuple(answer.row.method for answer in answers),
        gold=tuple(answer.row.gold for answer in answers),
        letter=tuple(answer.found.letter for answer in answers),
        rule=tuple(answer.found.rule for answer in answers),
        control_letter=tuple(answer.control.letter for answer in answers),
        control_rule=tuple(answer.control.rule for answer in answers),
        c0=tuple(answer.c0 for answer in answers),
        c1=tuple(answer.c1 for answer in answers),
        repeat_c0=tuple(answer.repeat_c0 for answer in answers),
        rating=tuple(answer.rating for answer in answers),
        distribution=tuple(answer.judged.rating.distribution if answer.judged else None for answer in answers),
        label_mass=tuple(answer.judged.rating.label_mass if answer.judged else None for answer in answers),
        unparsable=tuple(answer.is_unparsable for answer in answers),
        unchanged=tuple(answer.is_unchanged for answer in answers),
        fallback=tuple(answer.is_fallback for answer in answers),
        cut=tuple(answer.is_cut for answer in answers),
        outcome=tuple(_outcome(answer) for answer in answers),
        letter_key=tuple(answer.found.key for answer in answers),
        control_key=tuple(answer.control.key for answer in answers),
        repeat_key=tuple(answer.repeat.key if answer.repeat else None for answer in answers),
        rating_key=tuple(answer.judged.key if answer.judged else None for answer in answers),
    )


def _question_digest(row: PersonalizedRow) -> str:
    text = json.dumps([row.question, row.options], ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_DIGITS]


def _outcome(answer: _Answer) -> str:
    return outcome(answer.c0, answer.c1, answer.outcome_row.is_followed(), answer.row.setting)


def outcome_rows(outcomes: PersonalizedOutcomes) -> list[OutcomeRow]:
    """The rows of a stored result as the metrics read them; the unit is the question as asked, in any file."""
    return [
        OutcomeRow(
            example_id=f"{outcomes.example[place]} {outcomes.question[place]}",
            dataset=outcomes.dataset[place],
            setting=outcomes.setting[place],
            correct_no_pref=outcomes.c0[place],
            correct_pref=outcomes.c1[place],
            method=outcomes.method[place],
            rating=outcomes.rating[place],
            unparsable=outcomes.unparsable[place],
            correct_no_pref_repeat=outcomes.repeat_c0[place],
            unchanged=outcomes.unchanged[place],
            fallback=outcomes.fallback[place],
        )
        for place in range(len(outcomes.row))
    ]
