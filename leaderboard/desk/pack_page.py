"""The part of Submit that puts files of any shape in order: several files, or one that a check cannot take as it is."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import gradio as gr

from leaderboard.desk.components import PackPlanView
from leaderboard.desk.packed_files import Packed, PackJob
from leaderboard.desk.submit_screen import Fields, stated_names, typed_names
from leaderboard.page.file_checks import told_in_turn
from leaderboard.page.identity import visitor_key
from leaderboard.page.services import Services
from leaderboard.parts.components import Notice
from leaderboard.parts.notices import NoticeValue, notice

PUT_IN_ORDER = "Put it in order"
NO_FILES = notice("plain", "Choose the files first.", "All files of your runs of ELOQUENT, or zips of any shape.")
WRITTEN_WHERE = "No text of an answer is altered. Nothing is submitted yet: the file is checked, then press Submit."


@dataclass(frozen=True, slots=True)
class PackParts:
    """Its components; `outputs` is what putting in order fills."""

    files: gr.File
    button: gr.Button
    said: Notice
    plan: PackPlanView
    packed: gr.File
    choice: gr.Radio

    @property
    def outputs(self) -> list[Any]:
        return [self.said, self.plan, self.packed, self.choice]


def pack_box() -> tuple[gr.File, gr.Button]:
    """Where several files are dropped."""
    with gr.Accordion("Several files, or a zip of any shape", open=False, elem_id="pack-box"):
        gr.Markdown(
            "Drop the files of all runs together: those that belong to one run are put together, and each run is "
            "written in the form of its edition (2025: one file for each language). You see the plan before anything "
            "is submitted.",
            elem_classes=["hint"],
        )
        files = gr.File(label="All files", file_count="multiple", type="filepath", elem_id="pack-files", height=120)
        button = gr.Button(PUT_IN_ORDER, elem_id="pack", size="sm", min_width=150)
    return files, button


def pack_results(files: gr.File, button: gr.Button) -> PackParts:
    """What is shown of the plan, above what the check says."""
    said = Notice(elem_id="pack-notice")
    plan = PackPlanView(elem_id="pack-plan")
    choice = gr.Radio([], label="File to check and submit", elem_id="pack-run", visible=False)
    packed = gr.File(
        label="The runs as files", file_count="multiple", interactive=False, visible=False, elem_id="packed-files"
    )
    return PackParts(files, button, said, plan, packed, choice)


async def put_in_order(
    services: Services, request: gr.Request, paths: Sequence[str], names: Fields, from_file: Fields
) -> AsyncGenerator[tuple[Any, ...], None]:
    """Values of `PackParts.outputs` and of the file of the form, while the files wait and when they are in order."""
    if not paths:
        yield (NO_FILES, *_nothing(), gr.skip())
        return
    # gradio copies what is handed out to where it keeps files of visitors, and removes it there in time.
    with TemporaryDirectory(prefix="plumbline-packed-") as folder:
        job = PackJob(
            tuple(map(Path, paths)), Path(folder), stated_names(typed_names(names, from_file)), datetime.now(UTC).date()
        )
        steps = told_in_turn(services.checks.looks, visitor_key(request), job, _waiting, "Not sorted into runs.")
        async with aclosing(steps):
            async for step in steps:
                yield _values(step) if isinstance(step, Packed) else (step, *_nothing(), gr.skip())


def _values(packed: Packed) -> tuple[Any, ...]:
    files = [str(path) for path in packed.files]
    if not files:
        return (_not_written(packed), packed.plan, *_nothing()[1:], gr.skip())
    runs = "1 file is ready." if len(files) == 1 else f"{len(files)} files are ready, each a submission of its own."
    return (
        notice("good", runs, WRITTEN_WHERE),
        packed.plan,
        gr.update(value=files, visible=True),
        gr.update(choices=[path.name for path in packed.files], value=packed.files[0].name, visible=len(files) > 1),
        files[0],
    )


def _not_written(packed: Packed) -> NoticeValue:
    if packed.fault:
        return notice("bad", "The files cannot be sorted into runs.", packed.fault)
    if packed.missing:
        wanted = " and ".join(name.capitalize() for name in packed.missing)
        return notice(
            "warning",
            f"Fill in {wanted} above, then press {PUT_IN_ORDER} again.",
            "The files do not say it. In System and Model {run} and {model} stand for those of each run.",
        )
    return notice("bad", "No run came of these files.", "Why each file was left out is listed below.")


def _nothing() -> tuple[Any, ...]:
    """No plan, no files, no choice."""
    return (None, gr.update(value=None, visible=False), gr.update(choices=[], value=None, visible=False))


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
