"""People's votes between two answers as the arenas publish them: LMArena, MT-bench's human judgments, compar:IA.

They are read like a judge's log, whose judge is called `people`, and stand beside one as its labels. Sources of the
fields: the dataset cards `lmsys/mt_bench_human_judgments`, `lmsys/chatbot_arena_conversations`,
`lmarena-ai/arena-human-preference-100k` and `-140k`, `lmsys/lmsys-arena-human-preference-55k`, and
`ministere-culture/comparia-votes`. None of the cards says which answer stood left, so nothing is said of places.
"""

from __future__ import annotations

from collections.abc import Iterable

from evaluator.judge_logs.fastchat import judge_name
from evaluator.judge_logs.judgements import COPIES, Collector, Judgement, Record, names_other, number
from evaluator.judge_logs.label_sample import texts_of
from evaluator.judge_logs.opened import Opened
from submissions.reading.quoting import described
from submissions.verdicts.swap_outcomes import Verdict

PEOPLE = "people"
_ARENA = frozenset(
    {
        "question_id",
        "id",
        "model_a",
        "model_b",
        "winner",
        "judge",
        "turn",
        "conversation_a",
        "conversation_b",
        "full_conversation",
        "anony",
        "language",
        "tstamp",
        "timestamp",
        "openai_moderation",
        "toxic_chat_tag",
        "conv_metadata",
        "is_code",
        "is_refusal",
        "dedup_tag",
        "category_tag",
        "judge_hash",
        "evaluation_session_id",
        "evaluation_order",
        "prompt",
        "response_a",
        "response_b",
        "winner_model_a",
        "winner_model_b",
        "winner_tie",
    }
)
_WINNERS: dict[str, Verdict] = {
    "model_a": "A",
    "model_b": "B",
    "tie": "C",
    "tie (bothbad)": "C",
    "tie (inconsistent)": "C",
    "both_bad": "C",
}
_ONE_HOT: tuple[tuple[str, Verdict], ...] = (("winner_model_a", "A"), ("winner_model_b", "B"), ("winner_tie", "C"))
_VOTERS = ("author_", "expert_", "arena_user_")
"""What the names of people begin with that voted for MT-bench and in the Chatbot Arena."""
_COMPARIA = frozenset(
    {
        "id",
        "timestamp",
        "model_a_name",
        "model_b_name",
        "model_pair_name",
        "chosen_model_name",
        "opening_msg",
        "both_equal",
        "conversation_a",
        "conversation_b",
        "conv_turns",
        "selected_category",
        "is_unedited_prompt",
        "conversation_pair_id",
        "session_hash",
        "visitor_id",
        "system_prompt_a",
        "system_prompt_b",
        *(
            f"conv_{said}_{side}"
            for said in (
                "comments",
                "useful",
                "complete",
                "creative",
                "clear_formatting",
                "incorrect",
                "superficial",
                "instructions_not_followed",
            )
            for side in "ab"
        ),
    }
)
_HINT = (
    "Keep the winner as the arena publishes it; of a table of your own say that it is a CSV, and which column is which."
)
_FIRST_TURN = "turn 1"
_NEXT_TURN = "\n\n[Next turn]\n"
_IN_ONE = "The votes of all people are read as those of one judge, people: several votes on a pair are its repetitions."
_NO_PLACES = "Which answer stood left is not said, so nothing is said of places."


def read_arena(file: Opened, collector: Collector) -> None:
    """One comparison per row; votes by people and, of MT-bench, also those of the judge that stands in the file."""
    may_repeat = []
    for place, record in file.records:
        collector.count_unknown(record, _ARENA)
        if not _names_vote(record):
            may_repeat.append(record)
        elif collector.is_copy(record):
            collector.leave_out(COPIES, place)
            continue
        question = collector.name(record, "question_id" if "question_id" in record else "id", place)
        systems = collector.name(record, "model_a", place), collector.name(record, "model_b", place)
        verdict, judge = _arena_verdict(record, collector, place), _arena_judge(record, collector, place)
        if question is None or systems[0] is None or systems[1] is None or verdict is None or judge is None:
            continue
        if names_other(str(record.get("winner")).strip().casefold(), (systems[0], systems[1]), verdict):
            message = (
                f"winner is {described(record['winner'])}, which may be a place or a name: a model is called so too"
            )
            collector.refuse("bad_verdict", place, message, "Give the models other names than winner has words.")
            continue
        item = _mt_bench_turn(question, record)
        _add(collector, place, judge, question, item, (systems[0], systems[1]), verdict, record)
    collector.note_copies(may_repeat)
    if any(judgement.judge == PEOPLE for judgement in collector.judgements):
        collector.note(_IN_ONE)
    collector.note(_NO_PLACES)


def read_comparia(file: Opened, collector: Collector) -> None:
    """One comparison per vote; rows without one are counted."""
    for place, record in file.records:
        collector.count_unknown(record, _COMPARIA)
        question = collector.name(record, "conversation_pair_id" if "conversation_pair_id" in record else "id", place)
        first, second = collector.name(record, "model_a_name", place), collector.name(record, "model_b_name", place)
        if question is None or first is None or second is None:
            continue
        chosen = record.get("chosen_model_name")
        if _is_true(record.get("both_equal")):
            verdict: Verdict = "C"
        elif chosen is None or chosen == "" or (isinstance(chosen, float) and chosen != chosen):
            collector.leave_out("rows without a vote, which name no model as better and call none equal", place)
            continue
        elif first == second:
            collector.leave_out("rows with the same model twice, of which none is the chosen one", place)
            continue
        elif isinstance(chosen, str) and chosen.strip() in (first, second):
            verdict = "A" if chosen.strip() == first else "B"
        else:
            message = f"chosen_model_name is {described(chosen)}; expected model_a_name, model_b_name or nothing"
            collector.refuse("bad_verdict", place, message, "Keep the file as compar:IA publishes it.")
            continue
        _add(collector, place, PEOPLE, question, "", (first, second), verdict, record)
    collector.note(_IN_ONE)
    collector.note(_NO_PLACES)


def _add(
    collector: Collector,
    place: str,
    judge: str,
    question: str,
    item: str,
    systems: tuple[str, str],
    verdict: Verdict,
    record: Record,
) -> None:
    conversations = record.get("conversation_a"), record.get("conversation_b")
    first, second = (_said(conversation, "assistant") for conversation in conversations)
    asked = _said(conversations[0], "user")
    shown = 1 if item == _FIRST_TURN else None  # MT-bench's conversations hold both turns
    repetition = collector.repetition(judge, question, item, systems, place)
    if repetition is not None:
        collector.add(
            Judgement(
                judge=judge,
                question=question,
                item=item,
                systems=systems,
                verdict=verdict,
                repetition=repetition,
                order_known=False,
                lengths=(_length(first), _length(second)),
                place=place,
            ),
            texts_of(*(_joined(turns[:shown]) for turns in (asked, first, second))),
        )


def _arena_verdict(record: Record, collector: Collector, place: str) -> Verdict | None:
    if "winner" in record:
        winner = record["winner"]
        if isinstance(winner, str) and winner.strip().lower() in _WINNERS:
            return _WINNERS[winner.strip().lower()]
        message = f"winner is {described(winner)}; expected {', '.join(_WINNERS)}"
    else:
        said = [verdict for key, verdict in _ONE_HOT if number(record.get(key)) == 1]
        if len(said) == 1:
            return said[0]
        message = f"{len(said)} of {', '.join(key for key, _ in _ONE_HOT)} are 1; expected one"
    collector.refuse("bad_verdict", place, message, _HINT)
    return None


def _names_vote(record: Record) -> bool:
    """Whether a row says which vote it is, by an id, a time or a voter: two rows that are the same are one vote."""
    return any(key in record for key in ("id", "tstamp", "timestamp")) or str(record.get("judge")).startswith(_VOTERS)


def _arena_judge(record: Record, collector: Collector, place: str) -> str | None:
    """`people`, or the model that judged instead (MT-bench's split gpt4_pair); None after reporting a fault."""
    judge = record.get("judge")
    if judge is None:
        return PEOPLE
    if isinstance(judge, list) and judge and all(isinstance(part, str) and part for part in judge):
        judge = judge_name(judge)
    named = collector.name({"judge": judge}, "judge", place)
    return PEOPLE if named is not None and named.startswith(_VOTERS) else named


def _mt_bench_turn(question: str, record: Record) -> str:
    """MT-bench counts its questions and has votes on each turn; elsewhere `turn` says how many turns there were."""
    turn = record.get("turn")
    return f"turn {str(turn)[:20]}" if turn is not None and question.isdecimal() else ""


def _said(conversation: object, role: str) -> list[str]:
    """What one side of a conversation said, turn by turn; nothing where the file has no texts of it."""
    turns = conversation if isinstance(conversation, list) else []
    contents = [turn.get("content") for turn in turns if isinstance(turn, dict) and turn.get("role") == role]
    return ["".join(texts) for content in contents if (texts := list(_texts(content)))]


def _length(answers: list[str]) -> int | None:
    """Characters of all answers of a conversation, None where there are no texts."""
    return sum(map(len, answers)) if answers else None


def _joined(turns: list[str]) -> str | None:
    """The turns of one side as one text."""
    return _NEXT_TURN.join(turns) if turns else None


def _texts(content: object) -> Iterable[str]:
    """A plain text, or the texts of its parts (the 140k votes have pictures among them)."""
    if isinstance(content, str):
        return [content]
    parts = content if isinstance(content, list) else []
    return [part["text"] for part in parts if isinstance(part, dict) and isinstance(part.get("text"), str)]


def _is_true(value: object) -> bool:
    return value is True or number(value) == 1 or (isinstance(value, str) and value.strip().lower() == "true")
