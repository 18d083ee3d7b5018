"""FastChat's MT-bench judgments (`gen_judgment.py`): pairs judged in both orders, and ratings of one answer.

Source of the fields: FastChat, `fastchat/llm_judge/common.py`, `play_a_match_pair` and `play_a_match_single`.
"""

from __future__ import annotations

from collections.abc import Sequence

from evaluator.judge_logs.judgements import Collector, Judgement, Record, length, names_other, number
from evaluator.judge_logs.label_sample import Scale, Texts, texts_of
from evaluator.judge_logs.opened import Opened
from submissions.reading.quoting import described
from submissions.verdicts.swap_outcomes import Verdict

_COMMON = frozenset({"question_id", "judge", "turn", "tstamp"})
_PAIR = _COMMON | {
    "model_1",
    "model_2",
    "g1_winner",
    "g2_winner",
    "g1_user_prompt",
    "g1_judgment",
    "g2_user_prompt",
    "g2_judgment",
}
_SINGLE = _COMMON | {"model", "user_prompt", "judgment", "score"}
_WINNERS = ("model_1", "model_2", "tie", "error")
_PROMPTS = {
    f"{kind}{turns}": prompt
    for prompt, kinds in (("pair-v2", ("pair-v2", "pair-math-v1")), ("single-v1", ("single-v1", "single-math-v1")))
    for kind in kinds
    for turns in ("", "-multi-turn")
}
"""MT-bench asks one judge by four prompts, chosen by category and turn; FastChat's figures are of all of them."""
_NO_SCORE = -1
"""What FastChat writes where it found no rating in the reply."""
_SCALE = Scale(1, 10)
"""Of MT-bench's prompts."""
_SECOND_TURN = "\n\n[Second turn]\n"


def read(file: Opened, collector: Collector) -> None:
    """Every game of every line, and every rating."""
    for place, record in file.records:
        question, judge = collector.name(record, "question_id", place), _judge(record, collector, place)
        turn = str(record.get("turn", 1))[:20]
        if question is None or judge is None:
            continue
        if "score" in record:
            _read_single(record, collector, place, question, judge, turn)
        else:
            _read_pair(record, collector, place, question, judge, turn)
    collector.note(
        "A judge's name is its model and its prompt; MT-bench's prompts for math, reasoning and coding and for second "
        "turns count as pair-v2 or single-v1, as in FastChat's own figures."
    )


def judge_name(parts: Sequence[str]) -> str:
    """Model and prompt as one name.

    >>> judge_name(["gpt-4", "pair-math-v1-multi-turn"]), judge_name(["gpt-4", "my-prompt"])
    ('gpt-4 pair-v2', 'gpt-4 my-prompt')
    """
    return " ".join(_PROMPTS.get(part, part) for part in parts)


def _judge(record: Record, collector: Collector, place: str) -> str | None:
    judge = record.get("judge")
    if isinstance(judge, list) and judge and all(isinstance(part, str) and part for part in judge):
        return collector.name({"judge": judge_name(judge)}, "judge", place)
    return collector.name(record, "judge", place)


def _read_single(record: Record, collector: Collector, place: str, question: str, judge: str, turn: str) -> None:
    collector.count_unknown(record, _SINGLE)
    collector.scale = _SCALE
    model, score = collector.name(record, "model", place), number(record.get("score"))
    if score is None:
        hint = "A reply without a rating has the score -1."
        collector.refuse("missing_field", place, f"score is {described(record.get('score'))}; expected a number", hint)
    if model is None or score is None:
        return
    repetition = collector.repetition(judge, question, turn, (model,), place)
    if repetition is not None:
        collector.add(
            Judgement(
                judge=judge,
                question=question,
                item=f"turn {turn}",
                systems=(model,),
                rating=None if score == _NO_SCORE else score,
                repetition=repetition,
                lengths=(length(_shown(record.get("user_prompt"), "Assistant")),),
                place=place,
            ),
            _rated_texts(record.get("user_prompt")),
        )


def _read_pair(record: Record, collector: Collector, place: str, question: str, judge: str, turn: str) -> None:
    collector.count_unknown(record, _PAIR)
    first, second = collector.name(record, "model_1", place), collector.name(record, "model_2", place)
    if first is None or second is None:
        return
    games = (("g1", (first, second)), ("g2", (second, first)))
    for game, systems in games:
        winner = record.get(f"{game}_winner")
        if winner is None and game == "g2":
            continue  # one order only
        if winner not in _WINNERS:
            message = f"{game}_winner is {described(winner)}; expected {', '.join(_WINNERS)}"
            collector.refuse("bad_verdict", place, message, "Keep the winner as FastChat writes it.")
            continue
        verdict = _verdict(str(winner), is_swapped=game == "g2")
        if names_other(str(winner), systems, verdict):
            message = f"{game}_winner is {described(winner)}, which may be a place or a name: a model is called so too"
            collector.refuse(
                "bad_verdict", place, message, "Give the models other names than model_1, model_2 and tie."
            )
            continue
        repetition = collector.repetition(judge, question, turn, systems, place)
        if repetition is None:
            continue
        prompt = record.get(f"{game}_user_prompt")
        collector.add(
            Judgement(
                judge=judge,
                question=question,
                item=f"turn {turn}",
                systems=systems,
                verdict=verdict,
                repetition=repetition,
                lengths=(length(_shown(prompt, "Assistant A")), length(_shown(prompt, "Assistant B"))),
                place=place,
            ),
            _texts(prompt),
        )


def _verdict(winner: str, *, is_swapped: bool) -> Verdict:
    """The winner by place: FastChat names the model, also of the game that shows model_2 first."""
    if winner == "tie":
        return "C"
    if winner == "error":
        return "N"
    return "B" if (winner == "model_1") == is_swapped else "A"


def _texts(prompt: object) -> Texts | None:
    """What the judge's prompt shows: question and answers of a first turn, or both turns of a second one."""
    first, second = _shown(prompt, "Assistant A"), _shown(prompt, "Assistant B")
    if first is not None and second is not None:
        return texts_of(_between(str(prompt), "[User Question]\n", "\n\n[The Start of "), first, second)
    conversations = [_turns(prompt, letter) for letter in "AB"]
    if conversations[0] is None or conversations[1] is None or conversations[0][0] != conversations[1][0]:
        return None
    return texts_of(conversations[0][0], conversations[0][1], conversations[1][1])


def _rated_texts(prompt: object) -> Texts | None:
    """Question and answer of a first turn, or both turns of a second one."""
    answer = _shown(prompt, "Assistant")
    if answer is not None:
        return texts_of(_between(str(prompt), "[Question]\n", "\n\n[The Start of "), answer)
    turns = _turns(prompt, "A")
    return None if turns is None else texts_of(*turns)


def _shown(prompt: object, place: str) -> str | None:
    """The answer inside the judge's prompt; None where its template is another (as of second turns)."""
    if not isinstance(prompt, str):
        return None
    return _between(prompt, f"[The Start of {place}'s Answer]\n", f"\n[The End of {place}'s Answer]")


def _turns(prompt: object, letter: str) -> tuple[str, str] | None:
    """What a user asked in two turns and what was answered, inside the judge's prompt of a second turn."""
    if not isinstance(prompt, str):
        return None
    marks = f"Assistant {letter}'s Conversation with User|>"
    said = _between(prompt, f"<|The Start of {marks}\n\n### User:\n", f"\n\n<|The End of {marks}")
    turns = [] if said is None else said.split("\n\n### User:\n")
    pairs = [turn.split(f"\n\n### Assistant {letter}:\n") for turn in turns]
    if len(pairs) != 2 or any(len(pair) != 2 for pair in pairs):
        return None  # a text that holds such a heading itself cannot be told apart
    asked, answered = (_SECOND_TURN.join(texts) for texts in zip(*pairs, strict=True))
    return asked, answered


def _between(text: str, start: str, end: str) -> str | None:
    """What stands between the first of either mark; None where one is missing."""
    _, begins, rest = text.partition(start)
    between, ends, _ = rest.partition(end)
    return between if begins and ends else None
