"""The submission desk: check a file, see every fault, submit it, get a ticket."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from functools import partial
from pathlib import Path
from typing import Any

import gradio as gr

from leaderboard.desk.checked_file import CheckedFile, checked_file
from leaderboard.desk.components import GridView, PreviewView, ProblemsView, ReceiptView
from leaderboard.desk.pack_page import PUT_IN_ORDER, nothing_packed, pack_box, pack_results
from leaderboard.desk.submit_screen import (
    BLANK,
    NAMES,
    WHAT_BECOMES_PUBLIC,
    Fields,
    ReceiptValue,
    decision_notice,
    missing_names,
    names_of_file,
    receipt_value,
    refused,
    shown_names,
    stated_names,
    typed_names,
    verdict_choices,
    waiting_notice,
)
from leaderboard.desk.template_files import (
    BY_LANGUAGE,
    eloquent_template,
    first_languages,
    offered_languages,
    own_template,
)
from leaderboard.desk.terms_box import TermsBox
from leaderboard.page.file_checks import told_in_turn
from leaderboard.page.identity import Visitor, visitor_key
from leaderboard.page.region import CHOSEN, QUIET, answers_once
from leaderboard.page.services import Services
from leaderboard.parts.components import Download, Notice, Table
from leaderboard.parts.downloads import JSON, FileValue, file_value
from leaderboard.parts.notices import NoticeValue, notice
from submissions.checking.job import Checked, CheckJob
from submissions.formats.eloquent.template import answer_sheet
from submissions.kinds import templates
from submissions.problems import NotTakenNow, SubmissionError
from submissions.promptsets import PromptSetError
from submissions.promptsets.cultural import CULTURAL_LANGUAGES
from submissions.store.eta import estimates_of
from submissions.webhooks.addresses import MOST_ADDRESS

NO_FILE = notice(
    "plain",
    "Choose a file first.",
    "One file: JSON or zip, as your edition asks for, JSON Lines of personalized answers, or a CSV of judge verdicts.",
)

SIGN_IN = notice(
    "bad",
    "Sign in first: a submission belongs to an account.",
    "The button is at the top of the page. Checking a file needs no account.",
)
NO_SIGN_IN = notice(
    "bad",
    "This Space takes no submissions: nobody can sign in here.",
    "Whoever runs it has to set up its sign-in (docs/identity.md). Checking a file works.",
)

KIND_TEMPLATES = templates()

Values = tuple[Any, ...]
"""Of all the components a handler fills."""


class OpenDesk:
    """What one open page has submitted; no dataclass, for gradio takes those apart."""

    def __init__(self) -> None:
        self.submitted = ""
        """The upload whose receipt is shown; blank while there is none."""

    def __deepcopy__(self, memo: object) -> OpenDesk:
        """gradio makes every visitor's state by copying the first one: each begins with nothing."""
        return OpenDesk()


def submit_page(services: Services) -> TermsBox:
    """The page's components and wiring; what is filled when it is opened are the terms."""
    gr.Markdown(
        "### Submit a file\n"
        "Drop a file: it is checked at once and every fault is listed. Nothing is queued until you press **Submit**."
    )
    with gr.Column(elem_id="submit-form"):
        upload = gr.File(label="Submission file", type="filepath", elem_id="submission-file", height=130)
        with gr.Row():
            with gr.Column(min_width=280):
                _templates(services)
            with gr.Column(min_width=280):
                pack_files, own_prompts, pack_button = pack_box()
        pack = pack_results(pack_files, own_prompts, pack_button)
        decision = Notice(elem_id="decision")
        mend_button = gr.Button(PUT_IN_ORDER, elem_id="pack-this", visible=False, scale=0, min_width=180)
        problems = ProblemsView(elem_id="problems")
        asked = Notice(elem_id="missing-names")
        with gr.Row():
            team, system, model, run = (_name_box(name) for name in NAMES)
        gr.Markdown("If the file contains names, those are used.", elem_classes=["hint"])
        with gr.Row():
            with gr.Column(min_width=280):
                reading = _verdict_reading()
            with gr.Column(min_width=280):
                notify = _webhook_box()
        terms = TermsBox(services)
        keep_answers = gr.Checkbox(
            value=False,
            label="Keep our answers out of public exports (datasets, season reports); scores are shown",
            elem_id="keep-answers",
            container=False,
        )
        with gr.Row(elem_id="submit-bar"):
            check_button = gr.Button("Check", elem_id="check", scale=0, min_width=140)
            submit_button = gr.Button(
                "Submit", variant="primary", interactive=False, elem_id="submit", scale=0, min_width=140
            )
            gr.Markdown(WHAT_BECOMES_PUBLIC, elem_id="what-becomes-public", elem_classes=["hint"])
        receipt = ReceiptView(elem_id="receipt")
        preview = PreviewView(elem_id="preview")
        grid = GridView(elem_id="coverage-grid")
        held = Table(elem_id="coverage")

    names = [team, system, model, run]
    filled, desk = gr.State(BLANK), gr.State(OpenDesk())
    unnamed = (gr.skip(),) * (1 + len(names))
    findings: list[Any] = [submit_button, receipt, asked, decision, problems, preview, grid, held, mend_button]

    def job(path: str, typed: Fields, reading: tuple[Any, ...]) -> CheckJob:
        names, choices = stated_names(typed), verdict_choices(*reading)
        return CheckJob(Path(path), Path(path).name, names=names, choices=choices, view=checked_file)

    async def checked(
        request: gr.Request, desk: OpenDesk, path: str, reading: tuple[Any, ...], typed: Fields, on_page: Fields
    ) -> AsyncGenerator[Values, None]:
        asked = job(path, typed, reading)
        desk.submitted = ""
        steps = told_in_turn(services.checks.looks, visitor_key(request), asked, waiting_notice, "Not checked.")
        async with aclosing(steps):
            async for step in steps:
                if desk.submitted == path:  # meanwhile, and its receipt stays
                    return
                if isinstance(step, Checked):
                    names_brought = names_of_file(step.report.names, typed)
                    shown = shown_names(typed, names_brought)
                    yield (names_brought, *_changed(shown, on_page), *_findings(step, path, shown))
                    await services.checks.take_in(partial(services.desk.count_refusal, step.report))
                else:
                    # Submit stays as it is, for it checks by itself: a press must not meet a button that just closed.
                    yield (*unnamed, gr.skip(), *_nothing_checked(step)[1:])

    @answers_once
    async def check(
        request: gr.Request,
        desk: OpenDesk,
        path: str | None,
        options: Any,
        reference: str | None,
        style: Any,
        from_file: Fields,
        *fields: str,
    ) -> AsyncGenerator[Values, None]:
        if path is None:
            yield (*unnamed, *_nothing_checked(NO_FILE))
            return
        typed = typed_names(fields, from_file)
        async with aclosing(checked(request, desk, path, (options, reference, style), typed, fields)) as steps:
            async for values in steps:
                yield values

    @answers_once
    async def submit(
        request: gr.Request,
        desk: OpenDesk,
        path: str | None,
        options: Any,
        reference: str | None,
        style: Any,
        accepts_terms: Any,
        keeps_answers: Any,
        webhook: Any,
        from_file: Fields,
        *fields: str,
    ) -> AsyncGenerator[Values, None]:
        visitor = services.identity.visitor(request)
        if path is None:
            yield _nothing_checked(NO_FILE)
            return
        if visitor is None:
            yield _not_taken(SIGN_IN if services.identity.signs_in else NO_SIGN_IN)
            return
        asked = job(path, typed_names(fields, from_file), (options, reference, style))
        steps = told_in_turn(services.checks.submissions, visitor_key(request), asked, waiting_notice, "Not checked.")
        async with aclosing(steps):
            async for step in steps:
                if isinstance(step, Checked):
                    chosen = {
                        "accepts_terms": accepts_terms is True,
                        "keeps_answers": keeps_answers is True,
                        "notify": webhook.strip() if isinstance(webhook, str) else "",
                    }
                    taken_in = partial(_taken_in, services, visitor, asked, step, fields, chosen)
                    values = await services.checks.take_in(taken_in)
                    desk.submitted = path if values[1] else ""
                    yield values
                else:
                    yield _not_taken(step)

    def clear(from_file: Fields, *fields: str) -> tuple[Any, ...]:
        return (BLANK, *typed_names(fields, from_file), *_nothing_checked(None), *nothing_packed())

    arguments: dict[str, Any] = {
        "inputs": [desk, upload, *reading, filled, *names],
        "outputs": [filled, *names, *findings],
        "concurrency_limit": None,  # they wait in our own line, which shows the place
        "api_visibility": "private",
        "show_progress": "hidden",
    }
    checks: list[dict[str, Any]] = [upload.upload(check, **arguments), check_button.click(check, **arguments)]
    # What a check found may be on its way when the receipt comes: the browser takes no answer of a cancelled one.
    # A listener of its own, and before the other: gradio 6.31 runs the listeners of a button one after the other.
    submit_button.click(None, cancels=checks)
    submitted = submit_button.click(
        submit,
        **{
            **arguments,
            "inputs": [desk, upload, *reading, terms.box, keep_answers, notify, filled, *names],
            "outputs": findings,
        },
    )

    def still_asked(request: gr.Request) -> Values:
        return terms.values(services.identity.visitor(request))

    if terms.outputs:  # accepted by now, or asked for since the page was opened
        submitted.then(still_asked, None, terms.outputs, **QUIET)

    @answers_once
    async def check_packed(
        request: gr.Request,
        desk: OpenDesk,
        path: str | None,
        options: Any,
        reference: str | None,
        style: Any,
        _: Fields,
        *fields: str,
    ) -> AsyncGenerator[Values, None]:
        if path is None:  # nothing was packed, and the notice says why
            yield (gr.skip(),) * len(arguments["outputs"])
            return
        # The packed file states all names: what was typed may be a pattern for the names of several runs.
        async with aclosing(checked(request, desk, path, (options, reference, style), BLANK, fields)) as steps:
            async for values in steps:
                yield values

    for event in pack.wire(services, upload, mend_button, [filled, *names], arguments):
        event.then(check_packed, **arguments)
    upload.upload(nothing_packed, None, pack.outputs, **QUIET)  # the plan is of other files
    # In one answer: whoever sees the plan gone can type, and no second answer empties what was typed since.
    upload.clear(clear, [filled, *names], [filled, *names, *findings, *pack.outputs], **QUIET)
    return terms


def _taken_in(
    services: Services,
    visitor: Visitor,
    job: CheckJob,
    checked: Checked,
    fields: Fields,
    chosen: Mapping[str, Any],
) -> tuple[Any, ...]:
    """Values of the components below the buttons, after taking the file in or being told why it is not taken.

    Args:
        chosen: What else `Desk.submit` is told.
    """
    path = str(job.path)
    try:
        with job.path.open("rb") as file:
            taken = services.desk.submit(
                file,
                job.file_name,
                owner=visitor.owner,
                owner_name=visitor.name,
                quotas=services.identity.quotas,
                names=job.names,
                choices=job.choices,
                checked=checked.report,
                **chosen,
            )
    except NotTakenNow as error:
        return _not_taken(notice("warning", "Not submitted.", str(error)))
    except SubmissionError as error:
        return _findings(Checked(refused(checked.report, error.problems)), path, fields)
    wait = estimates_of(services.store).get(taken.ticket.id)
    return _findings(checked, path, fields, receipt=receipt_value(taken, wait))


def _findings(checked: Checked, path: str, names: Fields, receipt: ReceiptValue | None = None) -> tuple[Any, ...]:
    """Values of the components below the buttons; a submitted file cannot be submitted again by a second press."""
    report = checked.report
    with Path(path).open("rb") as file:
        view: CheckedFile = checked.view or checked_file(report, file)
    return (
        gr.update(interactive=report.decision != "refused" and receipt is None),
        receipt,
        None if receipt else missing_names(report, names),
        None if receipt else decision_notice(report),
        view.problems,
        view.preview,
        view.grid,
        view.held,
        gr.update(visible=receipt is None and any(problem.code == "pack_would_mend" for problem in report.problems)),
    )


def _changed(shown: Fields, on_page: Fields) -> tuple[Any, ...]:
    """Values of the name fields: one that stays is not written, for somebody may be typing into it by now."""
    return tuple(gr.skip() if text == there else text for text, there in zip(shown, on_page, strict=True))


def _not_taken(said: NoticeValue) -> tuple[Any, ...]:
    """Why a file in order is not taken now; what the check said of it stays."""
    skipped = (gr.skip(),) * 5
    return (gr.update(interactive=True), None, None, said, *skipped)


def _nothing_checked(said: NoticeValue | None) -> tuple[Any, ...]:
    return (gr.update(interactive=False), None, None, said, None, None, None, None, gr.update(visible=False))


def _templates(services: Services) -> None:
    """What a team starts from: the empty submission and the prompts to answer, for one prompt set or kind."""
    prompt_sets = services.desk.prompt_sets
    titles = [(title, set_id) for set_id, title in (services.set_titles() | BY_LANGUAGE).items()]
    titles += [(template.label, kind) for kind, template in KIND_TEMPLATES.items()]
    own_tasks = {task.set_id: task for task in prompt_sets.own_tasks}
    titles += [(task.title, set_id) for set_id, task in own_tasks.items()]
    with gr.Accordion("Start from a template", open=False, elem_id="templates"):
        chosen = gr.Radio(titles, value=titles[0][1], label="What you want to send", elem_id="template-set")
        languages = gr.Dropdown(
            list(CULTURAL_LANGUAGES),
            label="Languages (a file of 2025 has one)",
            multiselect=True,
            visible=False,
            elem_id="template-languages",
        )
        with gr.Row():
            template = gr.Button("Submission template", elem_id="template", size="sm", min_width=150)
            sheet = gr.Button("Answer sheet (all prompts)", elem_id="answer-sheet", size="sm", min_width=150)
        said = Notice(elem_id="template-notice")
    download = Download(elem_id="template-download")

    def offer_languages(set_id: str) -> Any:
        first = first_languages(set_id, prompt_sets)
        return gr.update(choices=list(offered_languages(set_id, prompt_sets)), value=list(first), visible=bool(first))

    def template_file(set_id: str, named: list[str] | None) -> FileValue:
        if set_id in KIND_TEMPLATES:
            return file_value(f"{set_id.replace('_', '-')}-template.json", JSON, KIND_TEMPLATES[set_id].text())
        if set_id in own_tasks:
            return own_template(own_tasks[set_id])
        return eloquent_template(set_id, named or [], prompt_sets)

    def sheet_file(set_id: str) -> tuple[FileValue | None, NoticeValue | None]:
        if set_id in KIND_TEMPLATES:
            return None, notice("warning", "There is no answer sheet here.", KIND_TEMPLATES[set_id].no_answer_sheet)
        if set_id in own_tasks:
            return None, notice("warning", "There is no answer sheet here.", "The template has the key of every item.")
        try:
            text = answer_sheet(prompt_sets.by_id(set_id))
        except PromptSetError as error:
            return None, notice("warning", "There is no answer sheet here.", str(error))
        return file_value(f"{set_id}-answer-sheet.json", JSON, text), None

    chosen.input(offer_languages, chosen, languages, **CHOSEN)
    template.click(template_file, [chosen, languages], download, **QUIET)
    sheet.click(sheet_file, chosen, [download, said], **QUIET)


def _verdict_reading() -> tuple[gr.Radio, gr.Textbox, gr.Radio]:
    """What a CSV of judge verdicts does not say about itself; a JSON file may."""
    with gr.Accordion("Judge verdicts: how to read the table", open=False, elem_id="verdict-reading"):
        options = gr.Radio(
            [("A, B or tie", 3), ("A or B", 2)],
            label="What the judges could answer (a CSV cannot say it)",
            elem_id="verdict-options",
        )
        reference = gr.Textbox(
            "",
            label="Reference model",
            placeholder="first candidate of every pair",
            elem_id="reference",
            max_length=200,
        )
        style = gr.Radio(
            [("[[A]]", "brackets"), ("Choice: A", "choice")],
            value="brackets",
            label="How raw_text states a verdict",
            elem_id="verdict-format",
        )
    return options, reference, style


def _webhook_box() -> gr.Textbox:
    with gr.Accordion("Notify me (webhook)", open=False, elem_id="webhook"):
        return gr.Textbox(
            "",
            label="Address to notify when the run is scored or has failed",
            info="Never shown. Your receipt has the secret that signs each notice.",
            placeholder="https://...",
            elem_id="notify",
            max_length=MOST_ADDRESS,
        )


def _name_box(name: str) -> gr.Textbox:
    return gr.Textbox("", label=name, elem_id=f"name-{name.lower()}", max_length=200, min_width=150)
