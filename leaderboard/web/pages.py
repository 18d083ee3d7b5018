"""The pages as a gradio application that fetches nothing on a visitor's behalf, and measures its events."""

from __future__ import annotations

import errno
import logging
import time
from collections.abc import Callable, Mapping
from copy import copy
from typing import Any, Self
from urllib.parse import unquote, urlsplit

import gradio as gr
from gradio.exceptions import InvalidPathError
from gradio.routes import App
from prometheus_client import Histogram
from starlette.routing import Route

from leaderboard.site.previews import general_preview
from leaderboard.web.faults import FAILED, in_one_line
from leaderboard.web.first_values import FirstView
from leaderboard.web.pace import Pace
from leaderboard.web.page_previews import PreviewOf
from leaderboard.web.places import FairQueue
from leaderboard.web.sessions import LeanSessions
from submissions.reading.quoting import printable
from submissions.store.database import one_look
from submissions.store.store import StoreDamaged, StoreUnavailable

logger = logging.getLogger(__name__)

DISK_FULL = frozenset({errno.ENOSPC, errno.EDQUOT, errno.EFBIG})
MOST_LEVELS = 32
"""Nothing that the page or a client sends is nested deeper."""
MOST_CHARACTERS = 500
"""Of a refusal."""
UPLOADS_KEPT_S = 3600
"""Uploads lie in gradio's folder until they are this old, their page is closed, or the app is."""
SWEEP_S = 300
"""How often old uploads are removed."""

_UPLOADED = "/gradio_api/file="
"""Begins the path of the address under which gradio shows an upload."""


ADDED_LATER: Mapping[str, tuple[Any, ...]] = {"submit": (False, ""), "judge_report": (False, "", "", "", "", "")}
"""Endpoint -> its last values where a program that was written before there were any leaves them out."""


class Pages(gr.Blocks):
    """Blocks whose every event, public or not, is guarded and measured.

    gradio 6.31 downloads whatever address a client states as the path of a file, for any input of any event. Here only
    files that were uploaded to this site are taken; nothing else is fetched.
    """

    def __init__(self, **options: Any) -> None:
        super().__init__(analytics_enabled=False, delete_cache=(SWEEP_S, UPLOADS_KEPT_S), **options)
        self.event_seconds = Histogram(
            "plumbline_event_seconds",
            "Server time of what visitors and clients asked for.",
            ("event", "outcome"),
            registry=None,
        )
        """By public endpoint (`page` for everything the page does itself) and outcome: done, refused or failed."""
        self._told_damage = False
        self.first_views: dict[str, FirstView] = {}
        """What pages show at first, by their path."""
        self.preview_of: PreviewOf = lambda tab, query: general_preview(tab)
        """Page and query -> the preview of that link."""
        self.own_routes: list[Route] = []
        """Addresses of files that are made from the boards."""

    def turn_to(self, path: str) -> None:
        """What is rendered from here on stands on the page at this path, "" being the first.

        `Blocks.route` of gradio 6.31 does the same with a context of its own for each page, and works out everything
        anew at the end of each.
        """
        if path:
            self.pages.append((path, path, False))
        self.current_page = path

    def _resolve_ssr_mode(self, ssr_mode: bool | None, disable_when_multi_page: bool = True) -> bool:
        """Pages are drawn in the browser; gradio 6.31 would warn of it, as if somebody had asked for the other."""
        return False

    async def preprocess_data(
        self, block_fn: Any, inputs: list[Any], state: Any, explicit_call: bool = False
    ) -> list[Any]:
        """As gradio does it, of files that were uploaded here.

        What a page sends of a list that has just changed counts as not chosen: gradio 6.31 would tell the visitor of a
        fault, though all they did was to go on before an answer came.

        Raises:
            gr.Error: for every other file, and for values no page and no documented client sends.
        """
        wanted = len(block_fn.inputs)
        added = ADDED_LATER.get(block_fn.api_name, ())
        if 0 < wanted - len(inputs) <= len(added):
            inputs = [*inputs, *added[len(inputs) - wanted :]]
        if len(inputs) < wanted:
            raise refusal(f"This call takes {wanted} values, and only {len(inputs)} came (docs/api.md).")
        only_uploads(inputs)
        while True:
            try:
                prepared: list[Any] = await super().preprocess_data(block_fn, inputs, state, explicit_call)
                return prepared
            except InvalidPathError:
                raise refusal("The file was not uploaded to this site: upload it first, then state its path.") from None
            except gr.Error:
                offered = [_offered(block, value, state) for block, value in zip(block_fn.inputs, inputs, strict=False)]
                if block_fn.api_visibility != "private" or offered == inputs:
                    raise
                inputs = offered
            except OSError:
                raise
            except Exception:
                # Components take what the page sends; whatever they fail over was written by hand.
                raise refusal("This call holds a value that its field does not take (docs/api.md).") from None

    async def postprocess_data(self, block_fn: Any, predictions: Any, state: Any) -> list[Any]:
        """As gradio does it, of the values that are not skipped.

        gradio 6.31 builds every skipped component anew, and keeps it for the visitor: when a page is opened, that is
        most of them.
        """
        outputs, kept = block_fn.outputs, gr.skip()
        if not isinstance(predictions, list | tuple) or len(predictions) != len(outputs) or len(outputs) == 1:
            return await super().postprocess_data(block_fn, predictions, state)
        told = [place for place, value in enumerate(predictions) if not (isinstance(value, dict) and value == kept)]
        values: list[Any] = [predictions[place] for place in told]
        fewer = copy(block_fn)
        fewer.outputs = [outputs[place] for place in told]
        # gradio takes what a function with one output gives as the value itself.
        given = values if len(told) > 1 else values[0] if told else []
        done = dict(zip(told, await super().postprocess_data(fewer, given, state), strict=True))
        return [done.get(place, gr.skip()) for place in range(len(outputs))]

    def handle_streaming_diffs(
        self,
        block_fn: Any,
        data: list[Any],
        session_hash: str | None,
        run: str | None,
        final: bool,
        simple_format: bool = False,
    ) -> list[Any]:
        """As gradio does it, with every value that changed sent whole.

        gradio 6.31 sends the changes inside a value, and its page makes them in the value it has, also while that one
        still waits to be drawn. Skipping an output is such a change: what waited was then skipped as well, and on a
        busy machine a column of the lab stood still for good.
        """
        values = list(data)
        sent = super().handle_streaming_diffs(block_fn, data, session_hash, run, final, simple_format)
        if final:
            return sent
        # What is not the value itself is the changes that make it; none leave what the page has.
        return [
            [["replace", [], value]] if part is not value and part else part
            for part, value in zip(sent, values, strict=True)
        ]

    async def process_api(self, block_fn: Any, *args: Any, **options: Any) -> dict[str, Any]:
        """As gradio does it, with the time it took.

        What fails is told to the visitor in a sentence and to the log in a line: gradio would write a traceback for
        every call that somebody made by hand.
        """
        function = self.fns[block_fn] if isinstance(block_fn, int) else block_fn
        event = str(function.api_name) if function.api_visibility == "public" else "page"
        begun, outcome = time.perf_counter(), "failed"
        try:
            with one_look():
                answer: dict[str, Any] = await super().process_api(block_fn, *args, **options)
            outcome = "done"
        except gr.Error as error:
            outcome = "refused"
            raise refusal(str(error.message)) from None
        except StoreDamaged as damage:
            if not self._told_damage:
                logger.error("%s", damage)
            self._told_damage = True
            raise refusal(StoreDamaged.FOR_VISITORS) from None
        except StoreUnavailable:
            raise refusal("The database does not answer; try again in a minute.") from None
        except Exception as error:
            if isinstance(error, OSError) and error.errno in DISK_FULL:
                logger.error("nothing can be stored: %s", error)
                said = "The disk of this installation is full, so nothing was stored; try again later."
                raise refusal(said) from None
            logger.error("event %s failed: %s", function._id, in_one_line(error))
            raise refusal(FAILED) from None
        finally:
            self.event_seconds.labels(event, outcome).observe(time.perf_counter() - begun)
        return answer

    def queue(self, *_: Any, **__: Any) -> Self:
        """Nothing: `take_turns` makes the queue, and `PageServer` the application.

        gradio 6.31 makes both here, before there is any event, and each application takes a fifth of a second or more.
        """
        return self

    def take_turns(self, at_once: int, pace: Pace) -> None:
        """Lets events wait in line, each kind with places of its own (`leaderboard.web.places`).

        Args:
            at_once: Events of a kind that are at work at the same time, where the kind says nothing else.
            pace: Of everything that is more than reading.
        """
        self.api_open = False
        self._queue = FairQueue(
            pace,
            live_updates=True,
            concurrency_count=self.max_threads,
            update_intervals=1,
            max_size=None,
            blocks=self,
            default_concurrency_limit=at_once,
        )

    def served_by(self, app: App) -> None:
        """Takes the application that gradio made of these pages, as `launch` would."""
        self.app = self.server_app = app
        # Before that gradio 6.31 takes every path a caller states for the path of an upload.
        self.has_launched = True
        self._queue.set_server_app(app)
        # No more is remembered of a visitor than is needed.
        sessions = LeanSessions()
        sessions.set_blocks(self)
        app.state_holder = sessions
        if self.mcp_error:
            logger.error("the MCP tools are not open: %s", self.mcp_error)
        self.sweep_messages()

    def opened_at(self, address: str) -> None:
        """Takes the address at which this machine reaches the pages.

        MCP tools call themselves there; gradio 6.31 would else take the address that their first caller states.
        """
        if self.mcp_server_obj is not None:
            self.mcp_server_obj._local_url = f"{address}/"

    def end_streams(self) -> None:
        """Lets every open stream of events end, so that the server can close; call it before."""
        self._queue.close()  # type: ignore[no-untyped-call]
        self.is_running = False
        self.app.stop_event.set()

    def sweep_messages(self) -> None:
        """Lets files that come inside MCP messages be removed like uploads.

        gradio 6.31 writes them to its folder, uploads them from there to itself, and forgets them.
        """
        server: Any = self.mcp_server_obj
        if server is None:
            return
        with_files: Callable[..., dict[str, Any]] = server.convert_strings_to_filedata

        def remembered(arguments: dict[str, Any], positions: list[list[str | int]]) -> dict[str, Any]:
            given = with_files(arguments, positions)
            self.upload_file_set.update(file["path"] for file in given.values() if isinstance(file, dict))
            return given

        server.convert_strings_to_filedata = remembered


def _offered(block: Any, value: Any, state: Any) -> Any:
    """A value without the choices that this visitor's list no longer offers; every other value as it is."""
    now = state[block._id] if state is not None and block._id in state else block
    if not isinstance(now, gr.Dropdown | gr.Radio | gr.CheckboxGroup) or getattr(now, "allow_custom_value", False):
        return value
    choices = [choice for _, choice in now.choices]
    if isinstance(value, list):
        return [part for part in value if part in choices]
    return value if value in choices else None


def refusal(message: str) -> gr.Error:
    """An error for whoever asked: one sentence, and no traceback in the log."""
    return gr.Error(printable(message, MOST_CHARACTERS), print_exception=False)


def only_uploads(values: list[Any]) -> None:
    """Refuses addresses in place of files, before gradio fetches them.

    The address under which this site itself shows an upload becomes the upload's path: that is what gradio's own tool
    for uploading hands to MCP clients. Whether such a path is one of an upload, gradio checks.

    Raises:
        gr.Error: for any other address, for a file no client writes, and for deeper nesting than anything here has.
    """
    level = [values]
    for _ in range(MOST_LEVELS):
        deeper: list[Any] = []
        for value in level:
            if isinstance(value, dict):
                _make_local(value)
            parts = value.values() if isinstance(value, dict) else value
            deeper += [part for part in parts if isinstance(part, dict | list)]
        level = deeper
    if level:
        raise refusal(f"The input is nested more than {MOST_LEVELS} levels deep.")


def _make_local(value: dict[str, Any]) -> None:
    if "meta" in value and not isinstance(value["meta"], dict):
        raise refusal("The input holds a file without what gradio says about files.")
    path = value.get("path")
    if not isinstance(path, str) or "meta" not in value:
        return
    if "://" in path:
        _, separator, uploaded = urlsplit(path).path.partition(_UPLOADED)
        if not separator:
            raise refusal("Addresses are not fetched: upload the file to this site.")
        value["path"] = unquote(uploaded)
