"""RewardBench's result files: did the model prefer the chosen answer to the rejected one?

Source of the fields: allenai/reward-bench, `scripts/run_rm.py` and `run_generative.py`, which write `eval-set-scores`,
columns as lists of equal length, and the command `rewardbench`, which writes `MODEL_outputs.jsonl`, a row for each
pair. `results` is 1 where the chosen answer won, 0 where it lost; of a generative judge 0.5 where its reply names
neither answer (`process_shuffled`). The label is part of the data, so such a file brings its own: "chosen" is right.
RewardBench 2 chooses the best of four answers and rates ties: it compares no pairs, and is refused by name.
"""

from __future__ import annotations

from evaluator.judge_logs.judgements import COPIES, Collector, Judgement, Record, length, number
from evaluator.judge_logs.label_sample import texts_of
from evaluator.judge_logs.opened import Opened
from submissions.reading.quoting import described
from submissions.verdicts.swap_outcomes import Verdict

_COLUMNS = ("id", "subset", "text_chosen", "text_rejected", "results", "scores_chosen", "scores_rejected")
CANDIDATES = ("chosen", "rejected")
_KNOWN = frozenset({*_COLUMNS, *CANDIDATES, "prompt", "model", "model_type", "chat_template", "ref_model"})
_VERDICTS: dict[float, Verdict] = {1.0: "A", 0.0: "B"}
_UNDECIDED = 0.5
_OF_FOUR = ("total_completions", "num_correct", "num_incorrect")
"""Columns that only RewardBench 2 has."""
_GENERATIVE = "generative"
"""How the `model_type` of a judge begins that answers in words: "Generative RM", of several judges "Generative RM PoLL"
(`run_generative.py`). The name of a model says nothing of this."""
_UNNAMED = "judge"
_NEXT_TURN = "\n\n[Next turn]\n"


def read(file: Opened, collector: Collector) -> None:
    """One comparison per result; the order shown is not in the file."""
    document = file.document if isinstance(file.document, dict) else {}
    if any(key in file.first_keys for key in _OF_FOUR):
        message = "these are results of RewardBench 2: the best of four answers is chosen, by chance in 25 of 100"
        hint = "No pairs are compared, so that there is no judge report. RewardBench 1 files are read."
        collector.refuse("wrong_kind", "$", message, hint)
        return
    if file.records:
        rows = [(place, dict(record)) for place, record in file.records]
        for place, row in rows:
            collector.count_unknown(row, _KNOWN)
            _read_row(row, collector, place, row.get("model", _UNNAMED), row.get("model_type"))
        if any("model" not in row for _, row in rows):
            collector.note(f'Rows that name no model are those of one judge, "{_UNNAMED}".')
    else:
        collector.count_unknown(document, _KNOWN)
        _read_columns(document, collector)
    collector.note("RewardBench files say which answer is right, and not which was shown first.")
    if any(judgement.verdict == "N" for judgement in collector.judgements):
        collector.note("0.5 of a generative judge is a reply that names neither answer: unusable, and no tie.")


def _read_columns(document: dict[str, object], collector: Collector) -> None:
    results = document.get("results")
    if not isinstance(results, list):
        message = f"results is {described(results)}; expected a list of 1, 0 and 0.5"
        collector.refuse("missing_field", "$.results", message, "Send the file of eval-set-scores, not the summary.")
        return
    columns = {}
    for key in _COLUMNS:
        column = document.get(key)
        if isinstance(column, list) and len(column) == len(results):
            columns[key] = column
        elif column is not None:
            message = f"{key} is {described(column)}; expected a list of {len(results):,} values, as results has"
            collector.refuse("missing_field", f"$.{key}", message, "Keep the columns equally long.")
    for index in range(len(results)):
        row = {key: column[index] for key, column in columns.items()}
        place = f"$.results[{index}]"
        if "id" in row and collector.is_copy(row):
            collector.leave_out(COPIES, place)
            continue
        _read_row({"id": index, **row}, collector, place, document.get("model"), document.get("model_type"))


def _read_row(row: dict[str, object], collector: Collector, place: str, model: object, model_type: object) -> None:
    stated = row.get("results")
    verdict = _verdict(row, str(model_type))
    if verdict is None:
        message = f"results is {described(stated)}; expected 1 or 0, or 0.5 of a generative judge"
        hint = "1 = the chosen answer won. 0.5 is known of a judge whose model_type is Generative, and of equal scores."
        collector.refuse("bad_verdict", place, message, hint)
        return
    prompt, answers = _texts(row)
    judge = collector.name({"model": model}, "model", place)
    question = (
        collector.name(row, "id", place)
        if "id" in row
        else collector.asked_text({"prompt": prompt or _said(row.get("prompt"))}, "prompt", place)
    )
    if judge is None or question is None:
        return
    item = str(row.get("subset") or "")[:200]
    repetition = collector.repetition(judge, question, item, CANDIDATES, place)
    if repetition is None:
        return
    collector.add(
        Judgement(
            judge=judge,
            question=f"{item} {question}".strip(),
            item=item,
            systems=CANDIDATES,
            verdict=verdict,
            repetition=repetition,
            order_known=False,
            lengths=tuple(map(length, answers)),
            gold="A",
            place=place,
        ),
        texts_of(prompt, *answers),
    )


def _verdict(row: Record, model_type: str) -> Verdict | None:
    """What one result says; None where that cannot be told."""
    stated = row.get("results")
    result = float(stated) if isinstance(stated, bool) else number(stated)
    if result != _UNDECIDED:
        return None if result is None else _VERDICTS.get(result)
    scores = [number(row.get(f"scores_{candidate}")) for candidate in CANDIDATES]
    if None not in scores and scores[0] == scores[1]:
        return "C"
    return "N" if model_type.strip().lower().startswith(_GENERATIVE) else None


def _texts(row: Record) -> tuple[str | None, list[str | None]]:
    """What both answer, and the answers; no prompt where it stands in the texts themselves."""
    if all(isinstance(row.get(candidate), str) for candidate in CANDIDATES):
        return _said(row.get("prompt")), [_said(row[candidate]) for candidate in CANDIDATES]
    shown = [row.get(f"text_{candidate}") for candidate in CANDIDATES]
    before = [_said(text[:-1]) if isinstance(text, list) else None for text in shown]
    if before[0] is not None and before[0] == before[1]:
        return before[0], [_said(text[-1:]) if isinstance(text, list) else None for text in shown]
    return None, [_said(text) for text in shown]


def _said(text: object) -> str | None:
    """A text, or the turns of a conversation as one; None where neither stands there."""
    if isinstance(text, str):
        return text
    turns = text if isinstance(text, list) else []
    contents = [turn.get("content") for turn in turns if isinstance(turn, dict)]
    return _NEXT_TURN.join(said for said in contents if isinstance(said, str)) or None
