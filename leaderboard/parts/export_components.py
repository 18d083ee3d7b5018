"""What hands a table over exactly as it is shown: files to save, texts to copy."""

from __future__ import annotations

from typing import Any, TypedDict

import orjson

from leaderboard.parts.components import SAVE_FILE, TemplateComponent, literal_safe, literal_safe_bytes
from leaderboard.parts.downloads import FileValue


class HandoverValue(TypedDict):
    """What stands ready; at most one of text and file."""

    prefix: str
    """Of every id, so that boards can be told apart."""
    title: str
    """What the text is: Markdown, LaTeX, BibTeX; blank where there is none."""
    text: str
    file: FileValue | None


def nothing_ready(prefix: str) -> HandoverValue:
    """Buttons alone: what was written out would be of what was shown before."""
    return {"prefix": prefix, "title": "", "text": "", "file": None}


def text_ready(prefix: str, title: str, text: str) -> HandoverValue:
    """A text to copy."""
    return {"prefix": prefix, "title": title, "text": text, "file": None}


def file_ready(prefix: str, file: FileValue) -> HandoverValue:
    """A file, which the browser saves at once."""
    return {"prefix": prefix, "title": "", "text": "", "file": file}


class Handover(TemplateComponent):
    """Buttons for CSV, JSON, Markdown, LaTeX and BibTeX, and what they brought (`HandoverValue`).

    Event: `wanted` with {kind}: csv, json, markdown, latex or bibtex.
    """

    TEMPLATE = """
<div class="shown handover">
<p><button type="button" id="{{value.prefix}}download-csv" data-kind="csv">Download CSV</button>
<button type="button" id="{{value.prefix}}download-json" data-kind="json">Download JSON</button></p>
<details id="{{value.prefix}}copies"{{#if value.text}} open{{/if}}><summary>Copy the table, cite the board</summary>
<p><button type="button" id="{{value.prefix}}copy-markdown" data-kind="markdown">Markdown</button>
<button type="button" id="{{value.prefix}}copy-latex" data-kind="latex">LaTeX</button>
<button type="button" id="{{value.prefix}}copy-bibtex" data-kind="bibtex">BibTeX</button></p>
<div class="copy-text" id="{{value.prefix}}copy-text">{{#if value.text}}
<p><button type="button" data-copy="yes">Copy {{value.title}}</button> <span role="status"></span></p>
<pre tabindex="0" role="region" aria-label="{{value.title}}">{{value.text}}</pre>{{/if}}</div></details>
</div>
"""
    # Without https a browser has no clipboard to write to: the text is left selected, for the keyboard.
    SCRIPT = (
        SAVE_FILE
        + """
let used = '';
const copy = async () => {
  const text = element.querySelector('pre');
  const said = element.querySelector('[role=status]');
  try {
    await navigator.clipboard.writeText(text.textContent);
    said.textContent = 'Copied.';
  } catch {
    window.getSelection().selectAllChildren(text);
    said.textContent = 'Selected: press Ctrl+C or Cmd+C.';
  }
};
element.addEventListener('click', (event) => {
  const button = event.target.closest('button');
  if (!button) return;
  if (button.dataset.copy) return copy();
  used = button.id;
  trigger('wanted', {kind: button.dataset.kind});
});
watch('value', () => {
  if (props.value && props.value.file) save(props.value.file);
  // What was pressed may have been drawn anew: whoever uses the keyboard goes on from there.
  if (used && document.activeElement === document.body) document.getElementById(used)?.focus();
  used = '';
});
"""
    )

    def postprocess(self, value: Any) -> Any:
        """A file stays as it is, because no template ever shows it; everything else is made safe for one."""
        if value is None or value["file"] is None:
            return literal_safe(value)
        shown = literal_safe_bytes({name: part for name, part in value.items() if name != "file"})
        return orjson.Fragment(shown[:-1] + b',"file":' + orjson.dumps(value["file"]) + b"}")
