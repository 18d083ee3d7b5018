"""How charts come onto the page: they wait until somebody is near, and are drawn together, each with its numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypedDict

import orjson
import plotly
from plotly.offline import get_plotlyjs_version
from starlette.requests import Request
from starlette.responses import FileResponse
from starlette.routing import Route

from leaderboard.assets import asset, template
from leaderboard.parts.components import PRINT_PAGE, TemplateComponent, literal_safe_bytes

LIBRARY = f"plotly-{get_plotlyjs_version()}.min.js"
"""The drawing library of the browser, in the version that the figures are made for."""
_KEPT = "public, max-age=31536000, immutable"
"""The version is in the name: what a browser has stays right."""


_FILE = Path(plotly.__file__).with_name("package_data") / "plotly.min.js"


async def _library(request: Request) -> FileResponse:
    return FileResponse(_FILE, media_type="text/javascript", headers={"Cache-Control": _KEPT})


ROUTES = [Route(f"/{LIBRARY}", _library)]
"""Where browsers get the library from: this site, and no other."""


class WaitingValue(TypedDict):
    """Charts that wait to be drawn."""

    marker: str
    """Another one asks to draw them anew."""
    target: str
    """elem_id of what holds them."""


class DrawnWhenNear(TemplateComponent):
    """Shows nothing; its event `near` with {width} tells that the charts have to be drawn and are in or near sight.

    Value: `WaitingValue`; None while they cannot be looked at.
    """

    # The place is looked up each time: what was hidden comes back as another element.
    SCRIPT = asset("drawn_when_near.js")


# The section around it has the same name.
_NUMBERS = template("table").replace('label="{{value', 'label="The numbers behind: {{value').replace("value.", "table.")


class ChartsView(TemplateComponent):
    """Charts below each other, small ones beside each other, each with the table behind it (`chart.ChartsValue`).

    A chart without a figure keeps its place empty, and one is drawn when it comes near sight: a page of seven is there
    as soon as a page of one. Event: `open` with {row}, of the tables whose rows lead somewhere.
    """

    IS_LARGE = True

    TEMPLATE = template("charts_view", numbers=_NUMBERS)
    # What is drawn anew stands in new elements: the library has to let go of the old ones, or it keeps resizing them.
    SCRIPT = f"{PRINT_PAGE}const source = new URL({orjson.dumps(LIBRARY).decode()}, document.baseURI).href;\n" + asset(
        "charts.js"
    )

    def postprocess(self, value: Any) -> str | None:
        """Figures stay as they are, because no template ever shows them; everything else is made safe for one."""
        if value is None:
            return None
        figures = {key: orjson.Fragment(figure.to_json()) for key, figure in value["figures"].items()}
        shown = literal_safe_bytes({name: part for name, part in value.items() if name != "figures"})
        return (shown[:-1] + b',"figures":' + orjson.dumps(figures) + b"}").decode()
