"""What judges are asked, as data: rubrics with id, version and source, and our notes per item."""

from __future__ import annotations

from evaluator.judges.protocol import Rubric

RATING_LABELS = ("0", "1", "2", "3", "4", "5")

_QUESTION = (
    "Do the following texts mean the same thing? Please keep your answer short and concise. "
    'Conclude with an average score over all texts using the format "Similarity score: 0-5"'
)
_SOURCE = "Sahlgren et al., ELOQUENT 2024 - Robustness Task, CLEF 2024 working notes (CEUR-WS Vol-3740)"

SIMILARITY_PAIR = Rubric(
    id="similarity", version="paper", kind="similarity_pair", text=_QUESTION, labels=RATING_LABELS, source=_SOURCE
)
"""The official question of 2024 on two texts."""

SIMILARITY_GROUP = Rubric(
    id="similarity", version="paper", kind="similarity_group", text=_QUESTION, labels=RATING_LABELS, source=_SOURCE
)
"""The official question of 2024 on all texts of a group (mode `paper`)."""
