"""The part of Submit that puts files of any shape in order: several files, or one that a check cannot take as it is."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import gradio as gr
from gradio.events import Dependency

from leaderboard.desk.components import PackPlanView
from leaderboard.desk.pack_choices import EDITION_CHOICES, LANGUAGE_CHOICES, OpenPack
from leaderboard.desk.packed_files import OWN_PROMPTS, Packed, PackJob
from leaderboard.desk.submit_screen import Fields, stated_names, typed_names
from leaderboard.page.file_checks import told_in_turn
from leaderboard.page.identity import visitor_key
from leaderboard.page.region import QUIET, answers_once
from leaderboard.page.services import Services
from leaderboard.parts.components import Notice
from leaderboard.parts.notices import NoticeValue, notice
from leaderboard.parts.visible_text import visible

PUT_IN_ORDER = "Convert my files"
PUT_IN_ORDER_AGAIN = "Convert my files again"
NO_FILES = notice("plain", "Choose the files first.", "All files of your runs of ELOQUENT, or zips of any shape.")
WRITTEN_WHERE = "No text of an answer is altered. Nothing is submitted yet: the file is checked, then press Submit."


@dataclass(frozen=True, slots=True)
class PackParts:
    """Its components; `outputs` is what putting in order fills."""

    files: gr.File
    own_prompts: gr.Checkbox
    button: gr.Button
    said: Notice
    plan: PackPlanView
    packed: gr.File
    choice: gr.Radio
    edition: gr.Radio
    untold: gr.Dropdown
    language: gr.Dropdown
    again: gr.Button

    @property
    def outputs(self) -> list[Any]:
        return [self.said, self.plan, self.packed, self.choice, *self.asked, self.again]

    @property
    def asked(self) -> list[Any]:
        """What the files do not say: the values are those `OpenPack.choose` takes."""
        return [self.edition, self.untold, self.language]

    def wire(
        self, services: Services, upload: gr.File, mend: gr.Button, names: Sequence[Any], arguments: Mapping[str, Any]
    ) -> list[Dependency]:
        """The events after which `upload` may hold another file.

        Args:
            upload: The file of the form.
            mend: Puts that file in order.
            names: What the form states.
            arguments: How events of the form are told to gradio.
        """

        async def put(
            request: gr.Request,
            open_pack: OpenPack,
            own_prompts: Any,
            edition: Any,
            untold: Any,
            language: Any,
            from_file: Fields,
            *fields: str,
        ) -> AsyncGenerator[tuple[Any, ...], None]:
            open_pack.choose(edition, untold, language)
            open_pack.has_own_prompts = own_prompts is True
            async with aclosing(put_in_order(services, request, open_pack, fields, from_file)) as steps:
                async for values in steps:
                    yield values

        @answers_once
        async def put_files(
            request: gr.Request, files: list[str] | str | None, open_pack: OpenPack, *rest: Any
        ) -> AsyncGenerator[tuple[Any, ...], None]:
            open_pack.begin([files] if isinstance(files, str) else files or [])
            async with aclosing(put(request, open_pack, *rest)) as steps:
                async for values in steps:
                    yield values

        said = [gr.State(OpenPack()), self.own_prompts, *self.asked, *names]
        filled = {**arguments, "outputs": [*self.outputs, upload]}
        return [
            self.button.click(put_files, **{**filled, "inputs": [self.files, *said]}),
            mend.click(put_files, **{**filled, "inputs": [upload, *said]}),
            self.again.click(answers_once(put), **{**filled, "inputs": said}),
            self.choice.input(chosen_file, [self.packed, self.choice], upload, **QUIET),
        ]


def pack_box() -> tuple[gr.File, gr.Checkbox, gr.Button]:
    """Where several files are dropped."""
    with gr.Accordion("Several files, or a zip of any shape", open=False, elem_id="pack-box"):
        gr.Markdown(
            "Drop the files of all runs together: those that belong to one run are put together, and each run is "
            "written in the form of its edition (2025: one file for each language). You see the plan before anything "
            "is submitted.",
            elem_classes=["hint"],
        )
        files = gr.File(label="All files", file_count="multiple", type="filepath", elem_id="pack-files", height=120)
        own_prompts = gr.Checkbox(
            label=OWN_PROMPTS,
            info="Tick this if you changed the words of the official prompts. Ids must still be the official ones.",
            elem_id="pack-own-prompts",
        )
        button = gr.Button(PUT_IN_ORDER, elem_id="pack", size="sm", min_width=150)
    return files, own_prompts, button


def pack_results(files: gr.File, own_prompts: gr.Checkbox, button: gr.Button) -> PackParts:
    """What is shown of the plan, above what the check says."""
    said = Notice(elem_id="pack-notice")
    edition = gr.Radio(EDITION_CHOICES, value="", label="Edition of all files", elem_id="pack-edition", visible=False)
    with gr.Row():
        untold = gr.Dropdown(
            [], label="Which file", elem_id="pack-untold", filterable=False, min_width=260, visible=False
        )
        language = gr.Dropdown(
            LANGUAGE_CHOICES, value=None, label="Language of its answers", elem_id="pack-language", visible=False
        )
    again = gr.Button(PUT_IN_ORDER_AGAIN, elem_id="pack-again", size="sm", scale=0, min_width=180, visible=False)
    plan = PackPlanView(elem_id="pack-plan")
    choice = gr.Radio([], label="File to check and submit", elem_id="pack-run", visible=False)
    packed = gr.File(
        label="The runs as files", file_count="multiple", interactive=False, visible=False, elem_id="packed-files"
    )
    return PackParts(files, own_prompts, button, said, plan, packed, choice, edition, untold, language, again)


async def put_in_order(
    services: Services, request: gr.Request, open_pack: OpenPack, names: Fields, from_file: Fields
) -> AsyncGenerator[tuple[Any, ...], None]:
    """Values of `PackParts.outputs` and of the file of the form, while the files wait and when they are in order.

    Args:
        open_pack: The files, and what was chosen for them.
    """
    if not open_pack.paths:
        yield (NO_FILES, *_nothing(), gr.skip())
        return
    # gradio copies what is handed out to where it keeps files of visitors, and removes it there in time.
    with TemporaryDirectory(prefix="plumbline-packed-") as folder:
        job = PackJob(
            tuple(map(Path, open_pack.paths)),
            Path(folder),
            stated_names(typed_names(names, from_file)),
            datetime.now(UTC).date(),
            open_pack.edition,
            dict(open_pack.languages),
            open_pack.has_own_prompts,
        )
        steps = told_in_turn(services.checks.looks, visitor_key(request), job, _waiting, "Not sorted into runs.")
        async with aclosing(steps):
            async for step in steps:
                if isinstance(step, Packed):
                    open_pack.ask(step.untold, step.is_edition_open)
                    yield _values(step, open_pack)
                else:
                    yield (step, *_nothing(), gr.skip())


def _values(packed: Packed, open_pack: OpenPack) -> tuple[Any, ...]:
    files = [str(path) for path in packed.files]
    asked = _asked(open_pack)
    if not files:
        return (_not_written(packed), packed.plan, *_NO_RUNS, *asked, gr.skip())
    runs = "1 file is ready." if len(files) == 1 else f"{len(files)} files are ready, each a submission of its own."
    return (
        notice("warning" if open_lines(packed) else "good", runs, *open_lines(packed), WRITTEN_WHERE),
        packed.plan,
        gr.update(value=files, visible=True),
        gr.update(choices=[path.name for path in packed.files], value=packed.files[0].name, visible=len(files) > 1),
        *asked,
        files[0],
    )


def _asked(open_pack: OpenPack) -> tuple[Any, ...]:
    """Values of `PackParts.asked` and the button below: each is shown where the files do not say it."""
    files = open_pack.file_choices
    is_edition_asked, is_language_asked = open_pack.is_edition_asked, bool(files)
    return (
        gr.update(value=open_pack.edition or "", visible=is_edition_asked),
        gr.update(choices=files, value=files[0][1] if files else None, visible=is_language_asked),
        gr.update(value=None, visible=is_language_asked),
        gr.update(visible=is_edition_asked or is_language_asked),
    )


def open_lines(packed: Packed) -> list[str]:
    """What the files do not say, and where it is chosen."""
    lines = []
    if packed.guessed:
        lines.append(
            f"Nothing says the edition of {_first(packed.guessed)}: taken for the newest it may be of. If it is of "
            f"another, choose that below and press {PUT_IN_ORDER_AGAIN}."
        )
    if packed.untold:
        lines.append(
            f"Nothing tells the language of {_first(packed.untold)}: choose it below and press {PUT_IN_ORDER_AGAIN}."
        )
    return lines


def _first(places: Sequence[str]) -> str:
    """The first file by its place, and how many more there are.

    >>> _first(["answers.jsonl"]), _first(["a.jsonl", "b.jsonl", "c.jsonl"])
    ('answers.jsonl', 'a.jsonl and 2 more')
    """
    first = visible(places[0])
    return first if len(places) == 1 else f"{first} and {len(places) - 1:,} more"


def _not_written(packed: Packed) -> NoticeValue:
    if packed.fault:
        return notice("bad", "The files cannot be sorted into runs.", packed.fault)
    if packed.missing:
        wanted = " and ".join(name.capitalize() for name in packed.missing)
        return notice(
            "warning",
            f"Fill in {wanted} below, then press {PUT_IN_ORDER} again.",
            "The files do not say it. In System and Model {run} and {model} stand for those of each run.",
            *open_lines(packed),
        )
    if packed.untold:
        return notice("warning", "No run is ready yet.", *open_lines(packed))
    return notice("bad", "No run came of these files.", "Why each file was left out is listed below.")


_NO_RUNS = (gr.update(value=None, visible=False), gr.update(choices=[], value=None, visible=False))
"""No files and no choice among them."""


def _nothing() -> tuple[Any, ...]:
    """No plan, no files, no choice, no question."""
    return (None, *_NO_RUNS, *(gr.update(visible=False),) * 4)


def _waiting(ahead: int) -> NoticeValue:
    if ahead == 0:
        return notice("plain", "The files are being sorted into runs.", "Large deliveries take up to a minute.")
    before = "1 file is ahead of yours." if ahead == 1 else f"{ahead:,} files are ahead of yours."
    return notice("plain", before, "Files are checked in turn; leaving this page gives up yours.")


def nothing_packed() -> tuple[Any, ...]:
    """Values of `PackParts.outputs` as at first."""
    return (None, *_nothing())


def chosen_file(packed: list[str] | None, name: str | None) -> Any:
    """The packed run of a name, for the form; nothing changes where there is none."""
    return next((path for path in packed or () if Path(path).name == name), gr.skip())
