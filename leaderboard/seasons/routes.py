"""The frozen boards and the terms as files, each under an address of its own."""

from __future__ import annotations

from collections.abc import Callable

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from leaderboard.seasons.citable import citable_zip
from leaderboard.seasons.head import is_public
from submissions.archive.events import DamagedFile
from submissions.desk import Desk
from submissions.seasons.frozen import frozen_boards
from submissions.seasons.season import Season
from submissions.seasons.terms import Terms
from submissions.store.store import Store


def routes(store: Store, desk: Desk) -> list[Route]:
    """Of each season the bytes that were kept, once names and scores are public, and all terms as plain text.

    The kept bytes stand alone (`.json`) and with what is needed to cite them (`.zip`).
    """
    copies = [
        Route(f"/season/{season.name}.{ending}", _copy_of(season, store, desk, is_archive=ending == "zip"))
        for season in desk.seasons
        for ending in ("json", "zip")
    ]
    return copies + [Route(terms.link, _text_of(terms)) for terms in desk.seasons.all_terms()]


def _text_of(terms: Terms) -> Callable[[Request], Response]:
    def text(request: Request) -> Response:
        head = f"Terms of {terms.title}, version {terms.version} (SHA-256 {terms.sha256})"
        return PlainTextResponse(f"{head}\n\n{terms.text}\n")

    return text


def _copy_of(season: Season, store: Store, desk: Desk, *, is_archive: bool) -> Callable[[Request], Response]:
    def copy(request: Request) -> Response:
        kept = frozen_boards(store.acts()).get(season.name)
        if kept is None:
            return JSONResponse({"error": f"The season {season.name} is not frozen."}, 404)
        if not is_public(season, desk.clock()):
            return JSONResponse({"error": f"The board of the season {season.name} is not public yet."}, 403)
        try:
            data = desk.archive.object(kept.sha256)
        except DamagedFile:
            return JSONResponse({"error": "The frozen copy is missing here: restore it from the archive."}, 503)
        if is_archive:
            return Response(citable_zip(data), media_type="application/zip")
        # Content that never changes: whoever has it may keep it.
        return Response(data, media_type="application/json", headers={"etag": f'"{kept.sha256}"'})

    return copy
