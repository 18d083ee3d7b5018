"""The picture of a shared link, drawn from its figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from io import BytesIO
from pathlib import Path

import matplotlib
from PIL import Image, ImageDraw, ImageFont
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from leaderboard.parts.visible_text import shortened
from leaderboard.site.page_register import page_of
from leaderboard.site.previews import PICTURE, SITE, Picture, PictureLine, Preview
from leaderboard.web.turns import NoTurn, Turns
from submissions.store.database import one_look

SIZE = (1200, 630)
"""What chats and search engines show whole."""
_GROUND, _INK, _MUTED, _LINE, _ACCENT = "#fbfaf7", "#1d2330", "#5a6372", "#d9d5cc", "#0b5c76"
_MARGIN = 72
_BAR_LEFT, _BAR_RIGHT = 820, SIZE[0] - _MARGIN
_LINES_TOP, _LINE_HEIGHT = 270, 60


def picture_route(preview_of: Callable[[str, Mapping[str, str]], Preview]) -> Route:
    """Return the route that serves the pictures.

    Args:
        preview_of: Page and query -> the preview of that link.
    """

    turns = Turns()

    def drawn(query: Mapping[str, str]) -> bytes:
        with one_look():
            return png(preview_of(page_of(query), query).picture)

    async def answer(request: Request) -> Response:
        query = dict(request.query_params)
        try:
            data = await turns.make(lambda: drawn(query))
        except NoTurn:
            return PlainTextResponse("Other pictures are being drawn. Try again.", 503, {"retry-after": "10"})
        return Response(data, media_type="image/png", headers={"cache-control": "public, max-age=300"})

    return Route(f"/{PICTURE}", answer)


@lru_cache(maxsize=64)
def png(picture: Picture) -> bytes:
    """Return a picture as PNG."""
    image = Image.new("RGB", SIZE, _GROUND)
    draw = ImageDraw.Draw(image)
    draw.rectangle((0, 0, SIZE[0], 12), fill=_ACCENT)
    width = SIZE[0] - 2 * _MARGIN
    _write(draw, (_MARGIN, 60), picture.title, _font(56, is_bold=True), width, _INK)
    for place, line in enumerate(_wrapped(picture.context, _font(28), width, 2)):
        _write(draw, (_MARGIN, 146 + 40 * place), line, _font(28), width, _MUTED)
    if len(picture.lines) == 1:
        if picture.lines[0].name != picture.title:
            _write(draw, (_MARGIN, 250), picture.lines[0].name, _font(30), width, _INK)
        _one(draw, picture.lines[0])
    else:
        for place, row in enumerate(picture.lines):
            _row(draw, _LINES_TOP + place * _LINE_HEIGHT, row)
    _write(draw, (_MARGIN, SIZE[1] - 52), SITE, _font(28, is_bold=True), width, _ACCENT)
    data = BytesIO()
    image.save(data, "PNG")
    return data.getvalue()


def _one(draw: ImageDraw.ImageDraw, line: PictureLine) -> None:
    """Draw a single figure, large."""
    width = SIZE[0] - 2 * _MARGIN
    size = next((size for size in (64, 54, 44, 36) if _font(size, is_bold=True).getlength(line.figure) <= width), 30)
    _write(draw, (_MARGIN, 310), line.figure, _font(size, is_bold=True), width, _INK)
    _bar(draw, (_MARGIN, SIZE[0] - _MARGIN), 450, line, 10)


def _row(draw: ImageDraw.ImageDraw, top: int, row: PictureLine) -> None:
    """Draw one of several rows."""
    figure = _font(26, is_bold=True)
    _write(draw, (_MARGIN, top), row.name, _font(26), 440, _INK)
    _write(draw, (_MARGIN + 460, top), row.figure, figure, _BAR_LEFT - _MARGIN - 480, _INK)
    _bar(draw, (_BAR_LEFT, _BAR_RIGHT), top + 17, row, 6)


def _bar(draw: ImageDraw.ImageDraw, ends: tuple[int, int], middle: int, line: PictureLine, half: int) -> None:
    if line.at is None:
        return
    left, right = ends

    def at(place: float) -> int:
        return round(left + place * (right - left))

    draw.line((left, middle, right, middle), fill=_LINE, width=3)
    if line.low is not None and line.high is not None:
        draw.rectangle((at(line.low), middle - half, at(line.high), middle + half), fill="#9cc4d2")
    x = at(line.at)
    draw.ellipse((x - half - 3, middle - half - 3, x + half + 3, middle + half + 3), fill=_ACCENT)


def _write(
    draw: ImageDraw.ImageDraw,
    place: tuple[int, int],
    text: str,
    font: ImageFont.FreeTypeFont,
    width: int,
    colour: str,
) -> None:
    """Write one line that ends within the width. Characters the font lacks are left out."""
    text = _drawable(text)
    most = len(text)
    while most > 4 and font.getlength(shortened(text, most)) > width:
        most -= 1
    draw.text(place, shortened(text, most), fill=colour, font=font)


def _wrapped(text: str, font: ImageFont.FreeTypeFont, width: int, most: int) -> list[str]:
    """Return at most so many lines; the last takes what is left."""
    lines = [""]
    for word in _drawable(text).split():
        longer = f"{lines[-1]} {word}".strip()
        if len(lines) < most and lines[-1] and font.getlength(longer) > width:
            lines.append(word)
        else:
            lines[-1] = longer
    return lines


def _drawable(text: str) -> str:
    kept = "".join(character for character in text if _has_glyph(character))
    return " ".join(kept.split())


@lru_cache(maxsize=4096)
def _has_glyph(character: str) -> bool:
    font = _font(26)
    missing = font.getmask("\U0010fffe")
    glyph = font.getmask(character)
    return character.isspace() or (glyph.size, bytes(glyph)) != (missing.size, bytes(missing))


@lru_cache(maxsize=16)
def _font(size: int, *, is_bold: bool = False) -> ImageFont.FreeTypeFont:
    name = "DejaVuSans-Bold.ttf" if is_bold else "DejaVuSans.ttf"
    return ImageFont.truetype(Path(matplotlib.get_data_path()) / "fonts" / "ttf" / name, size)
