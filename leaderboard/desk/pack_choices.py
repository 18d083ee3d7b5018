"""What a team says of files that do not say it themselves: the edition of all, and the language of single ones.

No components, so that it is tested without a browser.
"""

from __future__ import annotations

from collections.abc import Sequence

from leaderboard.parts.visible_text import visible
from submissions.packing.editions import EDITIONS
from submissions.promptsets.cultural import CULTURAL_LANGUAGES
from submissions.schema import Edition

ALL_UNTOLD = "all"
EDITION_CHOICES = [("as the files say", ""), *((known.edition, known.edition) for known in EDITIONS)]
LANGUAGE_CHOICES = list(CULTURAL_LANGUAGES)


class OpenPack:
    """The files that one open page puts in order; no dataclass, for gradio takes those apart."""

    def __init__(self) -> None:
        self._forget(())

    def _forget(self, paths: Sequence[str]) -> None:
        self.paths = tuple(paths)
        self.edition: Edition | None = None
        self.languages: dict[str, str] = {}
        """Place of a file -> what the team chose for it."""
        self.untold: tuple[str, ...] = ()
        """Places of files that the page asks the language of."""
        self.is_edition_asked = False
        self.has_own_prompts = False
        """Whether the prompts in the files are the team's own wording."""

    def __deepcopy__(self, memo: object) -> OpenPack:
        """gradio makes every visitor's state by copying the first one: each begins with nothing."""
        return OpenPack()

    def begin(self, paths: Sequence[str]) -> None:
        """Other files: what was chosen for those before is forgotten."""
        if tuple(paths) != self.paths:
            self._forget(paths)

    def choose(self, edition: object, file: object, language: object) -> None:
        """Takes what was chosen; values come from the browser: anything unknown changes nothing.

        Args:
            edition: One of `EDITION_CHOICES`; blank is as the files say.
            file: The number of a file among `untold`, or `ALL_UNTOLD`.
            language: One of `LANGUAGE_CHOICES`.
        """
        if self.is_edition_asked:
            self.edition = next((known.edition for known in EDITIONS if known.edition == edition), None)
        if isinstance(language, str) and language in LANGUAGE_CHOICES:
            for number, place in enumerate(self.untold):
                if file in (ALL_UNTOLD, str(number)):
                    self.languages[place] = language

    def ask(self, untold: Sequence[str], is_edition_open: bool) -> None:
        """What the files do not say; an edition once asked for can be chosen again."""
        self.untold = tuple(untold)
        self.is_edition_asked = self.is_edition_asked or is_edition_open

    @property
    def file_choices(self) -> list[tuple[str, str]]:
        """Label and value of every file whose language is asked for, all of them together first."""
        every = [(f"all {len(self.untold)} files", ALL_UNTOLD)] if len(self.untold) > 1 else []
        return every + [(visible(place), str(number)) for number, place in enumerate(self.untold)]
