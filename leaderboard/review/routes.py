"""The address of review links."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from html import escape
from threading import Lock

from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response
from starlette.routing import Route

from evaluator.printing.page import printed_page
from leaderboard.review.copy import ReviewCopy, review_copy
from submissions.desk import Desk
from submissions.seasons.review import PATH, NoReview, run_of_link
from submissions.settings import Settings
from submissions.store.store import Store, StoreUnavailable

_CSV = "csv"
_HEADERS = {
    # The address is a secret: nobody lists it, keeps what it shows, or is told of it by a link.
    "x-robots-tag": "noindex, nofollow",
    "cache-control": "private, no-store",
    "referrer-policy": "no-referrer",
}


def routes(store: Store, desk: Desk, settings: Settings) -> list[Route]:
    """One address, which shows a run to whoever has its link; it is 404 to everybody else."""
    return [Route(PATH, _copy(store, desk, settings))]


def _copy(store: Store, desk: Desk, settings: Settings) -> Callable[[Request], Response]:
    one_at_a_time = Lock()
    last: dict[tuple[str, str, int], ReviewCopy] = {}

    def tickets() -> Iterator[str]:
        return (ticket.id for ticket in store.tickets())

    def made(ticket: str, until: str) -> ReviewCopy:
        """The copy; that of the last link is kept, so that nobody keeps the server busy by opening one again."""
        with one_at_a_time:
            asked = (ticket, until, store.change_marker())
            if asked not in last:
                last.clear()
                last[asked] = review_copy(store, desk, settings, ticket, until)
            return last[asked]

    def copy(request: Request) -> Response:
        asked = request.query_params
        run, until, seal = (asked.get(name, "") for name in ("run", "until", "seal"))
        try:
            ticket = run_of_link(settings.pseudonym_key, run, until, seal, desk.clock(), tickets)
            shown = made(ticket, until)
        except NoReview as refused:
            body = printed_page("Nothing to review here", [f"<p>{escape(str(refused))}</p>"])
            return HTMLResponse(body, 404, headers=_HEADERS)
        except StoreUnavailable:
            body = printed_page("Not now", ["<p>The database does not answer. Open the link again in a minute.</p>"])
            return HTMLResponse(body, 503, headers=_HEADERS)
        if asked.get("form") == _CSV:
            disposition = {"content-disposition": 'attachment; filename="answers.csv"'}
            return PlainTextResponse(shown.csv(), media_type="text/csv", headers=_HEADERS | disposition)
        return HTMLResponse(shown.html(f"?{request.url.query}&form={_CSV}"), headers=_HEADERS)

    return copy
