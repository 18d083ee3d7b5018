"""The two boards of judges, as the links above them call them."""

from __future__ import annotations

from leaderboard.page.frame import Entries

JUDGE_BOARDS: Entries = {"Position bias": ("judges",), "Which judge should I use?": ("judge_quality",)}
"""What judges that anybody ran do when answers swap places; and which of those that run here to take."""
