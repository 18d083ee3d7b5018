"""The seven public endpoints: what a team, a script or an assistant may do without the page (docs/api.md).

gradio makes each an HTTP endpoint, for `gradio_client` too, and an MCP tool: it reads the types of the signatures, and
the docstrings as descriptions. So these annotations are values, not texts: no `from __future__ import annotations`.

Every answer is a JSON text. As an object it would not arrive: `gradio_client` takes every object with a `path` (each
problem of a report has one) for a file and tries to download it, and MCP tools would answer as Python writes objects.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import gradio as gr
from gradio.data_classes import FileData
from gradio.events import api as endpoint
from gradio.utils import get_upload_folder

from evaluator.judge_logs.csv_table import FIELDS
from evaluator.judge_logs.judgements import NAME_CHARACTERS
from evaluator.judge_logs.registry import AUTO, LOG_FORMATS
from evaluator.judge_report.published import JudgeFigures, Unpublishable
from evaluator.robustness.edition_results import CulturalResult
from leaderboard.boards.editions.cache import EditionBoards
from leaderboard.boards.editions.rows import SETS_OF_BOARD, ScoredEdition
from leaderboard.boards.robustness.items import verdict_keys
from leaderboard.boards.robustness.screen import RobustnessScreen
from leaderboard.boards.robustness.state import RobustnessState
from leaderboard.desk.submit_screen import OPTIONS, VERDICT_FORMATS, problem_counts, stated_names, verdict_choices
from leaderboard.desk.ticket_decisions import TicketActs
from leaderboard.eval_results.tasks import BenchmarkTask
from leaderboard.every_eval_ever.files import EVERY_EVAL_EVER, record_files
from leaderboard.judge_report.job import ReportJob
from leaderboard.judge_report.publishing import ReportPublishing, Stated
from leaderboard.page.board_table import BoardTable
from leaderboard.page.file_checks import Left, answer_in_turn
from leaderboard.page.identity import Visitor, visitor_key
from leaderboard.page.links import DIRECTIONS, FILTER_PREFIX, ignored, link_of, readers_of
from leaderboard.page.registered import BoardTools
from leaderboard.page.state import JudgeReportState
from leaderboard.parts.board_kind import ALL
from leaderboard.parts.filters import ANY
from leaderboard.parts.notices import answers_words
from leaderboard.site.api_answers import (
    Answer,
    consistency_answer,
    cultural_answer,
    item_answer,
    json_of,
    receipt_answer,
    ticket_answer,
)
from leaderboard.site.link_reader import LinkReader
from leaderboard.web.pages import refusal
from leaderboard.web.places import FILES, READS
from submissions.check import EDITIONS, CheckReport
from submissions.checking.job import Answer as Given
from submissions.checking.job import CheckJob, Job
from submissions.checking.line import LineFull
from submissions.checking.pool import CheckPool
from submissions.formats.eloquent.one_question import answers_2026
from submissions.problems import NotTakenNow, SubmissionError, listed
from submissions.reading.quoting import quoted
from submissions.store.eta import estimates_of
from submissions.store.queue import Ticket
from submissions.store.quotas import QuotaExceeded
from submissions.store.store import StoreError
from submissions.webhooks.addresses import MOST_ADDRESS

ENDPOINTS = ("check", "submit", "choose", "ticket", "board", "item", "judge_report")
"""Names of the public endpoints: of the methods, in paths and as MCP tools."""

READS_AT_ONCE = 4

BOARD_FORMS = ("json", EVERY_EVAL_EVER)

MOST_NAME = 200
"""Characters of a name, a ticket or an item."""
MOST_QUERY = 2_000
"""Characters of the query of a link."""
MOST_PARAMETERS = 50
"""Of such a query."""
VALUES_NAMED = 30
"""So many values of a filter to whoever asks for another one."""
JUDGES_NAMED = 12
"""So many judges of a log are named to whoever has to name one."""
ITEMS_NAMED = 30
"""So many ids are named to whoever asks for an unknown item."""


_LOG_FORMATS = (AUTO, *(log_format.key for log_format in LOG_FORMATS))

NOBODY = (
    "This public installation cannot tell who is calling: sign in on the page, and send the session cookie of that "
    "sign-in with the call (docs/api.md)."
)


class PublicApi:
    """The endpoints. Bad input is refused in one sentence (`gr.Error`); no address is fetched."""

    def __init__(
        self, tools: BoardTools, links: LinkReader, robustness: RobustnessScreen, editions: EditionBoards
    ) -> None:
        self._tools = tools
        self._services = tools.services
        self._links = links
        self._robustness = robustness
        self._editions = editions

    async def check(
        self,
        request: gr.Request,
        file: FileData,
        team: str = "",
        system: str = "",
        model: str = "",
        run: str = "",
        edition: str = "auto",
        options: int | None = None,
        reference_model: str = "",
        verdict_format: str = "",
    ) -> str:
        """Check a submission file and get every problem in it: where it is, what was found and how to mend it.

        Nothing of it is stored or queued, it costs nothing. Decisions are accepted, accepted_with_warnings and refused.

        Args:
            file: The file, uploaded to this site or given as a data: URL; other addresses are not fetched.
            team: Name of the team, where the file does not state it.
            system: Name of the system, where the file does not state it.
            model: Name of the model, where the file does not state it.
            run: Name of the run, where the file does not state it.
            edition: What the file is said to be: auto, 2024, 2025 or 2026.
            options: For a CSV of judge verdicts, what the judges could answer: 2 (A or B) or 3 (A, B or tie).
            reference_model: For a CSV of judge verdicts, the first candidate of every pair.
            verdict_format: For a CSV of judge verdicts, how raw_text states a verdict: brackets or choice.

        Returns:
            The report as JSON, the same as `python -m submissions check --json` prints.
        """
        stated = _stated(team, system, model, run, edition, options, reference_model, verdict_format)
        path = uploaded(file)
        checks = self._services.checks
        checked = await _answered(checks.looks, request, CheckJob(path, path.name, **stated))
        await checks.take_in(partial(self._services.desk.count_refusal, checked.report))
        return json.dumps(checked.report.as_json())

    async def submit(
        self,
        request: gr.Request,
        file: FileData,
        team: str = "",
        system: str = "",
        model: str = "",
        run: str = "",
        edition: str = "auto",
        options: int | None = None,
        reference_model: str = "",
        verdict_format: str = "",
        accept_terms: bool = False,
        notify: str = "",
    ) -> str:
        """Submit a file to its board: its names and answers become public. Check it first.

        A file that the check refuses is not taken. The same file under the same names is not taken twice.

        Args:
            file: The file, uploaded to this site or given as a data: URL; other addresses are not fetched.
            team: Name of the team, where the file does not state it.
            system: Name of the system, where the file does not state it.
            model: Name of the model, where the file does not state it.
            run: Name of the run, where the file does not state it.
            edition: What the file is said to be: auto, 2024, 2025 or 2026.
            options: For a CSV of judge verdicts, what the judges could answer: 2 (A or B) or 3 (A, B or tie).
            reference_model: For a CSV of judge verdicts, the first candidate of every pair.
            verdict_format: For a CSV of judge verdicts, how raw_text states a verdict: brackets or choice.
            accept_terms: The caller's account accepts the terms of this site and of the season, which it is asked once.
            notify: https address of a webhook that is told when the submission is scored or has failed; never shown.

        Returns:
            The receipt as JSON: the ticket, where it stands, the report of the check, and the secret of the webhook.
        """
        visitor = self._services.identity.visitor(request)
        if visitor is None:
            raise refusal(NOBODY)
        path = uploaded(file)
        stated = _stated(team, system, model, run, edition, options, reference_model, verdict_format)
        if not isinstance(accept_terms, bool):
            raise refusal("accept_terms is true or false.")
        address = _text("notify", notify, MOST_ADDRESS).strip()
        job = CheckJob(path, path.name, **stated)
        checked = await _answered(self._services.checks.submissions, request, job)
        stated |= {"accepts_terms": accept_terms, "notify": address}
        taken_in = partial(self._taken_in, path, visitor, stated, checked.report)
        return json_of(await self._services.checks.take_in(taken_in))

    def _taken_in(self, path: Path, visitor: Visitor, stated: dict[str, Any], report: CheckReport) -> Answer:
        """The receipt of a file that is taken in, and when it will be scored; or a sentence why it is not taken."""
        store = self._services.store
        try:
            with path.open("rb") as opened:
                receipt = self._services.desk.submit(
                    opened,
                    path.name,
                    owner=visitor.owner,
                    owner_name=visitor.name,
                    quotas=self._services.identity.quotas,
                    checked=report,
                    **stated,
                )
        except SubmissionError as error:
            raise refusal(_why_refused(error)) from None
        except NotTakenNow as error:
            raise refusal(str(error)) from None
        return receipt_answer(receipt, estimates_of(store).get(receipt.ticket.id))

    def choose(self, request: gr.Request, ticket: str, undo: bool = False) -> str:
        """Choose the run that your system, or your team where its season ranks one run of each, is ranked by.

        It can be chosen before it is scored, and until the deadline of its season. Without a choice the latest run with
        enough to be ranked is the one.

        Args:
            ticket: The ticket of one of the caller's own runs.
            undo: Take the choice back: the latest run is the one again.

        Returns:
            What `ticket` answers.
        """
        visitor = self._services.identity.visitor(request)
        if visitor is None:
            raise refusal(NOBODY)
        if not isinstance(undo, bool):
            raise refusal("undo is true or false.")
        ticket_id = _text("ticket", ticket)
        said = TicketActs(self._services).by_owner("latest" if undo else "primary", ticket_id, visitor)
        if said["kind"] != "good":
            raise refusal(said["title"])
        return self.ticket(ticket_id)

    def ticket(self, ticket: str) -> str:
        """Look up where a submission stands: its state and reason, its place in the queue, progress and log.

        Args:
            ticket: The ticket that submitting gave.

        Returns:
            The state as JSON, with times and log; is_over says that no work is to come, wait when it will be scored.
        """
        stored_ticket = self._services.store.ticket(_text("ticket", ticket))
        if stored_ticket is None:
            raise refusal(f"No submission has the ticket {quoted(ticket)}.")
        if not stored_ticket.status.is_open:
            return json_of(ticket_answer(stored_ticket, None))
        store = self._services.store
        return json_of(ticket_answer(stored_ticket, estimates_of(store).get(stored_ticket.id)))

    def board(self, board: str, query: str = "") -> str:
        """Read a leaderboard: the rows that the page shows under the same link, all pages, with intervals.

        The query is what a link of the page has after its question mark, for example
        set=demonstration&view=all&sort=score&direction=descending&search=llama&filter_coverage=95&columns=essential.

        Args:
            board: One of: robustness, consistency, cultural, judges, judge_quality, llm_bar, alpaca_eval, personalization, personalized_ratings, personalized_pairs or behavior.
            query: What to show, as in a link of the page; blank = the board as at first, with every column. With format=every-eval-ever the ranked rows come as records of Every Eval Ever.

        Returns:
            The rows and what they are of as JSON, the same as the page's JSON download; of every-eval-ever an object of files by their path.
        """  # noqa: E501  (what an argument is must stand in one line for gradio)
        table = self._links.tables.get(_text("board", board))
        if table is None:
            raise refusal(f"There is no board {quoted(board)}; there are {', '.join(self._links.tables)}.")
        asked = {"tab": board, "columns": ALL} | _query(query)
        form = asked.pop("format", "json")
        if form not in BOARD_FORMS:
            raise refusal(f"format is one of {', '.join(BOARD_FORMS)}.")
        if asked["tab"] != board:
            raise refusal(f"The query is of {quoted(asked['tab'])}, not of the board {board}.")
        link = self._links.read(asked)
        if link.notes:
            raise refusal(" ".join(self._unknown(note, asked, table) for note in link.notes))
        if link.state.tab != board:
            raise refusal(f"The query opens a run of the board {link.state.tab}, not of {board}; ask that one for it.")
        if form == EVERY_EVAL_EVER:
            files = record_files(self._tools, [BenchmarkTask(table, link.state)])
            return json_of({path: data.decode() for path, data in files.items()})
        return table.json(link.state)

    def _unknown(self, note: str, asked: Mapping[str, str], table: BoardTable[Any, Any]) -> str:
        """What a note on a link says, with what is known in the place of what is not."""
        said = note.replace(" and was ignored", "").removesuffix(".")
        named = next((name for name, value in asked.items() if note == ignored(name, value)), None)
        known = self._known(named, table) if named else ()
        return f"{said}; known are {', '.join(known)}." if known else f"{said}."

    def _known(self, name: str, table: BoardTable[Any, Any]) -> Sequence[str]:
        """The values a parameter of a board's link may have; of a parameter there is not, the parameters there are."""
        kind, parameters = table.kind, readers_of(table.state)
        if name not in parameters:
            return tuple(parameters)
        if name == "set" and table.board == RobustnessState().tab:
            return tuple(self._robustness.set_titles())
        if name == "set":
            return next((sets for board, sets in SETS_OF_BOARD.items() if board == table.board), ())
        if name == "columns":
            return (ALL, *(preset.key for preset in kind.presets), *(column.key for column in kind.columns))
        for filter_ in kind.filters:
            if name == f"{FILTER_PREFIX}{filter_.key}":
                rows = table.all_rows(table.completed(table.state()))
                return [choice for _, choice in filter_.choices(rows, ANY) if choice][:VALUES_NAMED]
        return {"sort": kind.sort_keys, "direction": DIRECTIONS}.get(name, ())

    def item(self, system: str, item: str) -> str:
        """Read one item of a system: its answers, and what was made of them (verdicts, or distances of languages).

        Args:
            system: The ticket of a row of the robustness board, or of the boards of 2025 and 2026.
            item: Which item of the prompt set, for example 003; of 2025 and 2026 a question, for example 7.

        Returns:
            The item as JSON: of 2024 groups by language, each with variants (prompt, answer, flags) and judged pairs.
        """
        if (run := self._editions.run(_text("system", system))) is not None:
            _refuse_private(run.ticket)
            return json_of(self._question(run, _text("item", item)))
        opened = self._robustness.opened(RobustnessState(system=_text("system", system)))
        if opened is None:
            raise refusal(f"No result of the robustness boards stands under the ticket {quoted(system)}.")
        ticket, result = opened
        _refuse_private(ticket)
        item_result = next((candidate for candidate in result.items if candidate.id == _text("item", item)), None)
        if item_result is None:
            known = ", ".join(item.id for item in result.items[:ITEMS_NAMED])
            raise refusal(f"This system has no item {quoted(item)}; among its items are {known}.")
        services = self._services
        data = services.store.payload(ticket.file_sha256)
        read = services.desk.check(data, ticket.file_name, edition=ticket.edition, names=ticket.names).submission
        judgments = services.judgments(ticket, verdict_keys(item_result.groups))
        return json_of(item_answer(ticket, result, item_result, read, services.sets().get(ticket.set_id), judgments))

    async def judge_report(
        self,
        request: gr.Request,
        file: FileData,
        labels: FileData = None,  # type: ignore[assignment]  # of a file that may be null gradio 6.31 makes no upload
        log_format: str = AUTO,
        columns: str = "",
        publish: bool = False,
        judge: str = "",
        judge_name: str = "",
        data_set: str = "",
        languages: str = "",
        price: str = "",
    ) -> str:
        """Make a report of a judge's own log: how far places, lengths and repetition sway the judge, and what is not known.

        Reads logs of FastChat, AlpacaEval, JudgeArena, inspect_ai, promptfoo, RewardBench, JudgeBench, votes of LMArena, MT-bench and compar:IA, and any CSV with one
        judgement in each row. Nothing is stored or published unless publish is true: then the figures of one judge are, marked self-reported.

        Args:
            file: The log, uploaded to this site or given as a data: URL; other addresses are not fetched.
            labels: Labels by people: a CSV with question, first, second and verdict, or question, system and rating; a filled label sheet; or any log. Leave it out where there are none.
            log_format: Which tool wrote the log: auto, fastchat, alpaca_eval, judge_arena, inspect, promptfoo, reward_bench, judge_bench, lmarena, comparia or csv.
            columns: Of a CSV, which column is which, as a query: question=prompt_id&first=left&second=right&verdict=winner.
            publish: Publish the figures of one judge of the log in the name of the caller's account; needs data_set.
            judge: Of a log of several judges, whose figures to publish, as the log calls it.
            judge_name: The name the figures stand under; blank = as the log calls the judge.
            data_set: What the judge judged, for whoever reads the figures.
            languages: Codes of the log's languages for publishing, separated by commas: en,de.
            price: US dollars for 1,000 verdicts for publishing, as 1.50; blank = not stated.

        Returns:
            The report as JSON, the same as `python -m evaluator judge-report --json` prints, with `published` (id, link) where it was; of a refused file its problems.
        """  # noqa: E501  (what an argument is must stand in one line for gradio)
        log, beside = uploaded(file), uploaded(labels) if labels else None
        if log_format not in _LOG_FORMATS:
            raise refusal(f"log_format is one of {', '.join(_LOG_FORMATS)}.")
        mapping = _query(columns, "columns")
        if unknown := [name for name in mapping if name not in FIELDS]:
            raise refusal(f"columns names the field {quoted(unknown[0])}; fields are {', '.join(FIELDS)}.")
        if not isinstance(publish, bool):
            raise refusal("publish is true or false.")
        stated = Stated(
            _text("judge_name", judge_name),
            _text("data_set", data_set),
            _text("languages", languages),
            _text("price", price),
        )
        whose = _text("judge", judge, NAME_CHARACTERS)
        # Asked before the log is read: whoever cannot publish does not wait for that.
        visitor = self._services.identity.visitor(request) if publish else None
        if publish and visitor is None:
            raise refusal(NOBODY)
        job = ReportJob(log, beside, log_format, mapping)
        reported = await _answered(self._services.checks.looks, request, job)
        if reported.files is None or visitor is None:
            return reported.refused if reported.files is None else reported.files.json
        publishes = partial(self._published, reported.figures, whose, stated, visitor)
        kept = await self._services.checks.take_in(publishes)
        return json_of({**json.loads(reported.files.json), "published": kept})

    def _published(self, figures: Sequence[JudgeFigures], whose: str, stated: Stated, visitor: Visitor) -> Answer:
        """Where the figures of one judge stand from now on; or a sentence why they do not."""
        named = [judge_figures for judge_figures in figures if whose in ("", judge_figures.judge)]
        if len(named) != 1:
            known = ", ".join(quoted(judge_figures.judge) for judge_figures in figures[:JUDGES_NAMED])
            raise refusal(f"publish is of one judge, and {len(named)} match: name one as judge, of {known}.")
        try:
            name = stated.judge or named[0].judge
            report, _ = ReportPublishing(self._services).kept(named[0], replace(stated, judge=name), visitor)
        except (Unpublishable, QuotaExceeded, StoreError) as error:
            raise refusal(f"Not published: {error}") from None
        return {"id": report.id, "link": link_of(JudgeReportState(report=report.id))}

    def _question(self, run: ScoredEdition, item: str) -> Answer:
        """One question of a run of 2025 or 2026."""
        ticket, result = run.ticket, run.result
        known = (
            result.questions if isinstance(result, CulturalResult) else [question.id for question in result.questions]
        )
        if item not in known:
            raise refusal(f"This run has no question {quoted(item)}; among them are {', '.join(known[:ITEMS_NAMED])}.")
        if isinstance(result, CulturalResult):
            return cultural_answer(
                ticket, result, item, answers_2026(self._services.store.payload(ticket.file_sha256), item)
            )
        return consistency_answer(ticket, result, item)


def expose(api: PublicApi) -> None:
    """Makes the seven endpoints public; call it inside the blocks. Nothing else of the page is."""
    for of_a_file in (api.check, api.submit):
        # They wait in a line of their own, where visitors take turns.
        endpoint(of_a_file, concurrency_limit=None, concurrency_id=FILES)
    for reading in (api.choose, api.ticket, api.board, api.item):
        endpoint(reading, concurrency_limit=READS_AT_ONCE, concurrency_id=READS)
    endpoint(api.judge_report, concurrency_limit=None, concurrency_id=FILES)


async def _answered(pool: CheckPool, request: gr.Request, job: Job[Given]) -> Given:
    """What comes of an upload, in the caller's turn."""
    try:
        return await answer_in_turn(pool, visitor_key(request), job)
    except LineFull as full:
        raise refusal(str(full)) from None
    except Left:
        raise refusal("The caller has left before the file was checked.") from None


def uploaded(file: object) -> Path:
    """The file of an upload, as gradio describes it.

    Raises:
        gr.Error: for anything else, a file of this machine above all.
    """
    is_file = isinstance(file, dict) and isinstance(file.get("path"), str) and "meta" in file
    if not is_file or not isinstance(file, dict):
        raise refusal("No file came with the call: upload it first (gradio_client: handle_file), then state its path.")
    # gradio has checked it too, unless its description is one that gradio does not take for a file's.
    path, folder = Path(file["path"]).resolve(), Path(get_upload_folder()).resolve()
    if not path.is_relative_to(folder) or not path.is_file():
        raise refusal("The file was not uploaded to this site, or is no longer there: upload it first.")
    return path


def _stated(
    team: object,
    system: object,
    model: object,
    run: object,
    edition: object,
    options: object,
    reference_model: object,
    verdict_format: object,
) -> dict[str, Any]:
    """What a call says about its file, as the desk takes it; a client may send any JSON."""
    names = {"team": team, "system": system, "model": model, "run": run}
    if edition not in EDITIONS:
        raise refusal(f"edition is one of {', '.join(EDITIONS)}.")
    if options not in (None, *OPTIONS):
        raise refusal("options is 2 (A or B) or 3 (A, B or tie).")
    if verdict_format not in ("", *VERDICT_FORMATS):
        raise refusal(f"verdict_format is one of {', '.join(VERDICT_FORMATS)}.")
    return {
        "names": stated_names(tuple(_text(name, value) for name, value in names.items())),
        "edition": edition,
        "choices": verdict_choices(options, _text("reference_model", reference_model), verdict_format),
    }


def _text(name: str, value: object, most: int = MOST_NAME) -> str:
    if not isinstance(value, str) or len(value) > most:
        raise refusal(f"{name} is a text of at most {most:,} characters.")
    return value


def _query(text: object, name: str = "query") -> dict[str, str]:
    """The parameters of a query, as links have them."""
    query = _text(name, text, MOST_QUERY).strip().removeprefix("?")
    try:
        return dict(parse_qsl(query, keep_blank_values=True, max_num_fields=MOST_PARAMETERS))
    except ValueError:
        raise refusal(f"{name} has more than {MOST_PARAMETERS} parameters.") from None


def _refuse_private(ticket: Ticket) -> None:
    """Refuses to show answers before their season does."""
    if private := answers_words(ticket):
        raise refusal(private)


def _why_refused(error: SubmissionError) -> str:
    first = listed(error.problems)[0]
    return (
        f"The file was refused ({problem_counts(error.problems)}): {first.path}: {first.message}; check it to see all."
    )
