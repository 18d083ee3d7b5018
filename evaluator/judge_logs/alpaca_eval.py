"""AlpacaEval's `annotations.json`: which of two outputs an annotator prefers.

Source of the fields: alpaca_eval, `annotators/pairwise_evaluator.py` and `metrics/winrate.py`; preference 1 = output_1,
2 = output_2, between them a weighted preference, 0 or 1.5 a draw; null and -1 state none.
"""

from __future__ import annotations

from evaluator.judge_logs.judgements import Collector, Judgement, length, number
from evaluator.judge_logs.label_sample import texts_of
from evaluator.judge_logs.opened import Opened
from submissions.reading.quoting import described
from submissions.reading.strict_json import Unreadable
from submissions.verdicts.swap_outcomes import Verdict

_KNOWN = frozenset(
    {
        "instruction",
        "output_1",
        "output_2",
        "generator_1",
        "generator_2",
        "annotator",
        "preference",
        "dataset",
        "datasplit",
        "raw_completion",
        "price_per_example",
        "time_per_example",
        "date",
        "version",
        "referenced_models",
        *(
            f"preference_{key}"
            for key in ("raw_completion", "date", "price_per_example", "time_per_example", "version")
        ),
    }
)
_TIE = 1.5
_NONE = -1.0
"""No preference; 0 is none of these, for it is how older versions write a draw."""


def read(file: Opened, collector: Collector) -> None:
    """One comparison per object; its order is not known, for AlpacaEval shuffles what it shows and does not say how."""
    for place, record in file.records:
        collector.count_unknown(record, _KNOWN)
        question = collector.asked_text(record, "instruction", place)
        judge = collector.name(record, "annotator", place)
        first, second = (
            collector.name(record, key, place) if key in record else f"output_{number_}"
            for number_, key in ((1, "generator_1"), (2, "generator_2"))
        )
        stated = record.get("preference")
        preference = number(stated)
        is_absent = stated is None or isinstance(stated, Unreadable) or preference == _NONE
        if preference == 0:
            preference = _TIE
        if not is_absent and (preference is None or not 1 <= preference <= 2):
            message = f"preference is {described(stated)}; expected a number from 1 to 2, 0 or null"
            collector.refuse("bad_verdict", place, message, "1 = output_1 is better, 2 = output_2, 0 or 1.5 = a draw.")
            continue
        if question is None or judge is None or first is None or second is None:
            continue
        dataset = record.get("dataset")
        item = dataset if isinstance(dataset, str) else ""
        repetition = collector.repetition(judge, question, item, (first, second), place)
        if repetition is None:
            continue
        usable = None if is_absent else preference
        collector.add(
            Judgement(
                judge=judge,
                question=question,
                item=item,
                systems=(first, second),
                verdict=_verdict(usable),
                repetition=repetition,
                order_known=False,
                probability=usable - 1 if usable is not None and usable not in (1.0, _TIE, 2.0) else None,
                lengths=(length(record.get("output_1")), length(record.get("output_2"))),
                place=place,
            ),
            texts_of(record.get("instruction"), record.get("output_1"), record.get("output_2")),
        )
    collector.note("AlpacaEval shuffles the two outputs before it asks and does not write down which was shown first.")


def _verdict(preference: float | None) -> Verdict:
    if preference is None:
        return "N"
    return "C" if preference == _TIE else "A" if preference < _TIE else "B"
