"""The page server: gradio's pages and our own routes behind one list of middleware, served by uvicorn in a thread."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Sequence
from typing import Any

import gradio as gr
import uvicorn
from fastapi import FastAPI
from gradio.routes import App
from starlette.middleware import Middleware
from starlette.routing import BaseRoute, Mount

from leaderboard.parts import theme
from leaderboard.web.faults import PortTaken
from leaderboard.web.pages import Pages

MOST_UPLOAD = "256mb"
CLOSES_WITHIN_S = 2
"""Answers that are being sent when the server closes have so long; streams that stay open are cut then."""


class PageServer:
    """Serves the pages.

    Not by `Blocks.launch` of gradio 6.31: that asks its own page once, within 3 seconds, and gives the server 5 to come
    up, so that it fails on a busy machine. This takes as long as it takes.

    Args:
        host: The address to listen on.
        port: The port; 0 = any free one, which `address` then names.
        routes: Beside gradio's own, and before them.
        middleware: Around everything, the outermost first.
        mcp: May assistants use the public endpoints as tools?
    """

    def __init__(
        self,
        pages: Pages,
        host: str,
        port: int,
        *,
        routes: Sequence[BaseRoute] = (),
        middleware: Sequence[Middleware] = (),
        mcp: bool = False,
    ) -> None:
        self._pages = pages
        self._host, self._port = host, port
        # Pages are written out when somebody asks for them, not described: no documentation of routes.
        outer = FastAPI(routes=list(routes), middleware=list(middleware), openapi_url=None)
        self._app = gr.mount_gradio_app(
            outer,
            pages,
            path="/",
            server_name=host,
            server_port=port,
            theme=theme.theme(),
            css=theme.css(),
            head=theme.head(),
            footer_links=[],
            max_file_size=MOST_UPLOAD,
            mcp_server=mcp,
            enable_monitoring=False,
            run_history=False,
            show_error=False,
            ssr_mode=False,
        )
        pages.served_by(_gradio_app(self._app))
        self._server: _Server | None = None

    @property
    def address(self) -> str:
        """Where this machine reaches the pages."""
        host = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(self._host, self._host)
        return f"http://{f'[{host}]' if ':' in host and not host.startswith('[') else host}:{self._port}"

    def open(self) -> None:
        """Returns once the pages can be asked for, however long that takes.

        Raises:
            PortTaken: the address is not this machine's, or somebody else listens there.
        """
        listening = listening_at(self._host, self._port)
        self._port = listening.getsockname()[1]
        self._pages.opened_at(self.address)
        # Addresses are read by our own middleware, which knows how many proxies may be believed.
        config = uvicorn.Config(
            self._app,
            port=self._port,
            log_level="warning",
            proxy_headers=False,
            timeout_graceful_shutdown=CLOSES_WITHIN_S,
        )
        self._server = _Server(config)
        # Where `launch` would put it: a fork for a graphics card (ZeroGPU) learns the port there, whose connections it
        # closes so that no visitor's stays open with it.
        pages: Any = self._pages
        pages.server = self._server
        self._server.run_in_thread(listening)

    def close(self) -> None:
        """Ends open streams, then the server."""
        self._pages.end_streams()
        if self._server:
            self._server.close()


def listening_at(host: str, port: int) -> socket.socket:
    """A socket that listens there; what it accepts sends at once whatever is written to it.

    Args:
        host: An address of this machine; that of IPv6 with or without its brackets.
        port: 0 = any free one.

    Raises:
        PortTaken: the address is not this machine's, or somebody else listens there.
    """
    host = host.strip("[]")
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listening = socket.create_server((host, port), family=family, backlog=2048)
    except OSError as error:
        why = os.strerror(error.errno or 0)  # `error.strerror` repeats the address
        raise PortTaken(f"it cannot listen on {host} port {port} (GRADIO_SERVER_NAME, PORT): {why}") from None
    # asyncio sets it on connections of sockets that it made itself. Without it the end of an answer waits until the
    # visitor's machine acknowledges the beginning, which that puts off by 40 ms.
    listening.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, True)
    return listening


class _Server(uvicorn.Server):
    """uvicorn in a thread of its own."""

    def run_in_thread(self, listening: socket.socket) -> None:
        self._is_open = threading.Event()
        self._thread = threading.Thread(target=self._served, args=(listening,), name="pages", daemon=True)
        self._thread.start()
        self._is_open.wait()
        if not self.started:
            raise RuntimeError("the page server ended while it started; the log says why")

    def _served(self, listening: socket.socket) -> None:
        try:
            self.run([listening])
        finally:
            self._is_open.set()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._is_open.set()

    def close(self) -> None:
        self.should_exit = True
        self._thread.join()


def _gradio_app(app: FastAPI) -> App:
    """The application that gradio mounted."""
    mounted = app.routes[-1]
    if not isinstance(mounted, Mount) or not isinstance(mounted.app, App):
        raise TypeError("gradio mounts its application as the last route")
    return mounted.app
