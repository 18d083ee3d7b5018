"""Texts that try to run, load or restyle something, put into every field a team controls; and what they may not do."""

from __future__ import annotations

import csv
import io
import json
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Dialog, Page, Route

from evaluator.embeddings.protocol import ScriptedEmbedder
from evaluator.judge_loading.loading import Scorer
from evaluator.worker.loop import Worker
from submissions.archive.record import Archive
from submissions.desk import Desk
from submissions.formats.eloquent.template import submission_template
from submissions.promptsets import PromptSets, eloquent_2024_without_prompts
from submissions.promptsets.set_file import OFFICIAL_2024_FILE
from submissions.questionsets.option_order import option_order_hash
from submissions.schema import Names
from submissions.settings import Settings
from submissions.store.queue import QUEUE
from submissions.store.store import Store
from tests.unit.leaderboard.boards.behavior_alignment.made_behavior_alignment import HUMAN, dialogue
from tests.unit.leaderboard.boards.behavior_alignment.made_behavior_alignment import document as dialogues_file
from tests.unit.leaderboard.boards.editions.test_screen import question_file
from tests.unit.leaderboard.boards.personalization.made_personalization import large_file, rating_judge
from tests.unit.leaderboard.boards.personalized_evaluation.made_personalized_evaluation import choices, ratings
from tests.unit.submissions.formats.eloquent.cultural_files import METADATA, run_files, zipped

MARK = "hit"
"""Stands in every payload: where a page shows it, the page was fed."""

PAYLOADS = (
    "<script data-x>window.hit=1</script>",
    "<img data-x src=x onerror=window.hit=2>",
    "<svg data-x onload=window.hit=3>",
    '"><script data-x>window.hit=4</script>',
    "</textarea></div><iframe data-x srcdoc='<script>parent.hit=5</script>'>",
    "</script><script data-x>window.hit=6</script>",
    "<a data-x href=javascript:window.hit=7>x</a>",
    "[x](javascript:window.hit=8) [y](http://x.invalid/8)",
    "![hit](http://x.invalid/9.png)",
    "hit <img data-x src=http://x.invalid/10.png>",
    "${window.hit=11}",
    "`${window.hit=12}`",
    "\\u003cimg data-x src=x onerror=window.hit=13\\u003e",
    "{{#each this}}<script data-x>window.hit=14</script>{{/each}}",
    "{{constructor.constructor('window.hit=15')()}} {{{this}}}",
    "hit <style data-x>body{outline:7px solid red}</style>",
    "hit <link data-x rel=stylesheet href=http://x.invalid/17.css>",
    '<b data-x style="background:url(http://x.invalid/18.png)" onmouseover=window.hit=18>x</b>',
    "hit;}@import url(//x.invalid/19);body{outline:7px solid red}",
    "&lt;img data-x src=x onerror=window.hit=20&gt; &#60;b data-x&#62;",
    '=HYPERLINK("http://x.invalid/21","hit")',
    "+cmd|' hit'!A0",
    '<a href="javascript:window.hit=23">plotly</a><br><sup>x</sup>',
    "$\\href{javascript:window.hit=24}{x}$ $$\\frac{hit}{24}$$",
    "# hit **bold** <b data-x>x</b> | a | b |",
    "javascript:window.hit=26//",
    "x' onfocus=window.hit=27 autofocus tabindex=0 data-x='",
    "hit" + 77 * "W",
    "hit %s {0} NULL undefined __proto__ constructor \\textbf{x} \\0",
    "-2+3+cmd|' hit'!A0",
)
"""What is put into every text: with a word behind it, no longer than the name of a judge may be."""

NAMEABLE = tuple(payload for payload in PAYLOADS if "\\" not in payload)
"""The desk takes no name that looks like a path of Windows."""

TURNED = "\u202e<b data-x onmouseover=window.hit=31>\u2066turned\u200b"
"""For texts; in names such characters are refused."""

HARM = """() => {
  const faults = window.hit === undefined ? [] : [`a script ran: ${window.hit}`];
  const resolved = (element) => [element.href?.baseVal ?? element.href, element.src, element.action, element.data];
  const look = (root) => {
    for (const element of root.querySelectorAll('*')) {
      if (element.shadowRoot) look(element.shadowRoot);
      const shown = element.outerHTML.slice(0, 150);
      if (element.hasAttribute('data-x')) faults.push(`an element was made: ${shown}`);
      for (const {name, value} of element.attributes) {
        if (name.startsWith('on') && value.includes('hit')) faults.push(`a handler was set: ${shown}`);
        if (/url\\(.*x\\.invalid/.test(name === 'style' ? value : '')) faults.push(`a style was set: ${shown}`);
      }
      for (const address of resolved(element)) {
        if (typeof address !== 'string' || !address) continue;
        const url = URL.canParse(address, location.href) ? new URL(address, location.href) : null;
        if (!url || url.protocol === 'javascript:' || url.host === 'x.invalid') faults.push(`a link: ${shown}`);
      }
      if (element.localName === 'style' && element.textContent.includes('x.invalid')) faults.push(`a style: ${shown}`);
      if (element.matches('.plumb .katex, .plumb .katex-display')) faults.push(`a formula was set: ${shown}`);
    }
  };
  look(document);
  if (getComputedStyle(document.body).outlineWidth === '7px') faults.push('the page was restyled');
  return faults;
}"""
"""What a payload has done to a page, in words."""


@dataclass
class Watch:
    """What a page asked for and opened; nothing beyond this machine is let through."""

    foreign: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)

    def over(self, page: Page) -> Watch:
        """Watches a page from now on."""
        page.route("**/*", self._let_through_at_home)
        page.on("dialog", self._dismiss)
        return self

    def _let_through_at_home(self, route: Route) -> None:
        if urlsplit(route.request.url).hostname in ("127.0.0.1", None):
            route.continue_()
        else:
            self.foreign.append(route.request.url)
            route.abort()

    def _dismiss(self, dialog: Dialog) -> None:
        self.dialogs.append(dialog.message)


def assert_unharmed(page: Page, watch: Watch) -> None:
    """No script ran, nothing was loaded from elsewhere, and no text became markup, a link or a style."""
    assert page.evaluate(HARM) == []
    assert watch.foreign == []
    assert watch.dialogs == []


def formulas(text: str) -> list[str]:
    """Cells of a CSV that a spreadsheet would run: they begin as formulas do and are no numbers."""
    cells = [cell for record in csv.reader(io.StringIO(text)) for cell in record]
    return [cell for cell in cells if cell.startswith(("=", "+", "-", "@", "\t", "\r")) and not _is_number(cell)]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


# --- files -----------------------------------------------------------------------------------------------------------


class Poison:
    """Puts payloads into texts, the same one into equal texts, every payload in turn."""

    def __init__(self, start: int = 0) -> None:
        self._next = cycle((*PAYLOADS[start:], *PAYLOADS[:start]))
        self._known: dict[str, str] = {}

    def text(self, text: str) -> str:
        if text not in self._known:
            self._known[text] = f"{next(self._next)} {text}".strip()
        return self._known[text]

    def into(self, value: Any, keys: frozenset[str], key: str = "") -> Any:
        """The JSON value with every text below these keys poisoned."""
        if isinstance(value, dict):
            return {name: self.into(inner, keys, name) for name, inner in value.items()}
        if isinstance(value, list):
            return [self.into(inner, keys, key) for inner in value]
        return self.text(value) if isinstance(value, str) and key in keys else value


def names(start: int) -> Names:
    """Four payloads as names, from a place among those the desk takes."""
    return Names(*(NAMEABLE[(start + number) % len(NAMEABLE)] for number in range(4)))


def robustness_file(poison: Poison) -> bytes:
    """Answers to the official set, each another payload; its names come with the form."""
    document = json.loads(submission_template(eloquent_2024_without_prompts()))
    results = document["eloquent-robustness-results"]
    results["source"] = ""
    for number, item in enumerate(results["items"]):
        for place, response in enumerate(item["responses"]):
            response["response"] = poison.text(f"answer {number}.{place}")
    results["items"][0]["responses"][0]["response"] = TURNED
    return json.dumps(document).encode()


def verdict_file(poison: Poison) -> bytes:
    """A table of verdicts of several judges on several candidates, with cards."""
    judges = [poison.text(f"judge {number}") for number in range(6)]
    rows = [
        {
            "judge": judge,
            "benchmark": "own",
            "task": poison.text(f"task {query % 2}"),
            "model": poison.text(f"candidate {model}"),
            "query": poison.text(f"query {query}"),
            "order": order,
            "verdict": "ABC"[(query * place + model + (order == "swapped")) % 3],
        }
        for place, judge in enumerate(judges)
        for model in range(2)
        for query in range(12)
        for order in ("original", "swapped")
    ]
    document = {"kind": "judge_verdicts", "options": 3, "reference_model": PAYLOADS[10], "verdicts": rows}
    document["judge_card"] = {name: poison.text(name) for name in ("model", "prompt_template")}
    return json.dumps(document).encode()


def personalized_file(poison: Poison) -> bytes:
    """Personalized answers: questions, options, preferences, answers, ids."""
    keys = {"example_id", "question", "options", "preferences", "thoughts", "draft", "notes"}
    keys |= {"response_with_preference", "response_without_preference"}
    document = poison.into(unnamed(large_file(lost=6, ignored=6, aligner_lost=1)), frozenset(keys))
    for row in document["rows"]:
        row["option_order_hash"] = option_order_hash(row["options"])
    return json.dumps(document).encode()


def perse_files(poison: Poison) -> Iterator[bytes]:
    """Predicted ratings and choices: reviewers, profiles, texts, reviews, ids."""
    keys = frozenset({"id", "reviewer", "text", "review", "text_a", "text_b", "comparison", "notes"})
    for document in (ratings(), choices([3, 7])):
        yield json.dumps(poison.into(unnamed(json.dumps(document).encode()), keys)).encode()


def recommender_file(poison: Poison) -> bytes:
    """Recommender answers: dialogues, what both sides say, ids."""
    made = unnamed(dialogues_file([dialogue(f"dialogue {number}", HUMAN) for number in range(6)]))
    keys = frozenset({"dialogue_id", "text", "human_response", "system_response", "notes"})
    return json.dumps(poison.into(made, keys)).encode()


def question_files(poison: Poison) -> Iterator[bytes]:
    """The files of a 2025 run in two languages: questions, answers and notes, in conversations of two turns."""
    for language in ("en", "sv"):
        document = unnamed(question_file("", language, 2))
        del document["submissionid"]
        for question in document["questions"]:
            question["turns"].append({"question": "more", "answer": f"{language} at last"})
        document["notes"] = "notes"
        yield json.dumps(poison.into(document, frozenset({"question", "answer", "notes"}))).encode()


def cultural_zip(poison: Poison) -> bytes:
    """A run of 2026: prompts, answers, metadata, and a file beside them."""
    files = run_files()
    for name, content in files.items():
        if name == METADATA:
            document = json.loads(content)
            kept = {key: document[key] for key in ("label", "languages", "modifications")}
            changed = {key: poison.text(key) for key in ("system_prompt", "prompt_prefix_english", "notes")}
            files[name] = json.dumps(kept | {"modifications": kept["modifications"] | changed})
        else:
            rows = [json.loads(line) for line in str(content).splitlines()]
            poisoned = poison.into(rows, frozenset({"prompt", "answer"}))
            files[name] = "".join(f"{json.dumps(row)}\n" for row in poisoned)
    return zipped(files | {f"{PAYLOADS[10]}.txt": PAYLOADS[1]})


def unnamed(data: bytes) -> dict[str, Any]:
    """A file's document without its names, which come with the form."""
    document: dict[str, Any] = json.loads(data)
    return {key: value for key, value in document.items() if key not in ("team", "system", "model", "run")}


def faulty_file() -> bytes:
    """Refused: payloads as keys, ids, values and names, for the list of problems and its excerpts."""
    items = [{"id": payload, "responses": [{"response": payload, payload: 1}]} for payload in (*PAYLOADS, TURNED)]
    results = {"source": TURNED, "year": PAYLOADS[0], **dict.fromkeys(PAYLOADS, 1), "items": items}
    return json.dumps({"eloquent-robustness-results": results}, indent=1, ensure_ascii=False).encode()


def official_folder(folder: Path) -> Path:
    """A folder with a test set of the official shape whose prompts are payloads."""
    poison = Poison(5)
    items = [
        {
            "id": item.id,
            "variation": item.variation,
            "variants": [
                {"language": one.language, "prompt": poison.text(f"prompt {item.id}.{one.number}")}
                for one in item.variants
            ],
        }
        for item in eloquent_2024_without_prompts().items
    ]
    folder.mkdir()
    document = {"eloquent-robustness-test": {"items": items}}
    (folder / OFFICIAL_2024_FILE).write_text(json.dumps(document), encoding="utf-8")
    return folder


# --- an app full of them ---------------------------------------------------------------------------------------------


def fill(data: Path, official: Path) -> None:
    """Submits files of every kind to the app of a data folder and scores them; the queue shows the rest."""
    settings = Settings.from_env({"PLUMBLINE_DATA": str(data)})
    store = Store.open(settings.resolved_database_url)
    prompt_sets = PromptSets.load(official)
    desk = Desk(store, Archive(settings.archive), prompt_sets)
    sent: list[tuple[bytes, Names]] = []
    for start in range(0, len(NAMEABLE), 4):
        sent.append((robustness_file(Poison(start)), names(start)))
    for start in (0, 15):
        poison = Poison(start)
        others = [verdict_file(poison), personalized_file(poison), *perse_files(poison), recommender_file(poison)]
        sent += [(content, names(start + 3)) for content in others]
    poison = Poison(8)
    sent += [(content, names(1)) for content in question_files(poison)]
    sent.append((cultural_zip(poison), names(2)))
    for number, (content, given) in enumerate(sent):
        desk.submit(content, f"{PAYLOADS[number % len(PAYLOADS)]}.json", owner="local", names=given)
    worker = Worker(
        name=PAYLOADS[11],
        store=store,
        archive=None,
        prompt_sets=prompt_sets,
        scorer=Scorer(rating_judge(), ScriptedEmbedder()),
        stop=threading.Event(),
    )
    worker.run(until_empty=True)
    not_scored = [(ticket.file_name, ticket.reason) for ticket in store.tickets() if ticket.reason]
    assert not_scored == []
    _fail_one(store)
    store.close()


def _fail_one(store: Store) -> None:
    """A job with hostile names that no reader would take, hostile worker and reason; and one that waits."""
    for ticket_id in ("failed", "waiting"):
        store.add(
            ticket_id=ticket_id,
            owner="local",
            role="entry",
            edition="2024",
            set_id="eloquent-2024",
            names=Names(TURNED, *PAYLOADS[:3]),
            file_name=TURNED,
            data=ticket_id.encode(),
            received_at=time.time(),
        )
        if ticket_id == "failed":
            job = store.claim(PAYLOADS[1])
            assert job is not None
            store.fail(job.id, PAYLOADS[1], " ".join((*PAYLOADS[:13], TURNED)))
    store.worker_seen(PAYLOADS[10], PAYLOADS[2], judgements=5, judging_s=1.0)
    store.act("pause", QUEUE, actor=PAYLOADS[3], actor_name=PAYLOADS[4], reason=" ".join(PAYLOADS[:6]))
