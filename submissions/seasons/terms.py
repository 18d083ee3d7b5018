"""Terms that an account accepts once before its first file: those of a season, and those of the whole installation."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass

from submissions.problems import NotTakenNow


@dataclass(frozen=True, slots=True)
class Terms:
    """A text that is accepted as it stands: changed by a letter it is another version, and asked for again."""

    name: str
    """Of the season; blank for those of the installation."""
    title: str
    """Whose terms they are, for people."""
    text: str

    @property
    def sha256(self) -> str:
        """Of the text in UTF-8."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def version(self) -> str:
        """The first 8 hex digits of `sha256`, for people."""
        return self.sha256[:8]

    @property
    def link(self) -> str:
        """Where a page server shows the text.

        >>> Terms("spring", "Spring", "Be fair.").link, Terms("", "Our site", "Be fair.").link
        ('/terms/spring.txt', '/terms.txt')
        """
        return f"/terms/{self.name}.txt" if self.name else "/terms.txt"

    @property
    def named(self) -> str:
        """Which terms, in which version, and where they are read."""
        return f"the terms of {self.title} (version {self.version}, {self.link})"


class TermsNotAccepted(NotTakenNow):
    """Raised when a file comes from an account that has not accepted what it must; carries the terms."""

    def __init__(self, terms: Sequence[Terms]) -> None:
        self.terms = tuple(terms)
        super().__init__(
            f"Accept {' and '.join(term.named for term in terms)} first, once for your account: tick the box on "
            "Submit, or give `submit --accept-terms`, or send accept_terms=true with the call."
        )
