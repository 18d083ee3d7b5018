"""The ranked rows of a board, as a visitor looks at it, as a zip of records of Every Eval Ever."""

from __future__ import annotations

import asyncio

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from leaderboard.eval_results.tasks import BenchmarkTask
from leaderboard.every_eval_ever.files import record_files
from leaderboard.page.registered import BoardTools
from leaderboard.parts.downloads import zipped
from leaderboard.parts.export_components import RECORDS_PATH
from leaderboard.site.link_reader import LinkReader
from leaderboard.web.turns import NoTurn, Turns

MOST_QUERY = 2_000
"""Characters of the query."""


def records_route(tools: BoardTools, links: LinkReader) -> Route:
    """Return the address that takes the query of any link of a board.

    Args:
        tools: Their boards are open.
        links: Reads the query, as it does for the pages.
    """
    turns = Turns()

    async def records(request: Request) -> Response:
        if len(request.url.query) > MOST_QUERY:
            return JSONResponse({"error": f"The query has more than {MOST_QUERY:,} characters."}, 400)
        link = await asyncio.to_thread(links.read, dict(request.query_params))
        table = links.tables.get(link.state.tab)
        if table is None or link.notes:
            said = " ".join(link.notes) or "It opens no board."
            return JSONResponse({"error": f"{said} Ask with the query of a link of a board."}, 400)
        task = BenchmarkTask(table, link.state)
        try:
            data = await turns.make(lambda: zipped(record_files(tools, [task])))
        except NoTurn:
            return JSONResponse({"error": "Another export is being made. Try again."}, 503, {"retry-after": "10"})
        name = f"plumbline-{table.board}-every-eval-ever.zip"
        saved_as = {"content-disposition": f'attachment; filename="{name}"'}
        return Response(data, media_type="application/zip", headers=saved_as)

    return Route(RECORDS_PATH, records)
