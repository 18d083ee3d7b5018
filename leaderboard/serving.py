"""The page server whole: the pages, what they rest on, and everything that stands before them."""

from __future__ import annotations

from starlette.middleware import Middleware

from evaluator.lab.serving import LabService
from leaderboard import ui
from leaderboard.boards import registry
from leaderboard.own_runs.notices import NoticeSender
from leaderboard.page.identity import Identity
from leaderboard.page.services import Services
from leaderboard.parts.chart_components import ROUTES as CHART_ROUTES
from leaderboard.review.routes import routes as review_routes
from leaderboard.seasons.routes import routes as season_routes
from leaderboard.site.api import ENDPOINTS
from leaderboard.site.health import Health, routes
from leaderboard.site.preview_picture import picture_route
from leaderboard.web.addresses import Hosts, KnownHosts, TrustedProxies
from leaderboard.web.browsers import KnownBrowsers
from leaderboard.web.faults import PlainFaults
from leaderboard.web.first_page import FirstPages
from leaderboard.web.headers import SafeHeaders
from leaderboard.web.open_paths import OpenPaths
from leaderboard.web.pace import Pace
from leaderboard.web.page_paths import PagePaths
from leaderboard.web.request_limits import RequestLimit
from leaderboard.web.server import PageServer
from leaderboard.web.sound_calls import SoundCalls
from leaderboard.web.uploads import UploadLimit, Uploads
from submissions.archive.keeper import ArchiveKeeper
from submissions.desk import Desk
from submissions.settings import Settings
from submissions.store.store import Store


class Site:
    """The pages of an installation, their checks of files and the notices to teams.

    Args:
        settings: Of the installation.
        store: All of it.
        shown: What visitors see of it.
        desk: Takes files in.
        lab: Writes and judges what visitors ask for.
        keeper: Of the archive; the health page says how it is.
    """

    def __init__(
        self, settings: Settings, *, store: Store, shown: Store, desk: Desk, lab: LabService, keeper: ArchiveKeeper
    ) -> None:
        self._notices = NoticeSender(store, shown, settings.site_address)
        self._notices.start()
        self._services = Services(store=shown, desk=desk, settings=settings, lab=lab, identity=Identity.of(settings))
        self._services.checks.start()
        registry.add_own_tasks(desk.prompt_sets.own_tasks)
        pages = ui.build(self._services)
        pages.take_turns(at_once=8, pace=Pace(settings.files_per_minute))
        is_public = self._services.identity.is_public
        hosts, uploads = Hosts.of(settings), Uploads.of(settings)
        own = [*routes(Health(store, settings.archive, keeper), pages.event_seconds), *CHART_ROUTES]
        own += [*season_routes(store, desk), *review_routes(store, desk, settings)]
        own += [picture_route(pages.preview_of), *pages.own_routes]
        self._server = PageServer(
            pages,
            settings.host,
            settings.port,
            routes=own,
            middleware=[
                Middleware(SafeHeaders, is_on_the_hub=is_public),
                Middleware(PlainFaults),
                Middleware(TrustedProxies, proxies=settings.proxies),
                Middleware(KnownHosts, hosts=hosts),
                Middleware(OpenPaths, endpoints=ENDPOINTS, routes=[route.path for route in own]),
                Middleware(PagePaths),
                *([] if is_public else [Middleware(KnownBrowsers)]),
                Middleware(FirstPages, hosts=hosts, views=pages.first_views, preview_of=pages.preview_of),
                Middleware(RequestLimit),
                Middleware(UploadLimit, uploads=uploads, pace=Pace(settings.files_per_minute)),
                Middleware(SoundCalls, pages=pages, uploads=uploads),
            ],
            mcp=settings.mcp,
        )

    @property
    def address(self) -> str:
        """Where it listens."""
        return self._server.address

    def open(self) -> None:
        """Begins to listen.

        Raises:
            PortTaken: when it cannot listen where it should.
        """
        self._server.open()

    def close(self) -> None:
        """Closes the pages, then stops what works for them."""
        self._services.checks.close()
        self._server.close()
        self._notices.stop()
