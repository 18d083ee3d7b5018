"""What hands a table over exactly as it is shown: files to save, texts to copy."""

from __future__ import annotations

import re
from typing import Any, TypedDict

import orjson

from leaderboard.assets import asset, template
from leaderboard.parts.components import SAVE_FILE, TemplateComponent, literal_safe, literal_safe_bytes
from leaderboard.parts.downloads import FileValue


class HandoverValue(TypedDict):
    """What stands ready; at most one of text and file."""

    prefix: str
    """Of every id, so that boards can be told apart."""
    title: str
    """What the text is: Markdown, LaTeX, BibTeX; blank where there is none."""
    text: str
    line: str
    """The same in one line, to copy by itself; blank where there is none."""
    file: FileValue | None


def nothing_ready(prefix: str) -> HandoverValue:
    """Buttons alone: what was written out would be of what was shown before."""
    return {"prefix": prefix, "title": "", "text": "", "line": "", "file": None}


def text_ready(prefix: str, title: str, text: str, line: str = "") -> HandoverValue:
    """A text to copy, and with it the same in one line where there is such a line."""
    return {"prefix": prefix, "title": title, "text": text, "line": line, "file": None}


def file_ready(prefix: str, file: FileValue) -> HandoverValue:
    """A file, which the browser saves at once."""
    return {"prefix": prefix, "title": "", "text": "", "line": "", "file": file}


RECORDS_PATH = "/every-eval-ever.zip"
"""Of the records of a board; the query of a link says which."""

MOST_ADDRESS = 300
"""Characters; longer addresses of a site are nobody's."""


def site_address(stated: object) -> str:
    """Where this site is, as a browser states it; blank for anything that is no web address.

    >>> site_address("https://example.org/board"), site_address("javascript:1")
    ('https://example.org/board', '')
    """
    if not isinstance(stated, str) or len(stated) > MOST_ADDRESS or not stated.isprintable():
        return ""
    return stated if re.fullmatch(r"https?://[^\s?#\\{}]+", stated) else ""


# Without https a browser has no clipboard to write to: the text is left selected, for the keyboard.
COPY_PART = asset("copy_part.js")
"""`copy(part)`: copies the text of the only `pre` in a part, and says so in its status."""


class Handover(TemplateComponent):
    """Buttons for files and copies of the table, one to cite the view, and what they brought (`HandoverValue`).

    Event: `wanted` with {kind}: csv, json, every-eval-ever, markdown, latex or cite, and
    {address} of this site.
    """

    TEMPLATE = template("handover")
    SCRIPT = SAVE_FILE + COPY_PART + asset("handover.js")

    def postprocess(self, value: Any) -> Any:
        """A file stays as it is, because no template ever shows it; everything else is made safe for one."""
        if value is None or value["file"] is None:
            return literal_safe(value)
        shown = literal_safe_bytes({name: part for name, part in value.items() if name != "file"})
        return orjson.Fragment(shown[:-1] + b',"file":' + orjson.dumps(value["file"]) + b"}")
